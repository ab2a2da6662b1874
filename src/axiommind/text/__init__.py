"""Text: tokens, shell commands, redaction. Pure functions over strings; no I/O."""
