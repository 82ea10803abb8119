# SPDX-License-Identifier: BSD-2-Clause
"""Draws: splitmix64, so that a seed gives the same storm with every Python."""

MASK = (1 << 64) - 1


class Draw:
    def __init__(self, seed):
        self.state = seed & MASK

    def bits(self, count=64):
        self.state = self.state + 0x9e3779b97f4a7c15 & MASK
        z = self.state
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & MASK
        z = (z ^ z >> 27) * 0x94d049bb133111eb & MASK
        return (z ^ z >> 31) >> 64 - count

    def below(self, limit):
        return self.bits(53) % limit

    def between(self, least, most):
        return least + self.below(most - least + 1)

    def choice(self, things):
        return things[self.below(len(things))]

    def chance(self, one_in):
        return self.below(one_in) == 0

    def some(self, things, most):
        """Up to so many of them, each once, in a drawn order."""
        left, taken = list(things), []
        for _ in range(self.below(min(most, len(left)) + 1)):
            taken.append(left.pop(self.below(len(left))))
        return taken

    def weighted(self, table):
        """A row of a table whose rows begin with their weights."""
        at = self.below(sum(row[0] for row in table))
        for row in table:
            at -= row[0]
            if at < 0:
                return row
        raise AssertionError("weights")

    def value(self):
        """A number of 64 bits, often one at the end of a range."""
        kind = self.below(8)
        if kind < 3:
            return self.choice([0, 1 << 63, 1 << 31, 1 << 32, 0x8000, 0x80]) + self.below(3) - 1 & MASK
        if kind < 5:
            return self.below(130) - 65 & MASK
        if kind < 6:
            return 1 << self.below(64)
        return self.bits()
