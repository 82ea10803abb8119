# SPDX-License-Identifier: BSD-2-Clause
"""What happens to a run from outside: each kind is drawn, done in another run, and judged against the undisturbed run.

A function do_KIND(judge, plan, event, whole) carries it out and compares what must be the same. An event that ends a
run early must leave the beginning of the full output, and only whole files.
"""
import os
import signal
import threading
import time

from storming import runs
from storming.runs import Broken, Outcome

ENDED = (-signal.SIGTERM, 128)  # by a signal; in a replay there was none
ENDING = ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGALRM", "SIGUSR2")


def at(d):
    """Milliseconds after its start."""
    return d.choice([0, 1, 2, 3, 5, 8, 12, 20, 30])


KINDS = {
    "stop": lambda d: {"at": at(d), "for": d.below(10)},
    "save": lambda d: {"at": at(d)},
    "end": lambda d: {"at": at(d), "signal": d.choice(ENDING), "times": d.choice([1, 1, 2])},
    "replay": lambda d: {"at": at(d)},
    "slow": lambda d: {"bytes": d.choice([1, 7, 100]), "for": d.below(4)},
    "deaf": lambda d: {"bytes": d.choice([0, 1, 50])},
    "full": lambda d: {},
    "limit": lambda d: {"bytes": d.choice([1, 100, 2000, 4096, 10000, 30000, 100000])},
    "small": lambda d: {"size": d.choice(["1K", "3K", "4K", "8K", "32K"])},
    "network": lambda d: {"at": at(d)},
    "fault": lambda d: {"call": d.choice(["write", "write", "fsync", "rename", "close", "alloc", "mmap", "read", "truncate"]), "number": d.between(1, 60),
                        "error": d.choice(["EINTR", "SHORT", "ENOSPC", "EIO"])},
}


def draw(d, most):
    return [{"kind": kind, **KINDS[kind](d)} for kind in d.some(list(KINDS), most)]


def do(judge, plan, event, whole):
    """What is wrong, in words, or None."""
    return globals()["do_" + event["kind"]](judge, plan, event, whole)


def sleep(milliseconds):
    time.sleep(milliseconds / 1000)


def to_the_end(judge, plan, more=()):
    return [*judge.words(plan), *more, "--save", "machine", "--save-at", str(plan["operations"])]


def do_stop(judge, plan, event, whole):
    pid = judge.start(to_the_end(judge, plan))
    sleep(event["at"])
    for number in signal.SIGSTOP, signal.SIGCONT, signal.SIGTSTP, signal.SIGCONT:
        os.kill(pid, number)
        sleep(event["for"])
    return runs.difference(whole, judge.outcome(judge.server.wait(pid)))


def do_save(judge, plan, event, whole):
    """Saved at a signal, once and again, and restored."""
    pid = judge.start(to_the_end(judge, plan))
    sleep(event["at"])
    os.kill(pid, signal.SIGUSR1)
    outcome = judge.outcome(judge.server.wait(pid), also=(-signal.SIGUSR1,))
    if outcome.code == -signal.SIGUSR1:  # it had not begun
        return judge.nothing_begun(outcome)
    if outcome.code == 4 and outcome.machine != whole.machine:
        before = outcome
        outcome = judge.run(plan, [], plan["operations"], before.machine)
        outcome.add(before)
    return runs.difference(whole, outcome)


def beginning(whole, outcome):
    """An outcome must be the beginning of another; or the other way round, if it could not be saved and continued."""
    unsaved = whole.code == 4 and outcome.machine is None
    pairs = [("console", whole.console, outcome.console)]
    pairs += [(f"records of vCPU {cpu}", whole.aux.get(cpu, b""), data) for cpu, data in outcome.aux.items()]
    for name, all_of_it, part in pairs:
        if not all_of_it.startswith(part) and not (unsaved and part.startswith(all_of_it)):
            return f"{name}: {len(part)} bytes that do not begin as the {len(all_of_it)} of a run without this do"
    return None


def do_end(judge, plan, event, whole):
    pid = judge.start(to_the_end(judge, plan))
    sleep(event["at"])
    number = signal.Signals[event["signal"]]
    for _ in range(event["times"]):
        os.kill(pid, number)
    outcome = judge.outcome(judge.server.wait(pid, 3), also=(-number,))
    if outcome.code == -number and not outcome.counts:  # before its beginning, or after its end
        return beginning(whole, outcome)
    if outcome.code == whole.code:
        return runs.difference(whole, outcome)
    runs.check_counts(outcome)
    return beginning(whole, outcome)


def do_replay(judge, plan, event, whole):
    """A recorded run that a signal ends, and its replay."""
    del whole
    words = judge.words(plan)
    pid = judge.start([*words, "--record", "recording"])
    sleep(event["at"])
    os.kill(pid, signal.SIGTERM)
    first = judge.outcome(judge.server.wait(pid, 3), also=ENDED)
    if not os.path.exists(os.path.join(judge.folder, "recording")):
        return judge.nothing_begun(first)
    if first.counts:
        runs.check_counts(first)
    recording = runs.read(judge.folder, "recording")
    for way in plan["ways"] or [[]]:
        judge.clean()
        judge.put("recording", recording)
        again = judge.outcome(judge.server.wait(judge.start([*words, *way, "--replay", "recording"], clean=False)), also=ENDED)
        if first.code == -signal.SIGTERM:  # which may have come after the end, and even before it was told
            again.code = first.code
        if not first.counts:
            again.counts, again.said = first.counts, first.said
        elif not first.counts["operations"]:  # the engine may not have begun, and then says nothing of itself
            again.counts = {key: again.counts[key] for key in first.counts}
        wrong = runs.difference(first, again)
        if wrong:
            return f"replayed {' '.join(way)}: {wrong}"
    return None


