#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""net.py VSPE GUESTS: frames that no sane guest sends do not end the network, and its process, which is killed, does not end the guest:
exit code and perf.data are as without a network. What was recorded of it is repeated."""
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

VSPE, GUESTS = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
LINE = "vspe: --net: its process has ended: the guest's network card has no link now\n"
failed = []


def check(what, good, said=""):
    print(f"{'ok' if good else 'not ok'} - {what}" + ("" if good else f"\n#   {said}"), flush=True)
    if not good:
        failed.append(what)


def run(*words, guest="net", folder=None):
    return subprocess.run([VSPE, "run", "--tap", "--timeout", "60", *words, GUESTS / f"{guest}.Image"], capture_output=True, text=True, cwd=folder)


def killed(*words, guest="net", after, folder=None):
    """The one child of vspe is killed when the guest has printed that line."""
    with subprocess.Popen([VSPE, "run", "--tap", "--timeout", "60", *words, GUESTS / f"{guest}.Image"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, cwd=folder) as process:
        out = ""
        for line in process.stdout:
            out += line
            if line.startswith(after):
                child, = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
                os.kill(int(child), signal.SIGKILL)
                break
        out += process.stdout.read()
        said = process.stderr.read()
    return subprocess.CompletedProcess(words, process.returncode, out, said)


def records(folder, name):
    return subprocess.run([VSPE, "decode", name], capture_output=True, cwd=folder, check=True).stdout


if "without libslirp" in run("--net", "user").stderr:
    print("SKIP: this vspe is built without libslirp")
    sys.exit(77)
for net in ("user,restrict=on", "user"):
    done = run("--net", net, "--stats=json")
    check(f"--net {net}: no frame ends it", done.returncode == 0 and "not ok" not in done.stdout, f"{done.returncode}: {done.stdout}{done.stderr}")
    check("... and what was refused is counted", '"refused":27' in done.stderr, done.stderr)
    lost = killed("--net", net, "--params", "lose=1", after="ok 3")
    check(f"--net {net}: a process that is killed", lost.returncode == 0 and "ok 4" in lost.stdout and "not ok" not in lost.stdout, lost)
    check("... is one line", lost.stderr == LINE, lost.stderr)
with tempfile.TemporaryDirectory() as folder:
    lost = killed("--net", "user", "--params", "lose=1", "--record", "run", after="ok 3", folder=folder)
    again = run("--net", "user", "--params", "lose=1", "--replay", "run", folder=folder)
    check("a run that lost its link is recorded", lost.returncode == 0, lost)
    check("... and repeated", again.returncode == 0 and again.stdout == lost.stdout and not again.stderr, again)
    with_it = killed("--net", "user", "--perf-data", "with", "--stats=json", guest="hotspot", after="1..", folder=folder)
    without = run("--net", "user", "--perf-data", "without", guest="hotspot", folder=folder)
    # A card is in the device tree, which the guest reads: without one it samples other operations.
    check("a guest that profiles itself meanwhile", with_it.returncode == without.returncode == 0 and with_it.stdout == without.stdout, with_it)
    check("... has the same records", records(folder, "with") == records(folder, "without") != b"")
sys.exit(bool(failed))
