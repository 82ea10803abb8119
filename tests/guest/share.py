#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""share.py VSPE GUESTS: a guest writes to a folder of the host's. Its process, killed in the middle of that, does not end the guest, whose
exit code and perf.data are as without; stopped, it holds neither --timeout nor a signal up. Likewise the process of a network. No file
gets bits that give rights, the folder is free when the run has ended, and two runs are the same."""
import os
import re
import signal
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

VSPE, GUESTS = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
LINE = "vspe: --share: its process has ended: the guest's folder is gone, and each request fails now\n"
SOON = 1  # seconds after a signal, or behind a run that --timeout ends when nothing is silent
failed = []


def check(what, good, said=""):
    print(f"{'ok' if good else 'not ok'} - {what}" + ("" if good else f"\n#   {said}"), flush=True)
    if not good:
        failed.append(what)


def words(*options, guest="share", timeout=60):
    return [VSPE, "run", "--tap", "--timeout", str(timeout), *options, GUESTS / f"{guest}.Image"]


def run(*options, folder, **more):
    return subprocess.run(words(*options, **more), capture_output=True, text=True, cwd=folder)


def children(process):
    """Those that it has, as soon as there is one."""
    while not (there := Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()) and process.poll() is None:
        time.sleep(0.01)
    return [int(child) for child in there]


class Done:
    """Of a run of which something happened to a process: how it ended, and when after that, in seconds."""
    def __init__(self, folder, options, act, begun, **more):
        with subprocess.Popen(words(*options, **more), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder) as process:
            start = time.monotonic()
            self.out = begun(process)
            self.there = act(process)
            acted = time.monotonic()
            self.out += process.stdout.read()
            self.err = process.stderr.read()
            process.wait()
            self.code, self.seconds, self.after = process.returncode, time.monotonic() - start, time.monotonic() - acted

    def __str__(self):
        return f"{self.code} after {self.seconds:.1f} s: {self.out}{self.err}"


def killed(process):
    there = children(process)
    for child in there:
        os.kill(child, signal.SIGKILL)
    return there


def stopped(process):
    there = children(process)
    for child in there:
        os.kill(child, signal.SIGSTOP)
    return there


def ended(process):
    there = stopped(process)
    time.sleep(0.2)
    process.terminate()
    return there


def all_gone(there):
    """Processes, soon: what was stopped has to end, too."""
    def gone(child):
        try:
            with open(f"/proc/{child}/stat", encoding="ascii") as file:
                return file.read().rsplit(")", 1)[1].split()[0] == "Z"  # whoever is to wait for it does not
        except OSError:
            return True
    for _ in range(100):
        if all(map(gone, there)):
            return bool(there)
        time.sleep(0.1)
    return False


def nothing(process):
    return children(process)


def grown(folder, size=1 << 20):
    """Wait until the guest has written so much since now."""
    path = folder / "shared" / "endless"
    path.unlink(missing_ok=True)

    def begun(process):
        while not (path.exists() and path.stat().st_size > size) and process.poll() is None:
            time.sleep(0.01)
        return ""
    return begun


def printed(text):
    """... until it has printed a line that begins so."""
    def begun(process):
        out = ""
        # Byte by byte: what a file object has read ahead communicate() does not see.
        while not re.search(f"^{re.escape(text)}.*\n", out, re.M) and (byte := os.read(process.stdout.fileno(), 1)):
            out += byte.decode()
        return out
    return begun


def records(folder, name):
    return subprocess.run([VSPE, "decode", name], capture_output=True, cwd=folder, check=True).stdout


def file_modes(folder):
    done = run("--share", "shared", folder=folder)
    check("a file is written, read, and has no rights", done.returncode == 0 and "not ok" not in done.stdout, done)
    files = list((folder / "shared").rglob("*"))
    check("... as the host sees it", files and not any(file.stat().st_mode & (stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX) for file in files), files)
    made = (folder / "shared" / "made").read_bytes()
    check("... and its bytes", made == bytes(at * 7 + (at >> 8) & 0xff for at in range(32768)), len(made))


def two_runs(folder):
    """With the one folder as it was, and with the one process that it may have: the same bytes."""
    runs = [run("--share", "shared", "--stats=json", "--perf-data", "perf.data", folder=folder) for _ in range(2)]
    check("two runs are the same", runs[0].stdout == runs[1].stdout and runs[0].stderr == runs[1].stderr and runs[0].returncode == 0, runs)
    check("... and have counted what was moved", re.search('"device":"share",.*"bytes_read":32768,"bytes_written":32768,.*"failed":0,"broken":0', runs[0].stderr),
          runs[0].stderr)


def lost(folder):
    done = Done(folder, ["--share", "shared", "-p", "lose=1"], killed, grown(folder))
    check("one process is killed in the middle of a transfer", len(done.there) == 1, done.there)
    check("... and the guest goes on", done.code == 0 and "ok 3" in done.out and "not ok" not in done.out, done)
    check("... one line says so", done.err == LINE, done)
    done = Done(folder, ["--share", "shared", "-p", "lose=1", "--no-sandbox"], killed, grown(folder))
    check("... without a sandbox, too", done.code == 0 and done.err == LINE, done)
    with_it = Done(folder, ["--share", "shared", "--perf-data", "with"], killed, printed("1.."), guest="hotspot")
    without = run("--perf-data", "without", "--share", "shared", guest="hotspot", folder=folder)
    check("a guest that profiles itself meanwhile", with_it.code == without.returncode == 0 and with_it.out == without.stdout, with_it)
    check("... has the same records", records(folder, "with") == records(folder, "without") != b"")


def silent(folder):
    usual = Done(folder, ["--share", "shared", "-p", "endless=1"], nothing, grown(folder), timeout=2).seconds
    done = Done(folder, ["--share", "shared", "-p", "endless=1"], stopped, grown(folder), timeout=2)
    check("one that is silent does not hold --timeout up", done.code == 124 and done.seconds < usual + SOON, done)
    check("... and ends", all_gone(done.there), done)
    done = Done(folder, ["--share", "shared", "-p", "endless=1"], ended, grown(folder))
    check("... nor a signal", done.code == -signal.SIGTERM and done.after < SOON, done)
    check("... and ends", all_gone(done.there), done)
    if "without libslirp" in run("--net", "user", folder=folder).stderr:
        print("ok - a network # SKIP this vspe is built without libslirp")
        return
    for net in ("user", "user,restrict=on"):
        done = Done(folder, ["--net", net, "-p", "lose=1"], stopped, printed("ok 3"), guest="net", timeout=2)
        check(f"--net {net}: one that is silent does not hold --timeout up", done.code == 124 and done.seconds < usual + SOON, done)
        check("... and ends", all_gone(done.there), done)


def owners(folder):
    """What is another user's is so for the guest, if vspe is root's; and it is changed as root would."""
    if os.geteuid() != 0:
        print("ok - owners # SKIP not root")
        return
    made = folder / "shared" / "made"
    os.chown(made, 12345, 54321)
    made.chmod(0o600)
    done = run("--share", "shared", folder=folder)
    now = made.stat()
    check("root changes another user's file", done.returncode == 0, done)
    check("... whose it stays", (now.st_uid, now.st_gid) == (12345, 54321), now)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "shared").mkdir()
        file_modes(folder)
        two_runs(folder)
        lost(folder)
        silent(folder)
        owners(folder)
    sys.exit(bool(failed))


main()
