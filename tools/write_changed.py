# SPDX-License-Identifier: BSD-2-Clause
"""For what generates files."""
from pathlib import Path


def write_changed(path, content):
    """Write a text or bytes to a file, with its folder. What has them already stays as old as it is: nothing is made again."""
    path = Path(path)
    if isinstance(content, str):
        content = content.encode()
    if not path.exists() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
