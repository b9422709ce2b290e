"""Makes tasks: draws or asks for proposals, and keeps those that the verifier proves."""
