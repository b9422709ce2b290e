// What only matrix games show: inventories to reach and to expect, and those of both players in an interaction.

// The seat's step that began an interaction, null if that isn't known: it lies after the interaction before.
function meetingOf({ at }, { steps }) {
  const place = steps.findIndex(({ step }) => step === at);
  for (let i = place; i >= 0 && (i === place || !steps[i].interactions.length); i--) if (steps[i].shown.held) return steps[i];
  return null;
}

// The inventories (own, other's) that were really held in an interaction.
const reallyHeld = (interaction, seat) => meetingOf(interaction, seat)?.shown.held ?? null;

const heldOrNot = (counts) => (counts ? inColours(counts) : "–");
const inventoryCell = (counts) => make("td", {}, heldOrNot(counts));

// Events with the kinds of what was held or taken named.
function describedWithHoldings({ kind, words, fields }) {
  if (kind === "InteractionEvent") return `interaction with ${fields.partner ? spaced(fields.partner) : "somebody"}, holding ${inventoryInWords(fields.own)}, reward ${signed(fields.reward)}`;
  if (kind === "Gathering") return `${spaced(fields.partner)} has taken ${inventoryInWords(fields.taken, true) || "nothing yet"}`;
  return words;
}

function reallyHeldCell(interaction, seat) {
  const held = reallyHeld(interaction, seat)?.[1];
  const isMistaken = held && interaction.other && String(held) !== String(interaction.other);
  return make("td", { class: `truth ${isMistaken ? "mistaken" : ""}` }, heldOrNot(held), isMistaken ? make("small", { title: "not as inferred" }, "≠") : null);
}

Object.assign(viewer, {
  cards: [...viewer.cards, inventoryCard("The other’s last, inferred", "other_inventory")],
  meanings: {
    watch: "watches: meets nobody until it has seen what others take",
    watch_first: "watches first: sees what the other takes before it collects anything",
    covert: "collects unseen: waits before each thing until no other player looks",
  },
  event: describedWithHoldings,
  strategy: (strategy, { shown }) => [
    ["wants to hold", strategy.target && inventoryInWords(strategy.target)],
    ["expects the other to hold", strategy.expected && inventoryInWords(strategy.expected)],
    seeks(strategy),
    shown.watches ? viewer.meanings.watch.split(": ") : [],
    strategy.watch_first ? viewer.meanings.watch_first.split(": ") : [],
    strategy.covert ? viewer.meanings.covert.split(": ") : [],
  ].filter((told) => told.length),
  // The frame after the step that began it shows the beam.
  meeting: (interaction, seat) => Math.min(interaction.at, (meetingOf(interaction, seat)?.step ?? interaction.at - 1) + 1),
  columns: [
    { title: "met", cell: (interaction, seat) => make("td", {}, stepLink(viewer.meeting(interaction, seat), viewer.meeting(interaction, seat).toLocaleString("en"))) },
    { title: "own", cell: ({ own }) => inventoryCell(own) },
    { title: "inferred", cell: ({ other }) => inventoryCell(other) },
    { title: "really held", isTruth: true, cell: reallyHeldCell },
  ],
  columnsKey: holdingsKey,
  columnsNote: () => make("p", { class: "faint truth" }, "≠ The other player really held something else than was inferred."),
  marks: ({ interaction, validation }) => [
    eventMark("InteractionEvent", interaction),
    validation,
    failure,
    { name: "respawn", label: "respawn", shape: "arrow", row: 2, colour: "--series-6", find: (step, before) => (before?.shown.present === false && step.shown.present ? ["back on the map"] : []) },
  ],
});
