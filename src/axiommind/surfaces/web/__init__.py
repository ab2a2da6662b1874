"""The web app: a page where a person looks rather than reads. Translation only, over `Memory`.

A page is a file in `pages/`, with its `ROUTES`; what it shows is made on the server (`templates/`), and works without
scripts as far as it can. The JSON of `api/` is the same, for programs. Needs the extra `web`.
"""
