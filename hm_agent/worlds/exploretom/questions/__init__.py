"""What is asked about a story, what is right, and which choice an answer means."""
