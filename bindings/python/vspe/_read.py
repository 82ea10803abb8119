# SPDX-License-Identifier: BSD-2-Clause
"""Reading files and bytes: all at once, or a part at a time."""
from __future__ import annotations

import errno
import os
import queue
import threading
import warnings
from dataclasses import dataclass
from typing import Any, Iterator, Optional, Sequence, Union

import numpy as np

from vspe import _vspe
from vspe._data import (EXTRA, RECORD, Array, DamageSum, DamageWarning, InputError, Labels, Loss, LossWarning, Summary,
                        data_sources, has)
from vspe._names import Names, opened

#: A path, or an object with the buffer protocol: bytes, bytearray, memoryview, mmap, an array.
Source = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, Any]


def _arrays(rows: Any, extras: Any) -> tuple[Array, Array]:
    return np.frombuffer(rows, RECORD), np.frombuffer(extras, EXTRA)


def _summary(result: dict[str, Any], name: str) -> Summary:
    """The summary of what input_read() said. Raises an error if the input is not readable at all."""
    code, problem, damage = result["code"], result["problem"], DamageSum(*result["damage"])
    if code == -errno.EIO:
        raise OSError(errno.EIO, problem, name)
    if code and code != -errno.ENODATA:
        raise InputError(f"{name}: {problem}")
    if not code and damage.bytes > result["bytes"] // 2:
        raise InputError(f"{name}: no sample records: {damage.bytes} of {result['bytes']} bytes are in no packet")
    return Summary(records=result["records"], bytes=result["bytes"], aux_bytes=result["aux_bytes"], midr=result["midr"],
                   problem=problem, damage=damage, losses=tuple(Loss(*loss) for loss in result["losses"]))


def _warn(summary: Summary, name: str, level: int) -> None:
    for loss in summary.losses:
        warnings.warn(f"{name}: {loss.text}", LossWarning, stacklevel=level + 1)
    for text in summary.problem, summary.damage.text:
        if text:
            warnings.warn(f"{name}: {text}", DamageWarning, stacklevel=level + 1)


@dataclass(frozen=True)
class Profile:
    """The records of a file or buffer."""
    records: Array  #: of RECORD, in the order of the file
    extras: Array  #: of EXTRA, by rising "row"
    summary: Summary
    source: Source  #: what it was read from

    @property
    def complete(self) -> bool:
        """Is all there that was recorded? If not, summary.lines say what is missing."""
        return self.summary.complete

    def has(self, bits: Union[int, str]) -> Array:
        """Which records have packets: has(records, bits)."""
        return has(self.records, bits)

    def data_sources(self, core: Optional[str] = None) -> Labels:
        """Where the data of each record came from: data_sources(records, core)."""
        return data_sources(self.records, core)

    def names(self, symbols: Sequence[Any] = (), symfs: Optional[Union[str, "os.PathLike[str]"]] = None) -> Names:
        """Processes, files and functions: Names(source, symbols, symfs)."""
        return Names(self.source, symbols, symfs)

    def __len__(self) -> int:
        return len(self.records)

    def __repr__(self) -> str:
        missing = "".join(f"\n  {line}" for line in self.summary.lines)
        return f"<vspe.Profile: {len(self.records)} records, {self.summary.bytes} bytes{missing}>"


def read(source: Source) -> Profile:
    """All records of a perf.data file, or of the bytes of a profiling buffer.

    source is a path or an object with the buffer protocol. The array takes 128 bytes for each record: stream()
    is for files that do not fit in memory. Lost and damaged records give a LossWarning or DamageWarning each,
    and are in summary.

    Raises InputError for input without sample records, OSError for a file that cannot be read, MemoryError.
    Other threads run while it reads.
    """
    found: list[tuple[Array, Array]] = []
    with opened(source) as (opened_source, name):
        result = _vspe.read(opened_source, 0, lambda rows, extras: found.append(_arrays(rows, extras)))
    summary = _summary(result, name)
    _warn(summary, name, 2)
    return Profile(*found[0], summary, source)


