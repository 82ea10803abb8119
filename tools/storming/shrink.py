# SPDX-License-Identifier: BSD-2-Clause
"""A plan that fails is made smaller as long as it fails in the same way: whatever of its lists can be left out goes, and what is left is
made plain."""
import copy
import re
import time

FIRST = (("events",), ("ways",), ("stops",))  # each of them is a run more
LISTS = (("guest", "steps"), ("switches",), ("guest", "pages"))
PLAIN = {"cpus": 1, "rounds": 1, "irqs": False, "gic": 0, "el": 1, "hcr": 1 << 31, "mdcr": 0x3007, "scr": 0x5b1, "exceptions": 300,
         "registers": [0] * 22, "modes": [0] * 4, "events": 0}
TRIES = 3  # of what depends on when an event comes


def kind_of(wrong):
    """What is common to failures of one kind: the words without their numbers."""
    text = wrong.split("}: ", 1)[-1] if wrong.startswith("{") else wrong.split(": ", 1)[-1]
    return re.sub(r"(0x)?[0-9a-f]*\d[0-9a-f]*", "N", text)[:48]


class Shrinker:
    def __init__(self, judge, plan, wrong, seconds):
        self.judge, self.plan, self.wrong, self.kind = judge, plan, wrong, kind_of(wrong)
        self.end, self.tried = time.monotonic() + seconds, 0

    def fails(self, plan):
        for _ in range(TRIES if any("at" in event for event in plan["events"]) else 1):
            if time.monotonic() > self.end:
                return False
            self.tried += 1
            wrong = self.judge.judge(plan)
            if wrong and kind_of(wrong) == self.kind:
                self.plan, self.wrong = plan, wrong
                return True
        return False

    def with_value(self, path, value):
        plan = copy.deepcopy(self.plan)
        at = plan
        for name in path[:-1]:
            at = at[name]
        at[path[-1]] = value
        return plan

    def value(self, path):
        at = self.plan
        for name in path:
            at = at[name]
        return at

    def list(self, path):
        """Delta debugging: pieces go, smaller ones each time."""
        piece = max(1, len(self.value(path)) // 2)
        while True:
            at = 0
            while at < len(self.value(path)):
                items = self.value(path)
                if not self.fails(self.with_value(path, items[:at] + items[at + piece:])):
                    at += piece
            if piece == 1:
                return
            piece = max(1, piece // 2)

    def operations(self):
        while self.plan["operations"] > 200 and self.fails(self.with_value(("operations",), self.plan["operations"] // 2)):
            pass

    def words(self):
        """The words of a step that is left, one by one; NOPs would do nothing else."""
        for n, step in enumerate(self.plan["guest"]["steps"]):
            if len(step["words"]) > 1:
                self.list(("guest", "steps", n, "words"))

    def shrink(self):
        before = None
        while before != self.plan and time.monotonic() < self.end:
            before = self.plan
            for path in FIRST:
                self.list(path)
            self.operations()
            for path in LISTS:
                self.list(path)
            for name, value in PLAIN.items():
                if self.plan["guest"][name] != value:
                    self.fails(self.with_value(("guest", name), value))
            if len(self.plan["guest"]["steps"]) < 20:
                self.words()
        return self.plan
