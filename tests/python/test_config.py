# SPDX-License-Identifier: BSD-2-Clause
"""Configurations: defaults, what does not go together, and what the ID registers then say (Arm ARM A2, D24)."""
import ctypes
import unittest

import vspe
from vspe import C, lib

VERSIONS = range(C.SPE_V1P0, C.SPE_V1P5 + 1)

# (error, the field that is named, what makes it so of which version's defaults)
WRONG = [
    ("EVERSION", "version", C.SPE_V1P2, {"version": 0}),
    ("EVERSION", "version", C.SPE_V1P2, {"version": 7}),
    ("EFNE", "fne", C.SPE_V1P1, {"fne": True}),
    ("EFNE", "fne", C.SPE_V1P2, {"fne": False}),
    ("ECOUNTSIZE", "count_size", C.SPE_V1P2, {"count_size": 13}),
    ("EMAXSIZE", "max_size", C.SPE_V1P2, {"max_size": 5}),
    ("EMAXSIZE", "max_size", C.SPE_V1P2, {"max_size": 12}),
    ("EALIGN", "align", C.SPE_V1P2, {"align": 7}),
    ("EINTERVAL", "interval", C.SPE_V1P2, {"interval": 1}),
    ("EINTERVAL", "interval", C.SPE_V1P2, {"interval": 9}),
    ("EEVENTS", "events", C.SPE_V1P2, {"events": 1 << 3}),
    ("EEVENTSSIZE", "events_size", C.SPE_V1P2, {"events_size": 3}),
    ("ESOURCESIZE", "source_size", C.SPE_V1P2, {"source_size": 4}),
    ("EINFLIGHT", "in_flight", C.SPE_V1P2, {"in_flight": 0}),
    ("EINFLIGHT", "in_flight", C.SPE_V1P2, {"in_flight": C.SPE_IN_FLIGHT_MAX + 1}),
    ("ECHOICE", "reload", C.SPE_V1P2, {"reload": 2}),
    ("ECHOICE", "reserved_nspb", C.SPE_V1P2, {"reserved_nspb": 3}),
    ("ECHOICE", "high_address", C.SPE_V1P2, {"high_address": 2}),
    ("ECAPTURE", "misspeculated", C.SPE_V1P2, {"misspeculated": vspe.Population(False, True)}),
    ("EGRANULE", "granule", C.SPE_V1P2, {"granule": 13}),
    ("EARCHINST", "no_instruction", C.SPE_V1P2, {"no_instruction": vspe.Population(True, False)}),
    ("EFDS", "fds", C.SPE_V1P3, {"fds": True}),
    ("EPBT", "pbt", C.SPE_V1P1, {"pbt": True}),
    ("ECRR", "crr", C.SPE_V1P3, {"crr": True}),
    ("ENEEDCRR", "crr", C.SPE_V1P5, {"crr": False}),
    ("EGCS", "crr", C.SPE_V1P4, {"crr": False, "gcs": True}),
    ("EEFT", "eft", C.SPE_V1P2, {"fpf": True}),
    ("EFPF", "fpf", C.SPE_V1P2, {"eft": True}),
    ("ESME", "sme", C.SPE_V1P0, {"sme": True}),
    ("EEXC", "exc", C.SPE_V1P4, {"exc": True}),
    ("ENEEDEXC", "exc", C.SPE_V1P5, {"exc": False}),
    ("ENEEDNVM", "nvm", C.SPE_V1P5, {"nvm": False}),
    ("EDPFZS", "dpfzs", C.SPE_V1P1, {"dpfzs": True}),
    ("EALTCLK", "altclk", C.SPE_V1P2, {"altclk": 2}),
    ("EMAXBUFFER", "max_buffer", C.SPE_V1P2, {"max_buffer": 63}),
    ("EPOINTER", "pointer_res0", C.SPE_V1P2, {"pointer_res0": 7}),
    ("EEXTRA", "extra_packets", C.SPE_V1P2, {"extra_packets": C.SPE_EXTRA_MAX + 1}),
]


def check(config):
    field = ctypes.c_char_p(b"untouched")
    return lib.spe_config_check(config, field), field.value


