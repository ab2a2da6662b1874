"""Handing over: what the next agent has to know of a session, whichever agent it was.

`record` says which session is meant and what is known of it; `asked`, `ending`, `open_work`, `decided`, `failures`,
`changes` and `helpers` each read one section from the rows and the transcript; `packet` puts them in order. Nothing
here asks a model, writes, or knows an agent by name. What fits a budget is decided where it is put into words
(`surfaces/render/handoff.py`).
"""
