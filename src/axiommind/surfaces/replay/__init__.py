"""Replaying the past: what would hooks have given, had they only known what was known then, and was it used?

`past` is a home of its own in a temporary folder, which learns one session after the other; `moments` are the prompts,
first edits and errors of the sessions that are replayed; `run` puts both together and judges by what came afterwards.
"""
