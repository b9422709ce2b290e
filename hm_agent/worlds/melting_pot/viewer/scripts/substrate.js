// What every game of Melting Pot shows: the agent's cell and route, its plan, its view as text, its memory, and the truth.

const capacity = 12; // blocks that an inventory shows of one kind

const inventoryInWords = (counts, isShort = false) => counts.map((count, i) => `${viewer.facts.holdings[i].name} ${count}`).filter((_, i) => counts[i] || !isShort).join(", ");

const swatch = (colour) => make("i", { class: "swatch", style: `background:${colour}` });

// An inventory in one line: each kind's colour and count.
const inColours = (counts) => make("span", { class: "held", role: "img", title: inventoryInWords(counts), "aria-label": inventoryInWords(counts) }, counts.map((count, i) => [i ? " " : "", make("span", {}, swatch(viewer.facts.holdings[i].colour), String(count))]));

// Names the colours.
const holdingsKey = () => make("p", { class: "holdings faint" }, viewer.facts.holdings.map(({ name, colour }) => make("span", {}, swatch(colour), name)));

// An inventory as blocks and numbers.
function inventory(counts) {
  if (!counts) return make("p", { class: "faint" }, "not known yet");
  return make("dl", { class: "stock" }, viewer.facts.holdings.map(({ name, colour }, i) => [
    make("dt", {}, name),
    make("dd", {}, make("span", { class: "blocks", "aria-hidden": "true" }, Array.from({ length: Math.min(counts[i], capacity) }, () => make("i", { style: `background:${colour}` }))), String(counts[i])),
  ]));
}

const inventoryCard = (title, name) => {
  const held = ({ state, shown }) => state?.[name] ?? shown[name] ?? null;
  return { title, key: held, build: (step) => inventory(held(step)) };
};

// A player's name on the map: its number, as the colours are told apart below the picture.
const shortName = (name) => name.split("_").at(-1);

// The players of an arena, each with a frame in its colour and its number.
function named(where = []) {
  const side = viewer.facts.spriteSize;
  return where.flatMap((cell, i) => {
    if (!cell) return [];
    const { name, colour } = viewer.facts.players[i];
    const [x, y] = [cell[0] * side, cell[1] * side];
    return [draw("rect", { x, y, width: side, height: side, class: "player", style: `stroke:${colour}` }, draw("title", {}, spaced(name))),
      draw("text", { x: x + side / 2, y: y - 1, class: "player-name" }, shortName(name))];
  });
}

const overlay = {
  key: ({ state, shown }) => [state?.pose ?? null, shown.cell, shown.route, shown.where],
  build: (step) => [...named(step.shown.where), ...ownWay(step)],
};

// The seat's name above its cell, 13 pixels high on any map, where the map does not name its player.
function ownName(seat, x, y) {
  if (viewer.facts.players.some(({ name }) => name === seat)) return null;
  const map = byId("over");
  const style = `font-size:${(13 * map.viewBox.baseVal.width) / map.getBoundingClientRect().width}px`;
  return draw("text", { x, y, style, class: "player-name" }, viewer.seats.length > 1 ? spaced(seat) : "agent");
}

// Where the agent takes itself to be, and where it is about to go; where it is, if it does not say.
function ownWay({ seat, state, shown: { cell, own_map: isOwnMap, below = 0, route = [] } }) {
  const own = isOwnMap ? cell : state?.pose ?? cell;
  if (!own) return [];
  const side = viewer.facts.spriteSize;
  const rows = below && below * viewer.facts.rows; // of the boards above, in a matched pair
  const [x, y] = [own[0], own[1] + rows];
  const points = [[x, y], ...route.map(([px, py]) => [px, py + rows])].map(([px, py]) => `${(px + 0.5) * side},${(py + 0.5) * side}`).join(" ");
  const goal = points.split(" ").pop();
  const way = [
    draw("polyline", { points, class: "route halo" }), draw("polyline", { points, class: "route" }),
    draw("polyline", { points: `${goal} ${goal}`, class: "goal halo" }), draw("polyline", { points: `${goal} ${goal}`, class: "goal" }),
  ];
  return [draw("rect", { x: x * side, y: y * side, width: side, height: side, class: "self" }), route.length ? way : null, ownName(seat, (x + 0.5) * side, y * side - 1)];
}

function describe({ state, shown }, index) {
  const pose = shown.own_map ? null : state?.pose;
  const where = shown.cell ? `at column ${shown.cell[0]}, row ${shown.cell[1]}` : pose ? `at column ${pose[0]}, row ${pose[1]}, facing ${pose[2]}` : shown.present === false ? "off the map" : "not sure where it is";
  return `The world at step ${index}; the agent is ${where}`;
}

