// What every game of Melting Pot shows: the agent's cell and route, its plan, its view as text, its memory, and the truth.

const capacity = 12; // blocks that an inventory shows of one kind

const inventoryInWords = (counts) => counts.map((count, i) => `${viewer.facts.holdings[i].name} ${count}`).join(", ");

// An inventory as blocks and numbers.
function inventory(counts) {
  if (!counts) return make("p", { class: "faint" }, "not known yet");
  return make("dl", { class: "stock" }, viewer.facts.holdings.map(({ name, colour }, i) => [
    make("dt", {}, name),
    make("dd", {}, make("span", { class: "blocks", "aria-hidden": "true" }, Array.from({ length: Math.min(counts[i], capacity) }, () => make("i", { style: `background:${colour}` }))), String(counts[i])),
  ]));
}

const inventoryCard = (title, name) => {
  const held = ({ state }) => state?.[name] ?? null;
  return { title, key: held, build: (step) => inventory(held(step)) };
};

const overlay = {
  key: ({ state, shown }) => [state?.pose ?? null, shown.route],
  build({ state, shown: { route = [] } }) {
    if (!state?.pose) return [];
    const side = viewer.facts.spriteSize;
    const [x, y] = state.pose;
    const points = [[x, y], ...route].map(([px, py]) => `${(px + 0.5) * side},${(py + 0.5) * side}`).join(" ");
    const goal = points.split(" ").pop();
    const way = [
      draw("polyline", { points, class: "route halo" }), draw("polyline", { points, class: "route" }),
      draw("polyline", { points: `${goal} ${goal}`, class: "goal halo" }), draw("polyline", { points: `${goal} ${goal}`, class: "goal" }),
    ];
    return [draw("rect", { x: x * side, y: y * side, width: side, height: side, class: "self" }), route.length ? way : null];
  },
};

function describe({ state, shown }, index) {
  const pose = state?.pose;
  const where = pose ? `at column ${pose[0]}, row ${pose[1]}, facing ${pose[2]}` : shown.present === false ? "off the map" : "not sure where it is";
  return `The world at step ${index}; the agent is ${where}`;
}

const plan = {
  key: ({ shown }) => [shown.plan, shown.current],
  build({ shown: { plan = [], current } }) {
    if (!plan.length) return [make("h2", {}, "Subgoals"), make("p", { class: "faint" }, "none")];
    const state = (i) => (i < current ? "done" : i === current ? "current" : "ahead");
    return [make("h2", {}, "Subgoals"), make("ol", { class: "plan" }, plan.map((subgoal, i) =>
      make("li", { class: state(i), "aria-current": i === current ? "step" : null }, make("code", {}, subgoal), state(i) === "ahead" ? null : make("small", {}, state(i) === "current" ? "now" : "over"))))];
  },
};

const scene = {
  key: ({ shown }) => shown.scene,
  build: ({ shown }) => (shown.scene ? [make("h2", {}, "In view, as text"), make("pre", {}, shown.scene)] : []),
};

// Things and players remembered, by kind; the nearest of each kind first.
const memory = {
  key: (step, seat, index) => [seat.name, index],
  build(step, seat, index) {
    const kinds = new Map();
    for (const [place, when] of seat.merged("remembered", index)) {
      const [, name, x, y] = /^(.*) (-?\d+) (-?\d+)$/.exec(place);
      const seen = typeof when === "number" ? when : step.step;
      kinds.set(name, [...(kinds.get(name) ?? []), { x: Number(x), y: Number(y), seen }]);
    }
    if (!kinds.size) return [];
    const pose = step.state?.pose;
    const far = ({ x, y }) => (pose ? Math.abs(x - pose[0]) + Math.abs(y - pose[1]) : 0);
    const rows = [...kinds].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, all]) => [
      make("dt", {}, spaced(name)),
      make("dd", {}, all.sort((a, b) => far(a) - far(b) || b.seen - a.seen).map(({ x, y, seen }) => make("span", { class: seen === step.step ? "fresh" : "aged" }, `(${x}, ${y}) `, make("small", {}, seen === step.step ? "in view" : `${step.step - seen} ago`)))),
    ]);
    return [make("h2", {}, "Remembered, nearest first"), make("dl", { class: "facts memory" }, rows)];
  },
};

// The policy of another player: a bot's, or the agent in its seat.
function policyOf({ policy, seat, rule }) {
  if (policy === null) return viewer.seats.find(({ name }) => name === seat)?.agent ?? "agent";
  const name = policy.slice(policy.startsWith(viewer.facts.substrate) ? viewer.facts.substrate.length : 0).replace(/^_+/, "");
  return [make("code", { title: policy }, name), rule ? make("small", {}, rule) : null];
}

const truth = {
  isTruth: true,
  key: ({ shown }) => [shown.others, shown.aims, shown.inventories],
  build({ shown: { others = [], aims = [], inventories = [] } }) {
    const hasInventories = inventories.some((held) => held !== null);
    const rows = others.map((other, i) => {
      const held = inventories[i];
      return make("tr", {}, make("th", { scope: "row" }, spaced(other.name)), make("td", {}, policyOf(other)), make("td", {}, aims[i] ?? "–"),
        hasInventories ? make("td", { title: held && inventoryInWords(held) }, held ? held.join(" ") : "–") : null);
    });
    const head = ["player", "policy", "aims for", hasInventories && "holds"].filter(Boolean).map((name) => make("th", { scope: "col" }, name));
    return [make("h2", {}, "The truth, which the agent is never told"), make("div", { class: "scroll" }, make("table", {}, make("thead", {}, make("tr", {}, head)), make("tbody", {}, rows)))];
  },
};

const failure = {
  ...MARKS.failure,
  find: (step, before) => [...(step.shown.failed ? [`${step.shown.failed} failed`] : []), ...MARKS.failure.find(step, before)],
};

// Marks every event of a kind.
const eventMark = (kind, mark) => ({ ...mark, find: (step) => step.events.filter((event) => event.kind === kind).map(({ words }) => words) });

const seeks = ({ seek }) => ["seeks", seek && seek.map(spaced).join(", ")];

Object.assign(viewer, {
  hasTruth: true,
  notes: ({ bots }) => (bots === "scripted" ? ["The bots are scripted."] : []),
  caption: () => ["The world, for the viewer only. ", make("span", { class: "key self" }), " where the agent takes itself to be ", make("span", { class: "key route" }), " where it is about to go"],
  describe,
  overlay,
  state: { key: () => null, build: () => [] },
  cards: [inventoryCard("Inventory", "inventory")],
  happenings: ({ shown }) => (shown.failed ? [make("li", {}, make("code", {}, shown.failed), " failed")] : []),
  sections: ({ strategy, happened, thoughts }) => [truth, strategy, plan, happened, thoughts, scene, memory],
});
