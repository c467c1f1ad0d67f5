#!/usr/bin/env python3
"""What zsh makes of lines that end with a tab, in a terminal of its own:
    completion_zsh.py BUILD
"""
import os
import pty
import select
import sys
import time

LINES = {"wave --snapshot-f": "--snapshot-format=", "wave --order 1": "10  12", "wave --ordering hil": "hilbert",
         "md --model mps --gau": "--gauges=", "md --ga": "--gas=", "locality rec": "recommend",
         "locality cache --cap": "--capacity="}


class Shell:
    """A zsh that knows our completions and no other settings."""

    def __init__(self, build):
        pid, self.terminal = pty.fork()
        if pid == 0:
            os.environ.update(TERM="dumb", PS1="> ", PATH=f"{build}:{os.environ['PATH']}")
            os.execvp("zsh", ["zsh", "-f", "-i"])
        self.write(f"fpath=({build}/completion $fpath); autoload -U compinit; compinit -u -D; print REA''DY\n")
        self.wait("READY")

    def write(self, text):
        """As if it was typed."""
        os.write(self.terminal, text.encode())

    def wait(self, text):
        """What the shell writes until this text is in it, or nothing comes any more; whether it came."""
        said, end = "", time.monotonic() + 60
        while text not in said and time.monotonic() < end:
            if select.select([self.terminal], [], [], 0.5)[0]:
                said += os.read(self.terminal, 65536).decode(errors="replace")
        return said, text in said


def main():
    """Type the lines."""
    shell = Shell(os.path.abspath(sys.argv[1]))
    bad = 0
    for line, expected in LINES.items():
        shell.write("\x15")  # nothing is left of the line before
        shell.write(line + "\t")
        said, came = shell.wait(expected)
        if not came:
            print(f"FAILED: zsh: {line}: not {expected}, but {said!r}")
            bad += 1
    os.close(shell.terminal)
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
