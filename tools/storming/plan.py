# SPDX-License-Identifier: BSD-2-Clause
"""What a seed is: a guest, switches of vspe run, the ways in which it is executed, and what happens to it meanwhile. A plan is data that
JSON can say; whatever of its lists is taken out leaves a plan."""
from storming import events, frame, steps
from storming.draw import Draw

SPE_WORDS = ["no-ernd", "no-lds", "align=64"]
ISA = [None, None, "all", "none", "all", "mops,hcx,lse2,uao", "pauth,bti", "lva,lpa,lpa2", "rng,ssbs,dit,sb"]


def draw_guest(d):
    el = d.choice([1, 1, 1, 2, 2, 3])
    guest = {
        "el": el, "cpus": d.choice([1, 1, 2, 2, 3, 4]), "spe": d.below(8) > 0, "pmu": d.below(3) > 0, "mmu": d.choice([14] * 10 + [2, 4, 0, 8]),
        "irqs": d.below(3) > 0, "gic": d.choice([0, 0xffffffff, 0xffffffff, d.bits(32)]), "virtio": 0, "events": d.below(8),
        "hcr": 1 << 31 | d.choice([0, 0, 1 << 27, 1 << 34 | 1 << 27, 3 << 13, d.bits() & 0x3ff]), "mdcr": d.choice([0x3007, 0x3007, 0x1006, d.bits(20)]),
        "scr": d.choice([0x5b1, 0x5b1, 0x5b0, 0x405b1]), "exceptions": d.choice([300, 3000, 30000]), "rounds": d.choice([1, 3, 60, 300]),
        "modes": [d.choice([0, 0, 0x3c0, 5, 4, 9, 0x3c9, 13, 0x305, 0x80000000]) for _ in range(4)],
        "registers": [d.value() if d.below(3) else steps.address(d) for _ in range(22)],
        "pages": [steps.page_entry(d) for _ in range(d.choice([16, 64, 128]))],
    }
    return guest


def draw_switches(d, guest):
    """Words of vspe run, in groups that stand for themselves."""
    switches = [["--seed", str(d.below(1000))]]
    if guest["el"] < 3 and d.chance(5):
        switches.append([d.choice(["--secure", "--realm"])])
    pmu = d.choice(["v3p1", "v3p4", "v3p5", "v3p7", "v3p8", "v3p9", "v3p9"])
    if guest["spe"]:
        words = [d.choice(["v1p0", "v1p1", "v1p2", "v1p3", "v1p4", "v1p5"]), "check", *d.some(SPE_WORDS, 2)]
        if words[0] >= "v1p4" and guest["pmu"] and pmu == "v3p9":
            words.append("dpfzs")
        switches.append(["--spe", ",".join(words)])
    else:
        switches.append(["--no-spe"])
    if guest["pmu"]:
        switches.append(["--pmu", pmu])
    if d.chance(3):
        switches.append(["--model", d.choice(["full", "warm"])])
    if d.chance(4):
        switches.append(["--unknown", str(d.below(1000))])
    isa = d.choice(ISA)
    if isa:
        switches.append(["--isa", isa])
    devices = d.some([["--disk", "disk,snapshot"], ["--disk", "disk,ro,serial=storm"], ["--rng"], ["--console", "virtio"]], 3)
    guest["virtio"] = len(devices)
    if d.chance(4):
        switches.append(["--numa", d.choice(["1", "2", "4", "1M:latency=500:remote=900,1M,latency=50"])])
    return switches + devices


def draw_plan(seed):
    d = Draw(seed)
    guest = draw_guest(d)
    switches = draw_switches(d, guest)
    kinds = [(row[0] if d.below(4) else 4 * row[0], row[1]) for row in steps.KINDS if row[1].__name__ != "wild" or d.chance(3)]
    if not guest["virtio"]:
        kinds = [row for row in kinds if not row[1].__name__.startswith("virtio")]
    first = [row for row in kinds if row[1] in (steps.profile, steps.virtio_setup)] if d.below(4) else []
    guest["steps"] = [steps.draw(d, guest, first) for _ in range(min(3, len(first) * 3))]
    guest["steps"] += [steps.draw(d, guest, kinds) for _ in range(d.choice([20, 60, 120]))]
    operations = d.choice([3000, 20000, 20000, 60000, 200000])
    return {"seed": seed, "guest": guest, "switches": switches, "operations": operations,
            "ways": d.some([["--jit", "off"], ["--single-step"]], 2), "stops": sorted(d.between(1, operations) for _ in range(d.choice([0, 1, 1, 2]))),
            "events": events.draw(d, 3) if d.chance(2) else []}


def guest_bytes(plan):
    return frame.image(plan["guest"])
