// The floor plan of a household, its agents and goals. house: what the facts of a replay or a task page say of it
// (viewer.py plan_facts, goal_facts).

const numberIn = (house, name) => house.agents.findIndex((agent) => agent.name === name);

const chip = (house, name) => make("span", { class: "agent-name", style: `--paint: ${paintOf(house.agents[numberIn(house, name)]?.colour ?? "muted")}` }, make("i", {}, String(numberIn(house, name))), name);

const chips = (house, names) => names.map((name, i) => [i ? ", " : "", chip(house, name)]);

// The plan at both widths, of which the page's style shows the one that there is room for. figures, strokes: shapes by
// width. agent: whose barred rooms are hatched, null for nobody's. isMemory: only the mechanics are drawn that it is told of.
function planOf(house, words, figures, { agent = null, strokes = null, isMemory = false } = {}) {
  const drawn = Object.entries(house.plans).map(([name, { width, height, walls, hatching, furnishing, mechanics, told }]) => draw("svg", { class: name, viewBox: `-2 -2 ${width + 4} ${height + 4}`, role: "img", "aria-label": words },
    [walls, hatching[agent] ?? [], furnishing, isMemory ? told[agent] : mechanics, figures[name]].map((shapes) => shapes.map(drawShape)), strokes ? draw("g", { class: "truth" }, strokes[name].map(drawShape)) : null));
  return make("div", { class: "plan" }, drawn);
}

// The conjuncts of the goal. met: which of them hold. told: (index) => what is told of one besides.
function goalList(house, met, told = () => null) {
  return make("ul", { class: "goals" }, house.goals.map(({ words, depth, owner }, i) => make("li", { class: met?.[i] ? "met" : null },
    make("b", met ? { role: "img", "aria-label": met[i] ? "holds" : "does not hold" } : {}, met ? (met[i] ? "✓" : "·") : "·"),
    make("span", {}, words, make("small", {}, [depth ? `K depth ${depth}` : null, owner ? `private goal of ${owner}` : null, told(i)].filter(Boolean).map((said, place) => [place ? " · " : null, said]))))));
}

// A command, which may break behind its bracket.
function commandOf(words) {
  const [verb, ...rest] = words.split("[");
  return make("code", {}, verb, rest.length ? ["[", make("wbr"), rest.join("[")] : null);
}

// A table of turns by agents. cells: (turn, agent) => content.
function turnTable(house, count, cells, { name: first = "turn", current = -1, heads = (turn) => String(turn + 1) } = {}) {
  return make("div", { class: "scroll turns", tabindex: 0, role: "region", "aria-label": "Turns" }, make("table", { class: "certified" }, make("thead", {}, make("tr", {}, make("th", { scope: "col" }, first), house.agents.map(({ name }) => make("th", { scope: "col" }, chip(house, name))))),
    make("tbody", {}, Array.from({ length: count }, (_, turn) => make("tr", { class: turn === current ? "current" : null }, make("th", { scope: "row" }, heads(turn)), house.agents.map(({ name }) => make("td", {}, cells(turn, name))))))));
}
