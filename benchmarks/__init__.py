"""What `make bench` measures; its figures are the README's."""
