// What SymmToM shows: the board, what each seat believes that the others know, rewards, plans, and the truth.

const nameOf = (agent) => viewer.facts.players[agent].name;
const colourOf = (agent) => `--paint: ${paintOf(viewer.facts.players[agent].colour)}`;
const listed = (names) => (names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0]);
const chip = (agent) => make("span", { class: "agent-name", style: colourOf(agent) }, make("i"), spaced(nameOf(agent)));

// Who plays an agent; a test of mind scripts all but one.
const playedBy = (agent) => viewer.seats.find(({ name }) => name === nameOf(agent))?.agent ?? "scripted";

function hearings({ shown: { heard = [], said = [], agent } }, index) {
  return heard.filter((pair) => pair[index] === agent).map(([listener, speaker, isNew]) => `${spaced(nameOf(index === 1 ? listener : speaker))}${isNew ? " (news)" : ""}`);
}

function happened(step) {
  const { said, agent, held, heard = [], recharged = [] } = step.shown;
  if (!said) return [];
  const listeners = hearings(step, 1);
  const words = said[agent] === null ? "is silent" : `says ${said[agent]}, ${listeners.length ? `heard by ${listed(listeners)}` : "heard by nobody"}`;
  const heardFrom = heard.filter(([listener]) => listener === agent).map(([, speaker, isNew]) => `${said[speaker]} from ${spaced(nameOf(speaker))}${isNew ? " (news)" : ""}`);
  return [held.includes(agent) ? make("li", {}, "is held in place: its script acts") : null, make("li", {}, words), heardFrom.length ? make("li", {}, `hears ${listed(heardFrom)}`) : null, recharged.includes(agent) ? make("li", {}, "recharges") : null];
}

function describe({ shown: { positions, said, heard = [], recharged = [] } }, index) {
  if (!positions) return `The board at step ${index}`;
  const each = positions.map(([x, y], agent) => {
    const listeners = heard.filter(([, speaker]) => speaker === agent).map(([listener]) => spaced(nameOf(listener)));
    const speech = said[agent] === null ? "is silent" : `says ${said[agent]}${listeners.length ? ` to ${listed(listeners)}` : ""}`;
    return `${spaced(nameOf(agent))} at column ${x}, row ${y} ${speech}${recharged.includes(agent) ? " and recharges" : ""}`;
  });
  return `The board at step ${index}; ${each.join("; ")}`;
}

// A grid of who knows what. known: by agent, its pieces; what differs from the truth is marked. isTruth: true for the true K.
function grid(title, known, { shown: { first_hand, knows } }, isTruth = false) {
  const { pieces, players } = viewer.facts;
  const numbers = Array.from({ length: pieces }, (_, piece) => piece);
  const size = pieces > 16 ? "tiny" : pieces > 6 ? "small" : null;
  const cell = (agent, piece) => {
    const has = known[agent].includes(piece), is = knows[agent].includes(piece);
    const owns = has && first_hand[agent].includes(piece);
    const words = `${spaced(nameOf(agent))} ${has ? `knows ${piece}${owns ? " first-hand" : ""}` : `does not know ${piece}`}`;
    return make("td", { class: [has && "knows", owns && "first", has !== is && "mistaken"].filter(Boolean).join(" ") || null, style: colourOf(agent), title: words }, make("i", { role: "img", "aria-label": words }));
  };
  return make("div", { class: isTruth ? "truth" : null }, make("h2", {}, title), make("div", { class: "scroll" }, make("table", { class: `known ${size ?? ""}` },
    size === "tiny" ? null : make("thead", {}, make("tr", {}, make("th", {}), numbers.map((piece) => make("th", { scope: "col" }, String(piece))))),
    make("tbody", {}, players.map((_, agent) => make("tr", {}, make("th", { scope: "row" }, chip(agent)), numbers.map((piece) => cell(agent, piece))))))));
}

const knowledge = {
  key: ({ state, shown }) => [believedBy(state) ?? shown.certain, shown.knows],
  build(step) {
    const { state, shown } = step;
    if (!shown.knows) return [];
    const me = spaced(nameOf(shown.agent));
    const known = believedBy(state) ?? shown.certain;
    const note = believedBy(state) ? null : make("p", { class: "faint" }, "This agent tells no beliefs: what it is certain of.");
    return [make("div", { class: "grids" }, grid(believedBy(state) ? `Who knows what (K) before the turn, as ${me} believes` : `What ${me} is certain of, before the turn`, known, step), grid("Who knows what (K) as it is", shown.knows, step, true)),
      note, make("p", { class: "faint" }, "Framed: known first-hand."), make("p", { class: "faint truth" }, "Crossed: not as it is.")];
  },
};

