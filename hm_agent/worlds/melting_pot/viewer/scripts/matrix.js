// What only matrix games show: inventories to reach and to expect, and those of both players in an interaction.

// The inventories (own, other's) that were really held in an interaction: those of the step that began it, which lies after
// the interaction before.
function reallyHeld({ at }, { steps }) {
  const place = steps.findIndex(({ step }) => step === at);
  for (let i = place; i >= 0 && (i === place || !steps[i].interactions.length); i--) if (steps[i].shown.held) return steps[i].shown.held;
  return null;
}

const inFigures = (counts) => (counts ? counts.join(" ") : "–");
const inventoryCell = (counts) => make("td", { title: counts && inventoryInWords(counts) }, inFigures(counts));

function reallyHeldCell(interaction, seat) {
  const held = reallyHeld(interaction, seat)?.[1];
  const isMistaken = held && interaction.other && String(held) !== String(interaction.other);
  return make("td", { class: `truth ${isMistaken ? "mistaken" : ""}` }, inFigures(held), isMistaken ? make("small", { title: "not as inferred" }, "≠") : null);
}

Object.assign(viewer, {
  cards: [...viewer.cards, inventoryCard("The other’s last, inferred", "other_inventory")],
  strategy: (strategy) => [
    ["wants to hold", strategy.target && inventoryInWords(strategy.target)],
    ["expects the other to hold", strategy.expected && inventoryInWords(strategy.expected)],
    seeks(strategy),
  ],
  columns: [
    { title: "own", cell: ({ own }) => inventoryCell(own) },
    { title: "inferred", cell: ({ other }) => inventoryCell(other) },
    { title: "really held", isTruth: true, cell: reallyHeldCell },
  ],
  columnsNote: () => make("p", { class: "faint truth" }, "≠ The other player really held something else than was inferred."),
  marks: ({ interaction, validation }) => [
    eventMark("InteractionEvent", interaction),
    validation,
    failure,
    { name: "respawn", label: "respawn", shape: "arrow", row: 2, colour: "--series-6", find: (step, before) => (before?.shown.present === false && step.shown.present ? ["back on the map"] : []) },
  ],
});
