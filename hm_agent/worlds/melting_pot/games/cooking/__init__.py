"""Collaborative Cooking: two cooks who share one reward."""
