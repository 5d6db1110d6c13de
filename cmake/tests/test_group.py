#!/usr/bin/env python3
"""Tests of group.py: what it says and returns of tests that pass, fail, die, hang or are not there."""

import subprocess
import sys
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent.parent / "group.py"

# Stands for mpiexec and the program of a room.
PROGRAM = """
import os, sys, time
bad = 0
for test in sys.argv[1:]:
    name, *arguments = test.split()
    if arguments == ["missing"]:
        sys.exit(9)
    print("group: begin", name, flush=True)
    if arguments == ["die"]:
        os.abort()
    if arguments == ["hang"]:
        time.sleep(60)
    print("words of", name)
    bad |= arguments == ["fail"]
    print("group: end", name, "FAILED" if arguments == ["fail"] else "ok", "0.1 s", flush=True)
sys.exit(bad)
"""


class Group(unittest.TestCase):
    def run_group(self, *tests, seconds="20"):
        done = subprocess.run([sys.executable, SCRIPT, seconds, sys.executable, "-c", PROGRAM, "--", *tests], check=False,
                              stdout=subprocess.PIPE, text=True)
        return done.returncode, done.stdout

    def test_all_are_well(self):
        status, said = self.run_group("a", "b -with words")
        self.assertEqual(status, 0)
        self.assertIn("2 of 2 tests ran, 2 are well", said)
        self.assertIn("words of b", said)

    def test_a_failed_check_is_named_and_the_others_run(self):
        status, said = self.run_group("a fail", "b")
        self.assertEqual(status, 1)
        self.assertIn("2 of 2 tests ran, 1 are well\nFAILED a: checks are false\n", said)

    def test_a_crash_is_named_and_the_others_run(self):
        status, said = self.run_group("a", "b die", "c fail", "d die", "e")
        self.assertEqual(status, 1)
        self.assertIn("5 of 5 tests ran, 2 are well\n", said)
        self.assertIn("FAILED b: the program ended in it with status -6\nFAILED c: checks are false\nFAILED d: the program", said)
        self.assertIn("words of e", said)

    def test_silence_ends_a_test_and_the_others_run(self):
        status, said = self.run_group("a", "b hang", "c", seconds="3")
        self.assertEqual(status, 1)
        self.assertIn("FAILED b: no word of it for 3 s", said)
        self.assertIn("words of c", said)

    def test_a_test_that_does_not_begin_ends_the_entry_and_the_rest_is_named(self):
        status, said = self.run_group("a", "b missing", "c")
        self.assertEqual(status, 1)
        self.assertIn("1 of 3 tests ran; not run: b, c\n", said)
        self.assertIn("FAILED start of b: the program ended with status 9", said)


if __name__ == "__main__":
    unittest.main()
