// What questions took: how many, their calls, tokens and cost, as a result counts them.

// unknown: how many calls have no known number of tokens or cost.
const AMOUNTS = ["input", "output", "cost"];
const NO_USAGE = { questions: 0, unanswered: 0, calls: 0, cached: 0, input: 0, output: 0, cost: 0, seconds: 0, unknown: { input: 0, output: 0, cost: 0 } };

const added = (one, other) => Object.fromEntries(Object.entries(one).map(([name, value]) => [name, isMapping(value) ? added(value, other[name]) : value + other[name]]));

function usageOf({ answer, calls, cached, seconds }) {
  const names = { input: "input_tokens", output: "output_tokens", cost: "cost" };
  const known = (amount) => calls.map((call) => call[names[amount]]).filter((value) => value !== null && value !== undefined);
  const sums = Object.fromEntries(AMOUNTS.map((amount) => [amount, known(amount).reduce((sum, value) => sum + value, 0)]));
  const unknown = Object.fromEntries(AMOUNTS.map((amount) => [amount, calls.length - known(amount).length]));
  return { questions: 1, unanswered: Number(answer === null), calls: calls.length, cached, ...sums, seconds: seconds ?? 0, unknown };
}

// An amount of a usage in figures: "–" if nothing is known of it, "≥" before it if something is missing.
function amount(usage, name) {
  if (!usage.calls || usage.unknown[name] === usage.calls) return "–";
  return `${usage.unknown[name] ? "≥ " : ""}${name === "cost" ? dollars(usage.cost) : usage[name].toLocaleString("en")}`;
}

const dollars = (cost) => `$${cost.toFixed(cost > 0 && cost < 1 ? 4 : 2)}`;

const duration = (seconds) => (seconds < 0.001 ? "under 1 ms" : seconds < 1 ? `${number(1000 * seconds, 0)} ms` : `${number(seconds)} s`);
