"""What of kitchens needs Melting Pot itself: chefs."""
