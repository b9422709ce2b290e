// Draws the floor plan of a household, its agents and goals. house: the facts about it in a replay or on a task page
// (plan_facts and goal_facts in viewer.py).

const numberIn = (house, name) => house.agents.findIndex((agent) => agent.name === name);

const chip = (house, name) => make("span", { class: "agent-name", style: `--paint: ${paintOf(house.agents[numberIn(house, name)]?.colour ?? "muted")}` }, make("i", {}, String(numberIn(house, name))), name);

const chips = (house, names) => names.map((name, i) => [i ? ", " : "", chip(house, name)]);

// The plan at both widths, of which the page's style shows the one that there is room for. figures, strokes: shapes by
// width, figures in two layers: below the furniture and above it. agent: the one whose barred rooms are hatched, null for
// none. isMemory: true draws only the mechanics that it is told of.
function planOf(house, words, figures, { agent = null, strokes = null, isMemory = false } = {}) {
  const layers = ({ walls, hatching, furnishing, mechanics, told }, [below, above]) => {
    const [arrows, signs] = isMemory ? told[agent] : mechanics;
    return [walls, hatching[agent] ?? [], arrows, below, furnishing, signs, above];
  };
  const drawn = Object.entries(house.plans).map(([name, plan]) => draw("svg", { class: name, viewBox: `-2 -2 ${plan.width + 4} ${plan.height + 4}`, role: "img", "aria-label": words },
    layers(plan, figures[name]).map((shapes) => shapes.map(drawShape)), strokes ? draw("g", { class: "truth" }, strokes[name].map(drawShape)) : null));
  return make("div", { class: "plan" }, drawn);
}

// The conjuncts of the goal. met: which of them hold. note: (index) => a further note on a conjunct.
function goalList(house, met, note = () => null) {
  return make("ul", { class: "goals" }, house.goals.map(({ words, depth, owner }, i) => make("li", { class: met?.[i] ? "met" : null },
    make("b", met ? { role: "img", "aria-label": met[i] ? "holds" : "does not hold" } : {}, met ? (met[i] ? "✓" : "·") : "·"),
    make("span", {}, words, make("small", {}, [depth ? `K depth ${depth}` : null, owner ? `private goal of ${owner}` : null, note(i)].filter(Boolean).map((detail, place) => [place ? " · " : null, detail]))))));
}

// A command, in which a line may break after the bracket.
function commandOf(words) {
  const [verb, ...rest] = words.split("[");
  return make("code", {}, verb, rest.length ? ["[", make("wbr"), rest.join("[")] : null);
}

// A table of turns by agents. cells: (turn, agent) => content.
function turnTable(house, count, cells, { name: first = "turn", current = -1, heads = (turn) => String(turn + 1) } = {}) {
  return make("div", { class: "scroll turns", tabindex: 0, role: "region", "aria-label": "Turns" }, make("table", { class: "certified" }, make("thead", {}, make("tr", {}, make("th", { scope: "col" }, first), house.agents.map(({ name }) => make("th", { scope: "col" }, chip(house, name))))),
    make("tbody", {}, Array.from({ length: count }, (_, turn) => make("tr", { class: turn === current ? "current" : null }, make("th", { scope: "row" }, heads(turn)), house.agents.map(({ name }) => make("td", {}, cells(turn, name))))))));
}
