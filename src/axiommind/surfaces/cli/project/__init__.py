"""`axm project`: which folders are one project."""

HELP = "List projects and the folders that are one; say otherwise"
GROUP = "look"
EPILOG = """examples:
  axm project list
  axm project show weather
  axm project alias . weather
  axm project merge team/weather ~/old/weather
  axm project split ~/code/experiment
  axm project undo

A repository is one project, wherever it lies: in two folders, in a worktree, on another machine. It is known by its
git remote, else by its first commit. For --project, a name, a remote or any folder of the project will do.
"""
