"""What each agent believes that the others know: K matrices, filters over what they may know, and orders of belief."""
