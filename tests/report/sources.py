#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""sources.py VSPE: vspe report and vspe decode name data sources by the core's numbers, wherever a file says which core
it is: in AUXTRACE_INFO, a CPU at a time; after its events; in an event of a pipe; or on the command line. The names
and numbers below come from tools/perf/util/arm-spe.c of Linux, and from no table of vspe's."""
import json
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import made

VSPE = Path(sys.argv[1]).resolve()
COMMON = {0x0: "L1D", 0x8: "L2", 0x9: "peer core", 0xa: "local cluster", 0xb: "system cache", 0xc: "peer cluster",
          0xd: "remote", 0xe: "DRAM"}
OWN = {**COMMON, 0xf: "not known"}
AMPEREONE = {0x0: "cache of this chip, or device", 0x3: "system cache", 0x5: "cache of another chip", 0x7: "DRAM",
             0x8: "L1D", 0x9: "L2"}
HIP12 = {0: "peer core", 1: "peer core, modified", 2: "L3", 3: "L3, modified", 4: "peer cluster",
         5: "peer cluster, modified", 6: "remote socket", 7: "remote socket, modified", 8: "DRAM", 9: "remote DRAM",
         13: "device", 16: "L2", 17: "L2, modified", 18: "L1D"}
# MIDR_EL1 of any variant and revision.
CORES = {0x414fd0c1: COMMON, 0x411fd402: COMMON, 0x410fd493: COMMON, 0x410fd4f0: COMMON, 0x412fd841: COMMON,
         0x411fd810: COMMON, 0x410fd850: COMMON, 0x000f0560: OWN, 0xc00fac40: AMPEREONE, 0x480fd061: HIP12,
         0x481fd010: {}, 0x480fd020: {}, 0x410fd0f0: {}, 0x410fd0b0: {}}
NUMBERS = range(20)
failures = 0


def check(what, got, wanted):
    global failures
    print(f"{'ok' if got == wanted else 'not ok'} - {what}" + ("" if got == wanted else f"\n#   is:   {got}\n#   want: {wanted}"))
    failures += got != wanted


def event(kind, body):
    return struct.pack("<IHH", kind, 0, 8 + len(body)) + body


def info(midrs):
    """AUXTRACE_INFO of perf 6.14 and later: MIDR_EL1 of each CPU; without any, that of earlier
    versions."""
    if midrs is None:
        return event(70, struct.pack("<IIQQ", 4, 0, 1000, 0))
    words = [2, 4, 1000, len(midrs)]
    for cpu, midr in enumerate(midrs):
        words += [0x1010101010101010, cpu, 4, midr, 1000, 1024, 0]
    return event(70, struct.pack("<II", 4, 0) + struct.pack(f"<{len(words)}Q", *words))


def trace(cpu, data):
    return event(71, struct.pack("<QQQIIII", len(data), 0, 0, cpu, 0, cpu, 0)) + data


def cpuid(midr):
    text = f"0x{midr:016x}".encode().ljust(64, b"\0")
    return struct.pack("<I", len(text)) + text


def records():
    return b"".join(made.record({"pc": 0x400000, "el": 0, "op": made.LOAD_STORE, "events": 2, "source": number})
                    for number in NUMBERS)


def file_of(midr, each=None, cpus=1):
    """A perf.data file; unless midr is None, its features have it after another feature."""
    stream = info(each) + b"".join(trace(cpu, records()) for cpu in range(cpus))
    sections = [struct.pack("<I", 8) + b"aarch64\0"] + ([cpuid(midr)] if midr is not None else [])
    at = 104 + len(stream) + 16 * len(sections)
    table = b""
    for section in sections:
        table += struct.pack("<QQ", at, len(section))
        at += len(section)
    bits = 1 << 6 | (1 << 9 if midr is not None else 0)
    head = b"PERFILE2" + struct.pack("<8Q", 104, 136, 104, 0, 104, len(stream), 0, 0) + struct.pack("<4Q", bits, 0, 0, 0)
    return head + stream + table + b"".join(sections)


def pipe_of(midr):
    """What perf record -o - writes."""
    return b"PERFILE2" + struct.pack("<Q", 16) + event(80, struct.pack("<Q", 9) + cpuid(midr)) + info(None) + trace(0, records())


def report(data, *options, pipe=False):
    with tempfile.TemporaryDirectory() as work:
        path = Path(work) / "data"
        path.write_bytes(data)
        words = [str(VSPE), "report", "--json", "--limit", "1000", *options, "-" if pipe else str(path)]
        done = subprocess.run(words, input=data if pipe else None, capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"not ok - {words}: {done.returncode}: {done.stderr.decode()}")
    return json.loads(done.stdout)["sources"]


def names(data, *options, pipe=False):
    return {int(row["code"], 16): row["source"] for row in report(data, *options, pipe=pipe)["rows"]}


def wanted(core):
    return {number: core.get(number, f"code {number:#x}") for number in NUMBERS}


def decoded(data):
    with tempfile.TemporaryDirectory() as work:
        path = Path(work) / "data"
        path.write_bytes(data)
        out = subprocess.run([str(VSPE), "decode", "--json", str(path)], capture_output=True, check=True).stdout
    rows = map(json.loads, out.splitlines())
    return {row["data_source"]: row["data_source_name"] for row in rows if "data_source_name" in row}


def main():
    for midr, core in CORES.items():
        said = {number: name for number, name in core.items() if number in NUMBERS}
        check(f"{midr:#x} behind the events", names(file_of(midr)), wanted(core))
        check(f"{midr:#x} behind the events of a file that comes through a pipe", names(file_of(midr), pipe=True), wanted(core))
        check(f"{midr:#x} in AUXTRACE_INFO", names(file_of(None, [midr])), wanted(core))
        check(f"{midr:#x} in an event of a pipe", names(pipe_of(midr), pipe=True), wanted(core))
        check(f"{midr:#x} on the command line", names(records(), "--core", f"{midr:#x}"), wanted(core))
        check(f"{midr:#x}: vspe decode", decoded(file_of(midr)), said)
    check("a name on the command line", names(file_of(0x480fd060), "--core", "neoverse-v2"), wanted(COMMON))
    said = report(records())
    check("nobody says", {int(row["code"], 16): row["source"] for row in said["rows"]}, wanted(COMMON))
    check("... which is said", "nothing says" in said.get("remark", ""), True)
    check("what is known has no remark", report(file_of(0x414fd0c1)).get("remark"), None)
    # Two kinds of cores: each number is listed separately.
    both = report(file_of(0x410fd0b0, [0x414fd0c1, 0x480fd060], 2))["rows"]
    check("two kinds of cores", sorted((row["code"], row["source"]) for row in both),
          sorted((f"{number:#x}", name) for core in (COMMON, HIP12) for number, name in wanted(core).items()))
    check("a CPU that AUXTRACE_INFO does not have is like that of the features",
          names(file_of(0x480fd060, [], 1)), wanted(HIP12))
    for what, data in (("no words", info([])[:32]), ("a head of 2^63 words", info([1])[:24] + struct.pack("<Q", 1 << 63) + bytes(24)),
                       ("a CPU of 2^60 words", info([1])[:64] + struct.pack("<Q", 1 << 60) + info([1])[72:])):
        data = struct.pack("<IHH", 70, 0, len(data)) + data[8:]
        check(f"bad AUXTRACE_INFO: {what}", len(names(b"PERFILE2" + struct.pack("<Q", 16) + data + trace(0, records()))), 20)
    sys.exit(1 if failures else 0)


main()
