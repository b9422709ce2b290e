// What holds at one step: strategy, plan, what just happened, what is seen and remembered, and the truth.

class Present {
  constructor(episode) {
    this.episode = episode;
    this.parts = Object.fromEntries(["truth-now", "strategy", "plan", "happened", "thought", "scene", "memory"].map((name) => [name, make("section", { class: `part ${name === "truth-now" ? "truth" : ""}` })]));
    byId("present").append(...Object.values(this.parts));
  }

  show(index, step) {
    const { parts } = this;
    show(parts.strategy, [step.strategy ?? null], () => this.strategy(step.strategy));
    show(parts.plan, [step.plan, step.place], () => this.plan(step));
    show(parts.happened, [step.events ?? [], step.asked.map((asked) => asked.place), step.action, step.reward, step.failed], () => this.happened(step));
    show(parts.thought, step.beliefs, () => thoughts(step.beliefs));
    show(parts.scene, step.scene, () => (step.scene ? [make("h2", {}, "In view, as text"), make("pre", {}, step.scene)] : []));
    if (!byId("present").hidden) show(parts.memory, index, () => this.memory(index, step));
    show(parts["truth-now"], [step.cast, step.aims, step.inventories], () => this.truth(step));
  }

  strategy(strategy) {
    const { episode } = this;
    const told = strategy ? [
      ["wants to hold", strategy.target && episode.nameOf(strategy.target)],
      ["expects the other to hold", strategy.expected && episode.nameOf(strategy.expected)],
      ["seeks", strategy.seek && strategy.seek.map(spaced).join(", ")],
      ["its part", strategy.role],
      ["the other’s part, as expected", strategy.expected_role],
    ].filter(([, said]) => said) : [];
    return [make("h2", {}, "Strategy"), make("p", { class: strategy ? "words" : "faint" }, strategy?.words ?? "none"), told.length ? make("dl", { class: "facts" }, told.map(([name, said]) => [make("dt", {}, name), make("dd", {}, said)])) : null];
  }

  plan({ plan, place }) {
    if (!plan.length) return [make("h2", {}, "Subgoals"), make("p", { class: "faint" }, "none")];
    const state = (i) => (i < place ? "done" : i === place ? "current" : "ahead");
    return [make("h2", {}, "Subgoals"), make("ol", { class: "plan" }, plan.map((subgoal, i) =>
      make("li", { class: state(i), "aria-current": i === place ? "step" : null }, make("code", {}, subgoal), state(i) === "ahead" ? null : make("small", {}, state(i) === "current" ? "now" : "over"))))];
  }

  happened(step) {
    const events = (step.events ?? []).map((event) => make("li", {}, event.words));
    const asked = step.asked.map((asked) => make("li", {}, "asked ", make("button", { type: "button", class: "link", "data-question": asked.place }, asked.kind), asked.answer === null ? ", unanswered" : ""));
    return [make("h2", {}, "What happens"), make("ul", {}, make("li", {}, "moves ", make("code", {}, spaced(String(step.action))), step.reward ? `, is paid ${signed(step.reward)}` : ""), step.failed ? make("li", {}, make("code", {}, step.failed), " came to nothing") : null, events, asked)];
  }

  memory(index, step) {
    const kinds = new Map();
    for (const one of this.episode.memoryAt(index)) kinds.set(one.name, [...(kinds.get(one.name) ?? []), one]);
    if (!kinds.size) return [];
    const near = (one) => (step.pose ? Math.abs(one.x - step.pose[0]) + Math.abs(one.y - step.pose[1]) : 0);
    const rows = [...kinds].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, all]) => [
      make("dt", {}, spaced(name)),
      make("dd", {}, all.sort((a, b) => near(a) - near(b) || b.step - a.step).map((one) => make("span", { class: one.step === step.step ? "fresh" : "aged" }, `(${one.x}, ${one.y}) `, make("small", {}, one.step === step.step ? "in view" : `${step.step - one.step} ago`)))),
    ]);
    return [make("h2", {}, "Remembered, nearest first"), make("dl", { class: "memory" }, rows)];
  }

  truth(step) {
    const { facts } = this.episode;
    const rows = step.cast.map(([policy, rule], i) => {
      const name = policy.slice(policy.startsWith(facts.substrate) ? facts.substrate.length : 0).replace(/^_+/, "");
      const held = step.inventories[i];
      return make("tr", {}, make("th", { scope: "row" }, spaced(facts.others[i] ?? `player ${i + 1}`)), make("td", {}, make("code", { title: policy }, name), rule ? make("small", {}, rule) : null), make("td", {}, step.aims[i] ?? "–"),
        facts.isMatrix ? make("td", { title: held && this.episode.nameOf(held) }, held ? held.join(" ") : "–") : null);
    });
    const head = ["player", "policy", "is after", facts.isMatrix && "really holds"].filter(Boolean).map((name) => make("th", { scope: "col" }, name));
    return [make("h2", {}, "The truth, which the agent is never told"), make("div", { class: "scroll" }, make("table", {}, make("thead", {}, make("tr", {}, head)), make("tbody", {}, rows)))];
  }
}

// The hypotheses that are held, the best first.
function thoughts({ hypotheses, validated, about }) {
  if (!hypotheses.length) return [];
  const ranked = [...hypotheses].sort((a, b) => (b.words === validated) - (a.words === validated) || b.value - a.value);
  return [make("h2", {}, `Hypotheses about ${about ? spaced(about) : "the other"}`), make("ul", { class: "thoughts" }, ranked.map((one) => make("li", { class: one.words === validated ? "validated" : null },
    make("b", {}, signed(one.value)), make("span", {}, one.words, make("small", {}, [one.words === validated ? "validated" : null, one.prediction ? `predicts ${one.prediction}` : null].filter(Boolean).join(" · "))))))];
}
