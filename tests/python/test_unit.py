# SPDX-License-Identifier: BSD-2-Clause
"""A unit through the shared object: interval, records in a buffer of bytes, interrupts, state (Arm ARM D17, D18)."""
import random
import struct
import sys
import unittest

import vspe
from vspe import C, lib

E1SPE, TS, PA, CX, KE = 1 << 1, 1 << 5, 1 << 4, 1 << 3, 1 << 10  # of PMSCR_EL1
RND = 1  # of PMSIRR_EL1
FE, FT, FL, LD = 1 << 0, 1 << 1, 1 << 2, 1 << 17  # of PMSFCR_EL1
S = 1 << 17  # of PMBSR_EL1
DISABLED = 2**64 - 1


def load(**values):
    """A load that has an address, by EL1."""
    fields = dict(pc=0xffff800000001000, data_va=0x0012345678, data_pa=0x41000040, events=1 << 1 | 1 << 2 | 1 << 4,
                  flags=C.SPE_OP_LOAD | C.SPE_OP_VA_VALID | C.SPE_OP_PA_VALID, total_latency=12, issue_latency=4,
                  translation_latency=2, type_header=0x49, el=1, ns=True, timestamp=0x1122334455667788,
                  contextidr_el1=42)
    fields.update(values)
    return vspe.Op(**fields)


def packets(data):
    """[(header, payload)] of one record (D18.1); only padding may follow its Timestamp or End packet."""
    found, at = [], 0
    while True:
        header, at = data[at], at + 1
        if header == 0x00:
            continue
        if header == 0x01:
            found.append((header, None))
            break
        if header >> 2 == 0b001000:
            header, at = header << 8 | data[at], at + 1
        size = 1 << (header >> 4 & 3)
        found.append((header, int.from_bytes(data[at:at + size], "little")))
        at += size
        if header == 0x71:
            break
    if any(data[at:]):
        raise AssertionError(f"not padding: {data[at:].hex()}")
    return found


class Case(unittest.TestCase):
    def setUp(self):
        # Exceptions in a callback do not pass through C: they must fail the test all the same.
        self.ignored = []
        hook, sys.unraisablehook = sys.unraisablehook, self.ignored.append
        self.addCleanup(setattr, sys, "unraisablehook", hook)

    def tearDown(self):
        self.assertEqual([str(entry.exc_value) for entry in self.ignored], [])


class Interval(Case):
    def test_disabled_until_enabled(self):
        unit = vspe.Unit()
        self.assertEqual(unit.budget(), DISABLED)
        self.assertEqual(unit.advance(1000), C.SPE_NOT_SELECTED)
        unit.enable()
        self.assertTrue(unit.enabled())
        self.assertEqual(unit.stats().population, 0)

    def test_one_of_each_interval_is_selected(self):
        # D17.3: INTERVAL x 256 + 1 members from one to the next.
        numbers = random.Random(1)
        for interval in (256, 1024, 0x100 * 77):
            unit = vspe.Unit()
            unit.enable(interval)
            self.assertEqual(unit.spacing_fixed(), interval + 1)
            passed, selected = 0, []
            while len(selected) < 20:
                n = min(unit.budget(), numbers.randrange(1, 400))
                passed += n
                if unit.advance(n) == C.SPE_SELECTED:
                    selected.append(passed)
                    unit.sample(load())
            self.assertEqual({b - a for a, b in zip(selected, selected[1:])}, {interval + 1})
            self.assertEqual(unit.stats().population, passed)

    def test_more_than_the_budget_is_cut(self):
        unit = vspe.Unit()
        unit.enable(1024)
        budget = unit.budget()
        self.assertEqual(unit.advance(10**12), C.SPE_SELECTED)
        self.assertEqual(unit.stats().population, budget)

    def test_randomness_comes_from_the_host(self):
        for bytes_, spacing in (([0] * 64, 1025), ([255] * 64, 1025 + 255)):
            left = list(bytes_)
            unit = vspe.Unit(vspe.defaults(ernd=False), random=left.pop)
            unit.enable(1024 | RND)
            gaps = []
            for _ in range(10):
                unit.select()
                gaps.append(unit.stats().population)
                unit.sample(load())
            self.assertEqual({b - a for a, b in zip(gaps, gaps[1:])}, {spacing})
            self.assertLess(len(left), 64)

    def test_another_el_is_not_profiled(self):
        unit = vspe.Unit()
        unit.enable()
        budget = unit.budget()
        unit.advance(100)
        unit.controls.el = 0
        unit.update(unit.controls)
        self.assertEqual((unit.enabled(), unit.budget()), (False, DISABLED))
        unit.controls.el = 1
        unit.update(unit.controls)
        self.assertEqual((unit.enabled(), unit.budget()), (True, budget - 100))

    def test_reset(self):
        unit = vspe.Unit()
        unit.enable()
        unit.reset()
        unit.update(unit.controls)
        self.assertEqual((unit.budget(), unit.read(C.SYSREG_PMBLIMITR_EL1)), (DISABLED, 0))


