#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""tests/guest/model.py VSPE GUESTS [NAME...]: the guest chase finds out machine models of several sizes. What it must
find follows from the file that vspe gets: the level that a chase of so many bytes fits in, its data
source and its latency.
"""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

K, M = 1 << 10, 1 << 20
CHASES = [16 * K, 256 * K, 8 * M]
LARGE = 32 * M

# No chase has exactly the size of a level: it fits, or it does not.
MODELS = {
    "small": {"l1d.size": 32 * K, "l1d.ways": 8, "l2.size": 512 * K, "llc.size": 16 * M, "l1d.latency": 3,
              "l2.latency": 13, "llc.latency": 37, "peer-core.latency": 29, "dram.latency": 151,
              "llc.scope": "cluster", "l1i.size": 32 * K},
    "no_l3": {"l1d.size": 64 * K, "l2.size": 1 * M, "llc.size": 2 * M, "l1d.latency": 5, "l2.latency": 17,
              "llc.latency": 41, "peer-core.latency": 61, "peer-cluster.latency": 99, "dram.latency": 301,
              "cluster.cores": 1},
    "large": {"l1d.size": 128 * K, "l1d.ways": 64, "l1i.size": 64 * K, "l2.size": 16 * M, "llc.size": 64 * M,
              "l1d.latency": 4, "l2.latency": 20, "llc.latency": 70, "peer-core.latency": 70,
              "peer-cluster.latency": 90, "dram.latency": 250},
}


# The values of docs/cores.md for cores by name, and for a model file that changes a key. The first
# number is the size of the largest chase in bytes.
BUILT_IN = {"l1d.latency": 4, "l2.latency": 11, "llc.latency": 40, "peer-core.latency": 50, "dram.latency": 200,
            "l1d.size": 64 * K, "l2.size": 1 * M, "llc.size": 16 * M}
CORES = {
    "neoverse-n1": (64 * M, {"llc.size": 32 * M, "llc.latency": 72, "peer-core.latency": 104, "dram.latency": 239}, {}),
    "neoverse-v2": (64 * M, {"l2.size": 2 * M, "l2.latency": 10, "llc.size": 32 * M, "llc.latency": 61, "peer-core.latency": 72},
                    {"dram.latency": 350}),
}


def expected(model, size):
    """Data source and latency of a load in a chase of size bytes. A chase in order that is larger than a cache never hits it."""
    last = 0xA if model.get("llc.scope") == "cluster" else 0xB
    for level, source in (("l1d", 0), ("l2", 8), ("llc", last)):
        if size < model[f"{level}.size"]:
            return source, model[f"{level}.latency"]
    return 0xE, model["dram.latency"]


def run(vspe, guests, text, large, *options):
    with tempfile.NamedTemporaryFile("w", suffix=".model") as file:
        file.write(text)
        file.flush()
        out = subprocess.run([vspe, "run", "-c", "2", "--model", f"full,{file.name}", "--stats=json", "-p",
                              f"large={large} micro-ops=1", *options, f"{guests}/chase.Image"],
                             capture_output=True, text=True, timeout=200, check=False)
    assert out.returncode == 0, out.stderr
    return out.stdout, json.loads(out.stderr)


def check(name, model, large, console, stats):
    found = {int(size): (int(source, 16), int(cycles)) for size, source, cycles in
             re.findall(r"log: chase (\d+): .* from (0x[0-9a-f]+) in (\d+) cycles", console)}
    for size in CHASES + [large]:
        wanted = expected(model, size)
        assert found.get(size) == wanted, f"{name}: chase of {size}: {found.get(size)}, not {wanted}"
    source, cycles = re.search(r"log: share: .* from (0x[0-9a-f]+) in (\d+) cycles", console).groups()
    wanted = (0x9, model["peer-core.latency"]) if model.get("cluster.cores", 4) > 1 else \
        (0xC, model["peer-cluster.latency"])
    assert (int(source, 16), int(cycles)) == wanted, f"{name}: share: {source} in {cycles}, not {wanted}"
    assert stats["model"] == "full", stats
    assert stats["modelled_operations"] == stats["operations"], stats
    assert stats["STALL_FRONTEND"] + stats["STALL_BACKEND"] < stats["CPU_CYCLES"], stats


def main():
    vspe, guests, *names = sys.argv[1:]
    wanted = names or [*MODELS, *CORES]
    for name in MODELS.keys() & wanted:
        model = MODELS[name]
        text = "".join(f"{key} {value}\n" for key, value in model.items())
        check(name, model, LARGE, *run(vspe, guests, text, LARGE))
        print(f"ok: {name}")
    for name in CORES.keys() & wanted:
        large, published, changed = CORES[name]
        text = "".join(f"{key} {value}\n" for key, value in changed.items())
        check(name, BUILT_IN | published | changed, large, *run(vspe, guests, text, large, "--cpu", name))
        print(f"ok: {name}")


main()
