#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""perf_packets.py PERF VSPE: compare two listings of the records of perf_packets_forms.py.

PERF is "perf report -D", VSPE "vspe decode". Both must have every packet form, at the same offset,
with the same bytes and the same words, but for EXCEPTIONS: what perf 6.1 does not know. An exception
that does not occur, or not as it is declared, is a failure as well.

perf_packets.py --table: prints EXCEPTIONS as a Markdown table.
"""
import re
import sys

from perf_packets_forms import stream

# Events that have no name in perf 6.1: it leaves them out.
NAMELESS = ["TXN", "L2D-ACCESS", "L2D-MISS", "HITM", "LFB", "SNOOPED", "STREAMING-SVE", "SMCU"]


def drop(pattern):
    return lambda words, _: re.sub(pattern, "", words)


def become(pattern, text):
    return lambda words, _: re.sub(pattern, text, words)


def previous_target(words, packet):
    if not words.startswith("PBT "):
        return words
    return f"ADDR {int.from_bytes(packet[-8:], 'little'):#x} (4)"


# Packet; what perf 6.1 prints; why; how to turn vspe's words into perf's.
EXCEPTIONS = [
    ("Counter of index 4", "no `ALT-ISSUE`", "FEAT_SPE_ALTCLK is newer",
     drop(r"(?<=\d) ALT-ISSUE$")),
    ("Counter of any other index but 0, 1 and 2", "no index",
     "they are reserved or IMPLEMENTATION DEFINED",
     lambda words, _: re.sub(r" \(\d+\)$", "", words) if words.startswith("LAT ") else words),
    ("Address of index 0, 1 or 3, Root or Realm", "no `nse=1`", "FEAT_RME is newer",
     lambda words, _: re.sub(r" nse=1$", "", words) if words[:3] != "PBT" else words),
    ("Address of index 4, previous branch target", "`ADDR`, the whole payload, `(4)`",
     "FEAT_SPE_PBT is newer", previous_target),
    ("Operation type 48, Advanced SIMD and floating point", "no `ASE`, no `FP`",
     "FEAT_SPE_FPF is newer",
     drop(r"(?<=^OTHER INSN-OTHER)( FP| ASE)+|(?<=^OTHER COND-SELECT)( FP| ASE)+")),
    ("Operation type 48, SME array", "`OTHER INSN-OTHER`", "FEAT_SPE_SME is newer",
     become(r"^SME-OTHER .*", "OTHER INSN-OTHER")),
    ("Operation type 48 or 49, SVE longer than 2048 bits", "`EVLEN 4096`",
     "code 7 had no meaning before FEAT_SPE_SME", become("EVLEN >2048", "EVLEN 4096")),
    ("Operation type 49, SVE and SME", "no `SVE`", "it says so with `EVLEN` alone",
     drop(r"(?<=^LD) SVE|(?<=^ST) SVE")),
    ("Operation type 49, Allocation Tags", "`LD` or `ST` alone", "FEAT_SPEv1p3 is newer",
     drop(" MTE-TAG$")),
    ("Operation type 49, Memory Copy and Set", "`LD` or `ST` alone", "FEAT_SPEv1p3 is newer",
     drop(" (MEMCPY|MEMSET)$")),
    ("Operation type 49, Guarded Control Stack", "`LD` or `ST` alone", "FEAT_GCS is newer",
     drop("(?<=^LD) GCS.*|(?<=^ST) GCS.*")),
    ("Operation type 4A, indirect, and bit 2, 3 or 4 set", "no `IND`",
     "it tests for 02 and 03 as a whole",
     drop("(?<=^B) IND(?= GCS| CR-)|(?<=^B COND) IND(?= GCS| CR-)")),
    ("Operation type 4A, access to the Guarded Control Stack", "no `GCS`", "FEAT_GCS is newer",
     drop("(?<=^B) GCS|(?<=^B COND) GCS")),
    ("Operation type 4A, calls and returns", "no `CR-BL`, `CR-RET`, `CR-NON-BL-RET`",
     "FEAT_SPE_CRR is newer", drop(" CR-[A-Z-]+$")),
    ("Events 16 and 19 to 25", "nothing for them", "they are newer, or of FEAT_TME",
     lambda words, _: " ".join(w for w in words.split() if w not in NAMELESS)
     if words.startswith("EV") else words),
    ("Other events without a name", "nothing for them, instead of `E[n]`",
     "they are IMPLEMENTATION DEFINED or reserved",
     lambda words, _: re.sub(r" E\[\d+\]", "", words) if words.startswith("EV") else words),
    ("Timestamp of 2^63 and more", "less 2^64", "it prints a signed number",
     lambda words, packet: f"TS {int.from_bytes(packet[1:], 'little', signed=True)}"
     if words.startswith("TS ") else words),
    ("Padding", "`PAD` and up to 16 of its bytes a line",
     "`vspe decode` has one line for padding inside a record, with 10 bytes of it, and none for padding between records",
     None),
]


def fail(message):
    sys.exit(f"perf_packets: {message}")


def listing(path, start):
    """(offset, bytes, words) of each packet line: blanks, perhaps a dot, offset, bytes, words. A
    line of perf's may have the bytes of 16 packets of padding.
    """
    line = re.compile(start + r"([0-9a-f]{8}):  ((?:[0-9a-f]{2} )+) *(.*?) *$")
    for text in open(path):
        match = line.match(text)
        if match:
            offset, packet, words = match.groups()
            yield int(offset, 16), bytes.fromhex(packet), words


def next_or_fail(packets, whose):
    packet = next(packets, None)
    if packet is None:
        fail(f"{whose} ends too early")
    return packet


def check_padding(perf, at, form):
    """Skip perf's lines for a run of padding; vspe prints none."""
    left = len(form)
    while left:
        offset, packet, words = next_or_fail(perf, "perf")
        if offset != at or any(packet) or len(packet) > left or words != "PAD":
            fail(f"{at:#x}: padding: perf has {packet.hex(' ')} {words} at {offset:#x}")
        at += len(packet)
        left -= len(packet)


