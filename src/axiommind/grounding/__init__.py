"""Grounding: how much hook-supplied context agents used."""
