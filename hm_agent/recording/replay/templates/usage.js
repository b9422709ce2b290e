// The usage of questions: their number, calls, tokens and cost, as a result counts them.

// cost: of all calls; paid: of those that no cache answered, saved: of the others. unknown: the number of calls whose
// tokens or cost are not known.
const AMOUNTS = ["input", "output", "cost"];
const NO_USAGE = { questions: 0, unanswered: 0, calls: 0, cached: 0, input: 0, output: 0, cost: 0, paid: 0, saved: 0, seconds: 0, unknown: { input: 0, output: 0, cost: 0, paid: 0, saved: 0 } };

const added = (one, other) => Object.fromEntries(Object.entries(one).map(([name, value]) => [name, isMapping(value) ? added(value, other[name]) : value + other[name]]));

function usageOf({ answer, calls, cached, saved, seconds }) {
  const names = { input: "input_tokens", output: "output_tokens", cost: "cost" };
  const known = (amount) => calls.map((call) => call[names[amount]]).filter((value) => value !== null && value !== undefined);
  const sums = Object.fromEntries(AMOUNTS.map((amount) => [amount, known(amount).reduce((sum, value) => sum + value, 0)]));
  const unknown = Object.fromEntries(AMOUNTS.map((amount) => [amount, calls.length - known(amount).length]));
  unknown.paid = cached < calls.length ? unknown.cost : 0;
  unknown.saved = cached ? unknown.cost : 0;
  return { questions: 1, unanswered: Number(answer === null), calls: calls.length, cached, ...sums, paid: sums.cost - saved, saved, seconds: seconds ?? 0, unknown };
}

// An amount of a usage as text: "–" if it is unknown for all calls, "≥" before it if it is unknown for some.
function amount(usage, name) {
  const isMoney = ["cost", "paid", "saved"].includes(name);
  const counted = { paid: usage.calls - usage.cached, saved: usage.cached }[name] ?? usage.calls;
  if (!usage.calls || (counted && usage.unknown[name] >= counted)) return "–";
  return `${usage.unknown[name] ? "≥ " : ""}${isMoney ? dollars(Math.max(0, usage[name])) : usage[name].toLocaleString("en")}`;
}

const dollars = (cost) => `$${cost.toFixed(cost > 0 && cost < 1 ? 4 : 2)}`;

const duration = (seconds) => (seconds < 0.001 ? "under 1 ms" : seconds < 1 ? `${number(1000 * seconds, 0)} ms` : `${number(seconds)} s`);
