#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""lost.py VSPE: the process of the network is killed while Debian fetches a file by it: the guest sees that its card has no link, and goes
on to its end."""
import http.server
import os
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

VSPE, HERE = Path(sys.argv[1]).resolve(), Path(__file__).resolve().parent
GUEST = HERE.parents[1] / "tools" / "linux-guest"
LINE = "vspe: --net: its process has ended: the guest's network card has no link now"
BEFORE, ALL = 8 << 20, 4 << 30  # bytes, of a file that takes a minute
failed = []
fetching = threading.Event()


def check(what, good, said=""):
    print(f"{'ok' if good else 'not ok'} - {what}" + ("" if good else f"\n#   {said}"), flush=True)
    if not good:
        failed.append(what)


class Endless(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(ALL))
        self.end_headers()
        sent = 0
        try:
            while sent < ALL:
                sent += self.wfile.write(bytes(1 << 16))
                if sent >= BEFORE:
                    fetching.set()
        except OSError:
            pass


def main():
    image = subprocess.run([GUEST, "image"], capture_output=True, text=True, check=False)
    if image.returncode:
        print("SKIP:", image.stderr.strip().splitlines()[-1])
        sys.exit(77)
    if "without libslirp" in subprocess.run([VSPE, "run", "--net", "user", "missing"], capture_output=True, text=True, check=False).stderr:
        print("SKIP: this vspe is built without libslirp")
        sys.exit(77)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endless)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        vspe, number = Path(folder) / "vspe", Path(folder) / "pid"
        vspe.write_text(f'#!/bin/sh\necho $$ >{number}\nexec {VSPE} "$@"\n')
        vspe.chmod(0o755)
        with subprocess.Popen([GUEST, "run", "--vspe", vspe, "--no-spe", "--timeout", "300", "--net", "user", "--add", HERE / "lost_guest.sh", "--",
                               "bash", "/root/lost_guest.sh", str(server.server_address[1])],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
            check("a file is fetched", fetching.wait(240))
            pid = int(number.read_text())
            for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
                os.kill(int(child), signal.SIGKILL)
            out, err = run.communicate()
    check("the guest ends in order", run.returncode == 0, f"{run.returncode}: {out[-2000:]}{err}")
    check("... has seen it", "no carrier" in out, out[-2000:])
    check("... and gone on", "Linux" in out.split("no carrier")[-1], out[-2000:])
    check("one line says so", err.count(LINE) == 1, err)
    sys.exit(bool(failed))


main()
