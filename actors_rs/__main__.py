"""``python -m actors_rs`` is the command ``actors-rs``."""

import sys

from actors_rs.cli import main

if __name__ == "__main__":
    sys.exit(main())
