"""Vectors: filled through the outbox, disposable like every projection."""
