"""A scripted player that answers Melting Pot's prompts from their words alone, and a check of perception."""
