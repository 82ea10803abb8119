# SPDX-License-Identifier: BSD-2-Clause
"""What takes long says so on standard error: a line a step, and on a terminal a bar that moves."""
import os
import sys
import time

WIDTH = 30
PERIOD = 0.1  # seconds between two pictures of the bar


class Progress:
    def __init__(self, quiet=False, file=None):
        self.file = file or sys.stderr
        self.quiet = quiet
        self.moves = not quiet and self.file.isatty()
        self._what = None
        self._shown = 0.0

    def step(self, what):
        """A step begins; the one before is done."""
        self._clear()
        self._what, self._shown = what, 0.0
        if not self.quiet:
            print(f"vspe linux: {what}", file=self.file, flush=True)

    def move(self, part, text=""):
        """Of the step, `part` from 0 to 1 is done; `text` says more."""
        now = time.monotonic()
        if not self.moves or now - self._shown < PERIOD:
            return
        self._shown = now
        full = round(WIDTH * min(max(part, 0), 1))
        room = max((os.get_terminal_size(self.file.fileno()).columns or 80) - WIDTH - 12, 0)
        text = "".join(c for c in text if c.isprintable())[:room]
        self.file.write(f"\r\033[K[{'#' * full}{' ' * (WIDTH - full)}] {100 * part:3.0f} % {text}")
        self.file.flush()

    def end(self):
        self._clear()
        self._what = None

    def _clear(self):
        if self.moves and self._shown:
            self.file.write("\r\033[K")
            self.file.flush()
            self._shown = 0.0
