// What holds at one step, in sections: the page's own and those that the world adds.

class Present {
  constructor() {
    const own = { strategy: STRATEGY, happened: HAPPENED, thoughts: THOUGHTS };
    this.sections = viewer.sections(own).map((section) => ({ ...section, element: make("section", { class: `part ${section.isTruth ? "truth" : ""}` }) }));
    byId("present").append(...this.sections.map(({ element }) => element));
  }

  open(seat) {
    this.seat = seat;
  }

  show(index, step) {
    if (byId("present").hidden) return;
    for (const { element, key, build } of this.sections) show(element, [this.seat.name, key(step, this.seat, index)], () => build(step, this.seat, index));
  }
}

const STRATEGY = {
  key: (step) => [step.strategy, step.strategy && viewer.strategy(step.strategy, step)],
  build(step) {
    const { strategy } = step;
    const told = strategy ? viewer.strategy(strategy, step).filter(([, said]) => said !== null && said !== undefined && said !== "") : [];
    return [make("h2", {}, "Strategy"), make("p", { class: strategy?.words ? "words" : "faint" }, strategy?.words || "none"), told.length ? make("dl", { class: "facts" }, told.map(([name, said]) => [make("dt", {}, spaced(name)), make("dd", {}, tree(said))])) : null];
  },
};

const HAPPENED = {
  key: (step, seat, index) => [step.step, step.step === index],
  build(step, seat, index) {
    if (step.step === null) return [make("h2", {}, "What happens"), make("p", { class: "faint" }, "This seat has not acted yet.")];
    const events = step.events.map((event) => make("li", {}, viewer.event(event)));
    const from = events.length ? viewer.eventsFrom(step) : null;
    const earlier = from === null ? null : make("li", { class: "earlier" }, "before it acted, it learned of ", stepLink(from), make("ul", {}, events));
    const reasons = [...new Set(step.asked.map(({ why }) => why))];
    const asked = reasons.map((reason) => make("li", {}, "asked ", step.asked.filter(({ why }) => why === reason).map((asked, i) => [i ? ", " : "", questionLink(asked)]), reason ? make("span", { class: "why" }, reason) : ""));
    const action = make("li", {}, "action ", make("code", {}, viewer.action(step.action)), step.reward ? `, reward ${signed(step.reward)}` : "");
    return [make("h2", {}, step.step === index ? "What happens" : `Its latest action, at step ${step.step}`), make("ul", {}, earlier, action, viewer.happenings(step), earlier ? null : events, asked)];
  },
};

const questionLink = ({ place, kind, answer }) => [make("button", { type: "button", class: "link", "data-question": place }, kind), answer === null ? " (no usable answer)" : ""];

// The hypotheses that are held: the validated one, then the others by value.
const THOUGHTS = {
  key: ({ beliefs }) => beliefs,
  build({ beliefs: { hypotheses, validated, about } }) {
    if (!hypotheses.length) return [];
    const ranked = [...hypotheses].sort((a, b) => (b.words === validated) - (a.words === validated) || b.value - a.value);
    return [make("h2", {}, `Hypotheses about ${about ? spaced(about) : "the other"}`), make("ul", { class: "thoughts" }, ranked.map((one) => make("li", { class: one.words === validated ? "validated" : null },
      make("b", {}, signed(one.value)), make("span", {}, one.words, make("small", {}, [one.words === validated ? "validated" : null, one.prediction ? `predicts ${one.prediction}` : null].filter(Boolean).join(" · "))))))];
  },
};
