"""The state of a home: the overview of `start`, the checks of `doctor`, the proofs of `verify`.

Only reads; repairs nothing.
"""
