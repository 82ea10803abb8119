# SPDX-License-Identifier: BSD-2-Clause
"""What records are made of, and what is missing: types, bits, masks, labels."""
from __future__ import annotations

import enum
import functools
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from vspe import _vspe

Array = npt.NDArray[Any]


class Error(Exception):
    """What is wrong with an input, or with a request: the base of all exceptions that are not Python's own."""


class InputError(Error, ValueError):
    """A file, or bytes, without sample records, and not a perf.data file with them. The text says what they are."""


class NamesError(Error, LookupError):
    """A name is not available: the file names no processes, or a file of symbols is not one."""


class SummaryWarning(UserWarning):
    """Records are missing. simplefilter("error", vspe.SummaryWarning) makes this an exception."""


class LossWarning(SummaryWarning):
    """The file itself says that something is missing from it: see Summary.losses."""


class DamageWarning(SummaryWarning):
    """A part of the file could not be read: see Summary.damage and Summary.problem."""


class Has(enum.IntFlag):
    """Bits of the field "has", and of "repeated": which packets a record has (SPE_HAS_* of <vspe/decode.h>)."""
    PC = 0x1
    TARGET = 0x2
    DATA_VA = 0x4
    DATA_PA = 0x8
    PREVIOUS = 0x10
    CONTEXTIDR_EL1 = 0x20
    CONTEXTIDR_EL2 = 0x40
    TOTAL_LATENCY = 0x80
    ISSUE_LATENCY = 0x100
    TRANSLATION_LATENCY = 0x200
    ALTERNATE_LATENCY = 0x400
    EVENTS = 0x800
    OPERATION = 0x1000
    DATA_SOURCE = 0x2000
    TIMESTAMP = 0x4000
    EXTRA = 0x8000


class Damage(enum.IntFlag):
    """Bits of the field "damage" (SPE_DAMAGE_* of <vspe/decode.h>). No PE writes a record with one of them."""
    UNKNOWN = 0x1  # packets of unknown kind: unknown_packets, unknown_bytes
    NO_END = 0x2  # it has neither a Timestamp nor an End packet
    TOO_LONG = 0x4  # ... within 2048 bytes, and is cut there
    CUT_PACKET = 0x8  # ... as its buffer ends within a packet: cut_bytes
    REPEATED = 0x10  # packets that were there already: repeated


class Type(enum.IntEnum):
    """Values of the field "type_header": the class of an operation (Arm ARM D18.2.7)."""
    OTHER = 0x48
    MEMORY = 0x49  # load, store, atomic
    BRANCH = 0x4a  # branch, exception return


class Event(enum.IntFlag):
    """Bits of the field "events" to which FEAT_SPE gives a meaning (Arm ARM D18.2.6). EVENTS has more, by perf's
    names."""
    EXCEPTION = 1 << 0  # it generated an exception
    RETIRED = 1 << 1  # it was architecturally executed
    L1D_ACCESS = 1 << 2
    L1D_REFILL = 1 << 3
    TLB_ACCESS = 1 << 4
    TLB_REFILL = 1 << 5
    NOT_TAKEN = 1 << 6
    MISPREDICTED = 1 << 7
    LLC_ACCESS = 1 << 8
    LLC_REFILL = 1 << 9
    REMOTE_ACCESS = 1 << 10
    UNALIGNED = 1 << 11
    TRANSACTIONAL = 1 << 16
    PARTIAL_PREDICATE = 1 << 17
    EMPTY_PREDICATE = 1 << 18


def _dtype(columns: list[tuple[str, str, int, int]], size: int) -> np.dtype[Any]:
    return np.dtype({"names": [c[0] for c in columns], "formats": [c[1] for c in columns],
                     "offsets": [c[2] for c in columns], "itemsize": size})


#: A sample record: 128 bytes.
RECORD = _dtype(_vspe.columns, _vspe.row_size)
#: A Counter or Address packet whose index has no separate field: "row" is the number of its record in the array of
#: records, "address" says which of the two it is, "index" is 0 to 31, "value" its payload. A record has at most eight
#: here.
EXTRA = _dtype(_vspe.extras, _vspe.extra_size)
#: Where Names.locate() found a record: perf's time in ns, or 0; the byte of its object; process, thread, and numbers
#: of commands, Names.objects and Names.symbol(); -1: not known.
PLACE = np.dtype([("time", "u8"), ("offset", "u8"), ("pid", "i4"), ("tid", "i4"), ("command", "i4"), ("object", "i4"),
                  ("symbol", "i4"), ("reserved", "u4")])
assert PLACE.itemsize == _vspe.place_size
#: perf's names of events by their bit of the field "events"; those without a name are "E[n]".
EVENTS: dict[int, str] = {bit: name or f"E[{bit}]" for bit, name in enumerate(_vspe.events)}

_BITS: dict[str, int] = {name: bits for name, _, _, bits in _vspe.columns}


@dataclass(frozen=True)
class Loss:
    """What a perf.data file says is missing from it."""
    name: str  #: "buffer full, records lost" and the like, as vspe report has it
    times: int  #: events that say so
    lost: int  #: samples or events; 0: they do not say how many
    bytes: int  #: of AUX trace in the events that say so
    share: Optional[float]  #: the part of the profile that it may concern, 0.0 to 1.0; None: nothing says how much
    cpu: int  #: where the first was; -1: not known
    tid: int
    text: str  #: all of this in a line


