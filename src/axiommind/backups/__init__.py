"""Backups: what cannot be read again from disk, in one file; by hand, by itself every day, and back again.

A backup is a `log.db` with a table that says what it is. What is replaced is kept aside, and what was forgotten stays
forgotten in every copy.
"""
