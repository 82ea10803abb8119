# SPDX-License-Identifier: BSD-2-Clause
"""Where accesses land (the register pages of the Arm ARM, "Accessing"), through the shared object."""
import ctypes
import os
import re
import unittest

import vspe
from vspe import C, lib

# The second statement of the rules: a row a register, its columns as strings (name, op1, CRm, op2, exists, write, ...).
_STATEMENT = os.path.join(os.path.dirname(__file__), "..", "..", "vmm", "conform", "statement.def")
with open(_STATEMENT, encoding="utf-8") as _file:
    ROWS = [[column.strip() for column in row.split(",")] for row in re.findall(r"^ACCESS\((P.*)\)$", _file.read(), re.M)]
# op0, op1, CRn, CRm, op2
ENCODINGS = {row[0]: (3, int(row[1]), 9, int(row[2]), int(row[3])) for row in ROWS}
READ_ONLY = {row[0] for row in ROWS if row[5] == "RO"}
REGISTERS = range(C.SYSREG_COUNT)
TPMS, E2PB = 14, 12  # of MDCR_EL2


def iss(encoding, rt, read):
    """ESR_ELx.ISS of a trapped MRS or MSR, EC 0x18."""
    op0, op1, crn, crm, op2 = encoding
    return op0 << 20 | op2 << 17 | op1 << 14 | crn << 10 | rt << 5 | crm << 1 | read


def controls(el=1, **values):
    """Nothing traps: EL2 is there, and the buffer is EL1's (E2PB 3)."""
    values.setdefault("mdcr_el2", 3 << E2PB)
    return vspe.Controls(features=C.SYSREG_FEAT_SPE | C.SYSREG_FEAT_SPE_FNE | C.SYSREG_FEAT_EL2 | C.SYSREG_FEAT_VHE |
                         C.SYSREG_FEAT_NV | C.SYSREG_FEAT_NV2, el=el, **values)


def route(c, name, write=False, rt=0):
    return lib.sysreg_route(c, vspe.Access(getattr(C, "SYSREG_" + name), write, rt))


class Names(unittest.TestCase):
    def test_each_register_has_its_name_and_encoding(self):
        self.assertEqual(len(ENCODINGS), C.SYSREG_COUNT)
        for name, (op0, op1, crn, crm, op2) in ENCODINGS.items():
            reg = getattr(C, "SYSREG_" + name)
            encoding = op0 << 14 | op1 << 11 | crn << 7 | crm << 3 | op2
            self.assertEqual(lib.sysreg_name(reg).decode(), name)
            self.assertEqual(lib.sysreg_encoding(reg), encoding)
            self.assertEqual(lib.sysreg_find(encoding), reg)
            self.assertEqual(getattr(C, "SYSREG_ENCODING_" + name), encoding)
            self.assertEqual(lib.sysreg_encode(op0, op1, crn, crm, op2), encoding)
            self.assertEqual(lib.sysreg_encoding_of_word(0xd5200000 | encoding << 5 | 7), encoding)
            self.assertEqual(lib.sysreg_encoding_of_iss(iss((op0, op1, crn, crm, op2), 31, 1)), encoding)
            self.assertEqual(lib.sysreg_writable(reg), name not in READ_ONLY)

    def test_no_other_encoding_is_found(self):
        known = {lib.sysreg_encoding(reg) for reg in REGISTERS}
        for encoding in set(range(1 << 16)) - known:
            self.assertEqual(lib.sysreg_find(encoding), C.SYSREG_COUNT)
        self.assertEqual(lib.sysreg_find(0xffffffff), C.SYSREG_COUNT)

    def test_no_other_id_has_a_name(self):
        for reg in (C.SYSREG_COUNT, 0xffffffff):
            self.assertIsNone(lib.sysreg_name(reg))
            self.assertEqual(lib.sysreg_encoding(reg), 0xffffffff)
            self.assertFalse(lib.sysreg_writable(reg))
            self.assertEqual(lib.sysreg_route(controls(), vspe.Access(reg, False, 0)).kind, C.SYSREG_UNDEFINED)


