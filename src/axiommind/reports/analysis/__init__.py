"""The analyst: what suggest-workflow v2 computed, from the index alone."""
