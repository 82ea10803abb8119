# SPDX-License-Identifier: BSD-2-Clause
"""Sample records of Arm's Statistical Profiling Extension (FEAT_SPE) as arrays of NumPy.

    >>> import vspe
    >>> profile = vspe.read("perf.data")
    >>> loads = profile.records[profile.has(vspe.Has.DATA_VA)]
    >>> loads["total_latency"].mean()

A record is an element of a structured array of the type RECORD, whose fields have the names of struct spe_record in
<vspe/decode.h>. A field is 0 where the record has no packet with it; "has" says which there are. Addresses are unsigned
numbers of 64 bits, latencies cycles of the PE, timestamps counts of its timer.

docs/python.md has each field with its unit and range.
"""
from vspe._data import (EVENTS, EXTRA, PLACE, RECORD, Damage, DamageSum, DamageWarning, Error, Event, Has, InputError,
                        Labels, Loss, LossWarning, NamesError, Summary, SummaryWarning, Type, core, data_sources,
                        events_of, has, has_event, masked)
from vspe._names import Names, Object
from vspe._read import Profile, Stream, decode, read, stream

__all__ = ["EVENTS", "EXTRA", "PLACE", "RECORD", "Damage", "DamageSum", "DamageWarning", "Error", "Event", "Has",
           "InputError", "Labels", "Loss", "LossWarning", "Names", "NamesError", "Object", "Profile", "Stream",
           "Summary", "SummaryWarning", "Type", "core", "data_sources", "decode", "events_of", "has",
           "has_event", "masked", "read", "stream"]
