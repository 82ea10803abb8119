# SPDX-License-Identifier: BSD-2-Clause
"""Instructions by the shared object: what tests/unit/a64 looks at in detail."""
import ctypes
import unittest

import vspe
from vspe import C


class Instructions(unittest.TestCase):
    def describe(self, word, nzcv=0):
        config, op, access = vspe.Config(), vspe.Op(), vspe.DataAccess()
        vspe.lib.spe_config_defaults(config, C.SPE_V1P2)
        op.pc = 0x8000
        registers = vspe.Registers(vspe.ReadRegister(lambda _ctx, n: 0x100 * n), None, nzcv)
        found = vspe.lib.a64_describe(op, access, word, config, ctypes.byref(registers))
        return found, op, access

    def test_load(self):
        found, op, access = self.describe(0xa9410440)  # LDP X0, X1, [X2, #16]
        self.assertTrue(found)
        self.assertEqual((op.type_header, op.type_payload), (C.SPE_TYPE_MEMORY, 0))
        self.assertEqual(op.flags, C.SPE_OP_LOAD | C.SPE_OP_VA_VALID)
        self.assertEqual((op.data_va, access.size, access.element), (0x210, 16, 8))

    def test_branch(self):
        for nzcv, outcome, target in ((4, C.SPE_OP_TAKEN, 0x8008), (0, C.SPE_OP_NOT_TAKEN, 0)):
            found, op, _ = self.describe(0x54000040, nzcv)  # B.EQ .+8
            self.assertTrue(found)
            self.assertEqual((op.flags, op.target), (C.SPE_OP_BRANCH | outcome, target))

    def test_sve(self):
        config, op, access = vspe.Config(), vspe.Op(), vspe.DataAccess()
        vspe.lib.spe_config_defaults(config, C.SPE_V1P2)
        registers = vspe.Registers(vspe.ReadRegister(lambda _ctx, n: 0x100 * n), None, 0, 32, 0,
                                   vspe.ReadVector(lambda _ctx, n, _index: 0xff0 if n == 33 else 0))
        # LD1B {Z0.B}, P1/Z, [X2, X4]
        self.assertTrue(vspe.lib.a64_describe(op, access, 0xa4044440, config, ctypes.byref(registers)))
        self.assertEqual((op.type_header, op.type_payload), (C.SPE_TYPE_MEMORY, 0x3c))
        self.assertEqual((op.data_va, access.size, access.element), (0x604, 8, 1))
        self.assertEqual(op.events, C.SPE_EVENT_PARTIAL_PREDICATE)

    def test_undefined(self):
        found, op, access = self.describe(0)
        self.assertFalse(found)
        self.assertEqual((op.type_header, op.flags, access.size), (C.SPE_TYPE_OTHER, 0, 0))

    def test_system_access(self):
        access = vspe.Access()
        self.assertTrue(vspe.lib.a64_system_access(0xd5189945, access))  # MSR PMSICR_EL1, X5
        self.assertEqual((access.reg, access.write, access.rt), (C.SYSREG_PMSICR_EL1, True, 5))
        self.assertFalse(vspe.lib.a64_system_access(0xd503201f, access))


if __name__ == "__main__":
    unittest.main()
