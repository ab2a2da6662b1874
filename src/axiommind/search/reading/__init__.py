"""What a hit opens: the passage in full, its session from start to end, and the lines that its citation names."""
