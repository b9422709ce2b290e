"""Mixed tables: one agent under test among scripted partners that keep back."""