// Names the players' colours and numbers.
const playersKey = () => (viewer.facts.players.length ? make("span", { class: "players" }, viewer.facts.players.map(({ name, colour }) => make("span", {}, swatch(colour), spaced(name)))) : null);

// The seat's latest step at which a new plan was asked for.
function plannedAt({ step }, { steps }) {
  let place = steps.findIndex((one) => one.step === step);
  while (place >= 0 && !steps[place].state?.asked_because) place--;
  return steps[place] ?? null;
}

// For each call of a plan whether it was skipped; skipped: the calls, in their order.
function areSkipped(plan, skipped) {
  const left = [...skipped];
  return plan.map((call) => left[0] === call && Boolean(left.shift()));
}

const plan = {
  key: (step, seat) => [step.shown.is_led, step.shown.plan, step.shown.current, step.shown.shot, step.shown.over, step.state?.skipped, plannedAt(step, seat)?.step],
  build(step, seat) {
    const { plan = [], current, shot, over } = step.shown;
    if (!plan.length) return [make("h2", {}, "Calls"), make("p", { class: "faint" }, step.shown.is_led ? "none: the world leads the player, and the agent is not asked" : "none")];
    const made = plannedAt(step, seat);
    const isGone = areSkipped(plan, step.state?.skipped ?? []);
    // A shot on sight is carried out in place of the calls that are left.
    const calls = shot ? [...plan, shot] : plan;
    const now = shot ? plan.length : current;
    const state = (i) => {
      if (isGone[i]) return "skipped";
      if (i < current || (over && i === now)) return "done";
      if (i === now) return "current";
      return shot || over ? "left" : "ahead";
    };
    const notes = { skipped: "gone", done: "over", current: shot ? "now, on sight" : "now", left: "left" };
    return [make("h2", {}, "Calls"), made ? make("p", { class: "why" }, "planned at ", stepLink(made.step), ` because ${made.state.asked_because}`) : null,
      over ? make("p", { class: "why" }, `over, because ${over}; the next plan is made once the agent can act`) : null,
      make("ol", { class: "plan" }, calls.map((call, i) =>
        make("li", { class: state(i), "aria-current": state(i) === "current" ? "step" : null }, make(isGone[i] ? "s" : "span", {}, make("code", {}, call)), notes[state(i)] ? make("small", {}, notes[state(i)]) : null)))];
  },
};

const scene = {
  key: ({ shown }) => shown.scene,
  build: ({ shown }) => (shown.scene ? [make("h2", {}, "In view, as text"), make("pre", {}, shown.scene)] : []),
};

// Things and players remembered, by kind; the nearest of each kind first.
const memory = {
  key: (step, seat, index) => index,
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
        hasInventories ? make("td", {}, held ? inColours(held) : "–") : null);
    });
    const head = ["player", "policy", "aims for", hasInventories && "holds"].filter(Boolean).map((name) => make("th", { scope: "col" }, name));
    return [make("h2", {}, "The truth, which the agent is never told"), make("div", { class: "scroll" }, make("table", {}, make("thead", {}, make("tr", {}, head)), make("tbody", {}, rows)))];
  },
};

const failure = {
  ...MARKS.failure,
  label: "failure",
  find: (step, before) => [...(step.shown.failed ? [`${step.shown.failed} failed`] : []), ...MARKS.failure.find(step, before)],
};

// Marks every event of a kind.
const eventMark = (kind, mark) => ({ ...mark, find: (step) => step.events.filter((event) => event.kind === kind).map((event) => viewer.event(event)) });

const seeks = ({ seek }) => ["seeks", seek && seek.map(spaced).join(", ")];

// Why a question was asked: for planning, what called for the new plan; else what happened.
const { why } = viewer;
function whyAsked(kind, step, before) {
  if (!viewer.facts.planning.includes(kind)) return why(kind, step, before);
  return step.state?.asked_because ? `because ${step.state.asked_because}` : null;
}

Object.assign(viewer, {
  hasTruth: true,
  action: (action) => spaced(viewer.facts.actions[action] ?? action),
  notes: ({ bots }) => (bots === "scripted" ? ["The bots are scripted."] : []),
  caption: () => ["The world, for the viewer only. ", make("span", { class: "key self" }), " where the agent takes itself to be, or is if it does not say ", make("span", { class: "key route" }), " where it is about to go", playersKey()],
  describe,
  overlay,
  away: ({ shown }) => (shown.present === false ? "off the map, until it respawns" : null),
  state: { key: () => null, build: () => [] },
  why: whyAsked,
  kinds: () => viewer.facts.holdings.map(({ name }) => name),
  cards: [inventoryCard("Inventory", "inventory")],
  happenings: ({ shown }) => (shown.failed ? [make("li", {}, make("code", {}, shown.failed), " failed")] : []),
  sections: ({ strategy, happened, thoughts }) => [truth, strategy, plan, happened, thoughts, scene, memory],
});
