# SPDX-License-Identifier: BSD-2-Clause
"""The frame of a storm's guest: what brings vCPUs and levels up, answers exceptions, and goes round over the steps. The steps are data:
lists of words that stand one after the other, so that a guest with fewer of them is a guest, too.

The image is an ELF file with one segment. RAM is mapped three times: where it is, for EL1 and above to write and for all to execute;
ALIAS above, for EL0 to write; and by pages in WINDOW, by tables that steps change. A level with its MMU off has RAM where it is.
"""
import struct

from storming import words as w

BASE = 0x40100000
SIZE = 0x20000  # of what is in the file
VECTORS, TABLES, BOOT, CODE, CODE_END = BASE, BASE + 0x4000, BASE + 0x7000, BASE + 0x8000, BASE + SIZE
CONTEXTS = BASE + SIZE  # 64 bytes for each value of MPIDR_EL1.Aff0
DATA, DATA_END = BASE + 0x30000, BASE + 0x100000
QUEUES = BASE + 0x28000  # of virtio devices, 4 KiB each
MEMORY_MIB = 4
ALIAS, WINDOW = 0x80000000, 0xc0000000
L1, L2, L3 = TABLES, TABLES + 0x1000, TABLES + 0x2000

NORMAL, DEVICE, PAGE = 0x705, 0x401, 3
SYSTEM_OFF, CPU_ON = 0x84000008, 0xc4000003
GICD, GICR = 0x08000000, 0x080a0000

MPIDR = w.place(3, 0, 0, 0, 5)


class Level:
    """Registers of an Exception level, and what the frame puts there."""
    def __init__(self, el):
        op1 = {1: 0, 2: 4, 3: 6}[el]
        self.el = el
        self.vbar, self.ttbr0, self.tcr = w.place(3, op1, 12, 0, 0), w.place(3, op1, 2, 0, 0), w.place(3, op1, 2, 0, 2)
        self.mair, self.sctlr = w.place(3, op1, 10, 2, 0), w.place(3, op1, 1, 0, 0)
        self.elr, self.spsr = w.place(3, op1, 4, 0, 1), w.place(3, op1, 4, 0, 0)
        self.sre = w.place(3, op1, 12, 9 if el == 2 else 12, 5)
        self.mode = el << 2 | 1
        self.tcr_value = 0x80803519 if el > 1 else 0x200803519


class Code:
    def __init__(self):
        self.image = bytearray(SIZE)
        self.at = BASE

    def put(self, *words):
        for word in words:
            struct.pack_into("<I", self.image, self.at - BASE, word & 0xffffffff)
            self.at += 4

    def adr(self, x, to):
        offset = to - self.at
        self.put(0x10000000 | (offset & 3) << 29 | (offset >> 2 & 0x7ffff) << 5 | x)

    def branch(self, to):
        self.put(w.b((to - self.at) >> 2))

    def quad(self, at, value):
        struct.pack_into("<Q", self.image, at - BASE, value)


def conduit(start):
    return w.HVC if start == 1 else w.SMC


def put_off(code, start):
    code.put(*w.mov(0, SYSTEM_OFF), conduit(start))


