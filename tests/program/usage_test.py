"""Exit code 2: what the user asked for makes no sense, and nothing is done."""

import unittest

from program import ProgramTest

RECORD = "record -o new.isotick"


class Usage(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("spring.isotick", "--sim spring --ticks 40")
        cls.record("faulty.isotick", "--sim ./faulty.so --ticks 40")

    def tearDown(self):
        self.assertFalse(self.path("new.isotick").exists())

    def test_commands_that_do_not_exist(self):
        self.refuses("", "a command is missing: sims, loops, record, replay")
        self.refuses("frobnicate", "unknown command 'frobnicate'; there are sims, loops")
        self.refuses("sims spring record", "not expected: record")

    def test_names_that_are_nearly_right_are_asked_about(self):
        self.refuses("verfiy s.isotick", "audit, serve, bisect; did you mean verify? (see")
        self.refuses("verify s.isotick --trails 7", "--trails; did you mean --trials? (see")
        self.refuses("verify s.isotick --trails=7", "; did you mean --trials? (see")
        for far in ("frobnicate", "verify s.isotick --frobnicate", "diff a b c"):
            self.assertNotIn("did you mean", self.isotick(far).err)

    def test_help_and_version_as_other_programs_have_them(self):
        self.assertEqual(self.ends(0, "help").out, self.ends(0, "--help").out)
        self.assertEqual(self.ends(0, "help verify").out, self.ends(0, "verify --help").out)
        self.refuses("help verfiy", "unknown command 'verfiy'; there are")
        self.assertEqual(self.ends(0, "-V").out, self.ends(0, "--version").out)

    def test_options_that_do_not_exist_name_the_commands_help(self):
        self.refuses("verify spring.isotick --frobnicate", "--frobnicate (see isotick verify --h")
        self.refuses("diff a b c", "not expected: c")
        self.refuses("--frobnicate", "(see isotick --help)")

    def test_what_is_missing(self):
        self.refuses(RECORD, "--sim is required")
        self.refuses("record --sim spring", "--output is required")
        self.refuses("record --sim spring -o ''", "--output: the name of a file is missing")
        self.refuses("verify", "recordings is required")
        self.refuses("diff spring.isotick", "b is required")

    def test_values_that_are_missing_or_given_twice(self):
        self.refuses("verify spring.isotick --trials", "--trials: a value is missing (NUMBER)")
        self.refuses("verify spring.isotick --jobs 1 --jobs 2", "--jobs: given more than once")

    def test_simulations_that_do_not_exist(self):
        self.refuses(f"{RECORD} --sim sprong", "unknown simulation 'sprong'; built in are control:")
        self.refuses(f"{RECORD} --sim ''", "unknown simulation ''")
        self.refuses(f"{RECORD} --sim ./none.so", "./none.so: there is no such shared library")

    def test_configurations(self):
        skirmish = f"{RECORD} --sim skirmish --config"
        self.refuses(f"{skirmish} unit=5", "unknown config key 'unit'; known keys: units")
        self.refuses(f"{skirmish} units=many", "units=many is not a whole number from 2 to")
        self.refuses(f"{skirmish} units=1", "units=1 is not a whole number from 2 to 100000")
        self.refuses(f"{skirmish} units", "--config: 'units' is not of the form key=value")
        self.refuses(f"{skirmish} =5", "--config: ")
        self.refuses(f"{RECORD} --sim spring --environment x", "--environment: 'x' is not of")
        self.refuses(f"{RECORD} --sim spring --note x", "--note: 'x' is not of the form")

    def test_players(self):
        for number in (0, 1, 65):
            self.refuses(f"{RECORD} --sim skirmish --players {number}",
                         f"skirmish takes 2 to 64 players, not {number}")
        self.refuses(f"{RECORD} --sim skirmish --players -2", "--players: '-2' is not")

    def test_schedules_that_are_nonsense(self):
        for text in ("sometimes", "1x", "60hz, 1ms", "0x5ms", "jitter(60hz)", "5parsecs"):
            for command in (f"{RECORD} --sim spring", "replay spring.isotick",
                            "verify spring.isotick"):
                self.refuses(f"{command} --schedule '{text}'", "--schedule: at column ")

    def test_a_schedule_in_which_no_time_passes_leaves_no_file(self):
        self.refuses_after_work(f"{RECORD} --sim spring --ticks 10 --schedule 0ms",
                                "too little time passes in it")

    def refuses_after_work(self, command, says):
        self.assertEqual(self.ends(2, command, says).out, "")

    def test_inputs_and_bots(self):
        self.refuses(f"{RECORD} --sim spring --inputs keyboard", "--inputs: inputs come from 'bot'")

    def test_a_recording_that_exists_is_kept(self):
        before = self.content("spring.isotick")
        self.refuses("record --sim spring -o spring.isotick",
                     "spring.isotick exists; nothing was written (--force replaces it)")
        self.assertEqual(self.content("spring.isotick"), before)

    def test_a_folder_is_not_replaced(self):
        self.path("folder").mkdir()
        for force in ("", "--force"):
            self.refuses(f"record --sim spring -o folder {force}", "folder is a directory")

    def test_a_recording_of_another_simulation(self):
        for command in ("replay", "verify"):
            self.refuses(f"{command} spring.isotick --sim skirmish",
                         "spring.isotick: the recording is of 'spring', the simulation is 'skirm")
            self.refuses(f"{command} faulty.isotick",
                         "faulty.isotick: names the simulation 'faulty', but built in are")


class Plugins(ProgramTest):
    REASONS = {
        "bad_symbol": "exports no function isotick_simulation_entry",
        "bad_newer": "abi_version 2, this isotick speaks version 1",
        "bad_null": "cannot be used: it is null",
        "bad_hash": "cannot be used: hash is null",
    }

    def test_tables_that_cannot_be_used(self):
        for name, reason in self.REASONS.items():
            for command in ("sims", "record -o new.isotick --sim"):
                self.refuses(f"{command} ./{name}.so", f"./{name}.so: ")
                self.refuses(f"{command} ./{name}.so", reason)
            self.assertFalse(self.path("new.isotick").exists())

    def test_files_that_are_no_libraries(self):
        self.path("text.so").write_text("not a library", encoding="utf-8")
        self.path("folder.so").mkdir()
        self.refuses("sims ./text.so", "./text.so: cannot be loaded: ")
        self.refuses("sims text.so", "text.so: cannot be loaded: ")
        self.refuses("sims ./folder.so", "this is not a file, so not a shared library")

    def test_libraries_for_another_machine(self):
        other = bytearray(self.content("faulty.so"))
        other[18] ^= 0x40  # e_machine
        self.path("other.so").write_bytes(other)
        self.refuses("sims ./other.so", "./other.so: cannot be loaded: ")


if __name__ == "__main__":
    unittest.main()