const scores = {
  title: "This step",
  key: ({ shown }) => [shown.scores, shown.said],
  build: ({ shown: { scores: paid = [], said = [] } }) => make("div", { class: "scores" }, paid.map((reward, agent) => [chip(agent), make("span", { class: "played-by" }, playedBy(agent)), make("span", {}, said[agent] === null ? "silent" : `says ${said[agent]}`), make("b", { class: reward < 0 ? "loss" : reward > 0 ? "gain" : null }, reward ? signed(reward, 0) : "0")])),
};

// What an agent believes that each knows; of an agent that thinks in language, from its notes.
function believedBy(state) {
  return (state?.notes ?? state)?.believed;
}

// The seat's latest step at which a new plan was asked for.
function plannedAt({ step }, { steps }) {
  let place = steps.findIndex((one) => one.step === step);
  while (place >= 0 && !steps[place].state?.asked_because) place--;
  return steps[place] ?? null;
}

const callsOf = {
  key: (step, seat) => [step.shown.plan, step.state?.call, step.state?.failed, plannedAt(step, seat)?.step],
  build(step, seat) {
    const { plan } = step.shown;
    if (!plan) return [];
    const made = plannedAt(step, seat);
    return [make("h2", {}, "Calls"), made ? make("p", { class: "why" }, "planned at ", stepLink(made.step), ` because ${made.state.asked_because}`) : null,
      make("ol", { class: "plan" }, plan.map((call) => make("li", { class: call === step.state.call ? "current" : null }, make("code", {}, call), call === step.state.call ? make("small", {}, "now") : null))),
      step.state.failed ? make("p", { class: "why" }, make("code", {}, step.state.failed), " failed") : null];
  },
};

const testOfMind = {
  isTruth: true,
  key: ({ step }) => step,
  build({ step }) {
    const { test } = viewer.facts;
    return [make("h2", {}, "The test, which the agent is never told"), make("p", {}, step < test.prelude ? `Prelude: all follow scripts until step ${test.prelude}; the tested agent is held in place.` : "The tested agent is free."),
      make("p", {}, "It succeeds with ", chip(test.goal), test.wrong.length ? [", and fails if it first meets ", test.wrong.map((agent, i) => [i ? " or " : "", chip(agent)])] : null, ".")];
  },
};

// Why a question was asked: for planning, what called for the new plan; else what happened.
const { why } = viewer;
const whyAsked = (kind, step, before) => (viewer.facts.planning.includes(kind) ? (step.state?.asked_because ? `because ${step.state.asked_because}` : null) : why(kind, step, before));

const speech = (said) => said.map((piece) => piece ?? "–").join(", ");
const recharge = { name: "recharge", label: "recharge", shape: "square", row: 0, colour: "--series-4", find: ({ shown }) => (shown.recharged?.includes(shown.agent) ? ["recharges"] : []) };
const news = { name: "news", label: "new piece heard", shape: "disc", row: 1, colour: "--series-2", find: (step) => (step.shown.heard ?? []).filter(([listener, , isNew]) => isNew && listener === step.shown.agent).map(([, speaker]) => `hears ${step.shown.said[speaker]} from ${spaced(nameOf(speaker))}`) };

Object.assign(viewer, {
  hasTruth: true,
  size: () => ({ width: viewer.facts.width, height: viewer.facts.width }),
  caption: () => ["The board after the turn, for the viewer only. ", make("span", { class: "key" }), "base ", make("span", { class: "key agent" }), "agent, with the piece it says ", make("span", { class: "key arrow" }), "heard by, thick if it was news. Tinted: where an agent hears."],
  describe,
  overlay: { key: ({ shown }) => [shown.ground, shown.figures], build: ({ shown }) => [...(shown.ground ?? []), ...(shown.figures ?? [])].map(drawShape) },
  state: { key: () => null, build: () => [] },
  cardsWidth: 360,
  cards: [scores],
  action: ({ direction, piece } = {}) => `${direction}, say ${piece}`,
  why: whyAsked,
  happenings: happened,
  eventsFrom: ({ step }) => step - 1,
  sections: ({ strategy, happened, thoughts }) => [...(viewer.facts.test ? [testOfMind] : []), knowledge, happened, strategy, callsOf, thoughts],
  columns: [
    { title: "it said", cell: ({ said }) => make("td", {}, speech(said)) },
    { title: "told", cell: ({ told }) => make("td", {}, speech(told)) },
    { title: "news", cell: ({ news }) => make("td", {}, (news ?? []).join(", ") || "–") },
  ],
  marks: ({ validation, failure }) => [recharge, news, validation, failure],
});
