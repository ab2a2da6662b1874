"""Analysers: what SQL cannot say, as pure functions over rows already read. No I/O, no database."""
