# SPDX-License-Identifier: BSD-2-Clause
"""What goes wrong outside of this program."""

FAILED = 125  # the exit code


class Failure(Exception):
    """What the user reads, in one line."""
