"""The pages, a file each with its `ROUTES`. The folder is the registry."""
