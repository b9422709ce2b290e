// The replay of a matrix game: a step is a round.

const roundOf = (step) => step.shown.round?.[0] ?? null;
const tableOf = (step) => step.shown.table?.[0] ?? null;

// An action as a chip: its place in the table gives the colour.
const chip = (action, names) => make("span", { class: `chip hue-${names.indexOf(action) % 7}` }, spaced(action));

const paid = (value) => number(value, Number.isInteger(value) ? 0 : 2);

// All rounds in a row, the selected one marked: own action, the other's, and the reward.
function strip(step, seat) {
  const played = seat.steps.map((one) => [one.step, roundOf(one)]).filter(([, round]) => round);
  const { own, others } = tableOf(step);
  const row = (title, cell) => make("tr", {}, make("th", { scope: "row" }, title), played.map(([at, round]) => make("td", { "aria-current": at === step.step ? "step" : "false" }, cell(round, at))));
  const box = make("div", { class: "rounds" }, make("table", {},
    row("round", (_, at) => stepLink(at, String(at + 1))),
    row("own", (round) => chip(round.own, own)),
    row("other", (round) => chip(round.other, others)),
    row("reward", (round) => paid(round.reward))));
  requestAnimationFrame(() => { box.scrollLeft = (box.querySelector("[aria-current=step]")?.offsetLeft ?? 0) - box.clientWidth / 2; });
  return box;
}

// The payoffs as the seat sees them: its own, and the other's in brackets; the cell that was played is marked.
function payoffs(step) {
  const { own, others, payoff, theirs } = tableOf(step), round = roundOf(step);
  const cell = (i, j) => make("td", { class: own[i] === round.own && others[j] === round.other ? "is-played" : "" }, paid(payoff[i][j]), make("small", {}, ` (${paid(theirs[i][j])})`));
  return make("table", { class: "payoffs" },
    make("tr", {}, make("td", {}), others.map((name) => make("th", { scope: "col" }, spaced(name)))),
    own.map((name, i) => make("tr", {}, make("th", { scope: "row" }, spaced(name)), others.map((_, j) => cell(i, j)))));
}

const rounds = {
  key: (step) => step.step,
  build: (step, seat) => (roundOf(step) ? [
    make("h2", {}, `Round ${step.step + 1} of ${viewer.facts.rounds}`), strip(step, seat),
    make("h2", {}, "Payoffs by the own choice (rows) and the other's (columns), the other's in brackets"), payoffs(step),
    roundOf(step).opponent ? make("p", { class: "truth faint" }, `The opponent's rule: ${roundOf(step).opponent}`) : null,
  ] : [make("p", { class: "faint" }, "No round was played yet.")]),
};

Object.assign(viewer, {
  state: rounds,
  hasTruth: true,
  sections: ({ strategy, happened, thoughts }) => [strategy, happened, thoughts],
  marks: ({ interaction, validation, failure }) => [
    { name: "gain", label: "reward above 0", shape: "disc", row: 0, colour: "--series-2", find: (step) => (roundOf(step)?.reward > 0 ? [`${roundOf(step).own} against ${roundOf(step).other}`] : []) },
    interaction, validation, failure,
  ],
});