class Records(Case):
    def test_a_load(self):
        unit = vspe.Unit(controls=vspe.Controls(features=C.SYSREG_FEAT_SPE | C.SYSREG_FEAT_SPE_FNE | C.SYSREG_FEAT_EL2,
                                                el=1, mdcr_el2=3 << 12))
        unit.write(C.SYSREG_PMSCR_EL2, PA | TS)
        unit.enable(pmscr=E1SPE | TS | PA | CX)
        self.assertEqual(unit.select(), C.SPE_SELECTED)
        self.assertEqual(unit.timestamp_kind(), C.SPE_TIMESTAMP_VIRTUAL)
        unit.sample(load())
        self.assertEqual(unit.writes, [(unit.BUFFER, 64, 1)])
        got = dict(packets(unit.memory[:64]))
        ns, el1 = 1 << 63, 1 << 61
        self.assertEqual(got[0xb0], 0x00ff800000001000 & (1 << 56) - 1 | ns | el1)  # PC: VA[55:0], NS, EL
        self.assertEqual(got[0xb2], 0x12345678)  # data virtual address
        self.assertEqual(got[0xb3] & (1 << 56) - 1, 0x41000040)  # data physical address
        self.assertEqual(got[0x64], 42)  # CONTEXTIDR_EL1
        self.assertEqual((got[0x98], got[0x99], got[0x9a]), (12, 4, 2))  # latencies: total, issue, translation
        self.assertEqual(got[0x62], 0b10110)  # events: retired, level 1 data cache access, TLB access
        self.assertEqual(got[0x49] & 1, 0)  # a load
        self.assertEqual(got[0x71], 0x1122334455667788)
        self.assertEqual(unit.read(C.SYSREG_PMBPTR_EL1), unit.BUFFER + 64)
        self.assertEqual((unit.stats().records, unit.stats().bytes), (1, 64))

    def test_without_timestamp_an_end(self):
        unit = vspe.Unit()
        unit.enable()
        unit.select()
        unit.sample(load())
        got = packets(unit.memory[:64])
        self.assertEqual(got[-1], (0x01, None))
        self.assertFalse({0x71, 0x64, 0xb3} & {header for header, _ in got})

    def test_filters_and_pmu_events(self):
        counted = {}

        def pmu_event(event, count):
            counted[event] = counted.get(event, 0) + count
        unit = vspe.Unit(pmu_event=pmu_event)
        unit.enable()
        unit.write(C.SYSREG_PMSFCR_EL1, FT | LD)
        for op in (load(), vspe.Op(type_header=0x48, el=1, ns=True), load()):
            unit.select()
            unit.sample(op)
        stats = unit.stats()
        self.assertEqual((stats.feed, stats.filtrate, stats.records), (3, 2, 2))
        self.assertEqual(counted[C.SPE_PMU_SAMPLE_FEED], 3)
        self.assertEqual(counted[C.SPE_PMU_SAMPLE_FILTRATE], 2)
        self.assertEqual(counted[C.SPE_PMU_SAMPLE_POP], stats.population)
        self.assertEqual(counted[C.SPE_PMU_SAMPLE_FEED_LD], 2)

    def test_nothing_is_written_in_place_of_an_abandoned_one(self):
        unit = vspe.Unit()
        unit.enable()
        unit.select()
        unit.abandon()
        unit.sample(load())
        self.assertEqual(unit.writes, [])

    def test_collisions(self):
        unit = vspe.Unit(vspe.defaults(lifetime=2000))
        unit.enable(1024)
        kinds = []
        for _ in range(6):
            kinds.append(unit.select())
            if kinds[-1] == C.SPE_SELECTED:
                unit.sample(load())
        self.assertEqual(kinds, [C.SPE_SELECTED, C.SPE_COLLIDED] * 3)
        self.assertEqual(unit.stats().collisions, 3)
        self.assertTrue(unit.read(C.SYSREG_PMBSR_EL1) & 1 << 16)  # COLL

    def test_previous_branch_target(self):
        unit = vspe.Unit(vspe.defaults(pbt=True, pbt_all=True, max_size=7, align=7))
        unit.enable()
        self.assertTrue(unit.follows_branches())
        unit.branch(C.SPE_BRANCH_TAKEN, vspe.Target(va=0x4000, el=1, ns=True))
        unit.select()
        unit.sample(load())
        self.assertEqual(dict(packets(unit.memory[:128]))[0xb4], 0x4000 | 1 << 63 | 1 << 61)

    def test_extra_packets(self):
        unit = vspe.Unit(vspe.defaults(extra_packets=1, max_size=7, align=7))
        unit.enable()
        unit.select()
        extra = (vspe.Extra * 1)(vspe.Extra(address=False, index=6, value=99))
        unit.sample(load(extra_count=1, extra=extra))
        self.assertEqual(dict(packets(unit.memory[:128]))[0x9e], 99)

    def test_untranslated_buffers(self):
        seen = []
        unit = vspe.Unit(vspe.defaults(C.SPE_V1P5), write_untranslated=lambda to, data: seen.append((to.address, to.kind,
                         len(data))))
        unit.write(C.SYSREG_PMBMAR_EL1, 0xff)
        unit.enable()
        unit.write(C.SYSREG_PMBLIMITR_EL1, unit.BUFFER + unit.SIZE | 1 << 7 | 1)  # nVM, E
        unit.select()
        unit.sample(load())
        self.assertEqual(len(seen), 1)
        self.assertEqual(seen[0][:2], (unit.BUFFER, C.SPE_ADDRESS_PHYSICAL))
        self.assertEqual(unit.writes, [])


