"""What all pages share: how templates are rendered, the colours, and the frame of pages that list items."""
