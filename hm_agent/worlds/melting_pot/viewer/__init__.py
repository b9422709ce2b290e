"""What a video shows of Melting Pot."""
