"""Rendering: values of the library as text for people, and as JSON. No queries, no rules."""