class Config(unittest.TestCase):
    def test_defaults_are_right(self):
        for version in VERSIONS:
            self.assertEqual(check(vspe.defaults(version))[0], 0, version)

    def test_each_error_is_found_and_its_field_named(self):
        for error, field, version, changes in WRONG:
            with self.subTest(error=error, changes=changes):
                code = getattr(C, "SPE_" + error)
                config = vspe.defaults(version)
                for name, value in changes.items():
                    setattr(config, name, value)
                self.assertEqual(check(config), (-code, field.encode()))
                self.assertEqual(lib.spe_config_check(config, None), -code)
                host = vspe.make_host(write=lambda *_: None)
                unit = ctypes.create_string_buffer(vspe.UNIT_SIZE)
                self.assertEqual(lib.spe_init(unit, vspe.UNIT_SIZE, config, host), -code)

    def test_every_error_of_a_configuration_is_tried(self):
        tried = {getattr(C, "SPE_" + error) for error, *_ in WRONG} | {C.SPE_EHOST}
        self.assertEqual(tried, set(range(1, C.SPE_EEXTRA + 1)))

    def test_v1p5_may_be_incomplete_if_it_says_so(self):
        self.assertEqual(check(vspe.defaults(C.SPE_V1P5, exc=False, nvm=False, incomplete=True))[0], 0)

    def test_a_unit_that_is_too_small_is_refused(self):
        unit = ctypes.create_string_buffer(vspe.UNIT_SIZE)
        host = vspe.make_host(write=lambda *_: None)
        for size in (0, vspe.UNIT_SIZE - 8):
            self.assertEqual(lib.spe_init(unit, size, vspe.defaults(), host), -C.SPE_ESIZE)
        self.assertEqual(bytes(unit), bytes(vspe.UNIT_SIZE))
        self.assertEqual(lib.spe_init(unit, vspe.UNIT_SIZE + 8, vspe.defaults(), host), 0)

    def test_a_host_without_what_is_needed_is_refused(self):
        unit = ctypes.create_string_buffer(vspe.UNIT_SIZE)

        def write(*_):
            return None
        for config, callbacks in [
                (vspe.defaults(), {}),
                (vspe.defaults(C.SPE_V1P5), {"write": write}),
                (vspe.defaults(external_abort=C.SPE_ABORT_SERROR), {"write": write})]:
            self.assertEqual(lib.spe_init(unit, vspe.UNIT_SIZE, config, vspe.make_host(**callbacks)), -C.SPE_EHOST)
        for config, callbacks in [
                (vspe.defaults(), {"write": write}),
                (vspe.defaults(C.SPE_V1P5), {"write": write, "write_untranslated": write}),
                (vspe.defaults(external_abort=C.SPE_ABORT_SERROR), {"write": write, "serror": lambda: None})]:
            self.assertEqual(lib.spe_init(unit, vspe.UNIT_SIZE, config, vspe.make_host(**callbacks)), 0)

    def test_every_error_has_a_line_of_its_own(self):
        lines = [lib.spe_strerror(error).decode() for error in range(C.SPE_ERROR_MAX + 1)]
        self.assertEqual(len(set(lines)), len(lines))
        for error, line in enumerate(lines):
            self.assertTrue(line and line.isprintable(), error)
            self.assertEqual(lib.spe_strerror(-error).decode(), line)
        for error in (C.SPE_ERROR_MAX + 1, -C.SPE_ERROR_MAX - 1, 2**31 - 1, -2**31):
            self.assertTrue(lib.spe_strerror(error))


class Identification(unittest.TestCase):
    def test_pmsver(self):
        for version in VERSIONS:
            self.assertEqual(lib.spe_config_id_aa64dfr0(vspe.defaults(version)), version << 32)

    def test_other_id_fields(self):
        self.assertEqual(lib.spe_config_id_aa64dfr1(vspe.defaults()), 0)
        self.assertEqual(lib.spe_config_id_aa64dfr1(vspe.defaults(dpfzs=True)), 1 << 52)
        self.assertEqual(lib.spe_config_id_aa64dfr2(vspe.defaults()), 0)
        self.assertEqual(lib.spe_config_id_aa64dfr2(vspe.defaults(C.SPE_V1P5)), 1 << 16 | 1 << 20)

    def test_features_of_accesses(self):
        self.assertEqual(lib.spe_config_features(vspe.defaults(C.SPE_V1P0)), C.SYSREG_FEAT_SPE)
        self.assertEqual(lib.spe_config_features(vspe.defaults(C.SPE_V1P5)),
                         C.SYSREG_FEAT_SPE | C.SYSREG_FEAT_SPE_FNE | C.SYSREG_FEAT_SPE_FDS | C.SYSREG_FEAT_SPE_NVM |
                         C.SYSREG_FEAT_SPE_EXC)

    def test_pmsidr(self):
        unit = vspe.Unit(vspe.defaults(C.SPE_V1P2, interval=3, count_size=16, lds=False, ernd=False))
        value = unit.read(C.SYSREG_PMSIDR_EL1)
        self.assertEqual(value & 0x7f, 0b1001111)  # FnE, no ERnd, no LDS, ArchInst, FL, FT, FE
        self.assertEqual((value >> 8 & 15, value >> 12 & 15, value >> 16 & 15), (3, 6, 3))
        unit.write(C.SYSREG_PMSIDR_EL1, 0)
        self.assertEqual(unit.read(C.SYSREG_PMSIDR_EL1), value)


if __name__ == "__main__":
    unittest.main()
