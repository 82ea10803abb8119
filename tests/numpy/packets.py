# SPDX-License-Identifier: BSD-2-Clause
"""Made-up sample records with known fields: each kind of packet, of each size, of format 0 (Arm ARM D18.2), v1p0 to
v1p5."""
import random

BIT = {"pc": 0x1, "target": 0x2, "data_va": 0x4, "data_pa": 0x8, "previous": 0x10, "contextidr_el1": 0x20, "contextidr_el2": 0x40,
       "total_latency": 0x80, "issue_latency": 0x100, "translation_latency": 0x200, "alternate_latency": 0x400, "events": 0x800,
       "operation": 0x1000, "data_source": 0x2000, "timestamp": 0x4000, "extra": 0x8000}
UNKNOWN, NO_END, TOO_LONG, CUT, REPEATED = 1, 2, 4, 8, 16


def le(value, size):
    return value.to_bytes(size, "little")


def header(first, index):
    """The header of a Counter or Address packet: short up to index 7, else extended by its bits [4:3]."""
    return bytes([first | index]) if index < 8 else bytes([0x20 | index >> 3, first | index & 7])


def code(chance, name, index):
    """An address of instructions: bits [55:0], NSE, EL and NS; the top byte in a record is that of bit 55."""
    value, el, ns, nse = chance.getrandbits(56), chance.randrange(4), chance.randrange(2), chance.randrange(2)
    payload = value | nse << 60 | el << 61 | ns << 63
    fields = {name: value | (0xff << 56 if value >> 55 else 0), f"{name}_el": el, f"{name}_ns": ns, f"{name}_nse": nse}
    return header(0xb0, index) + le(payload, 8), name, fields


def physical(chance):
    value, tag, nse, checked, ns = chance.getrandbits(56), *(chance.randrange(n) for n in (16, 2, 2, 2))
    payload = value | tag << 56 | nse << 60 | checked << 62 | ns << 63
    return b"\xb3" + le(payload, 8), "data_pa", {"data_pa": value, "tag": tag, "pa_nse": nse, "tag_checked": checked, "pa_ns": ns}


def plain(chance, name, first, size, **more):
    value = chance.getrandbits(8 * size)
    return bytes([first]) + le(value, size), name, {name: value, **more}


def extra(chance, index, address):
    size = 8 if address else 2
    value = chance.getrandbits(8 * size)
    return header(0xb0 if address else 0x98, index) + le(value, size), "extra", {"extra": (address, index, value)}


def kinds(chance):
    """One packet of each kind, form and size: (bytes, name of its bit, fields)."""
    yield from (code(chance, name, index) for name, index in (("pc", 0), ("target", 1), ("previous", 4)))
    yield plain(chance, "data_va", 0xb2, 8)
    yield physical(chance)
    yield from (plain(chance, name, first, 4) for name, first in (("contextidr_el1", 0x64), ("contextidr_el2", 0x65)))
    yield from (plain(chance, f"{name}_latency", 0x98 + index, 2) for name, index in
                (("total", 0), ("issue", 1), ("translation", 2), ("alternate", 4)))
    yield from (plain(chance, "events", first, size, events_size=size) for first, size in ((0x42, 1), (0x52, 2), (0x62, 4), (0x72, 8)))
    yield from (plain(chance, "data_source", first, size, source_size=size) for first, size in ((0x43, 1), (0x53, 2)))
    for first in 0x48, 0x49, 0x4a:
        payload = chance.randrange(256)
        yield bytes([first, payload]), "operation", {"type_header": first, "type_payload": payload}
    for index in (3, 5, 6, 7, 8, 16, 23, 31):
        yield extra(chance, index, False)
        if index != 3:
            yield extra(chance, index, True)


def record(packets, end=b"\x01", left=b""):
    """The bytes and fields of a record of packets, then of left, the beginning of a record that was cut off."""
    data, fields, extras, has, repeated, damage = b"", {}, [], 0, 0, 0
    for packet, name, says in packets:
        data += packet
        if name is None:  # of unknown kind
            damage |= UNKNOWN
            fields["unknown_packets"] = fields.get("unknown_packets", 0) + 1
            fields["unknown_bytes"] = fields.get("unknown_bytes", 0) + len(packet)
        elif name == "extra":
            if any(says["extra"][:2] == other[:2] for other in extras):
                repeated |= BIT[name]
            else:
                extras.append(says["extra"])
            has |= BIT[name]
        elif has & BIT[name]:
            repeated |= BIT[name]
        else:
            has |= BIT[name]
            fields.update(says)
    if repeated:
        damage |= REPEATED
    if extras:
        fields["extra_count"] = len(extras)
    data += end + left
    if end[:1] == b"\x71":
        has |= BIT["timestamp"]
        fields["timestamp"] = int.from_bytes(end[1:], "little")
    if not end:
        damage |= NO_END | (CUT if left else 0)
        fields["cut_bytes"] = len(left)
    fields.update(has=has, repeated=repeated, damage=damage, size=len(data))
    return data, fields, extras[:8]


def ends(chance):
    return [b"\x01", b"\x71" + le(chance.getrandbits(64), 8)]


def each(seed=1):
    """Each kind alone, and twice, with either end; then random records of several."""
    chance = random.Random(seed)
    for end in ends(chance):
        yield record([], end)
        for packet in kinds(chance):
            yield record([packet], end)
            yield record([packet, packet], end)
        # Unassigned headers: their size is still known.
        for unknown in (b"\x47\x01", b"\x57\x01\x02", b"\x67" + bytes(4), b"\x77" + bytes(8), b"\x2f\x98\x01\x02", b"\x21\x42\x01"):
            yield record([(unknown, None, {})], end)
    for _ in range(400):
        yield record(some(chance), chance.choice(ends(chance)))


def some(chance):
    packets = chance.sample(list(kinds(chance)), chance.randrange(1, 12))
    if chance.random() < 0.1:
        packets.append((b"\x47\x01", None, {}))
    return packets


def cuts(seed=2):
    """A record cut off after each of its bytes but the last: (bytes, fields, extras)."""
    chance = random.Random(seed)
    packets, end = list(kinds(chance)), ends(chance)[1]
    whole = b"".join(packet for packet, _, _ in packets) + end
    for cut in range(1, len(whole)):
        kept, at = [], 0
        for packet in packets:
            if at + len(packet[0]) > cut:
                break
            kept.append(packet)
            at += len(packet[0])
        yield record(kept, b"", whole[at:cut])
