"""What can be read by its URI. One file is one resource, or a few that belong together; the folder is the registry.

What was said in another session, or stands in a document, is fenced as quoted history. A scratchpad is the agent's own
working memory: its text is returned as it is, but clean.
"""
