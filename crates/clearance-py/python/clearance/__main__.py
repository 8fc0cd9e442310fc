"""The program `clearance`: `python -m clearance check scene.json`."""

from __future__ import annotations

import signal
import sys

from clearance._native import run_program


def main() -> int:
    """Runs the program with the arguments of the process, and returns its exit code."""
    # Ctrl-C ends the program at once; the handler of Python would wait for the end of the command.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run_program(["clearance", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
