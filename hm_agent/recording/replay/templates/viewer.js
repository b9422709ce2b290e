// What a world adds to this page. A world's scripts run after the page's and replace the entries they need:
//
//   Object.assign(viewer, { caption: () => ["The maze, seen from above"] });
//
// They may use everything in dom.js. What the entries are given:
//   step      a seat's line of the trace (`step`, `action`, `reward`, `state`, `strategy`, `events`, `interactions`), with
//             `shown` (what the world's Viewer.shown returned, without values that are mappings: see `seat.merged`),
//             `asked` (its questions) and `beliefs` ({hypotheses, validated, about}).
//   before    the seat's previous step, null at its first.
//   seat      the selected seat: `name`, `agent`, `steps` (its own, in order), `interactions`, and `merged(name, index)`:
//             a mapping of `shown` as it was at a step of the world.
//   index     the selected step of the world; `step` is the seat's latest step up to it.
// A section or card has `key(step, seat, index)` and `build(step, seat, index)`: it is rebuilt when its key or the seat changes.
const viewer = {
  facts: {}, // what Viewer.facts returned
  seats: [], // all seats: {name, agent}
  tabs: ["present", "beliefs", "interactions", "questions", "costs"], // those that are shown
  hasTruth: false, // whether elements of class `truth` are added, which a switch shows

  // Sentences at the end of the page's first paragraph. settings: of the result.
  notes: (settings) => [],

  // Below the world's picture.
  caption: () => ["The world, for the viewer only"],
  // The world's picture in words.
  describe: (step, index) => `The world at step ${index}`,
  // The {width, height} of a picture that the overlay draws by itself, for a world without a film of that name; null: none.
  size: () => null,
  // The pixels that cards need to stand beside that picture; with less room they stand below it.
  cardsWidth: 220,
  // Drawn over the world's picture, in the pixels of its film.
  overlay: { key: (step) => null, build: (step) => [] },
  // Why the seat's own view shows nothing, in place of it; null if it shows something.
  away: (step) => null,
  // Below the pictures, or in their place: what the agent believes and plans.
  state: { key: (step) => step.state, build: (step) => [make("h2", {}, "State"), step.state === null ? make("p", { class: "faint" }, "none") : tree(step.state)] },
  // Beside the seat's own view: {title, key, build}.
  cards: [],

  // The tab of hypotheses has a chart for each other mind. tested(step): whom hypotheses were tested about at a step, which
  // is a point in the chart; test: what such a step is called.
  tested: (step) => step.interactions.map(({ partner }) => partner),
  test: "interaction",

  // What is listed under the strategy's words: [name, value].
  strategy: ({ words, others = [], ...fields }, step) => [...Object.entries(fields), ...others.map(expectation)],
  // By the name of a field, what it means if it is true: "watches: meets nobody yet".
  meanings: {},
  // An action in words.
  action: (action) => inWords(action),
  // An event in words. event: {kind, words, fields}.
  event: ({ words }) => words,
  // The step of the world at which the events of a step came about, if the agent learned of them before it acted; null: at
  // this step.
  eventsFrom: (step) => null,
  // Why a question of some kind was asked, e.g. "because the plan is used up"; null if that isn't known.
  why: (kind, step, before) => (step.events.length ? `after ${step.events.map((event) => viewer.event(event)).join("; ")}` : before ? null : "because the episode begins"),
  // The order in which counts by name are listed.
  kinds: () => [],
  // Items of "What happens" beside the action, the events and the questions.
  happenings: (step) => [],
  // The sections of the tab "This step" in their order. own: the page's {strategy, happened, thoughts}.
  sections: (own) => [own.strategy, own.happened, own.thoughts],

  // The step of the world that shows how an interaction came about; a click on its row leads there. `at` is the step at
  // which the seat understood it.
  meeting: ({ at }, seat) => at,
  // Further columns of the table of interactions: {title, isTruth, cell(interaction, seat)}; a cell is a <td>.
  columns: [],
  // Explains the columns: above the table, and below it.
  columnsKey: () => null,
  columnsNote: () => null,

  // The marks on the timeline: {name, label, shape, row, colour, find(step, before)}; `find` returns the words of each
  // mark at a step. own: the page's {interaction, validation, failure}. shape: disc, diamond, cross, arrow or square.
  marks: (own) => [own.interaction, own.validation, own.failure],
};

const isSaid = (said) => said !== null && (!Array.isArray(said) || said.length > 0);
// What a strategy holds of another player; how often a hypothesis was right is 0 of 0 where questions don't show it.
const expectation = ({ name, right, tested, ...belief }) => [name, Object.fromEntries(Object.entries(belief).filter(([, said]) => isSaid(said)))];