@dataclass(frozen=True)
class DamageSum:
    """What could not be read in records."""
    bytes: int  #: in unknown or cut packets
    records: int  #: without an end
    first: int  #: offset of the first such record in the trace of its CPU or thread
    cpu: int  #: whose that is; -1: not known
    tid: int
    text: str  #: all of this in a line; "": nothing

    def __bool__(self) -> bool:
        return bool(self.text)


@dataclass(frozen=True)
class Summary:
    """How much was read, and what is missing."""
    records: int
    bytes: int  #: of records, without padding before them
    aux_bytes: int  #: of AUX trace that the file's AUX events speak of
    midr: int  #: MIDR_EL1 of the cores of which the records do not say it; 0: nothing says it
    problem: str  #: why reading ended early; "": it did not
    damage: DamageSum
    losses: tuple[Loss, ...]

    @property
    def complete(self) -> bool:
        """Is all there that was recorded? False if anything says otherwise."""
        return not (self.losses or self.damage or self.problem)

    @property
    def lines(self) -> tuple[str, ...]:
        """What is missing, a line each, as vspe report prints it. Empty: nothing."""
        texts = [loss.text for loss in self.losses] + [self.problem, self.damage.text]
        return tuple(text for text in texts if text)


def has(records: Array, bits: Union[int, str]) -> npt.NDArray[np.bool_]:
    """Which records have all packets of bits, a value of Has or the name of a field: an array of bool."""
    if isinstance(bits, str):
        bits = field_bits(bits)
    wanted = np.uint32(bits)
    return (records["has"] & wanted) == wanted  # type: ignore[no-any-return]


def field_bits(name: str) -> int:
    """The bit of Has for a field; 0: each record has it. KeyError: no field of RECORD."""
    return _BITS[name]


def masked(records: Array, name: str) -> np.ma.MaskedArray[Any, Any]:
    """A field, masked in records that do not have it, so a mean() is of those that do."""
    return np.ma.MaskedArray(records[name], mask=~has(records, name))


def has_event(records: Array, bits: int) -> npt.NDArray[np.bool_]:
    """Which records have all events of bits, a value of Event: an array of bool. False without an Events packet."""
    wanted = np.uint64(bits)
    return (records["events"] & wanted) == wanted  # type: ignore[no-any-return]


def events_of(value: int) -> list[str]:
    """perf's names of the events in a value of the field "events"."""
    return [name for bit, name in EVENTS.items() if int(value) >> bit & 1]


@dataclass(frozen=True)
class Labels:
    """A name for each record: codes are numbers in names, -1 for none, as in pandas.Categorical.from_codes()."""
    codes: npt.NDArray[np.int32]
    names: list[str]

    def counts(self) -> dict[str, int]:
        """How many records have each name, the most frequent first, ties by name."""
        found = np.bincount(self.codes[self.codes >= 0], minlength=len(self.names))
        return dict(sorted(zip(self.names, found.tolist()), key=lambda item: (-item[1], item[0])))

    def where(self, name: str) -> npt.NDArray[np.bool_]:
        """Which records have this name: an array of bool."""
        code = self.names.index(name) if name in self.names else None
        return np.zeros(len(self.codes), bool) if code is None else self.codes == code  # type: ignore[return-value]

    def array(self) -> npt.NDArray[np.object_]:
        """The names themselves; "" for none."""
        return np.array([*self.names, ""], object)[self.codes]


def labels(numbers: Array, name_of: Any) -> Labels:
    """Labels of records by numbers, -1 for none; equal names have one code."""
    found, codes = np.unique(numbers, return_inverse=True)
    names: dict[str, int] = {}
    new = [-1 if number < 0 else names.setdefault(name_of(number), len(names)) for number in found.tolist()]
    return Labels(np.array(new, np.int32)[codes], list(names))


def core(name: str) -> int:
    """MIDR_EL1 of a core: "neoverse-n1" and other names of vspe run --cpu, or a number as text. NamesError:
    neither."""
    midr = _vspe.core(name)
    if midr is None:
        raise NamesError(f"core {name!r}: neither one of vspe run --cpu help nor a value of MIDR_EL1")
    return midr


@functools.lru_cache(64)
def _source_names(midr: int) -> dict[int, str]:
    return _vspe.sources(midr)


def data_sources(records: Array, core_name: Optional[str] = None) -> Labels:
    """Where the data came from: "L1D", "L2", "DRAM".

    The meaning of a number depends on the core: core_name, or the one in the file. A number without a name
    is "0x12". A record without a Data Source packet, or of an unknown core, has no name.
    """
    number = np.where(has(records, Has.DATA_SOURCE), records["data_source"].astype(np.int64), -1)
    midr = np.full(len(records), core(core_name), np.int64) if core_name else records["midr"].astype(np.int64)
    number[midr == 0] = -1
    both = np.where(number < 0, -1, midr << 16 | number)
    return labels(both, lambda key: _source_names(key >> 16).get(key & 0xffff, f"{key & 0xffff:#x}"))
