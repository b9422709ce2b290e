"""Questions about a story: their texts, answers and choices, and which choice a reader's answer means."""
