"""The measurements of `make bench`, whose figures are in the README."""
