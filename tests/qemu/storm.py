#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""storm.py SEED IMAGE: writes an arm64 Image whose code is a storm that SEED determines: profiling buffers anywhere,
registers of SPE with anything in them, loads and stores to everywhere, code that is written over, jumps to the ends
of pages, exceptions all the time, at EL1 or EL2 and EL0, and vCPUs that are turned on and off. It powers off in the
end, unless it has lost its way.

It makes no sense, on purpose: QEMU with the plugin must survive it.
"""
import random
import struct
import sys

PAGE = 0x1000
VECTORS, TABLE, CODE, CODE_PAGES, DATA = 0x1000, 0x2000, 0x3000, 6, 0x9000
SIZE = 0x40000
ROUNDS = 300  # of all the code, of a vCPU
EXCEPTIONS = 20000

XZR = 31
NOP, ISB, DSB, ERET, PSB = 0xd503201f, 0xd5033fdf, 0xd5033f9f, 0xd69f03e0, 0xd503223f


def sysreg(op0, op1, crn, crm, op2):
    return op0 << 19 | op1 << 16 | crn << 12 | crm << 8 | op2 << 5


SPE = {name: sysreg(3, *place) for name, place in {
    "PMSCR_EL1": (0, 9, 9, 0), "PMSNEVFR_EL1": (0, 9, 9, 1), "PMSICR_EL1": (0, 9, 9, 2), "PMSIRR_EL1": (0, 9, 9, 3),
    "PMSFCR_EL1": (0, 9, 9, 4), "PMSEVFR_EL1": (0, 9, 9, 5), "PMSLATFR_EL1": (0, 9, 9, 6), "PMSIDR_EL1": (0, 9, 9, 7),
    "PMBLIMITR_EL1": (0, 9, 10, 0), "PMBPTR_EL1": (0, 9, 10, 1), "PMBSR_EL1": (0, 9, 10, 3), "PMBIDR_EL1": (0, 9, 10, 7),
    "PMSDSFR_EL1": (0, 9, 10, 4), "PMSCR_EL2": (4, 9, 9, 0), "PMSCR_EL12": (5, 9, 9, 0)}.items()}


class System:
    """Registers of the level that the storm is at."""
    def __init__(self, el):
        op1 = 0 if el == 1 else 4
        self.vbar, self.ttbr0, self.tcr = sysreg(3, op1, 12, 0, 0), sysreg(3, op1, 2, 0, 0), sysreg(3, op1, 2, 0, 2)
        self.mair, self.sctlr, self.elr = sysreg(3, op1, 10, 2, 0), sysreg(3, op1, 1, 0, 0), sysreg(3, op1, 4, 0, 1)
        self.spsr, self.tpidr = sysreg(3, op1, 4, 0, 0), sysreg(3, op1, 13, 0, 4 if el == 1 else 2)
        self.mdcr, self.hcr = sysreg(3, 4, 1, 1, 1), sysreg(3, 4, 1, 1, 0)
        self.psci = 0xd4000002 if el == 1 else 0xd4000003  # HVC, or SMC
        self.mode = el << 2 | 1
        self.tcr_value = 0x80803519 if el == 2 else 0x200803519 | 1 << 23


def msr(register, x):
    return 0xd5000000 | register | x


def mrs(x, register):
    return 0xd5200000 | register | x


def mov(x, value):
    """MOVZ and MOVKs."""
    words = [0xd2800000 | (value & 0xffff) << 5 | x]
    for i in range(1, 4):
        if value >> 16 * i & 0xffff:
            words.append(0xf2800000 | i << 21 | (value >> 16 * i & 0xffff) << 5 | x)
    return words


class Code:
    """Words at their offsets of the image; labels for the branches that do not depend on chance."""
    def __init__(self):
        self.image = bytearray(SIZE)
        self.at = 0

    def put(self, *words):
        for word in words:
            struct.pack_into("<I", self.image, self.at, word & 0xffffffff)
            self.at += 4

    def adr(self, x, to):
        offset = to - self.at
        self.put(0x10000000 | (offset & 3) << 29 | (offset >> 2 & 0x7ffff) << 5 | x)

    def b(self, to):
        self.put(0x14000000 | (to - self.at) >> 2 & 0x3ffffff)


def boot(code, system):
    """The header branches here on both CPUs; the second has MMU and caches off, too."""
    code.put(0x14000010, 0)
    code.image[56:60] = b"ARM\x64"
    struct.pack_into("<QQQ", code.image, 8, 0x80000, SIZE, 0xa)
    code.at = 0x40
    start = code.at
    code.adr(0, VECTORS)
    code.put(msr(system.vbar, 0))
    code.adr(0, TABLE)
    code.put(msr(system.ttbr0, 0), *mov(0, system.tcr_value), msr(system.tcr, 0), *mov(0, 0xff00), msr(system.mair, 0))
    if system.mode == 9:
        code.put(*mov(0, 1 << 31), msr(system.hcr, 0))
    code.put(ISB, DSB, 0xd508871f if system.mode == 5 else 0xd50c871f, DSB, ISB)
    code.put(mrs(0, system.sctlr), *mov(1, 0x1005), 0xaa010000, msr(system.sctlr, 0), ISB)
    code.put(mrs(2, sysreg(3, 0, 0, 0, 5)), 0x92401c42)  # MPIDR_EL1 & 0xff
    code.adr(3, DATA)
    code.put(0x8b021863, msr(system.tpidr, 3), 0xf900007f)  # a context of 64 bytes
    # The first CPU starts the other one, and does not check whether it exists.
    code.put(0xb5000002 | 9 << 5, *(mov(0, 0xc4000003) + [NOP])[:3], 0xd2800021)
    code.adr(2, start)
    code.put(0xd2800003, system.psci, NOP, NOP)
    code.b(CODE)


def vectors(code, system):
    """Continue after the failed instruction, or anywhere, at any level; in the end power off."""
    handler = VECTORS + 0x800
    for i in range(16):
        code.at = VECTORS + i * 0x80
        code.b(handler)
    code.at = handler
    code.put(mrs(0, system.tpidr), 0xf9400401, 0x91000421, 0xf9000401)  # ++context[1]
    code.put(*mov(2, EXCEPTIONS), 0xeb02003f, 0x54000003 | 4 << 5, *mov(0, 0x84000008), system.psci)  # SYSTEM_OFF
    code.put(mrs(2, system.elr), 0x91001042, 0x927ef442)  # + 4, aligned
    code.adr(3, CODE)
    code.put(*mov(4, CODE_PAGES * PAGE), 0xcb030045, 0xeb0400bf, 0x54000003 | 5 << 5)  # in the code: go on
    # x2 = code + (count * 0x244) % 0x4000
    code.put(*mov(5, 0x244), 0x9b057c25, 0x924034a5, 0x8b050062)
    code.put(msr(system.elr, 2))
    # One in eight at EL0, in the window that it may execute; below EL2 nothing is mapped.
    code.put(0x92400824, *mov(5, system.mode | 0x3c0), 0xb5000004 | 6 << 5 if system.mode == 5 else 0x14000006, *mov(5, 0x3c0), *mov(6, 0x40000000), 0x8b060042,
             msr(system.elr, 2), NOP)
    code.put(msr(system.spsr, 5), ERET)


def tables(code):
    """4 KiB granule, 39 bits: devices, RAM for EL1, and the same RAM for EL0 1 GiB above."""
    device, ram = 0x60000000000401, 0x40000000 | 0x705
    user = 0x40000000 | 0x745 | 1 << 53
    for i, entry in enumerate((device, ram, user)):
        struct.pack_into("<Q", code.image, TABLE + 8 * i, entry)


def with_devices(seed):
    """Whether a storm accesses devices: only with one vCPU. Of two, one may change the map of memory, by a store to the
    flash, while the other executes an atomic access to a device, and QEMU 11.1 frees what that one reads
    (docs/decisions/qemu.md, QEMU-7)."""
    return seed % 4 == 3


def anywhere(r, base, devices):
    """A possible address for code or a buffer, mostly one that nothing depends on."""
    address = any_address(r, base)
    while address < 0x40000000 and not devices:
        address = any_address(r, base)
    return address


def any_address(r, base):
    kind = r.randrange(60)
    if kind < 36:
        return base + DATA + 0x1000 + (r.randrange(0x30000) & ~r.choice([0, 7, 0x3f, 0xfff]))
    if kind < 42:
        return base + CODE + r.randrange(CODE_PAGES * PAGE)
    if kind < 43:
        return base + r.choice([TABLE + r.randrange(0x1000), VECTORS + r.randrange(0x900)])
    return r.choice([r.randrange(1 << 64), r.randrange(1 << 32), 0x08000000 + r.randrange(0x200000), 0x09000000 + r.randrange(0x20000),
                     0x4ffffff0 + r.randrange(0x20), (1 << 64) - r.randrange(1, 64)])


def storm(code, r, system, base, devices):
    """Pages full of anything, one after another."""
    end = CODE + CODE_PAGES * PAGE
    code.at = CODE
    names = list(SPE)

    def x():
        return r.randrange(31)

    def profile():
        start = anywhere(r, base, devices)
        start &= r.choice([~0, ~63, ~63, ~63])
        size = r.choice([0x1000, 0x1000, 0x3000, 0])
        return [*mov(1, start), msr(SPE["PMBPTR_EL1"], 1), *mov(1, (start + size & ~0xfff & (1 << 64) - 1) | 1 | r.choice([0, 0, 0, 0, 4, 2])),
                msr(SPE["PMBLIMITR_EL1"], 1), msr(SPE["PMBSR_EL1"], XZR), *mov(1, r.choice([0x100, 0x101, 0x100, 0x300, 1])),
                msr(SPE["PMSIRR_EL1"], 1), msr(SPE["PMSICR_EL1"], XZR), *mov(1, r.choice([0x3b, 0x3, 0x7f, 0x23, 1])),
                msr(SPE["PMSCR_EL1" if system.mode == 5 else "PMSCR_EL2"], 1), msr(SPE["PMSFCR_EL1"], XZR)]

    def anything():
        kind = r.randrange(100)
        if kind < 8:
            return profile()
        if kind < 18:
            return [*mov(2, r.choice([r.randrange(1 << 64), 0, anywhere(r, base, devices), r.randrange(1 << 12)])), msr(SPE[r.choice(names)], 2)]
        if kind < 24:
            return [mrs(x(), SPE[r.choice(names)])]
        if kind < 44:  # loads and stores of every size, plain and by pairs, exclusive and atomic
            words = [0xf9400060, 0xf9000060, 0x39400060, 0xa9400460, 0xa9800460, 0xf8408460, 0xc85f7c60, 0xc8057c60, 0xf8210060,
                     0x3dc00060, 0xad000460, 0x88dffc60, 0xd50b7423, 0xd50b7a23, 0xf8bf6860]
            return [*mov(3, anywhere(r, base, devices)), r.choice(words)]
        if kind < 52:  # over the code, which is told of it or not
            target = base + CODE + (r.randrange(CODE_PAGES * PAGE) & ~3)
            words = [NOP, ISB, 0xd4200000, 0x14000001, PSB, msr(SPE["PMBLIMITR_EL1"], 0), r.randrange(1 << 32)]
            tell = [0xd50b7b24, DSB, 0xd50b7524, DSB, ISB] if r.random() < 0.5 else []
            return [*mov(4, target), *mov(5, r.choice(words)), 0xb9000085, *tell]
        if kind < 58:  # a few words on, or to the end of the page
            here = code.at
            to = r.choice([here + 4 * r.randrange(1, 8), (here & ~0xfff) + 0xffc])
            return [0x14000000 | (to - here) >> 2] if to > here else [NOP]
        if kind < 66:
            return [r.choice([0x54000040, 0x54000041, 0x5400004a, 0xb4000040, 0xb5000040, 0x36000040, 0x37000040])]
        if kind < 68:
            # Not back into the code, which would loop for ever.
            return [*mov(6, anywhere(r, base, devices) | 1 << 35), r.choice([0xd61f00c0, 0xd63f00c0])]
        if kind < 74:
            return [r.choice([0xd4000001, 0xd4000001, 0xd4200000, 0x00000000, 0xd4000002, 0xd4000003, ISB])]
        if kind < 78:
            return [r.choice([PSB, ISB, DSB, 0xd5033bbf, 0xd508871f, 0xd508871f, 0xd508831f, 0xd503209f])]
        if kind < 80:  # the other CPU on, or this one off if it is not the first
            return [mrs(7, sysreg(3, 0, 0, 0, 5)), 0x92401ce7, 0xb4000007 | 4 << 5, *mov(0, 0x84000002)[:2], system.psci] if r.random() < 0.3 \
                else [*mov(0, 0xc4000003), 0xd2800021, *mov(2, base + 0x40), system.psci]
        if kind < 83:
            return [msr(r.choice([sysreg(3, 0, 4, 0, 1), system.mdcr, sysreg(3, 0, 13, 0, 1), sysreg(3, 0, 4, 0, 0)]), x())]
        if kind < 86:
            return [r.randrange(1 << 32)]
        return [r.choice([0x91000400, 0xcb020020, 0x9b027c20, 0x1a821020, 0xfa41a800, 0xd2800000 | r.randrange(1 << 16) << 5, 0x4e218420,
                          0x1e622820]) | 0 for _ in range(r.randrange(1, 6))]

    tail = end - 0x40
    while code.at < tail:
        words = anything()
        code.put(*words[:(tail - code.at) // 4])
    code.at = tail
    # ++context[0]; again, or off.
    code.put(mrs(0, system.tpidr), 0xf9400001, 0x91000421, 0xf9000001, *mov(2, ROUNDS), 0xeb02003f, 0x54000002 | 2 << 5)
    code.b(CODE)
    code.put(*mov(0, 0x84000008), system.psci)


def make(seed):
    r = random.Random(seed)
    system = System(1 + seed % 3 // 2)  # each third at EL2
    code = Code()
    base = 0x40080000
    boot(code, system)
    vectors(code, system)
    tables(code)
    storm(code, r, system, base, with_devices(seed))
    return code.image


if __name__ == "__main__":
    with open(sys.argv[2], "wb") as file:
        file.write(make(int(sys.argv[1])))
