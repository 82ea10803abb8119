#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""viewers.py VSPE CC: the viewers read what vspe report --export writes, and say the functions and totals of vspe report --json:
  pprof      `go tool pprof` (Debian: golang-go)
  speedscope its page (npm: speedscope) in Chromium (Debian: chromium)
  firefox    the front end's own code as a command (npm: @firefox-devtools/profiler-cli), which brings the file up to date as the page does
What is not here is left out, with the reason; without any of them the test is skipped."""
import base64
import collections
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import made
from made import failures, same
from system import build_all, run_system

VSPE, CC = Path(sys.argv[1]).resolve(), sys.argv[2]
PACKAGES = {"speedscope": "1.25.0", "@firefox-devtools/profiler-cli": "0.10.0"}
LIMIT = 60  # seconds, of one command
MOST = 4  # threads that are looked at one by one, as each is a command
done_with = []


def run(*words, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, timeout=LIMIT, **more)


def skip(what, why):
    print(f"# SKIP {what}: {why}")


def export(form, *options):
    out = subprocess.run([VSPE, "report", "--export", form, *map(str, options)], capture_output=True, check=True, timeout=LIMIT)
    return out.stdout


class Case:
    """An input, and what --json says of it: by function, and by process, thread and function where one knows them."""

    def __init__(self, work, name, *options):
        self.work, self.name, self.options = work, name, (*options, work / name)
        said = made.run_json(VSPE, "--limit", 1000000, *self.options)
        self.records = said["records"]["rows"][0]["samples"]
        self.functions = collections.Counter()
        for row in said["functions"]["rows"]:
            self.functions[row["function"]] += row["samples"]
        unknown = self.records - sum(self.functions.values())
        if unknown:
            self.functions["[unknown]"] = unknown
        self.objects = {row["function"]: row["object"] for row in said["functions"]["rows"] if "object" in row}
        threads = said["threads"]["rows"] or [{"comm": "vCPU", "tid": row["cpu"], "samples": row["samples"]} for row in said["cpus"]["rows"]]
        self.threads = collections.Counter()
        for row in threads:
            name = f"{row['comm']} ({row['tid']})" if said["threads"]["rows"] else f"vCPU {row['tid']}"
            self.threads[name] += row["samples"]


# --- pprof

def check_pprof(case):
    if not shutil.which("go"):
        return skip("pprof", "there is no go here (Debian: golang-go)")
    path = case.work / "profile.pb.gz"
    path.write_bytes(export("pprof", *case.options))
    more = {"env": dict(os.environ, HOME=str(case.work), PPROF_TMPDIR=str(case.work))}
    top = run("go", "tool", "pprof", "-top", "-nodecount=1000000", "-nodefraction=0", path, **more)
    rows = re.findall(r"^ *(\d+) +[\d.]+% +[\d.]+% +\d+ +[\d.]+% +(.*)$", top.stdout, re.M)
    same(f"{case.name}: go tool pprof has the functions of --json", collections.Counter({name: int(n) for n, name in rows}), case.functions)
    same("... and nothing to say", top.stderr.replace("Main binary filename not available.\n", ""), "")
    tags = run("go", "tool", "pprof", "-tags", "-sample_index=samples", path, **more).stdout
    part = tags.split(" thread: Total")[1].split("\n\n")[0] if " thread: Total" in tags else ""
    same("... and its threads", collections.Counter({name: int(float(n)) for n, name in re.findall(r"^ +([\d.]+) \( *[\d.]+%\): (.*)$", part, re.M)}),
         case.threads)
    raw = run("go", "tool", "pprof", "-raw", path, **more).stdout
    same("... two types, and the file's comment", ("samples/count[dflt] latency/cycles" in raw, f"{case.records} records of Arm SPE" in raw), (True, True))
    done_with.append("pprof")
    return None


# --- Packages of npm

def install(work, name):
    """The folder of a package, or why there is none."""
    folder = Path(os.environ.get("VSPE_NPM", work / "npm"))
    if not (folder / "node_modules" / name).exists():
        if not shutil.which("npm"):
            return None, "there is no npm here (Debian: npm)"
        folder.mkdir(exist_ok=True)
        try:
            got = run("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=0", "--prefix", folder,
                      f"{name}@{PACKAGES[name]}", env=dict(os.environ, HOME=str(work)))
        except subprocess.TimeoutExpired:
            return None, f"npm did not install {name} in {LIMIT} seconds"
        if got.returncode:
            return None, f"npm does not install {name}: {got.stderr.splitlines()[0] if got.stderr else got.returncode}"
    return folder / "node_modules" / name, ""


def chromium(work, *options):
    return run("chromium", "--headless", "--no-sandbox", "--disable-dev-shm-usage", "--use-gl=angle", "--use-angle=swiftshader",
               "--window-size=1200,800", "--virtual-time-budget=20000", f"--user-data-dir={work}/profile", *options,
               env=dict(os.environ, HOME=str(work)))


def check_speedscope(case):
    if not shutil.which("chromium"):
        return skip("speedscope", "there is no chromium here (Debian: chromium)")
    folder, why = install(case.work, "speedscope")
    if not folder:
        return skip("speedscope", why)
    data = json.loads(export("speedscope", *case.options))
    shown = sum(case.threads.values()), sum(p["endValue"] for p in data["profiles"] if p["name"].endswith(": samples"))
    same(f"{case.name}: speedscope's profiles have all records", *shown)
    for number in range(2 if len(case.threads) <= MOST else 1):
        data["activeProfileIndex"] = number
        profile = data["profiles"][number]
        script = case.work / "profile.js"
        text = base64.b64encode(json.dumps(data).encode()).decode()
        script.write_text(f'speedscope.loadFileFromBase64("profile", "{text}")')
        page = f"{(folder / 'dist/release/index.html').as_uri()}#localProfilePath={script}&view=sandwich"
        dom = chromium(case.work, "--dump-dom", page).stdout
        text = html.unescape(re.sub(r"<[^>]*>", "\t", dom))
        rows = dict(re.findall(r"\t([^\t]+)\t+([\d,]+)\t", text))
        names = [name for name in (p["name"] for p in data["profiles"]) if name in rows]
        same(f"... the page lists them, {profile['name']}", {name: int(rows[name].replace(",", "")) for name in names},
             {p["name"]: p["endValue"] for p in data["profiles"]})
        weights = collections.Counter()
        for stack, weight in zip(profile["samples"], profile["weights"]):
            weights[data["shared"]["frames"][stack[-1]]["name"]] += weight
        table = text.split("Symbol Name")[1] if "Symbol Name" in text else ""
        cells = re.findall(r"([\d,]+) \([^)]*%\)\t+([\d,]+) \([^)]*%\)\t+([^\t]+)\t", table)
        got = {name: int(own.replace(",", "")) for _, own, name in cells if own != "0"}
        hottest = dict(sorted(weights.items(), key=lambda item: -item[1])[:8])  # it shows those in its window
        same("... and the functions of the one that is open", {name: got.get(name) for name in hottest}, hottest)
    done_with.append("speedscope")
    return None


def check_firefox(case):
    if not shutil.which("node"):
        return skip("firefox", "there is no node here (Debian: nodejs)")
    version = run("node", "--version").stdout.strip()
    if int(version.lstrip("v").split(".")[0]) < 20:
        return skip("firefox", f"node {version} is older than 20, which the command was tried with")
    folder, why = install(case.work, "@firefox-devtools/profiler-cli")
    if not folder:
        return skip("firefox", why)
    path = case.work / "profile.json"
    path.write_bytes(export("firefox", *case.options))
    home = case.work / "home"
    home.mkdir(exist_ok=True)

    def command(*words):
        return run("node", folder / "dist/profiler-cli.js", *words, env=dict(os.environ, HOME=str(home)))

    session = "--session", case.name
    # Its daemon has half a second to start, which a busy machine does not give it.
    for _ in range(60):
        loaded = command("load", path, *session)
        if "did not become ready" not in loaded.stderr:
            break
        time.sleep(1)
    try:
        same(f"{case.name}: the Firefox Profiler takes the file", (loaded.returncode, loaded.stderr), (0, ""))
        threads = json.loads(command("thread", "list", "--json", *session).stdout)["threads"]
        same("... and has the threads of --json", {thread["name"] for thread in threads}, set(case.threads))
        names, functions, objects = collections.Counter(), collections.Counter(), {}
        for thread in threads[:MOST]:
            rows = json.loads(command("thread", "functions", "--json", *session, "--thread", thread["threadHandle"]).stdout)
            for row in rows["functions"]:
                functions[row["name"]] += row["selfSamples"]
                names[thread["name"]] += row["selfSamples"]
                if "!" in row["nameWithLibrary"]:
                    objects[row["name"]] = row["nameWithLibrary"].split("!")[0]
        same("... their samples", names, collections.Counter({name: case.threads[name] for name in names}))
        same("... the objects of functions", objects, {name: case.objects[name] for name in functions if name in case.objects})
        if len(threads) <= MOST:
            same("... and their samples", functions, case.functions)
        same("... and tells what it is of", f"{case.records} records of Arm SPE" in command("profile", "meta", *session).stdout, True)
    finally:
        command("stop", *session)
    done_with.append("firefox")
    return None


def main():
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "map").write_bytes(made.system_map())
        (work / "records").write_bytes(made.file_of(made.many(20000)))
        (work / "processes").write_bytes(run_system(2, work / "root", build_all(CC, work / "root")).file())
        for case in Case(work, "records", "--symbols", work / "map"), Case(work, "processes", "--symfs", work / "root"):
            for check in check_pprof, check_speedscope, check_firefox:
                check(case)
    if failures:
        sys.exit(1)
    sys.exit(0 if done_with else 77)


main()
