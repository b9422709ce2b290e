"""Flags of commands: as fields of dataclasses, and as every command reads them."""