class Interrupts(Case):
    def test_full(self):
        unit = vspe.Unit()
        unit.enable(size=0x1000)
        for n in range(0x1000 // 64):
            self.assertFalse(unit.irq_level())
            self.assertEqual(unit.room(), 0x1000 - (n + 1) * 64)
            unit.select()
            unit.sample(load())
        self.assertTrue(unit.irq_level())
        self.assertEqual(unit.read(C.SYSREG_PMBSR_EL1), S | 1)  # BSC: buffer filled
        self.assertEqual((unit.enabled(), unit.budget()), (False, DISABLED))
        unit.write(C.SYSREG_PMBPTR_EL1, unit.BUFFER)
        unit.write(C.SYSREG_PMBSR_EL1, 0)
        self.assertEqual((unit.irq_level(), unit.enabled()), (False, True))
        self.assertEqual((unit.stats().records, unit.stats().full, unit.stats().lost), (64, 1, 0))

    def test_faults(self):
        for stage2, ec in ((False, 0x24), (True, 0x25)):
            controls = vspe.Controls(features=C.SYSREG_FEAT_SPE | C.SYSREG_FEAT_SPE_FNE | C.SYSREG_FEAT_EL2, el=1,
                                     mdcr_el2=3 << 12)
            unit = vspe.Unit(controls=controls, write=lambda *_: vspe.WriteResult(
                status=C.SPE_WRITE_FAULT, fsc=0x0f, stage2=stage2))
            unit.enable()
            unit.select()
            unit.sample(load())
            self.assertEqual(unit.read(C.SYSREG_PMBSR_EL1), ec << 26 | S | 0x0f)
            self.assertTrue(unit.irq_level())
            self.assertEqual(unit.read(C.SYSREG_PMBPTR_EL1), unit.BUFFER)
            self.assertEqual((unit.stats().faults, unit.stats().lost), (1, 1))

    def test_a_fault_in_the_middle(self):
        unit = vspe.Unit(write=lambda *_: vspe.WriteResult(status=C.SPE_WRITE_FAULT, written=20, fsc=0x07))
        unit.enable()
        unit.select()
        unit.sample(load())
        self.assertEqual(unit.read(C.SYSREG_PMBPTR_EL1), unit.BUFFER + 20)
        self.assertTrue(unit.read(C.SYSREG_PMBSR_EL1) & 1 << 19)  # DL

    def test_serror(self):
        raised = []
        unit = vspe.Unit(vspe.defaults(external_abort=C.SPE_ABORT_SERROR), serror=lambda: raised.append(1),
                         write=lambda *_: vspe.WriteResult(status=C.SPE_WRITE_EXTERNAL_ABORT))
        unit.enable()
        unit.select()
        unit.sample(load())
        self.assertEqual(raised, [1])

    def test_misuse_is_heard(self):
        heard = []
        unit = vspe.Unit(vspe.defaults(check=True), misuse=lambda what, why: heard.append((what, why)))
        unit.enable()
        unit.advance(unit.budget() + 1)
        unit.sample(load())
        self.assertEqual(heard, [(C.SPE_MISUSE_BUDGET, b"more operations passed than spe_budget()")])
        self.assertEqual(list(unit.stats().misuse), [0, 0, 1, 0])
        self.assertEqual(lib.spe_misuse_name(heard[0][0]), b"budget")

    def test_a_profiling_exception(self):
        controls = vspe.Controls(features=lib.spe_config_features(vspe.defaults(C.SPE_V1P5)), el=1)
        unit = vspe.Unit(vspe.defaults(C.SPE_V1P5), controls, write_untranslated=lambda *_: None)
        unit.enable(size=0x1000, pmscr=E1SPE | KE | 3 << 8)  # EE
        while not unit.read(C.SYSREG_PMBSR_EL1) & S:
            unit.select()
            unit.sample(load())
        syndrome = vspe.Syndrome()
        self.assertEqual(unit.exception_level(False, syndrome), 1)
        self.assertEqual(syndrome.ec, 0x3d)
        self.assertFalse(unit.irq_level())
        self.assertEqual(unit.exception_level(True, syndrome), 0)  # PSTATE.PM masks it


class State(Case):
    def busy(self, seed):
        """A unit in the middle of its work."""
        unit = vspe.Unit(vspe.defaults(pbt=True, in_flight=2, lifetime=700, seed=seed))
        unit.enable(1024 | RND, pmscr=E1SPE | TS)
        numbers = random.Random(seed)
        for _ in range(numbers.randrange(1, 60)):
            if unit.advance(numbers.randrange(1, 700)) == C.SPE_SELECTED:
                unit.sample(load())
        return unit

    def image(self, unit):
        size = unit.save(None, 0)
        data = (vspe.ctypes.c_uint8 * size)()
        self.assertEqual(unit.save(data, size), size)
        return bytes(data)

    def restore(self, unit, data):
        field = vspe.ctypes.c_char_p()
        return unit.restore(data, len(data), field), field.value

    def run_on(self, unit):
        """The results of the next operations."""
        unit.writes.clear()
        events = []
        for n in range(100):
            kind = unit.select()
            events.append((kind, unit.stats().population, unit.budget()))
            if kind == C.SPE_SELECTED:
                unit.sample(load(pc=0x1000 + n))
        return events, unit.writes[:], bytes(unit.memory[unit.writes[0][0] - unit.BUFFER:])

    def test_a_restored_unit_goes_on_as_the_saved_one(self):
        for seed in range(20):
            unit = self.busy(seed)
            data = self.image(unit)
            other = vspe.Unit(vspe.defaults(pbt=True, in_flight=2, lifetime=700, seed=99))
            self.assertEqual(self.restore(other, data), (0, None))
            self.assertEqual(self.image(other), data)
            population = unit.stats().population
            self.assertEqual(other.stats().population, population)
            self.assertEqual(self.run_on(other), self.run_on(unit))

    def test_too_small_a_buffer(self):
        unit = self.busy(1)
        data = self.image(unit)
        self.assertLessEqual(len(data), C.SPE_IMAGE_MAX)
        room = (vspe.ctypes.c_uint8 * len(data))(*[0xa5] * len(data))
        self.assertEqual(unit.save(room, len(data) - 1), len(data))
        self.assertEqual(bytes(room), b"\xa5" * len(data))

    def test_damage_is_refused_and_changes_nothing(self):
        unit = self.busy(2)
        data = self.image(self.busy(3))
        before = unit.unit.raw
        numbers = random.Random(4)
        for _ in range(300):
            bad = bytearray(data)
            bad[numbers.randrange(len(bad))] ^= 1 << numbers.randrange(8)
            self.assertLess(self.restore(unit, bytes(bad))[0], 0)
        for size in range(len(data)):
            self.assertLess(self.restore(unit, data[:size])[0], 0)
        self.assertEqual(self.restore(unit, data + b"\0")[0], -C.SPE_EIMAGE)
        self.assertEqual(self.restore(unit, b"")[0], -C.SPE_EIMAGE)
        self.assertEqual(unit.unit.raw, before)

    def test_another_configuration_is_refused_by_name(self):
        data = self.image(self.busy(5))
        other = vspe.Unit(vspe.defaults(pbt=True, in_flight=3, lifetime=700))
        self.assertEqual(self.restore(other, data), (-C.SPE_EIMAGECONFIG, b"in_flight"))

    def test_a_later_version_is_refused(self):
        data = self.image(self.busy(6))
        major, minor = struct.unpack_from("<HH", data, 8)
        for version in ((major, minor + 1), (major + 1, 0), (0, 0)):
            bad = data[:8] + struct.pack("<HH", *version) + data[12:]
            self.assertEqual(self.restore(self.busy(7), bad)[0], -C.SPE_EIMAGEVERSION)


class Independence(Case):
    def test_units_share_nothing(self):
        def run(units):
            for unit in units:
                unit.enable(1024 | RND, pmscr=E1SPE | TS)
            for n in range(50):
                for unit in units:
                    unit.select()
                    unit.sample(load(pc=n * 4))
            return [bytes(unit.memory) for unit in units]

        def make(seed):
            return vspe.Unit(vspe.defaults(seed=seed))
        together = run([make(1), make(2)])
        self.assertEqual(together, run([make(1)]) + run([make(2)]))

    def test_a_unit_can_be_moved(self):
        unit, moved = vspe.Unit(), vspe.Unit()
        unit.enable()
        unit.advance(100)
        moved.unit.raw = unit.unit.raw
        unit.unit.raw = b"\xff" * len(unit.unit)
        moved.select()
        moved.sample(load())
        self.assertEqual(unit.writes, [(unit.BUFFER, 64, 1)])  # through the host that it was set up with


if __name__ == "__main__":
    unittest.main()
