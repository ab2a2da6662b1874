"""Kinds of remotes, one file each; the folder is the registry."""
