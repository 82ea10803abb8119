# SPDX-License-Identifier: BSD-2-Clause
"""The steps of a storm: each kind is a function that draws the words of one step. A step assumes only the registers of
the frame, and names only addresses that do not move, so it can be removed or run alone."""
from storming import frame as f
from storming import words as w

SPE = w.spe_registers()
PMU = w.pmu_registers()
SYSTEM = w.system_registers()
OPERATIONS = w.operations()
ROWS = w.instructions()
MEMORY = ("LOAD", "STORE", "LOAD_EXCLUSIVE", "STORE_EXCLUSIVE", "LOAD_ACQUIRE", "STORE_RELEASE", "ATOMIC_LD", "ATOMIC_SWP", "ATOMIC_CAS", "ATOMIC_FP",
          "ZERO_BLOCK", "LOAD_FP", "STORE_FP", "LOAD_SIMD", "STORE_SIMD", "MEMORY_COPY", "MEMORY_SET")
FLOW = ("BRANCH", "BRANCH_LINK", "BRANCH_COND", "BRANCH_REG", "CALL_REG", "RETURN")
MEMORY_ROWS = [row for row in ROWS if row[3].get("class") in MEMORY]
# Instructions that continue to the next word, whatever they compute.
PLAIN_ROWS = [row for row in ROWS if row[3].get("class") not in MEMORY + FLOW and row[3].get("exec", "").split(":")[0] not in ("", "system")]
# These soon end a storm, or blind it.
WILD = [name for name in SYSTEM if name.split("_")[0] in ("VBAR", "SCTLR", "TTBR0", "TCR", "HCR", "SCR", "MAIR", "ELR", "SPSR", "VTTBR", "VTCR",
                                                         "HCRX", "GPTBR", "GPCCR", "VNCR", "MDSCR", "CPTR", "VSTTBR", "VSTCR")]
TAME = [name for name in SYSTEM if name not in WILD]
VIRTIO, UART, RTC, GPIO, FW_CFG = 0x0a000000, 0x09000000, 0x09010000, 0x090b0000, 0x09020000


def word_of(d, row):
    _, mask, value, _ = row
    fields = d.bits(32)
    kind = d.below(10)
    if kind == 0:
        fields &= d.bits(32)
    elif kind == 1:
        fields |= d.bits(32)
    return fields & ~mask & 0xffffffff | value


def address(d):
    """Mostly a register that nothing depends on."""
    kind = d.below(64)
    data = f.DATA + (d.below(f.DATA_END - f.DATA) & ~d.choice([0, 7, 0x3f, 0xfff]))
    if kind < 24:
        return data
    if kind < 38:
        return data + f.ALIAS - 0x40000000
    if kind < 50:
        return f.WINDOW + d.below(0x200000)
    if kind < 54:
        return f.CODE + d.below(0x2000)
    if kind < 55:
        return f.TABLES + d.below(0x3000)
    return d.choice([d.bits(), d.bits(32), device(d), 0x40000000 + (f.MEMORY_MIB << 20) - d.below(32), (1 << 64) - d.between(1, 64)])


def device(d):
    return d.choice([f.GICD + d.below(0x10000), f.GICR + d.below(0x40000), UART + d.below(0x1000), RTC + d.below(0x40), GPIO + d.below(0x440),
                     FW_CFG + d.below(0x20), VIRTIO + d.below(0x1000), d.below(0x08000000), 0x0b000000 + d.below(0x1000)])


def plain(d, _):
    return [word_of(d, d.choice(PLAIN_ROWS)) for _ in range(d.between(1, 8))]


def constants(d, _):
    return [word for _ in range(d.between(1, 3)) for word in w.mov(d.below(31), d.value())]


def memory(d, _):
    words = w.mov(3, address(d))
    for _ in range(d.between(1, 4)):
        words.append(word_of(d, d.choice(MEMORY_ROWS)) & ~0x3e0 | 3 << 5)
    return words


def anything(d, _):
    return [word_of(d, d.choice(ROWS)) if d.below(4) else d.bits(32)]


