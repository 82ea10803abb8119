# SPDX-License-Identifier: BSD-2-Clause
"""Words of A64: those that the frame of a storm is made of, and the tables of all instructions, registers and operations, which are
read from where the product has them."""
import os
import re
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(TOP, "a64"))
import generate  # noqa: E402

XZR = 31
NOP, ISB, DSB, ERET, PSB, WFI, WFE, SEV, CLREX = (0xd503201f, 0xd5033fdf, 0xd5033f9f, 0xd69f03e0, 0xd503223f, 0xd503207f, 0xd503205f, 0xd503209f,
                                                  0xd5033f5f)
SVC, HVC, SMC, BRK = 0xd4000001, 0xd4000002, 0xd4000003, 0xd4200000


def place(op0, op1, crn, crm, op2):
    """Where a register or an operation is in MSR, MRS and SYS."""
    return op0 << 19 | op1 << 16 | crn << 12 | crm << 8 | op2 << 5


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


def b(words):
    """Over so many words, itself among them."""
    return 0x14000000 | words & 0x3ffffff


def cbnz(x, words):
    return 0xb5000000 | (words & 0x7ffff) << 5 | x


def cbz(x, words):
    return 0xb4000000 | (words & 0x7ffff) << 5 | x


def store(address, value, size):
    """A store of 1, 2, 4 or 8 bytes, by x3 and x4."""
    word = {1: 0x39000064, 2: 0x79000064, 4: 0xb9000064, 8: 0xf9000064}[size]
    return [*mov(3, address), *mov(4, value), word]


def load(address, size):
    return [*mov(3, address), {1: 0x39400064, 2: 0x79400064, 4: 0xb9400064, 8: 0xf9400064}[size]]


def without_comments(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)


TABLES = ("a64.table", "sve.table", "sve2.table", "later.table")


def instructions():
    """(name, mask, value, facts) of every row of a64/a64.table and those that go on from it."""
    table = generate.Table(generate.read_file(os.path.join(TOP, "a64", name)) for name in TABLES)
    return [(row.name, row.mask, row.value, row.facts) for row in table.rows.values()]


def system_registers():
    """{name: place} of vmm/soft/sys/sys_registers.def."""
    text = without_comments("vmm/soft/sys/sys_registers.def")
    return {name: place(*map(int, numbers))
            for name, *numbers in re.findall(r"^(?:REGISTER|HOST_NAME)\((\w+), (\d+), (\d+), (\d+), (\d+), (\d+)", text, re.M)}


def spe_registers():
    text = without_comments("sysreg/registers.def")
    return {name: place(3, int(op1), 9, int(crm), int(op2))
            for name, op1, crm, op2 in re.findall(r"^REGISTER\((\w+), \.op1 = (\d+), \.crm = (\d+), \.op2 = (\d+)", text, re.M)}


def pmu_registers():
    text = without_comments("pmu/registers.def")
    found = {name: place(3, *map(int, numbers))
             for name, *numbers in re.findall(r"^REGISTER\((\w+), +(\d+), +(\d+), +(\d+), +(\d+)", text, re.M)}
    for n in range(31):
        found[f"PMEVCNTR{n}_EL0"] = place(3, 3, 14, 8 + n // 8, n % 8)
        found[f"PMEVTYPER{n}_EL0"] = place(3, 3, 14, 12 + n // 8, n % 8)
    return found


def operations():
    """{name: word} of the SYS instructions, their register being x0."""
    text = without_comments("vmm/soft/sys/sys_operations.def")
    return {name: 0xd5080000 | place(0, *map(int, numbers))
            for name, *numbers in re.findall(r"^(?:FEATURE_OPERATION\(\w+, |OPERATION\()(\w+), (\d+), (\d+), (\d+), (\d+)", text, re.M)}
