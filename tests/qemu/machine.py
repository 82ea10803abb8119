# SPDX-License-Identifier: BSD-2-Clause
"""A QEMU in a separate Debian, controlled by QMP: what the Python tests of this folder share."""

import json
import select
import subprocess
import tempfile
import time

SECONDS = 120  # an answer that takes longer is none


class Refused(Exception):
    """QMP's error, in its own words."""


class Machine:
    """QEMU with its QMP on standard input and output; its other output is in self.said."""

    def __init__(self, debian, words, env=()):
        self.error = tempfile.TemporaryFile()
        inside = ["env", "-i", "HOME=/root", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", *env, *words]
        self.process = subprocess.Popen(
            ["chroot", debian, *inside, "-display", "none", "-monitor", "none", "-qmp", "stdio"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.error, bufsize=0)
        self.rest = b""
        if self.line() is not None:  # the greeting; None: it did not even begin
            self.qmp("qmp_capabilities")

    def line(self):
        """The next object from QMP; None: it has ended."""
        end = time.monotonic() + SECONDS
        while b"\n" not in self.rest:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise TimeoutError("QEMU says nothing")
            bytes_ = self.process.stdout.read(65536)
            if not bytes_:
                return None
            self.rest += bytes_
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line)

    def qmp(self, command, **arguments):
        """The command's result; None if QEMU has ended."""
        text = json.dumps({"execute": command, "arguments": arguments})
        try:
            self.process.stdin.write(text.encode() + b"\n")
        except BrokenPipeError:
            return None
        while True:
            answer = self.line()
            if answer is None:
                return None
            if "error" in answer:
                raise Refused(answer["error"]["desc"])
            if "return" in answer:
                return answer["return"]

    def job(self, command, **arguments):
        """Run a job of QMP to its end."""
        self.qmp(command, **{"job-id": "job", **arguments})
        while True:
            jobs = {job["id"]: job for job in self.qmp("query-jobs")}
            if jobs["job"]["status"] == "concluded":
                break
            time.sleep(0.01)
        self.qmp("job-dismiss", id="job")
        if "error" in jobs["job"]:
            raise Refused(jobs["job"]["error"])

    def add_disk(self, path, new):
        """A disk for snapshots, which the guest does not see."""
        size = 1 << 30
        if new:
            self.job("blockdev-create", options={"driver": "file", "filename": path, "size": 0})
        self.qmp("blockdev-add", driver="file", filename=path, **{"node-name": "file"})
        if new:
            self.job("blockdev-create", options={"driver": "qcow2", "file": "file", "size": size})
        self.qmp("blockdev-add", driver="qcow2", file="file", **{"node-name": "disk"})

    def save(self, tag):
        self.job("snapshot-save", tag=tag, vmstate="disk", devices=["disk"])

    def load(self, tag):
        self.job("snapshot-load", tag=tag, vmstate="disk", devices=["disk"])

    def migrate(self, uri):
        """Move the machine to uri, and stop it."""
        self.qmp("migrate", uri=uri)
        while True:
            info = self.qmp("query-migrate")
            if info["status"] == "completed":
                return
            if info["status"] in ("failed", "cancelled"):
                raise Refused(info.get("error-desc", info["status"]))
            time.sleep(0.01)

    def wait_for(self, *states):
        while self.qmp("query-status")["status"] not in states:
            time.sleep(0.01)

    def arrive(self):
        """Wait for the machine that -incoming names, which was stopped, and let it continue."""
        self.wait_for("paused", "prelaunch")
        self.qmp("cont")

    def end(self):
        """Wait until QEMU ends by itself; its exit code."""
        while self.line() is not None:
            pass
        code = self.process.wait(SECONDS)
        self.error.seek(0)
        self.said = self.error.read().decode(errors="replace")
        return code

    def quit(self):
        self.qmp("quit")
        return self.end()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.error.close()