def loop(d, world):
    """Often enough for the translator."""
    body = []
    for _ in range(d.between(1, 4)):
        body += d.weighted([(4, plain), (3, memory), (1, constants), (1, spe_register), (1, forward)])[1](d, world)
    body = [word for word in body if word & 0x1f not in (27, 28)]
    # The body may change x28 all the same, so x27 counts, too, in another way.
    return [*w.mov(28, d.choice([3, 60, 100, 300])), *body, 0xd100079c, w.cbnz(28, -(len(body) + 1))]


def forward(d, _):
    word = d.choice([0x54000000 | d.below(16), 0xb4000000 | d.below(31), 0x35000000 | d.below(31), 0x36000000 | d.below(32) << 19 | d.below(31)])
    return [word | d.between(1, 4) << 5]


def far(d, _):
    to = address(d) if d.chance(3) else f.CODE + (d.below(0x1000) & ~3)
    return [*w.mov(6, to), d.choice([0xd61f00c0, 0xd63f00c0, 0xd65f00c0])]


def exception(d, _):
    return [d.choice([w.SVC, w.HVC, w.SMC, w.BRK]) | d.bits(16) << 5 if d.below(4) else 0]


def profile(d, world):
    start = address(d) if d.chance(3) else f.DATA + d.below(0x40000)
    start &= d.choice([-1, -64, -64, -64, -4096])
    limit = (start + d.choice([0x1000, 0x1000, 0x3000, 0x10000, 0]) & ~0xfff) | d.choice([0, 0, 0, 4, 2]) | 1
    own = SPE["PMSCR_EL2" if world["el"] == 2 and d.below(2) else "PMSCR_EL1"]
    setup = [(SPE["PMBPTR_EL1"], start), (SPE["PMBLIMITR_EL1"], limit), (SPE["PMBSR_EL1"], 0),
             (SPE["PMSIRR_EL1"], d.choice([0x100, 0x101, 0x300, 0x1000, 0x2001, 1])), (SPE["PMSICR_EL1"], d.choice([0, 0, 5, d.value()])),
             (SPE["PMSFCR_EL1"], d.choice([0, 0, 0, d.below(8), d.bits()])), (own, d.choice([0x3b, 0x3, 0x7f, 0x23, 1, 0x7b]))]
    if d.chance(6):
        setup.append((SPE["PMSLATFR_EL1"], d.below(16)))
    return [word for register, value in setup for word in (*w.mov(1, value & (1 << 64) - 1), w.msr(register, 1))]


def spe_register(d, _):
    register = SPE[d.choice(list(SPE))]
    return [w.mrs(d.below(31), register)] if d.chance(3) else [*w.mov(2, d.choice([d.value(), address(d), d.below(0x1000)])), w.msr(register, 2)]


def pmu_register(d, _):
    if d.chance(3):  # a counter with an event, and an overflow that comes soon
        n = d.below(7)
        setup = [(PMU[f"PMEVTYPER{n}_EL0"], d.choice([d.below(0x40), 0x4000 + d.below(0x60), 0x8000 + d.below(0x100)]) | d.below(16) << 28),
                 (PMU[f"PMEVCNTR{n}_EL0"], d.choice([0, 0xffffff00, (1 << 64) - 200])), (PMU["PMINTENSET_EL1"], 1 << n),
                 (PMU["PMCNTENSET_EL0"], 1 << n), (PMU["PMCR_EL0"], d.choice([1, 1, 0x41, 0xc1]))]
        return [word for register, value in setup for word in (*w.mov(1, value), w.msr(register, 1))]
    register = PMU[d.choice(list(PMU))]
    return [w.mrs(d.below(31), register)] if d.chance(3) else [*w.mov(2, d.value()), w.msr(register, 2)]


def system_register(d, _):
    register = SYSTEM[d.choice(TAME)]
    return [w.mrs(d.below(31), register)] if d.chance(2) else [*w.mov(2, d.value()), w.msr(register, 2)]


def wild(d, _):
    register = SYSTEM[d.choice(WILD)]
    kind = d.below(4)
    if kind < 2:  # one bit of what it is
        return [w.mrs(2, register), *w.mov(1, 1 << d.below(64)), 0xca010042, w.msr(register, 2), w.ISB]
    return [w.mrs(d.below(31), register)] if kind == 2 else [*w.mov(2, d.value()), w.msr(register, 2)]


