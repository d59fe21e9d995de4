"""Run the command line with ``python -m hilabel``."""

from hilabel.cli import main

if __name__ == "__main__":
    main()
