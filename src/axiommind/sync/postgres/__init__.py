"""A remote in PostgreSQL, for a person or a team: the schema, who may use it, and connecting to it.

`m001.sql` and its successors are the schema, `setup.py` runs them and lets people in, `connection.py` is what both that
and the remote itself (`remotes/postgres.py`) need of psycopg.
"""
