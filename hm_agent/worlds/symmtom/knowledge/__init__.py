"""What each agent believes that the others know: K matrices, Bayes filters and nested beliefs."""
