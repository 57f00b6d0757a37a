"""Plug-ins as others write them: in plain C and in Rust, for the seam of today and tomorrow."""

import unittest

from program import PLUGINS, ProgramTest, row

# The same simulation, in one language and the other; and with less, and with more, in its table.
LANGUAGES = [name for name in ("tanks_c", "tanks_rust")
             if (PLUGINS / f"libisotick_{name}.so").exists()]
VERSIONS = ("tanks_plain", "tanks_future")
SESSION = "--ticks 120 --config leak=5 --parts-every 1"


class Tanks(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("s.isotick", f"--sim ./tanks_c.so {SESSION}")


class Languages(Tanks):
    """Each test is for every language; what one recorded, the others verify."""

    each = [f"--sim ./{name}.so" for name in LANGUAGES]

    def test_record_the_same_bytes(self):
        for sim in self.each:
            self.ends(0, f"record {sim} --force -o r.isotick {SESSION}")
            self.assertEqual(self.content("r.isotick"), self.content("s.isotick"))

    def test_clean_ones_are_silent(self):
        for sim in self.each:
            self.ends(0, f"verify s.isotick {sim} --trials 20", "IDENTICAL  20 of 20")
            self.ends(0, f"audit s.isotick {sim}", "8 of 8 restored states behave")

    def test_a_changed_build_is_found_at_its_tick_and_field(self):
        for sim in self.each:
            self.path("good.state").unlink(missing_ok=True)
            self.path("bad.state").unlink(missing_ok=True)
            self.ends(0, f"replay s.isotick {sim} --until 77 --state good.state")
            run = self.ends(1, f"replay s.isotick {sim} --state bad.state "
                            "--environment fault=build --environment at=77",
                            "\nDIVERGED  at tick 77\n")
            self.assertTrue(row(run.out, "differs in").startswith("levels; "), run.out)
            run = self.ends(1, "diff good.state bad.state", 
                            "\n  differs in  levels (1 field); a → b\n")
            self.assertRegex(run.out, r"\n              levels\[2\]  \d+ → \d+\n")

    def test_rendering_that_leaks_is_found_at_its_tick_and_field(self):
        for sim in self.each:
            leak = f"{sim} --environment fault=render --environment at=30"
            self.ends(0, f"record {leak} --force -o leak.isotick --ticks 120")
            run = self.ends(1, f"replay leak.isotick {leak} --schedule 240hz",
                            "\nDIVERGED  at tick 31\n")
            self.assertRegex(run.out, r"\n {14}random +\d+ → \d+\n")

    def test_bad_settings_are_refused_in_its_own_words(self):
        for sim in self.each:
            self.refuses(f"record {sim} -o no.isotick --config leak=101",
                         "leak is not a whole number from 0 to 100")
            self.refuses(f"record {sim} -o no.isotick --config leek=1",
                         "there is no setting but leak")

    def test_as_processes(self):
        for name in LANGUAGES:
            self.ends(0, f"verify s.isotick --sim 'exec:isotick serve --sim ./{name}.so' "
                         "--trials 5", "IDENTICAL")


class Visitor(Tanks):
    """tanks.c as it stands: visitor.h makes hashes, snapshots and fields from one description."""

    sim = "--sim ./tanks.so"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("v.isotick", f"{cls.sim} {SESSION}")

    def test_a_clean_one_is_silent(self):
        self.ends(0, f"sims --check {self.sim[6:]}", "PASSED")
        self.ends(0, f"verify v.isotick {self.sim} --trials 20", "IDENTICAL  20 of 20")
        self.ends(0, f"audit v.isotick {self.sim}", "8 of 8 restored states behave")

    def test_the_fields_are_those_written_by_hand(self):
        self.ends(0, f"replay v.isotick {self.sim} --until 77 --state v.state")
        self.ends(0, "replay s.isotick --sim ./tanks_c.so --until 77 --state hand.state")
        self.ends(0, "diff v.state hand.state", "IDENTICAL  same fields")

    def test_a_leak_is_named(self):
        leak = f"{self.sim} --environment fault=render --environment at=30"
        self.record("leak.isotick", f"{leak} --ticks 120")
        run = self.ends(1, f"verify leak.isotick {leak} --trials 5 --perturb none",
                        "\n  when        tick 31")
        self.assertRegex(row(run.out, "differs in"),
                         r"^levels \(\d+ fields?\), random \(1 field\); ")
        self.assertRegex(run.out, r"\n              levels\[0\]  \d+ → \d+\n")
        self.assertRegex(run.out, r"\n              random  \d+ → \d+\n")


class Versions(Tanks):
    def test_plugins_that_can_do_less_or_more_verify(self):
        for name in VERSIONS:
            with self.subTest(name):
                self.ends(0, f"verify s.isotick --sim ./{name}.so --trials 5", "IDENTICAL  5 of 5")
                self.ends(0, f"record --sim ./{name}.so --force -o r.isotick {SESSION}")
                self.assertEqual(self.content("r.isotick"), self.content("s.isotick"))
                self.ends(1, f"replay s.isotick --sim ./{name}.so --environment fault=build",
                          "\nDIVERGED  at tick 20\n")

    def test_what_a_plugin_cannot_do_is_not_asked_of_it(self):
        for name in VERSIONS:
            has = row(self.ends(0, f"sims ./{name}.so").out, "has")
            young = name != "tanks_plain"
            self.assertEqual("snapshots" in has and "fields" in has, young, name)
            self.ends(0 if young else 4, f"audit s.isotick --sim ./{name}.so")
            self.ends(0, f"export s.isotick --sim ./{name}.so")


if __name__ == "__main__":
    unittest.main()
