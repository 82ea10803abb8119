# SPDX-License-Identifier: BSD-2-Clause
"""What a64/generate.py says of a table that is wrong: of which line, and what."""
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[3] / "a64"
_spec = importlib.util.spec_from_file_location("generate", SOURCE / "generate.py")
generate = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(generate)

HEAD = """%feature BASE
%class OTHER LOAD
%address NONE BASE
%when ALWAYS HOLDS
?small  imm8 < 9
[ALL --------------------------------]
@plain  op:2 0000 000000 imm8:8 s:1 0 rn:5 rd:5
"""
LINE = HEAD.count("\n") + 1


def table_of(*texts):
    return generate.Table(("t.table", text) for text in texts)


class Errors(unittest.TestCase):
    def wrong(self, text, says, line=None):
        with self.assertRaises(generate.Wrong) as caught:
            table = table_of(HEAD + text)
            generate.make_source(table)
            generate.make_execute(table)
        self.assertIn(says, str(caught.exception))
        self.assertEqual(caught.exception.line, ("t.table", LINE if line is None else line))

    def test_formats_have_32_bits(self):
        self.wrong("@short 0000 rn:5\n", "9 bits, not 32")
        self.wrong("@long " + "0" * 33 + "\n", "more than 32 bits")
        self.wrong("@wide a:5 b:28\n", "does not fit into 32 bits")
        self.wrong("@odd 0x" + "0" * 30 + "\n", "neither bits nor a field")
        self.wrong("@twice a:16 a:16\n", "a is there twice")
        self.wrong("@fact bytes:16 " + "0" * 16 + "\n", "cannot be called bytes")

    def test_rows_do_not_overlap(self):
        self.wrong("A plain op=01\nB plain op=0.\n", "B overlaps A of t.table:8", LINE + 1)
        table_of(HEAD + "A plain op=01\nB plain op=0. rest\n")

    def test_names_are_known_and_new(self):
        self.wrong("A plain op=01 class=FISH\n", "FISH is no class")
        self.wrong("A plain op=01 feature=SWIM\n", "SWIM is no feature")
        self.wrong("A plain op=01 check=big\n", "no check big")
        self.wrong("A plane op=01\n", "no format plane")
        self.wrong("A plain opc=01\n", "opc is neither a fact nor a field of plain")
        self.wrong("A plain fish\n", "fish is neither a fact nor a field")
        self.wrong("a plain op=01\n", "no name of a row")
        self.wrong("A plain op=01\nA plain op=10\n", "there is a A already", LINE + 1)
        self.wrong("@plain " + "0" * 32 + "\n", "there is a plain already")
        self.wrong("%class LOAD\n", "there is a LOAD already")
        self.wrong("%colour RED\n", "colour has no words")

    def test_fields_have_their_width(self):
        self.wrong("A plain op=011\n", "op has 2 bits, not 011")
        self.wrong("A plain op=2\n", "op has 2 bits, not 2")

    def test_facts_make_sense(self):
        self.wrong("A plain address=BASE\n", "an address, but no bytes")
        self.wrong("A plain address=BASE bytes=3\n", "not 3")
        self.wrong("A plain address=BASE bytes=4<<sz\n", "plain has no field sz")
        self.wrong("A plain address=BASE bytes=4 count=9\n", "count is 1 to 8")
        self.wrong("A plain target=imm26\n", "plain has no field imm26")
        self.wrong("A plain when=HOLDS\n", "plain has no field cond")
        self.wrong("A plain order=s,a\n", "plain has no field a")
        self.wrong("A plain exec=a:b:c:d\n", "at most two operations")
        self.wrong("?odd size == 1\nA plain check=odd\n", "has no field size")

    def test_rows_are_in_their_group(self):
        self.wrong("[HIGH 1-------------------------------]\nA plain op=0.\n", "not all of A is in the group HIGH",
                   LINE + 1)

    def test_rows_of_groups_that_share_words_do_not_overlap_either(self):
        self.wrong("A plain op=01\n[LOW 0-------------------------------]\nB plain op=01\n", "B overlaps A", LINE + 2)

    def test_a_row_may_have_what_the_check_of_another_reserves(self):
        table_of(HEAD + "?some s != 1 && imm8 != 3\nA plain op=01 check=some\nB plain op=01 s=1\n"
                 "C plain op=01 s=0 imm8=00000011\n")
        self.wrong("?some s != 1 || imm8 != 3\nA plain op=01 check=some\nB plain op=01 s=1\n", "B overlaps A", LINE + 2)
        self.wrong("?some s != 1\nA plain op=01 check=some\nB plain op=01 s=0\n", "B overlaps A", LINE + 2)

    def test_a_group_has_facts_for_its_rows(self):
        table = table_of(HEAD + "[LOW 0-------------------------------] class=LOAD carry\n"
                         "A plain op=00\nB plain op=01 class=OTHER\n")
        self.assertEqual([row.facts["class"] for row in table.rows.values()], ["LOAD", "OTHER"])
        self.assertIn("carry", table.rows["A"].flags)

    def test_a_second_table_goes_on_from_the_first(self):
        first = "A plain op=01\n"
        second = "@more 1 code:31\nB more code=" + "1" * 31 + "\n"
        table = table_of(HEAD + first, second)
        self.assertEqual(list(table.rows), ["A", "B"])
        with self.assertRaises(generate.Wrong) as caught:
            generate.Table([("first", HEAD + first), ("second", "\n" + first)])
        self.assertEqual(str(caught.exception.line), "second:2")

    def test_the_first_table_says_where_a_common_field_is(self):
        table = generate.Table([("first", HEAD), ("second", "@more 1 rn:31\n@other zd:1 " + "0" * 31 + "\n")])
        self.assertEqual({f.name: f.lsb for f in table.common_fields()},
                         {"imm8": 12, "op": 30, "rd": 0, "rn": 5, "s": 11, "zd": 31})

    def test_a_row_decodes(self):
        table = table_of(HEAD + "A plain op=01 check=small class=LOAD address=BASE bytes=4<<s exec=load:x nzcv\n")
        row = table.rows["A"]
        self.assertEqual((row.mask, row.value), (0xfff00400, 0x40000000))
        self.assertEqual(generate.bytes_of(row, "bytes"), (2, 11, 1))
        self.assertIn("A64_EXECUTE(A, load, x, nop)", generate.make_execute(table))
        self.assertIn("f.imm8 < 9", generate.make_source(table))

    def test_the_message_has_file_and_line(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "t.table")
            pathlib.Path(path).write_text(HEAD + "A plain op=2\n", encoding="utf-8")
            done = subprocess.run([sys.executable, "-B", SOURCE / "generate.py", path, os.path.join(folder, "out")],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"{path}:{LINE}: error: op has 2 bits, not 2", done.stderr)
            self.assertFalse(os.path.exists(os.path.join(folder, "out")))


if __name__ == "__main__":
    unittest.main()
