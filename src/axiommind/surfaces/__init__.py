"""Surfaces: arguments in, one call of the library, rendering out."""
