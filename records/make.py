#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""make.py GENERATOR FOLDER: the corpus of records, which README.md describes.

GENERATOR is examples/record-generator, that is libvspe; FOLDER gets a NAME.spe, the bytes of a profiling buffer, and a
NAME.json, what is to be read in them, for each NAME.
"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "tests", "guest"), os.path.join(HERE, "..", "tools")]
from perf_packets_forms import stream
from spe_packets import as_json
from write_changed import write_changed

VERSIONS = ["v1p0", "v1p1", "v1p2", "v1p3", "v1p4", "v1p5"]
# Those whose records differ: what Neoverse N2 and V2 write is what V1 writes.
CORES = ["neoverse-n1", "neoverse-v1", "kunpeng920", "fvp"]


def generate(generator, folder, *options):
    raw = os.path.join(folder, "records.tmp")
    subprocess.run([generator, *options, raw], check=True, stdout=subprocess.DEVNULL)
    with open(raw, "rb") as file:
        data = file.read()
    os.unlink(raw)
    return data


def corpus(generator, folder):
    """(name, bytes)"""
    yield "forms", b"".join(form for _, form in stream())
    for version in VERSIONS:
        yield version, generate(generator, folder, version)
        yield version + "-all", generate(generator, folder, "--all", version)
    for core in CORES:
        yield core, generate(generator, folder, core)


def main():
    generator, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    made = set()
    for name, data in corpus(generator, folder):
        for end, content in (".spe", data), (".json", as_json(data).encode()):
            write_changed(os.path.join(folder, name + end), content)
            made.add(name + end)
    # All that is here is installed: what is no longer made has to go.
    for name in set(os.listdir(folder)) - made:
        os.unlink(os.path.join(folder, name))


if __name__ == "__main__":
    main()
