"""What of matrix games needs Melting Pot itself: puppets, puppeteers, and the files of games."""
