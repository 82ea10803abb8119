#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""decoders.py CORPUS VSPE DECODER...: what decoders make of the corpus of records, as a Markdown table.

A DECODER is "perf", of this system; a folder with a Debian that has linux-perf (tests/install/debootstrap.sh), whose perf is run
with chroot; or a folder with the package spe_parser of Arm's telemetry-solution. For each file of the corpus: how many packets
it has, and how many of them the decoder does not read (Unread: not there, or of other bytes) or reads otherwise (Other words).
With --differences FILE, one line for each kind of difference, and the bytes, goes to FILE. Fails if a perf does not find all
packets, or as many samples as records.
"""
import argparse
import importlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from check import text_of

LINE = re.compile(r"^\.? +([0-9a-f]{8}): +((?:[0-9a-f]{2} )+) *(.*?)\s*$", re.M)


class Perf:
    """perf report -D, and perf script."""

    def __init__(self, vspe, root):
        self.vspe, self.root = vspe, root
        self.command = ["chroot", root, "perf"] if root else ["perf"]
        version = self.run("--version").strip().removeprefix("perf version ")
        self.name = f"perf {version}"

    def run(self, *arguments):
        done = subprocess.run([*self.command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if done.returncode:
            sys.exit(f"{' '.join(self.command)} {arguments[0]}: {done.stderr.decode()[-300:]}")
        return done.stdout.decode()

    def read(self, raw, folder, records):
        """What it lists, by offset. Of records that are an operation's, as those of forms are not, it makes a sample each."""
        data = os.path.join(folder, "perf.data")
        subprocess.run([self.vspe, "decode", "--perf-data", data, raw], check=True)
        if self.root:
            shutil.copy(data, os.path.join(self.root, "tmp", "perf.data"))
            data = "/tmp/perf.data"
        listing = LINE.findall(self.run("report", "-f", "-D", "-i", data))
        found = {int(at, 16): (code.replace(" ", ""), words) for at, code, words in listing if words != "PAD"}
        samples = len(self.run("script", "-f", "-i", data, "--itrace=i1i", "-F", "ip").splitlines())
        if all(len(record["packets"]) > 2 for record in records) and samples != len(records):
            sys.exit(f"not ok - {self.name}: {raw}: {samples} samples of {len(records)} records")
        return found


class SpeParser:
    """The Python decoder of Arm's spe_parser, given one record at a time, so that one error does not hide others."""

    def __init__(self, folder):
        sys.path.insert(0, folder)
        self.packets = importlib.import_module("spe_parser.spe_decoder").get_packets
        self.create = importlib.import_module("spe_parser.payload").create_record
        self.name = "spe_parser"

    def record(self, packets):
        """The words of each packet of a record, and of the error that it ended with."""
        said = []
        try:
            for words in self.packets(io.BytesIO(b"".join(bytes.fromhex(p["bytes"]) for p in packets))):
                said.append(words.strip())
        except Exception as error:  # whatever it is, it is what its user sees
            said.append(f"{type(error).__name__}: {error}")
        return said

    def table(self, said):
        """What its table of the record ends with, if that is an error."""
        data = {}
        for words in said:
            name, *values = words.split(" ")
            if name == "LAT":
                name, values = values[1], values[:1]
            data[name] = values
        try:
            self.create(data, 0).to_dict()
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return None


def compare_listing(found, records):
    """(unread, other words, differences)"""
    unread, other, differences = 0, 0, {}
    for packet in (p for record in records for p in record["packets"]):
        code, words = found.get(packet["offset"], ("", "nothing"))
        if code != packet["bytes"]:
            unread += 1
            differences.setdefault(("unread", packet["packet"]), (packet["bytes"], text_of(packet), words))
        elif words != text_of(packet):
            other += 1
            differences.setdefault((packet["packet"], packet.get("index"), words.split(" ")[0]),
                                   (packet["bytes"], text_of(packet), words))
    return unread, other, differences


def compare_records(parser, records):
    unread, other, differences = 0, 0, {}
    for record in records:
        said = parser.record(record["packets"])
        for n, packet in enumerate(record["packets"]):
            words = said[n] if n < len(said) else "nothing"
            if words == text_of(packet):
                continue
            if n >= len(said) - 1 and re.match(r"\w+: |\w+: ?$", words) or words == "nothing":
                unread += 1
                kind = re.sub(r"\d+", "", words)
            else:
                other += 1
                kind = words.split(" ")[0]
            if words != "nothing":
                differences.setdefault((packet["packet"], packet.get("index", 0) > 4, kind),
                                       (packet["bytes"], text_of(packet), words))
        error = parser.table(said)
        if error:
            operation = next((p for p in record["packets"] if p["packet"] == "operation type"), record["packets"][0])
            differences.setdefault(("table", re.sub(r"\d+", "", error)), (operation["bytes"], text_of(operation), error))
    return unread, other, differences


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--differences")
    options.add_argument("corpus")
    options.add_argument("vspe")
    options.add_argument("decoder", nargs="+")
    options = options.parse_args()
    decoders = [SpeParser(d) if os.path.isdir(os.path.join(d, "spe_parser")) else
                Perf(options.vspe, "" if d == "perf" else d) for d in options.decoder]
    names = sorted(name[:-4] for name in os.listdir(options.corpus) if name.endswith(".spe"))
    rows, notes, bad = [], [], False
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            raw = os.path.join(options.corpus, name + ".spe")
            with open(os.path.join(options.corpus, name + ".json"), encoding="utf-8") as file:
                records = [json.loads(line) for line in file]
            cells = []
            for decoder in decoders:
                if isinstance(decoder, Perf):
                    unread, other, differences = compare_listing(decoder.read(raw, folder, records), records)
                    bad |= unread > 0
                else:
                    unread, other, differences = compare_records(decoder, records)
                cells.append(f"{unread}, {other}" if unread or other else "all")
                notes += [(decoder.name, name, *kind, *what) for kind, what in differences.items()]
            rows.append([f"`{name}`", str(len(records)), str(sum(len(r["packets"]) for r in records)), *cells])
    for row in [["corpus", "records", "packets", *(d.name for d in decoders)], ["---"] * (3 + len(decoders)), *rows]:
        print("| " + " | ".join(row) + " |")
    if options.differences:
        with open(options.differences, "w", encoding="utf-8") as file:
            file.writelines(" | ".join(map(str, note)) + "\n" for note in notes)
    return bad


if __name__ == "__main__":
    sys.exit(main())
