#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""counts.py VSPE: every number of vspe report --json, of made-up records, equals the count here; text, --folded and
--bolt agree."""
import math
import re
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

import made
from made import failures, same

VSPE = Path(sys.argv[1]).resolve()


def share(count, total):
    return math.floor(count * 10000 / total + 0.5) / 100


def interval(count, total):
    """Wilson's interval in floating point; report_interval() computes it in whole numbers, rounded
    outwards."""
    z2 = 1.96 * 1.96
    middle, half = count + z2 / 2, math.sqrt(z2 * (count * (total - count) / total + z2 / 4))
    low, high = (middle - half) / (total + z2), (middle + half) / (total + z2)
    return max(0, low) * 100, min(1, high) * 100


def function_of(pc):
    for name, start, size in made.FUNCTIONS:
        if start <= pc < start + size:
            return name
    return f"[{pc & ~0xfff:#x}]"


def check_interval(what, row, total):
    low, high = interval(row["samples"], total)
    if not (abs(row["low"] - low) <= 0.011 and abs(row["high"] - high) <= 0.011 and row["low"] <= low + 1e-9
            and row["high"] >= high - 1e-9 and row["low"] <= row["share"] + 0.005 and row["share"] <= row["high"] + 0.005):
        failures.append(what)
        print(f"not ok - {what}: {row}, and not {low} to {high}")


def check_hot(report, records):
    functions, addresses, timed, wrong = Counter(), Counter(), defaultdict(list), Counter()
    for r in records:
        if "pc" in r:
            functions[function_of(r["pc"]), r["el"]] += 1
            addresses[f"{r['pc']:#x}", r["el"]] += 1
            timed[function_of(r["pc"]), r["el"]].append(r["total"])
            wrong[function_of(r["pc"]), r["el"]] += r.get("op") == made.BRANCH and bool(r["events"] & made.MISPREDICTED)
    rows = report["functions"]["rows"]
    same("functions", {(row["function"], row["el"]): row["samples"] for row in rows}, dict(functions))
    same("functions are in order", [row["samples"] for row in rows], sorted(functions.values(), reverse=True))
    same("shares of functions", [row["share"] for row in rows], [share(row["samples"], len(records)) for row in rows])
    same("latencies of functions", {(row["function"], row["el"]): row["mean_latency"] for row in rows},
         {key: math.floor(sum(values) * 100 / len(values) + 0.5) / 100 for key, values in timed.items()})
    same("mispredictions of functions", {(row["function"], row["el"]): row["mispredicted"] for row in rows}, dict(wrong))
    same("addresses", {(row["address"], row["el"]): row["samples"] for row in report["addresses"]["rows"]}, dict(addresses))
    for row in rows + report["addresses"]["rows"]:
        check_interval("interval", row, len(records))


def check_data(report, records):
    for name in "total", "issue", "translation":
        values = sorted(r[name] for r in records if name in r)
        row = next(row for row in report["latency"]["rows"] if row["latency"] == name)
        same(f"{name} latency", [row[key] for key in ("samples", "median", "p90", "p99", "max")],
             [len(values)] + [values[math.ceil(len(values) * p / 100) - 1] for p in (50, 90, 99, 100)])
        buckets = Counter(value.bit_length() for value in values)
        got = {}
        for row in report["histogram"]["rows"]:
            first = int(row["cycles"].split("-")[0])
            if row[name]:
                got[first.bit_length()] = row[name]
        same(f"histogram of {name}", got, dict(buckets))
    spent = [(r, r["total"] - r["issue"]) for r in records if "total" in r and r["issue"] <= r["total"]]
    row = next(row for row in report["latency"]["rows"] if row["latency"] == "execution")
    same("execution latency", [row["samples"], row["max"]], [len(spent), max(cycles for _, cycles in spent)])
    same("... by source", {int(row["code"], 16): row["mean_execution"] for row in report["sources"]["rows"]},
         {code: math.floor(sum(values) * 100 / len(values) + 0.5) / 100 for code, values in
          by_source(spent).items()})
    sources = Counter(r["source"] for r in records if "source" in r)
    same("sources", {int(row["code"], 16): row["samples"] for row in report["sources"]["rows"]}, dict(sources))
    same("names of sources", {int(row["code"], 16): row["source"] for row in report["sources"]["rows"]},
         {0: "L1D", 8: "L2", 9: "peer core", 13: "remote", 14: "DRAM", 77: "code 0x4d"})


def by_source(spent):
    found = defaultdict(list)
    for r, cycles in spent:
        if "source" in r:
            found[r["source"]].append(cycles)
    return found


def check_branches(report, records):
    wrong, all_of, not_taken = Counter(), Counter(), Counter()
    for r in records:
        if r.get("op") != made.BRANCH or "pc" not in r:
            continue
        key = f"{r['pc']:#x}", f"{r['target']:#x}" if "target" in r else None, r["el"]
        all_of[key] += 1
        wrong[key] += bool(r["events"] & made.MISPREDICTED)
        not_taken[key] += bool(r["events"] & made.NOT_TAKEN)
    rows = {(row["from"], row.get("to"), row["el"]): row for row in report["branches"]["rows"]}
    for name, counts in ("mispredicted", wrong), ("samples", all_of), ("not_taken", not_taken):
        same(f"branches: {name}", {key: row[name] for key, row in rows.items()},
             {key: counts[key] for key, count in wrong.items() if count})


def order_of(records, line):
    """The vCPUs that use a line, in the order of the file, in which vspe report reads them."""
    found = []
    for half in records[:len(records) // 2], records[len(records) // 2:]:
        for cpu in sorted({r["cpu"] for r in half}):
            if cpu not in found and any(r["cpu"] == cpu and r.get("op") == made.LOAD_STORE and f"{r['pa'] & ~63:#x}" == line
                                        for r in half):
                found.append(cpu)
    return found


def check_lines(report, records):
    reads, writes, offsets = Counter(), Counter(), defaultdict(lambda: defaultdict(lambda: (set(), set())))
    for r in records:
        if r.get("op") == made.LOAD_STORE:
            line = f"{r['pa'] & ~63:#x}"
            (writes if r["payload"] & 1 else reads)[line] += 1
            offsets[line][r["cpu"]][r["payload"] & 1].add(r["pa"] & 63)
    rows = report["lines"]["rows"]
    same("lines", {row["address"]: (row["reads"], row["writes"]) for row in rows},
         {line: (reads[line], writes[line]) for line in set(reads) | set(writes)})
    wanted = {}
    for line, cpus in offsets.items():
        kinds = set()
        for one, (_, written) in cpus.items():
            for other, (read, wrote) in cpus.items():
                if one != other:
                    kinds |= {"true" if a == b else "false" for a in written for b in read | wrote}
        if kinds:
            wanted[line] = "both" if len(kinds) == 2 else kinds.pop()
    same("sharing", {row["address"]: row["sharing"] for row in report["sharing"]["rows"]}, wanted)
    same("there is sharing of all kinds", set(wanted.values()), {"false", "both"})
    for row in report["sharing"]["rows"]:
        users = [sum(1 << place for place, cpu in enumerate(order_of(records, row["address"]))
                 if at in offsets[row["address"]][cpu][0] | offsets[row["address"]][cpu][1])
                 for at in range(64)]
        same(f"whose bytes of {row['address']}", row["bytes"], users)
    squares = Counter()
    for row in report["heat"]["rows"]:
        for number, count in enumerate(row["squares"]):
            if count:
                squares[f"{int(row['address'], 16) + number * row['square']:#x}"] += count
    same("heat map", dict(squares), {line: reads[line] + writes[line] for line in set(reads) | set(writes)})


def check_who(report, records):
    same("vCPUs", {row["cpu"]: row["samples"] for row in report["cpus"]["rows"]}, dict(Counter(r["cpu"] for r in records)))
    same("levels", {row["el"]: row["samples"] for row in report["levels"]["rows"]},
         dict(Counter(f"EL{r['el']}" for r in records if "el" in r)))
    same("contexts", {row.get("contextidr_el1"): row["samples"] for row in report["contexts"]["rows"]},
         dict(Counter(f"{r['context']:#x}" if "context" in r else None for r in records)))
    events = Counter(bit for r in records for bit in range(16) if r["events"] >> bit & 1)
    same("events", {row["event"]: row["samples"] for row in report["events"]["rows"]},
         {{1: "RETIRED", 6: "NOT-TAKEN", 7: "MISPRED"}[bit]: count for bit, count in events.items()})
    rows = report["time"]["rows"]
    got = [(row["from"], row["from"] + row["length"], row["samples"], row["el0"], row["el1"], row["el2"]) for row in rows]
    wanted = []
    for start, end, *_ in got:
        inside = [r.get("el") for r in records if start <= r.get("time", -1) < end]
        wanted.append((start, end, len(inside), *(inside.count(el) for el in (0, 1, 2))))
    same("over time", got, wanted)
    same("all times", sum(row[2] for row in got), sum("time" in r for r in records))
    same("at most 64 stretches of time, and more than 31", 31 < len(got) <= 64, True)
    counts = {row["what"]: row["samples"] for row in report["records"]["rows"]}
    same("records", [counts[key] for key in ("records", "branches mispredicted", "branches not taken", "without a PC",
                                             "without a timestamp", "without an operation type")],
         [len(records), sum(r.get("op") == made.BRANCH and bool(r["events"] & 128) for r in records),
          sum(r.get("op") == made.BRANCH and bool(r["events"] & 64) for r in records), sum("pc" not in r for r in records),
          sum("time" not in r for r in records), sum("op" not in r for r in records)])


def check_text(report, text):
    """Every row of JSON is a line of text, in the order of its columns."""
    lines = [re.sub(r"\s+", " ", line).strip() for line in text.splitlines()]
    for name, section in report.items():
        for row in section["rows"]:
            words = " ".join(f"{value:.2f}" if isinstance(value, float) else str(value)
                             for value in row.values() if value != "" and not isinstance(value, list))
            pattern = re.compile("(?:- )*" + r" ?(?:- )*".join(re.escape(word) for word in words.split(" ")) + "(?: -)*")
            if not any(pattern.fullmatch(line.split(" |")[0]) for line in lines):
                same(f"text of {name}", "no such line", words)
                return
    same("text has the rows of JSON", True, True)


def check_lines_for_others(records, options, names):
    folded = Counter()
    for line in made.run(VSPE, "--folded", *options)[0].splitlines():
        stack, count = line.rsplit(" ", 1)
        folded[stack] += int(count)
    wanted = Counter(f"EL{r['el']};{function_of(r['pc'])}".replace("user;two", "user:two") for r in records if "pc" in r)
    wanted["[unknown]"] = sum("pc" not in r for r in records)
    same("--folded", dict(folded), dict(wanted))
    taken, wrong = Counter(), Counter()
    for r in records:
        if r.get("op") == made.BRANCH and "target" in r and "pc" in r and not r["events"] & made.NOT_TAKEN:
            taken[r["pc"], r["target"]] += 1
            wrong[r["pc"], r["target"]] += bool(r["events"] & made.MISPREDICTED)
    out, messages = made.run(VSPE, "--bolt", *options)
    rows = [line.split() for line in out.splitlines()]
    same("--bolt", {(int(a, 16), int(b, 16)): (int(n), int(m)) for letter, a, b, n, m in rows if letter == "B"},
         {key: (taken[key], wrong[key]) for key in taken})
    left = sum(r.get("op") == made.BRANCH for r in records) - sum(taken.values())
    same("--bolt says what is not in it", messages, f"vspe report: {left} records of branches left out: not taken, not retired, or "
         "without a target\n")
    # The same program, loaded elsewhere: --bolt gives addresses in the file.
    moved = [record | {"pc": record["pc"] + 0x10000, "target": record["target"] + 0x10000} if record.get("el") == 0 and
             "target" in record and function_of(record["pc"])[0] == "u" else None for record in records]
    moved = [record for record in moved if record]
    Path(names["moved"]).write_bytes(made.file_of(moved))
    Path(names["user.map"]).write_bytes(b"".join(line + b"\n" for line in made.system_map().splitlines()
                                                 if line.startswith(b"0000")))
    out, _ = made.run(VSPE, "--bolt", "--symbols", f"{names['user.map']}@0x410000", names["moved"])
    same("--bolt with an address", {tuple(line.split()[1:3]) for line in out.splitlines()},
         {(f"{r['pc'] - 0x10000:x}", f"{r['target'] - 0x10000:x}") for r in moved if not r["events"] & made.NOT_TAKEN})


def check_filters(records, options):
    for option, key, value in ("--el", "el", 0), ("--cpu", "cpu", 2):
        report = made.run_json(VSPE, option, value, *options)
        rows = {row["what"]: row["samples"] for row in report["records"]["rows"]}
        passing = sum(r.get(key) == value for r in records)
        same(f"{option} {value}", [rows["records"], rows["left aside by filters"]], [passing, len(records) - passing])
    limited = made.run_json(VSPE, "--limit", 3, *options)["addresses"]
    whole = made.run_json(VSPE, "--limit", 1000, *options)["addresses"]
    same("--limit", [limited["rows"], limited["left_off"]], [whole["rows"][:3], len(whole["rows"]) - 3])
    for order, key in ("latency", lambda row: -round(row["mean_latency"] * row["samples"])), \
            ("mispredicted", lambda row: -row["mispredicted"]), ("address", lambda row: int(row["address"], 16)):
        rows = made.run_json(VSPE, "--sort", order, *options)["functions"]["rows"]
        keys = [key(row) for row in rows]
        same(f"--sort {order}", all(a <= b * 0.999 + 1 if order == "latency" else a <= b for a, b in zip(keys, keys[1:])), True)
    same("the same every time", made.run(VSPE, *options), made.run(VSPE, *options))


def main():
    records = made.many(20000)
    with tempfile.TemporaryDirectory() as work:
        names = {name: f"{work}/{name}" for name in ("data", "map", "moved", "user.map", "raw")}
        Path(names["data"]).write_bytes(made.file_of(records))
        Path(names["map"]).write_bytes(made.system_map())
        options = "--symbols", names["map"], names["data"]
        report = made.run_json(VSPE, "--limit", 1000, *options)
        check_hot(report, records)
        check_data(report, records)
        check_branches(report, records)
        check_lines(report, records)
        check_who(report, records)
        check_text(report, made.run(VSPE, "--limit", 1000, *options)[0])
        check_lines_for_others(records, options, names)
        check_filters(records, options)
        # The bytes of a buffer: one vCPU, with padding in between.
        Path(names["raw"]).write_bytes(b"".join(made.record(r) + bytes(7) for r in records))
        raw = made.run_json(VSPE, "--symbols", names["map"], "--limit", 1000, names["raw"])
        same("raw records", raw["functions"], report["functions"])
        # Damage is reported, and readable records are counted.
        Path(names["raw"]).write_bytes(made.record(records[0]) * 3 + b"\xb0\x01")
        out, messages = made.run(VSPE, names["raw"], code=1)
        same("a cut record is counted and said", [bool(re.search(r"^records +4 ", out, re.M)),
                                                  "1 records without an end" in messages], [True, True])
    sys.exit(1 if failures else 0)


main()