def expected_of_perf(words, packet, counts):
    for i, (_, _, _, change) in enumerate(EXCEPTIONS):
        changed = change(words, packet) if change else words
        counts[i] += changed != words
        words = changed
    return words


def compare(perf, vspe):
    counts = [0] * len(EXCEPTIONS)
    at = seen = 0
    for name, form in stream():
        if not any(form):
            check_padding(perf, at, form)
            counts[-1] += 1
        else:
            of_perf, of_vspe = next_or_fail(perf, "perf"), next_or_fail(vspe, "vspe decode")
            for whose, (offset, packet, words) in ("perf", of_perf), ("vspe decode", of_vspe):
                if (offset, packet) != (at, form):
                    fail(f"{at:#x}: {name}: {form.hex(' ')}, but {whose} has "
                         f"{packet.hex(' ')} {words} at {offset:#x}")
            want = expected_of_perf(of_vspe[2], form, counts)
            if of_perf[2] != want:
                fail(f"{at:#x}: {name}: {form.hex(' ')}: vspe decode has \"{of_vspe[2]}\", so that "
                     f"perf should have \"{want}\", but it has \"{of_perf[2]}\"")
        at += len(form)
        seen += 1
    for whose, rest in ("perf", next(perf, None)), ("vspe decode", next(vspe, None)):
        if rest:
            fail(f"{whose} has more: {rest}")
    for (packet, *_), count in zip(EXCEPTIONS, counts):
        if not count:
            fail(f"declared, but it does not occur: {packet}")
    return seen, sum(counts)


def table():
    print("| packet | perf 6.1 prints | because |\n|---|---|---|")
    for packet, prints, why, _ in EXCEPTIONS:
        print(f"| {packet} | {prints} | {why} |")


if sys.argv[1:] == ["--table"]:
    table()
else:
    total, excepted = compare(listing(sys.argv[1], r"\.  "), listing(sys.argv[2], "  "))
    print(f"PASS: {total} packets, {excepted} with one of {len(EXCEPTIONS)} declared exceptions")
