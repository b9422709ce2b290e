"""Looks for wrong labels in sets of stories and questions, and shows the beliefs that speak against each."""