class Routes(unittest.TestCase):
    def test_nothing_traps(self):
        for name in ("PMSICR_EL1", "PMBPTR_EL1", "PMSCR_EL1"):
            for write in (False, True):
                got = route(controls(), name, write)
                self.assertEqual((got.kind, got.reg), (C.SYSREG_DIRECT, getattr(C, "SYSREG_" + name)))

    def test_el0_is_undefined(self):
        for name in ENCODINGS:
            for write in (False, True):
                self.assertEqual(route(controls(el=0), name, write).kind, C.SYSREG_UNDEFINED, name)

    def test_tpms_traps_with_the_syndrome_of_the_access(self):
        c = controls(mdcr_el2=1 << TPMS | 3 << E2PB)
        for name in ("PMSCR_EL1", "PMSNEVFR_EL1", "PMSICR_EL1", "PMSIRR_EL1", "PMSFCR_EL1", "PMSEVFR_EL1",
                     "PMSLATFR_EL1"):
            for write in (False, True):
                for rt in (0, 7, 31):
                    got = route(c, name, write, rt)
                    self.assertEqual((got.kind, got.target_el, got.syndrome),
                                     (C.SYSREG_TRAP, 2, iss(ENCODINGS[name], rt, not write)), name)
        self.assertEqual(route(c, "PMBPTR_EL1").kind, C.SYSREG_DIRECT)

    def test_e2pb_traps_the_buffer(self):
        for e2pb, kind in ((0, C.SYSREG_TRAP), (2, C.SYSREG_TRAP), (3, C.SYSREG_DIRECT)):
            c = controls(mdcr_el2=e2pb << E2PB)
            for name in ("PMBLIMITR_EL1", "PMBPTR_EL1", "PMBSR_EL1"):
                self.assertEqual(route(c, name).kind, kind, (e2pb, name))

    def test_read_only_registers_cannot_be_written(self):
        for name in READ_ONLY:
            self.assertEqual(route(controls(), name).kind, C.SYSREG_DIRECT)
            self.assertEqual(route(controls(), name, write=True).kind, C.SYSREG_UNDEFINED)

    def test_nv2_goes_to_memory(self):
        # HCR_EL2.{NV2,NV1,NV} 111: PMSICR_EL1 is at offset 0x838 from VNCR_EL2.BADDR.
        got = route(controls(hcr_el2=1 << 42 | 1 << 43 | 1 << 45), "PMSICR_EL1", write=True)
        self.assertEqual((got.kind, got.nvmem_offset), (C.SYSREG_NVMEM, 0x838))

    def test_e2h_redirects(self):
        got = route(controls(el=2, hcr_el2=1 << 34), "PMSCR_EL1")
        self.assertEqual((got.kind, got.reg), (C.SYSREG_DIRECT, C.SYSREG_PMSCR_EL2))
        got = route(controls(el=2, hcr_el2=1 << 34), "PMSCR_EL12")
        self.assertEqual((got.kind, got.reg), (C.SYSREG_DIRECT, C.SYSREG_PMSCR_EL1))
        self.assertEqual(route(controls(el=2), "PMSCR_EL12").kind, C.SYSREG_UNDEFINED)

    def test_explain_decides_the_same(self):
        steps, count = (vspe.Step * C.SYSREG_STEPS_MAX)(), ctypes.c_size_t()
        for reg in REGISTERS:
            for el in range(4):
                for write in (False, True):
                    for tpms in (0, 1):
                        c = controls(el=el, mdcr_el2=tpms << TPMS)
                        access = vspe.Access(reg, write, 3)
                        got = lib.sysreg_explain(c, access, steps, len(steps), count)
                        self.assertEqual(got, lib.sysreg_route(c, access))
                        self.assertTrue(1 <= count.value <= C.SYSREG_STEPS_MAX)
                        values = [steps[i].value for i in range(count.value)]
                        self.assertEqual(values, [False] * (count.value - 1) + [True])
                        for step in steps[:count.value]:
                            terms = step.terms[:step.count]
                            self.assertTrue(all(term.text for term in terms))
                            self.assertEqual(step.value, all(term.value for term in terms))

    def test_fields_can_be_set_and_read_back(self):
        count = ctypes.c_size_t()
        fields = lib.sysreg_fields(count)
        self.assertGreater(count.value, 20)
        for field in fields[:count.value]:
            c = vspe.Controls()
            top = (1 << field.width) - 1
            kept = top if (field.reg, field.name) != (b"EDSCR", None) else 1 << 16  # SDD
            self.assertTrue(lib.sysreg_field_set(c, field, top))
            self.assertEqual(lib.sysreg_field_get(c, field), kept)
            if field.width < 64:
                self.assertFalse(lib.sysreg_field_set(c, field, top + 1))
                self.assertEqual(lib.sysreg_field_get(c, field), kept)
        tpms = next(f for f in fields[:count.value] if (f.reg, f.name) == (b"MDCR_EL2", b"TPMS"))
        c = vspe.Controls()
        lib.sysreg_field_set(c, tpms, 1)
        self.assertEqual((c.mdcr_el2, tpms.lsb), (1 << TPMS, TPMS))


if __name__ == "__main__":
    unittest.main()
