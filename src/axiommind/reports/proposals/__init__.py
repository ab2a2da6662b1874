"""Proposals: text for CLAUDE.md, a slash command or a hook, made by rules from what happened in several sessions."""
