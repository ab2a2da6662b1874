"""Several homes, one memory: what a home recorded travels as sealed segments through a remote that can read none of it.

`remote.py` is what a remote promises, `remotes/` one file for each kind. A home without a remote pays nothing: nothing
outside this room imports it until somebody syncs.
"""
