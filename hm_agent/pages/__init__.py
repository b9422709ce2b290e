"""What all pages have in common: how they are rendered, and their colours."""
