"""The command treebeam: the program of the wheel with the same arguments."""

import os
import subprocess
import sys

from ._parser import program


def main() -> None:
    command = [program(), *sys.argv[1:]]
    if sys.platform != "win32":
        os.execv(command[0], command)
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the program gets ctrl-C, too, and decides
    sys.exit(subprocess.call(command))


if __name__ == "__main__":
    main()