def page_entry(d):
    target = d.choice([f.DATA + d.below(0x80000), f.DATA + d.below(0x80000), f.CODE + d.below(0x2000), 0x09000000, f.TABLES, d.bits(40)]) & ~0xfff
    attributes = d.choice([0x707, 0x747, 0x707, 0x747, 0x787, 0x7c7, 0x303, 0xf47]) | d.choice([0, 0, 0, 1 << 54, 1 << 53, 1 << 52, 1 << 51])
    return d.choice([target | attributes, target | attributes, target | attributes, 0, d.bits()])


def table(d, _):
    """Another entry, with or without the required maintenance."""
    where = f.L3 + 8 * d.below(512) if d.below(8) else f.L2 + 8 * d.below(512)
    words = w.store(where, page_entry(d) if d.below(8) else 0x40000000 | f.NORMAL & ~2, 8)
    if d.below(3):
        names = [name for name in OPERATIONS if name.startswith("TLBI")]
        words += [w.DSB, *w.mov(0, f.WINDOW >> 12), OPERATIONS[d.choice(names)] | (0 if d.below(2) else 31), w.DSB, w.ISB]
    return words


def operation(d, _):
    name = d.choice(list(OPERATIONS))
    if d.chance(2):
        return [d.choice([w.ISB, w.DSB, w.PSB, 0xd5033bbf, w.CLREX, 0xd50330ff, 0xd503309f, 0xd503225f])]
    return [*w.mov(0, address(d) if d.below(4) else d.value()), OPERATIONS[name]]


def patch(d, _):
    """Writes over the code, with or without the cache maintenance that this needs."""
    target = f.CODE + (d.below(0x2000) & ~3)
    word = d.choice([w.NOP, w.ISB, w.BRK, w.b(1), w.PSB, word_of(d, d.choice(PLAIN_ROWS)), word_of(d, d.choice(MEMORY_ROWS)), d.bits(32)])
    tell = [0xd50b7b23, w.DSB, 0xd50b7523, w.DSB, w.ISB] if d.chance(2) else []
    return [*w.store(target, word, 4), *tell]


def psci(d, world):
    call = d.choice([0xc4000003, 0x84000002 if d.chance(4) else 0xc4000003, 0xc4000003, 0xc4000001, 0x84000001, 0xc4000004, 0x84000000, 0x8400000a, 0x80000000, 0x84000050, 0xc4000053,
                     0x84000009 if d.chance(4) else 0xc4000004, d.bits(32)])
    return [*w.mov(0, call), *w.mov(1, d.choice([d.below(world["cpus"] + 1), d.value()])), *w.mov(2, f.BOOT), *w.mov(3, d.below(4)), d.choice([w.HVC, w.SMC])]


def timer(d, _):
    name = d.choice(["CNTP", "CNTV", "CNTHP", "CNTPS"])
    suffix = {"CNTP": "EL0", "CNTV": "EL0", "CNTHP": "EL2", "CNTPS": "EL1"}[name]
    soon = d.below(6) > 0
    return [*w.mov(2, d.choice([1, 100, 5000]) if soon else d.value()), w.msr(SYSTEM[f"{name}_TVAL_{suffix}"], 2), *w.mov(2, d.choice([1, 1, 3])),
            w.msr(SYSTEM[f"{name}_CTL_{suffix}"], 2), w.WFI if soon and name == "CNTV" and d.below(2) else w.NOP]


def interrupt(d, world):
    kind = d.below(6)
    if kind == 0:
        return [*w.mov(2, d.below(1 << world["cpus"]) | d.below(16) << 24), w.msr(SYSTEM["ICC_SGI1R_EL1"], 2)]
    if kind == 1:
        return [0xd50342ff if d.below(2) else 0xd50342df]  # DAIFClr, DAIFSet
    if kind == 2:
        return [d.choice([w.WFE, w.SEV, 0xd50320bf, w.WFE, w.WFI if d.chance(16) else w.SEV])]
    if kind == 3:
        return w.store(f.GICD + d.choice([0x80, 0x100, 0x180, 0x200, 0x280, 0x300, 0x380, 0xc00]) + 4 * d.below(4), d.value() & 0xffffffff, 4)
    if kind == 4:
        register = d.choice([0x80, 0x100, 0x180, 0x200, 0x280, 0x300, 0x380, 0x400, 0xc00])
        return w.store(f.GICR + 0x20000 * d.below(world["cpus"]) + 0x10000 + register, d.value() & 0xffffffff, 4)
    register = SYSTEM[d.choice([name for name in SYSTEM if name.startswith(("ICC_", "ICH_"))])]
    return [w.mrs(d.below(31), register)] if d.chance(2) else [*w.mov(2, d.value()), w.msr(register, 2)]