def put_count(code, offset):
    """x1 = ++context[offset / 8], x0 is the context."""
    code.adr(0, CONTEXTS)
    code.put(w.mrs(1, MPIDR), 0x92401c21, 0x8b011800)
    code.put(0xf9400001 | offset // 8 << 10, 0x91000421, 0xf9000001 | offset // 8 << 10)


def put_vectors(code, guest, level, code_end):
    """Go on after what was wrong, or anywhere, at this level or below; in the end power off."""
    table = VECTORS + level.el * 0x1000 - 0x1000
    synchronous, interrupt, modes = table + 0x800, table + 0x900, table + 0xa00
    for i in range(16):
        code.at = table + i * 0x80
        code.branch(interrupt if i % 4 in (1, 2) else synchronous)
    code.at = synchronous
    put_count(code, 8)
    code.put(*w.mov(2, guest["exceptions"]), 0xeb02003f)
    off = [*w.mov(0, SYSTEM_OFF), conduit(guest["el"])]
    code.put(0x54000003 | (len(off) + 1) << 5, *off)
    code.put(w.mrs(2, level.elr), 0x91001042, 0x927ef442)  # + 4, aligned
    code.adr(3, CODE)
    code.put(*w.mov(4, code_end - CODE), 0xcb030045, 0xeb0400bf)
    wander = [0xd2804885, 0x9b057c25, 0x9ac408a6, 0x9b0494c5, 0x927ef4a5, 0x8b050062]  # code + (count * 0x244) % size
    code.put(0x54000003 | (len(wander) + 1) << 5, *wander, w.msr(level.elr, 2))
    code.put(0x92400825, 0xf10014bf, 0x54000001 | 5 << 5, 0xd3431025)  # one in eight: the mode of count / 8 % 4
    code.adr(6, modes)
    code.put(0xf86578c5, w.msr(level.spsr, 5), w.ERET)
    assert code.at <= interrupt
    code.at = interrupt
    code.put(w.mrs(0, w.place(3, 0, 12, 12, 0)), w.msr(w.place(3, 0, 12, 12, 1), 0))  # IAR1, EOIR1
    if guest["spe"]:
        code.put(w.msr(w.place(3, 0, 9, 10, 3), w.XZR))  # PMBSR_EL1
    if guest["pmu"]:
        code.put(0x92800001, w.msr(w.place(3, 3, 9, 12, 3), 1))  # PMOVSCLR_EL0
    code.put(w.msr(w.place(3, 3, 14, 2, 1), w.XZR), w.msr(w.place(3, 3, 14, 3, 1), w.XZR), w.ERET)  # CNTP_CTL, CNTV_CTL
    for i, mode in enumerate(guest["modes"]):
        code.quad(modes + 8 * i, min(mode & 0xf, level.mode) | (mode & ~0xf) if mode & 0xf else mode)


def put_levels(code, guest):
    """The registers of the level that it starts at, and of those below."""
    for el in range(1, guest["el"] + 1):
        level = Level(el)
        code.adr(0, VECTORS + (el - 1) * 0x1000)
        code.put(w.msr(level.vbar, 0))
        code.adr(0, L1)
        code.put(w.msr(level.ttbr0, 0), *w.mov(0, level.tcr_value), w.msr(level.tcr, 0), *w.mov(0, 0xff00), w.msr(level.mair, 0))
        code.put(*w.mov(0, 7), w.msr(level.sre, 0))
    code.put(*w.mov(0, 3 << 20), w.msr(w.place(3, 0, 1, 0, 2), 0))  # CPACR_EL1
    code.put(*w.mov(0, 0x307 | guest["events"] << 4), w.msr(w.place(3, 0, 14, 1, 0), 0))  # CNTKCTL_EL1: WFE goes on soon
    if guest["el"] >= 2:
        code.put(w.msr(w.place(3, 4, 14, 1, 0), 0))  # CNTHCTL_EL2
        code.put(*w.mov(0, guest["hcr"]), w.msr(w.place(3, 4, 1, 1, 0), 0), *w.mov(0, guest["mdcr"]), w.msr(w.place(3, 4, 1, 1, 1), 0))
        code.put(w.msr(w.place(3, 4, 1, 1, 2), w.XZR))  # CPTR_EL2
    if guest["el"] == 3:
        code.put(*w.mov(0, guest["scr"]), w.msr(w.place(3, 6, 1, 1, 0), 0), *w.mov(0, guest["mdcr"]), w.msr(w.place(3, 6, 1, 3, 1), 0))
        code.put(w.msr(w.place(3, 6, 1, 1, 2), w.XZR))  # CPTR_EL3
    code.put(w.DSB, w.ISB)
    for el in range(1, guest["el"] + 1):
        value = (0x30d50980 if el == 1 else 0x30c50830) | (0x1005 if guest["mmu"] >> el & 1 else 0)
        code.put(*w.mov(0, value), w.msr(Level(el).sctlr, 0))
    code.put(w.ISB)


def put_boot(code, guest):
    """All vCPUs come here. The first one turns the others on."""
    code.at = BOOT
    put_levels(code, guest)
    code.put(*w.mov(0, 0xff), w.msr(w.place(3, 0, 4, 6, 0), 0), *w.mov(0, 1), w.msr(w.place(3, 0, 12, 12, 7), 0))  # ICC_PMR, IGRPEN1
    code.put(w.mrs(7, MPIDR), 0x92401ce7)  # x7: which vCPU
    on = []
    if guest["gic"]:
        on += [*w.store(GICD, 0x37, 4), *w.mov(3, GICR + 0x14), 0xb900007f]  # GICR_WAKER
        for register, value in (0x80, 0xffffffff), (0x100, guest["gic"]):
            on += w.store(GICR + 0x10000 + register, value, 4)
    for n in range(1, guest["cpus"]):
        on += [*w.mov(0, CPU_ON), *w.mov(1, n), *w.mov(2, BOOT), *w.mov(3, 0)]
        on.append(conduit(guest["el"]) if guest["el"] < 3 else w.NOP)
    code.put(w.cbnz(7, len(on) + 1), *on)
    for x, value in enumerate(guest["registers"]):
        code.put(*w.mov(x + 5, value))
    code.put(*w.mov(0, DATA + 0x8000), 0x9100001f)  # SP
    if guest["irqs"]:
        code.put(0xd50342ff)  # DAIFClr: I
    code.branch(CODE)
    assert code.at <= CODE


def put_steps(code, guest):
    """All steps; then again, or off. Returns where they end."""
    code.at = CODE
    for step in guest["steps"]:
        code.put(*step["words"])
    end = code.at
    put_count(code, 0)
    code.put(*w.mov(2, guest["rounds"]), 0xeb02003f, 0x54000002 | 2 << 5)
    code.branch(CODE)
    put_off(code, guest["el"])
    code.branch(CODE)
    assert code.at <= CODE_END
    return end


def put_tables(code, guest):
    for i, entry in enumerate((0x60000000000000 | DEVICE, 0x40000000 | NORMAL, 0x40000000 | NORMAL | 0x40, L2 | 3)):
        code.quad(L1 + 8 * i, entry)
    code.quad(L2, L3 | 3)
    for i, entry in enumerate(guest["pages"]):
        code.quad(L3 + 8 * i, entry)


def image(guest):
    """The bytes of the ELF file."""
    code = Code()
    end = put_steps(code, guest)
    used = code.at
    for el in range(1, guest["el"] + 1):
        put_vectors(code, guest, Level(el), end)
    put_tables(code, guest)
    put_boot(code, guest)
    content = code.image[:used - BASE]
    header = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, 183, 1, BOOT, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    segment = struct.pack("<IIQQQQQQ", 1, 7, 0x1000, BASE, BASE, len(content), len(content), 0x1000)
    return (header + segment).ljust(0x1000, b"\0") + bytes(content)
