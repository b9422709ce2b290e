"""Agents that ask no model and differ in how deep they reason about who knows what: `solo`, `order1` and so on."""
