"""Pictures of a report, as SVG that takes its colours from the page it stands in."""
