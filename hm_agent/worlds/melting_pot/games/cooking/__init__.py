"""Collaborative Cooking: two cooks, one pay."""
