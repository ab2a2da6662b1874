"""Prompts that a person requests by name. One file each; the folder is the registry.

What memory holds comes first, fenced as quoted history; what the agent is asked to do stands below, outside the fence.
"""
