// The usage of the questions: two tables by kind, up to the selected step and for the whole episode.

class Costs {
  open(seat) {
    this.seat = seat;
    this.whole = byKind(seat.questions);
    this.weight = weightIn(seat.usage.at(-1));
    this.kinds = [...this.whole.keys()].sort((a, b) => this.weight(this.whole.get(b)) - this.weight(this.whole.get(a)) || (a < b ? -1 : 1));
    this.place = make("div");
    byId("costs").replaceChildren(...(seat.questions.length ? [make("h2", { id: "until" }), this.place, make("h2", {}, `The whole episode${this.whose()}`), this.table(this.whole, seat.usage.at(-1)), this.note()] : [make("p", { class: "faint" }, "This agent asks no questions.")]));
  }

  show(index, { askedSoFar }) {
    if (byId("costs").hidden || !this.kinds.length) return;
    byId("until").textContent = `Until step ${index.toLocaleString("en")}${this.whose()}`;
    show(this.place, [this.seat.name, askedSoFar], () => [this.table(byKind(this.seat.questions.slice(0, askedSoFar)), this.seat.usage[askedSoFar])]);
  }

  // The seat whose questions are counted, if there are several seats.
  whose() {
    return viewer.seats.length > 1 ? `, ${spaced(this.seat.name)}` : "";
  }

  table(usages, total) {
    const whole = this.seat.usage.at(-1);
    const columns = costColumns(whole);
    const row = (name, usage) => make("tr", {}, make("th", { scope: "row" }, name), columns.map(({ cell }) => make("td", { class: "amount" }, cell(usage))));
    const isPriced = whole.unknown.cost < whole.calls; // so that both tables have the same columns at every step
    return make("div", {}, whole.calls ? totals(total, isPriced) : null, make("div", { class: "scroll" }, make("table", { class: isPriced ? "costs priced" : "costs" },
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "kind"), columns.map(({ title }) => make("th", { scope: "col", class: "amount" }, title)))),
      make("tbody", {}, this.kinds.map((kind) => row([inParts(kind), share(this.weight(usages.get(kind) ?? NO_USAGE), this.weight(total))], usages.get(kind) ?? NO_USAGE))),
      make("tfoot", {}, row("all kinds", total)))));
  }

  note() {
    const { calls, cost, unknown } = this.seat.usage.at(-1);
    if (!calls) return make("p", { class: "faint" }, "No language model was called, so nothing was paid. Times are sums over all questions, some of which may have been answered at the same time.");
    const isPartlyUnknown = AMOUNTS.some((name) => unknown[name] && unknown[name] < calls);
    return make("p", { class: "faint" }, `Bars: each kind’s share of ${cost ? "the cost" : "the tokens"}. Tokens include those of answers from the cache, whose cost is saved, not paid.${unknown.cost === calls ? " No price is known." : ""}${isPartlyUnknown ? " ≥: the amount is unknown for some calls." : ""}`);
  }
}

// A kind may break before a capital letter: ChooseStrategy.
const inParts = (kind) => kind.split(/(?=[A-Z])/).flatMap((part, place) => (place ? [make("wbr"), part] : [part]));

// All kinds together in a line.
function totals(usage, isPriced) {
  if (!usage.calls) return make("p", { class: "totals" }, "no call yet");
  const told = (words, name) => [words, make("b", {}, amount(usage, name))];
  return make("p", { class: "totals" }, make("b", {}, counted(usage.calls, "call")), usage.cached ? `, ${usage.cached.toLocaleString("en")} from the cache` : null,
    told(" · tokens in ", "input"), told(", out ", "output"), isPriced ? [told(" · paid now ", "paid"), told(", saved by the cache ", "saved")] : null);
}

function byKind(questions) {
  const usages = new Map();
  for (const { kind, usage } of questions) usages.set(kind, added(usages.get(kind) ?? NO_USAGE, usage));
  return usages;
}

function costColumns(whole) {
  const figures = (name) => ({ title: { unanswered: "no answer" }[name] ?? name, cell: (usage) => usage[name].toLocaleString("en") });
  const ofCalls = (name, title) => ({ title, cell: (usage) => amount(usage, name) });
  if (!whole.calls) return [figures("questions"), figures("unanswered"), { title: "time", cell: ({ questions, seconds }) => (questions ? duration(seconds) : "–") }];
  return [...(whole.unknown.cost < whole.calls ? [ofCalls("paid", "paid now"), ofCalls("saved", "saved by the cache")] : []), figures("questions"), figures("unanswered"), figures("calls"), figures("cached"), ofCalls("input", "input tokens"), ofCalls("output", "output tokens")];
}

// The measure of the bars: the cost or, if it is unknown or 0, the tokens or, without calls, the time.
function weightIn({ calls, cost }) {
  return calls ? (cost ? (usage) => usage.cost : ({ input, output }) => input + output) : ({ seconds }) => seconds;
}

function share(weight, total) {
  const part = total ? weight / total : 0;
  return make("span", { class: "share", title: `${number(100 * part, 0)}%` }, make("i", { style: `width: ${(100 * part).toFixed(1)}%` }));
}
