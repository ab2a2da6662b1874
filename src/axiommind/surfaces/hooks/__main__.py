"""`python -m axiommind.surfaces.hooks EVENT`: the same as `axm-hook EVENT`, where no script was installed."""

from axiommind.surfaces.hooks import main

main()
