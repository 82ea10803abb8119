# SPDX-License-Identifier: BSD-2-Clause
"""Who records are of, and where: processes, files, functions."""
from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Iterator, Optional, Sequence, Union

import numpy as np

from vspe import _vspe
from vspe._data import PLACE, RECORD, Array, Labels, NamesError, labels

_FIELDS = ("pc", "target", "previous")


@contextmanager
def opened(source: Any) -> Iterator[tuple[Any, str]]:
    """What _vspe reads, a descriptor or a buffer, and its name for messages."""
    if isinstance(source, (str, os.PathLike)):
        with open(source, "rb", buffering=0) as file:
            yield file.fileno(), os.fspath(source)
    elif isinstance(source, int):
        raise TypeError("a path or a buffer, not a number; open(number, 'rb').read() has the bytes of a descriptor")
    else:
        yield source, "buffer"


@dataclass(frozen=True)
class Object:
    """A file that processes have mapped, or what else may be: "[vdso]"."""
    path: str
    build_id: str  #: hexadecimal digits; "": not known
    kernel: bool  #: the kernel's, or a module's
    functions: str  #: whether its functions are known, as the table of objects of vspe report has it

    @property
    def name(self) -> str:
        """The last part of its path, or all of "[vdso]"."""
        return self.path if self.path.startswith("[") else self.path.rsplit("/", 1)[-1] or self.path


class Names:
    """Processes, files and functions of the records of a perf.data file, as vspe report finds them.

    source is that of the records. symbols are files with functions, of vspe report --symbols: a path, or (path,
    address) for one whose first byte of code is at address. symfs is the folder below which the files are that
    processes mapped; None: those of this machine, if the build id is known and the same.

    Methods take any array of RECORD that is of the source, a part too. One call at a time looks up; others wait.

    Raises NamesError for files of symbols that are none, OSError for those that cannot be read.
    """

    def __init__(self, source: Any, symbols: Sequence[Any] = (),
                 symfs: Optional[Union[str, "os.PathLike[str]"]] = None) -> None:
        if isinstance(symbols, (str, os.PathLike)):
            raise TypeError("symbols is a list of paths")
        pairs = [item if isinstance(item, tuple) else (item, None) for item in symbols]
        files = [(os.fsencode(path), None if address is None else int(address)) for path, address in pairs]
        root = None if symfs is None else os.fspath(symfs)
        with opened(source) as (opened_source, self._name):
            try:
                self._names = _vspe.Names(opened_source, files, root)
            except ValueError as error:
                raise NamesError(f"symbols: {error}") from None
        #: Does the file name processes? That of a bare-metal guest does not, and its functions are those of symbols.
        self.named: bool
        #: Events that found no place, or were none.
        self.dropped: int
        self.named, self.dropped = self._names.named()

    def locate(self, records: Array, field: str = "pc") -> Array:
        """Where each record is, by the address in field: "pc", "target" or "previous". An array of PLACE."""
        if field not in _FIELDS:
            raise ValueError(f"field {field!r}: not one of {', '.join(_FIELDS)}")
        if records.dtype != RECORD or records.ndim != 1:
            raise TypeError("not an array of vspe.RECORD of one dimension")
        name, _, offset, bits = next(column for column in _vspe.columns if column[0] == field)
        return np.frombuffer(self._names.locate(np.ascontiguousarray(records), offset, bits), PLACE)

    @property
    def objects(self) -> list[Object]:
        """What processes have mapped, by the numbers of locate()."""
        return [Object(*row) for row in self._names.objects()]

    def _need(self) -> None:
        if not self.named:
            raise NamesError(f"{self._name}: names no processes")

    def commands(self, records: Array) -> Labels:
        """The name of the process of each record. NamesError: the file names none."""
        self._need()
        found = self.locate(records)["command"]
        return labels(found, self._names.commands().__getitem__)

    def files(self, records: Array, field: str = "pc") -> Labels:
        """The path of the file that each record is in. NamesError: the file names none."""
        self._need()
        return labels(self.locate(records, field)["object"], lambda number: self.objects[number].path)

    def functions(self, records: Array, field: str = "pc") -> Labels:
        """The function of each record. Functions of one name are one label; locate() tells them apart."""
        return labels(self.locate(records, field)["symbol"], lambda number: self.symbol(number)[0])

    def symbol(self, number: int) -> tuple[str, int, int]:
        """Name, address and bytes of the function of a number of locate(). IndexError: there is none."""
        return self._names.symbol(number)
