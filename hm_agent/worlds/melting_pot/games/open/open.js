// Open games show nothing beside what all games show, and no inventory where a game has none.
Object.assign(viewer, { strategy: () => [], columns: [], marks: () => [] });
Object.defineProperty(viewer, "cards", { get: () => (viewer.facts.holdings.length ? [inventoryCard("Inventory", "inventory")] : []) });
