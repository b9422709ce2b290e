"""Matrix games: players collect resources, and a zap pays both by the payoff matrix over their inventories."""