class Reader(threading.Thread):
    """The other end of a FIFO, which is slow, or goes away."""
    def __init__(self, path, piece, pause, most=None):
        super().__init__(daemon=True)
        self.path, self.piece, self.pause, self.most = path, piece, pause, most
        self.got = b""

    def run(self):
        with open(self.path, "rb", buffering=0) as file:
            while self.most is None or len(self.got) < self.most:
                piece = file.read(self.piece)
                if not piece:
                    break
                self.got += piece
                if len(self.got) < 2000:
                    time.sleep(self.pause)


def with_reader(judge, plan, reader, also=()):
    path = os.path.join(judge.folder, "fifo")
    judge.clean()
    os.mkfifo(path)
    reader.start()
    pid = judge.start(to_the_end(judge, plan), stdout="fifo", clean=False)
    try:
        code = judge.server.wait(pid)
    finally:
        reader.join(60)  # what is in the pipe still, it reads as slowly
        os.unlink(path)
    outcome = judge.outcome(code, also=also)
    outcome.console = reader.got
    return outcome


def do_slow(judge, plan, event, whole):
    reader = Reader(os.path.join(judge.folder, "fifo"), event["bytes"], event["for"] / 1000)
    return runs.difference(whole, with_reader(judge, plan, reader))


def do_deaf(judge, plan, event, whole):
    """A reader that goes away."""
    reader = Reader(os.path.join(judge.folder, "fifo"), 1, 0, event["bytes"])
    outcome = with_reader(judge, plan, reader, also=(5,))
    outcome.console = b""
    runs.check_counts(outcome)
    return beginning(whole, outcome)


def do_full(judge, plan, _, whole):
    pid = judge.start(to_the_end(judge, plan), stdout="/dev/full")
    outcome = judge.outcome(judge.server.wait(pid), also=(5,))
    outcome.console = b""
    if whole.console and outcome.code != 5:
        return f"a full disk, and exit code {outcome.code}"
    runs.check_counts(outcome)
    return beginning(whole, outcome)


def do_limit(judge, plan, event, whole):
    """Files are limited to so many bytes."""
    pid = judge.start(to_the_end(judge, plan), limit=event["bytes"])
    outcome = judge.outcome(judge.wait_or_end(pid), also=(5, 2, *ENDED))
    if outcome.code == whole.code:
        return runs.difference(whole, outcome)
    full = os.path.getsize(os.path.join(judge.folder, "err")) >= event["bytes"]  # it may have no more either
    if not outcome.said and not full:
        return f"exit code {outcome.code}, and no word of why"
    return beginning(whole, outcome)


def do_small(judge, plan, event, whole):
    """perf.data without room for all records: missing ones are counted."""
    if not whole.whole:
        return None
    outcome = judge.outcome(judge.server.wait(judge.start(to_the_end(judge, plan, ["--perf-data-limit", event["size"]]))), also=(2,))
    if outcome.code == 2:
        return None
    wrong = beginning(whole, outcome)
    there, all_of_them = (sum(len(runs.records_of(data)[0]) for data in o.aux.values()) for o in (outcome, whole))
    said = [line for line in outcome.said if "no place for the last" in line]
    lost = int(said[0].split("no place for the last ")[1].split()[0]) if said else 0
    if not wrong and there + lost != all_of_them:
        return f"{there} records in perf.data and {lost} lost of {all_of_them}"
    return wrong


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def do_network(judge, plan, event, whole):
    """A run with another card, whose process is killed. No image has what is under way on a network, so nothing is
    saved. The guest only has to end in order."""
    del whole
    pid = judge.start([*judge.words(plan), "--net", "user,restrict=on"])
    sleep(event["at"])
    for child in children(pid):
        os.kill(child, signal.SIGKILL)
    outcome = judge.outcome(judge.wait_or_end(pid), also=ENDED)
    if outcome.code == 2 and not any("--net" in line for line in outcome.said):
        return f"refused: {outcome.said}"
    runs.check_counts(outcome)
    return None


def do_fault(judge, plan, event, whole):
    """One call fails, by tests/fault/inject.c."""
    if not judge.injects:
        return None
    harmless = event["error"] in ("EINTR", "SHORT") and event["call"] in ("write", "read")
    code, failed = judge.run_injected(to_the_end(judge, plan), event, runs.LIMIT_S if harmless else judge.UNSAVED_S)
    outcome = judge.outcome(code, also=(1, 2, 3, 5, *ENDED))
    if not failed and code == -signal.SIGTERM:  # the call never came, and the host was slow
        return None
    if harmless or not failed:
        return runs.difference(whole, outcome)
    if outcome.code not in (0, 3, 4) and not outcome.said:
        return f"exit code {outcome.code}, and no word of why"
    return beginning(whole, outcome)
