# SPDX-License-Identifier: BSD-2-Clause
"""Carries out a plan, and judges it."""
import errno
import os
import signal
import struct
import subprocess
from collections import Counter

from storming import events, runs
from storming.frame import MEMORY_MIB
from storming.plan import guest_bytes
from storming.runs import Broken, Outcome

NAMES = {"perf": "perf.data", "save": "machine"}
ENDS = (0, 2, 3, 4)
INJECT_LOG = struct.Struct("<10QqQ")  # tests/fault/inject.c


def server_of(build):
    return os.path.join(build, "tests", "storm", "storm_server")


def wait_or_end(wait, pid, late, seconds):
    """For a run that continues if its machine cannot be saved: then a signal ends it."""
    try:
        return wait(seconds)
    except late:
        os.kill(pid, signal.SIGTERM)
    try:
        return wait(runs.LIMIT_S)
    except late as still:
        os.kill(pid, signal.SIGKILL)
        wait(runs.LIMIT_S)
        raise Broken("SIGTERM does not end it") from still


class Judge:
    UNSAVED_S = 1  # for a run that may go on for ever

    def __init__(self, build, folder):
        self.folder = folder
        self.server = runs.Server(server_of(build))
        self.vspe = os.path.join(build, "vspe")
        self.library = os.path.join(build, "tests", "fault", "libinject.so")
        self.injects = os.path.exists(self.library)
        self.seen = Counter()

        self.broken = os.environ.get("STORM_BROKEN", "").split()

    def close(self):
        self.server.close()

    def words(self, plan):
        guest = plan["guest"]
        switches = sum(plan["switches"], [])
        words = ["run", "guest", "-m", str(MEMORY_MIB), "-c", str(guest["cpus"]), "--el", str(guest["el"]), "--stats=json", "--timeout", "60"]
        return words + ([] if "--no-spe" in switches else ["--perf-data", NAMES["perf"]]) + switches

    def clean(self):
        """Leave only what every run begins with."""
        for name in os.listdir(self.folder):
            if name not in ("guest", "disk", "before"):
                os.unlink(os.path.join(self.folder, name))

    def start(self, words, clean=True, **how):
        if clean:
            self.clean()
        return self.server.start(self.folder, words, **how)

    def run(self, plan, more, at, machine=None):
        """One run up to an operation; from a saved machine, if given."""
        if machine is not None:
            self.put("before", machine)
            more = [*more, "--restore", "before"]
        return self.outcome(self.server.wait(self.start([*self.words(plan), *more, "--save", NAMES["save"], "--save-at", str(at)])))

    def run_injected(self, words, event, seconds):
        """A separate process with one call that fails: its exit code, and whether it reached that
        call."""
        self.clean()
        path = os.path.join(self.folder, "calls")
        self.put("calls", bytes(INJECT_LOG.size))
        error = 0 if event["error"] == "SHORT" else getattr(errno, event["error"])
        env = {**runs.environment(), "LD_PRELOAD": self.library, "INJECT": f"{event['call']}:{event['number']}:{error}", "INJECT_LOG": path}
        with open(os.path.join(self.folder, "out"), "wb") as out, open(os.path.join(self.folder, "err"), "wb") as err:
            with subprocess.Popen([self.vspe, *words], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=env) as process:
                code = wait_or_end(process.wait, process.pid, subprocess.TimeoutExpired, seconds)
        failed = INJECT_LOG.unpack(runs.read(self.folder, "calls"))[-1]
        os.unlink(path)
        return code, bool(failed)

    def wait_or_end(self, pid):
        return wait_or_end(self.server.end, pid, runs.Late, self.UNSAVED_S)

    def outcome(self, code, also=()):
        outcome = Outcome(self.folder, code, NAMES)
        if code not in ENDS and code not in also:
            raise Broken(f"exit code {code}: " + " | ".join(outcome.said[-6:]))
        left = [name for name in os.listdir(self.folder) if name.endswith(".part") and name not in " ".join(outcome.said)]
        if left and code >= 0:
            raise Broken(f"{left[0]} is left, and nothing tells of it")
        self.seen[f"exit code {code}"] += 1
        return outcome

    @staticmethod
    def nothing_begun(outcome):
        """A signal came before the run looked for one: no file may be incomplete."""
        if outcome.console or outcome.machine or outcome.aux:
            return "it was ended by a signal, and has left something"
        return None

    def put(self, name, content):
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(content)

    def chain(self, plan, more, stops):
        """Saved and restored at each stop."""
        outcome = self.run(plan, more, stops[0])
        for stop in stops[1:]:
            if outcome.code != 4:
                break
            before = outcome
            outcome = self.run(plan, more, stop, before.machine)
            outcome.add(before)
        return outcome

    def spoilt(self, plan, outcome):
        """For the test of this program: STORM_BROKEN has kinds of steps, and a guest with all of them appears to print
        one more byte."""
        if self.broken and {step["kind"] for step in plan["guest"]["steps"]}.issuperset(self.broken):
            outcome.console += b"!"
        return outcome

    def parts(self, plan, whole):
        """(name, what is wrong) of everything done after the first run; a part runs when its turn comes."""
        for way in plan["ways"]:
            yield " ".join(way), lambda way=way: runs.difference(whole, self.spoilt(plan, self.run(plan, way, plan["operations"])))
        if plan["stops"]:
            way = plan["ways"][-1] if plan["ways"] else []
            stops = [*plan["stops"], plan["operations"]]
            yield f"saved at {plan['stops']} {' '.join(way)}", lambda: runs.difference(whole, self.chain(plan, way, stops))
        for event in plan["events"]:
            yield str(event), lambda event=event: events.do(self, plan, event, whole)

    def judge(self, plan):
        """What is wrong, in words; None if nothing is."""
        self.put("guest", guest_bytes(plan))
        self.put("disk", bytes(range(256)) * 256)
        name = "run"
        try:
            whole = self.run(plan, [], plan["operations"])
            if whole.code == 2:
                raise Broken("refused: " + whole.said[-1])
            runs.check_counts(whole)
            self.count(plan, whole)
            for name, part in self.parts(plan, whole):
                wrong = part()
                if wrong:
                    return f"{name}: {wrong}"
        except Broken as broken:
            return f"{name}: {broken}"
        return None

    def count(self, plan, whole):
        """What a storm contained, for the summary."""
        self.seen["with records"] += any(whole.aux.values())
        self.seen["with a console"] += bool(whole.console)
        for event in plan["events"]:
            self.seen["event " + event["kind"]] += 1
        for group in plan["switches"] + plan["ways"]:
            self.seen["switch " + group[0]] += 1
        for step in {step["kind"] for step in plan["guest"]["steps"]}:
            self.seen["step " + step] += 1
