"""Digests: what the work of some days came to, from the record."""
