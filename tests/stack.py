#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Stack use of every public function of libvspe, from the files that gcc's -fcallgraph-info=su wrote next to the
objects.

stack.py MAP LIMIT FILE.ci...

Prints a table: the bytes of stack that a call can take, with all that it calls, and how many are in use where a
callback of the embedder begins. A tail call counts as any other call, so the figures are upper bounds. Fails if a
function's frame has no fixed size, if functions are recursive, if they call one that is neither here nor memcpy or
memset, or if a public function takes more than LIMIT bytes.
"""
import re
import sys

LEAVES = {"memcpy", "memset"}  # the embedder's own
INDIRECT = "__indirect_call"  # a callback


def read(paths):
    """({name: bytes}, {name: set of callees}, [complaints])"""
    frames, calls, wrong = {}, {}, []
    for path in paths:
        for line in open(path):
            node = re.match(r'node: \{ title: "([^"]*)" label: "([^"]*)"', line)
            edge = re.match(r'edge: \{ sourcename: "([^"]*)" targetname: "([^"]*)"', line)
            if edge:
                calls.setdefault(edge[1], set()).add(edge[2])
            elif node:
                size = re.search(r"\\n(\d+) bytes \(([^)]*)\)", node[2])
                if size:
                    frames[node[1]] = int(size[1])
                    if size[2] != "static":
                        wrong.append(f"{node[1]}: its frame is {size[2]}")
    return frames, calls, wrong


class Graph:
    def __init__(self, frames, calls):
        self.frames, self.calls = frames, calls
        self.known, self.wrong = {}, []

    def depth(self, name, path=()):
        """(bytes, path of the deepest call, bytes where a callback begins or None)"""
        if name in LEAVES:
            return 0, (), None
        if name == INDIRECT:
            return 0, (), 0
        if name in path:
            self.wrong.append("calls in a circle: " + " > ".join(path + (name,)))
            return 0, (), None
        if name not in self.frames:
            self.wrong.append(f"{path[-1] if path else '?'} calls {name}, which is not here")
            return 0, (), None
        if name not in self.known:
            below = [self.depth(callee, path + (name,)) for callee in sorted(self.calls.get(name, ()))]
            deepest = max(below, default=(0, (), None), key=lambda entry: entry[0])
            callback = [entry[2] for entry in below if entry[2] is not None]
            own = self.frames[name]
            self.known[name] = (own + deepest[0], (name,) + deepest[1], own + max(callback) if callback else None)
        return self.known[name]


def main():
    exports, limit, paths = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    names = re.findall(r"^\t([a-z0-9_]+);$", open(exports).read(), re.M)
    frames, calls, wrong = read(paths)
    graph = Graph(frames, calls)
    print(f"{'function':<24} {'stack':>6} {'callback at':>12}  deepest call")
    for name in names:
        size, path, callback = graph.depth(name)
        inner = " > ".join(step.rpartition(":")[2] for step in path[1:])
        print(f"{name:<24} {size:>6} {callback if callback is not None else '-':>12}  {inner}".rstrip())
        if size > limit:
            wrong.append(f"{name} takes {size} bytes of stack, more than {limit}")
    for line in sorted(set(wrong + graph.wrong)):
        print(f"stack.py: {line}", file=sys.stderr)
    return 1 if wrong or graph.wrong or not names else 0


sys.exit(main())