def decode(data: Any, offset: int = 0, cpu: int = -1, tid: int = -1) -> Profile:
    """All records of the bytes of one profiling buffer: an object with the buffer protocol.

    offset, 0 to 2^64-1, is that of its first byte, from which records count. cpu and tid are whose it is, for the
    fields of that name; -1: not known. Bytes of any kind are taken: what is no packet is in the damage of a record,
    and not warned of.

    Raises TypeError for what is no buffer, OverflowError for other numbers, MemoryError. Other threads run meanwhile.
    """
    if not 0 <= offset < 1 << 64:
        raise OverflowError(f"offset {offset} is not from 0 to 2^64-1")
    rows, extras = _arrays(*_vspe.decode(data, offset, cpu, tid))
    return Profile(rows, extras, _decoded(rows), data)


def _decoded(rows: Array) -> Summary:
    bad = np.flatnonzero(rows["damage"])
    lost = int(rows["unknown_bytes"][bad].sum(dtype=np.int64) + rows["cut_bytes"][bad].sum(dtype=np.int64))
    unended = int((rows["damage"][bad] & 2 != 0).sum())
    damage = DamageSum(0, 0, 0, -1, -1, "")
    if lost or unended:
        first = rows[bad[(rows["damage"][bad] & 0xf) != 0][0]]
        damage = DamageSum(lost, unended, int(first["offset"]), int(first["cpu"]), int(first["tid"]),
                           f"{lost} bytes skipped in unknown or cut packets, {unended} records without an end; first "
                           f"damage in the record at {int(first['offset']):#x}")
    return Summary(records=len(rows), bytes=int(rows["size"].sum(dtype=np.int64)), aux_bytes=0, midr=0, problem="",
                   damage=damage, losses=())


class Stream:
    """The records of a file a part at a time, for files that memory does not hold: stream().

        with vspe.stream("perf.data") as stream:
            for records in stream:
                cycles += records["total_latency"].sum(dtype="u8")
        print(stream.summary)
    """

    def __init__(self, source: Source, count: int) -> None:
        if count < 1:
            raise ValueError(f"count {count}: not at least 1")
        self.extras: Array = np.empty(0, EXTRA)  #: of EXTRA, of the records that came last
        self._summary: Optional[Summary] = None
        self._source, self._count = source, count
        self._parts: queue.Queue[Any] = queue.Queue(1)
        self._closed = threading.Event()
        self._thread: Optional[threading.Thread] = None

    @property
    def summary(self) -> Summary:
        """What was read, and what is missing. Only available after the last record."""
        if self._summary is None:
            raise RuntimeError("the summary is there when all records have come")
        return self._summary

    def _put(self, part: Any) -> None:
        while not self._closed.is_set():
            try:
                self._parts.put(part, timeout=0.1)
                return
            except queue.Full:
                pass
        raise GeneratorExit

    def _give(self, rows: Any, extras: Any) -> None:
        self._put(_arrays(rows, extras))

    def _run(self) -> None:
        end: Any
        try:
            with opened(self._source) as (opened_source, name):
                end = _summary(_vspe.read(opened_source, self._count, self._give), name), name
        except GeneratorExit:
            return
        except BaseException as error:  # pylint: disable=broad-except
            end = error
        try:
            self._put(end)
        except GeneratorExit:
            pass

    def __iter__(self) -> Iterator[Array]:
        if self._thread:
            raise RuntimeError("a stream is read once")
        self._thread = threading.Thread(target=self._run, name="vspe.stream", daemon=True)
        self._thread.start()
        try:
            while True:
                part = self._parts.get()
                if isinstance(part, BaseException):
                    raise part
                if isinstance(part[0], Summary):
                    self._summary = part[0]
                    _warn(part[0], part[1], 2)
                    return
                self.extras = part[1]
                if len(part[0]):
                    yield part[0]
        finally:
            self.close()

    def close(self) -> None:
        """End reading. Does nothing after the last record."""
        self._closed.set()
        if self._thread:
            self._thread.join()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def stream(source: Source, count: int = 1 << 18) -> Stream:
    """The records of what read() takes, in arrays of at most count records each; memory is that of four such arrays.

    Raises as read(), but when it is iterated over; the records before what is wrong have come by then. The last array
    comes before the warnings and the summary.
    """
    return Stream(source, count)