def mmio(d, _):
    size = d.choice([1, 2, 4, 4, 4, 8])
    where = device(d) & (~(size - 1) if d.below(8) else -1)
    return w.load(where, size) if d.chance(2) else w.store(where, d.value() & (1 << 8 * size) - 1, size)


def console(d, _):
    return [word for _ in range(d.between(1, 6)) for word in w.store(UART, d.choice([0x0a, d.between(0x20, 0x7e), d.below(256)]), 1)]


def virtio_setup(d, world):
    """A device's queues, set up as a driver does, or nearly so."""
    slot = d.below(max(1, world["virtio"]))
    at, area = VIRTIO + 0x200 * slot, f.QUEUES + 0x1000 * slot
    writes = [(0x70, 0), (0x70, 1), (0x70, 3), (0x24, 0), (0x20, d.choice([0, 0, d.bits(32)])), (0x24, 1), (0x20, 1), (0x70, 0xb)]
    for queue in range(d.between(1, 2)):
        ring = area + 0x800 * queue
        writes += [(0x30, queue), (0x38, d.choice([8, 8, 8, 16, d.below(65536)])), (0x80, ring), (0x84, 0), (0x90, ring + 0x200), (0x94, 0),
                   (0xa0, ring + 0x300), (0xa4, 0), (0x44, 1)]
    writes.append((0x70, 0xf))
    if d.chance(3):
        del writes[d.below(len(writes))]
    words = w.mov(3, at)
    for register, value in writes:
        words += [*w.mov(4, value), 0xb9000064 | register // 4 << 10]
    return words


def virtio_request(d, world):
    """Descriptors of a possible request, and the notification."""
    slot, queue = d.below(max(1, world["virtio"])), d.below(2)
    ring = f.QUEUES + 0x1000 * slot + 0x800 * queue
    count = d.between(1, 4)
    buffer = f.DATA + (d.below(0x40000) & ~7)
    words = []
    for i in range(count):
        where = buffer + d.choice([0x40, 0x200, 0x1000]) * i if d.below(12) else address(d)
        flags = (1 if i + 1 < count else 0) | (2 if d.below(2) else 0) | (4 if d.chance(20) else 0)
        words += w.store(ring + 16 * i, where, 8)
        words += w.store(ring + 16 * i + 8, d.choice([16, 1, 64, 512, 4096, d.below(1 << 20)]) | flags << 32 | (i + 1 if d.below(16) else d.below(65536)) << 48, 8)
    words += w.store(buffer, d.choice([0, 1, 4, 8, 11, 13, d.bits(32)]), 8) + w.store(buffer + 8, d.below(16), 8)
    # Put its head into the next place of the ring, and advance the index of the ring.
    words += [*w.mov(3, ring + 0x200), 0x79400464, 0x92400885, 0x8b050466, 0x790008df, 0x11000484, 0x79000464]
    return words + w.store(VIRTIO + 0x200 * slot + 0x50, queue if d.below(16) else d.bits(32), 4) + w.store(VIRTIO + 0x200 * slot + 0x64, 3, 4)


KINDS = [(12, plain), (3, constants), (14, memory), (4, anything), (8, loop), (6, forward), (2, far), (4, exception), (6, profile), (3, spe_register),
         (5, pmu_register), (5, system_register), (1, wild), (6, table), (5, operation), (3, patch), (2, psci), (4, timer), (4, interrupt), (3, mmio),
         (2, console), (1, virtio_setup), (3, virtio_request)]


def draw(d, world, kinds=KINDS):
    row = d.weighted(kinds)
    return {"kind": row[1].__name__, "words": row[1](d, world)}
