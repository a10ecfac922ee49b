"""`python -m ptxvm` is the command that the package brings; `python -m ptxvm grade` and `serve` are the grader, which is Python's."""

import os
import subprocess
import sys

from . import binary


def main() -> int:
    """Run the command with this process's arguments; on Unix it takes the process's place."""
    if sys.argv[1:2] == ["grade"]:
        from .grading import command as grading

        return grading.main(sys.argv[2:])
    if sys.argv[1:2] == ["serve"]:
        from .grading import serve

        return serve.main(sys.argv[2:])
    command = [binary(), *sys.argv[1:]]
    if os.name == "posix":
        os.execv(command[0], command)
    return subprocess.run(command).returncode


if __name__ == "__main__":
    sys.exit(main())
