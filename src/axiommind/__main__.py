"""`python -m axiommind` is `axm`."""

import sys

from axiommind.surfaces.cli import main

if __name__ == "__main__":
    sys.exit(main())
