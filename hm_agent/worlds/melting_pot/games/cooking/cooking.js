// What only kitchens show: roles, and deliveries.

const delivery = { name: "delivery", label: "delivery", shape: "square", row: 0, colour: "--series-2" };

Object.assign(viewer, {
  strategy: (strategy) => [["role", strategy.role], ["the other’s role, as expected", strategy.expected_role], seeks(strategy)],
  columns: [{ title: "delivered by", cell: ({ by }) => make("td", {}, by === "you" ? "itself" : by ?? "nobody") }],
  marks: ({ validation }) => [eventMark("Delivery", delivery), validation, failure],
});
