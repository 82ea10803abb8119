# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of the package share: same(), which is silent where all is well, and the files that tests/report makes."""
import sys
from pathlib import Path

try:
    import numpy  # noqa: F401  pylint: disable=unused-import
except ImportError:
    print("SKIP: there is no NumPy here (Debian: python3-numpy)")
    sys.exit(77)
sys.path.append(str(Path(__file__).resolve().parents[1] / "report"))
import made  # noqa: E402  pylint: disable=wrong-import-position

failures = made.failures


def same(what, got, wanted):
    """A test: is what was got that which is wanted? The script ends with whether failures has any."""
    if got != wanted:
        made.same(what, got, wanted)
