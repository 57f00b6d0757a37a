"""The values of --environment may be secrets: files and JSON have them only where asked to."""

import unittest

from program import ProgramTest, some

SECRET = "hunter2-7c1e"
SHOW = "--with-environment"
FAILS = f"--sim ./faulty.so --environment fault=build --environment token={SECRET}"
VERIFIES = f"verify f.isotick {FAILS} --trials 3"
PEERS = f"lockstep --sim ./faulty.so --peers 2 --ticks 60 --trials 1 --environment token={SECRET}"

# What ends with 1 and shows settings.
JSON = (VERIFIES,
        f"why f.isotick {FAILS} --trials 3",
        f"replay f.isotick {FAILS}",
        f"{PEERS} --peer-sim 1=./other_build.so")
FILES = (f"{VERIFIES} --report {{}}",
         f"{VERIFIES} --json --report {{}}",
         f"why f.isotick {FAILS} --trials 3 -o {{}}")
# These show none, so there is nothing to ask for.
SILENT = ((1, f"bisect ticks f.isotick ./faulty.so --environment token={SECRET} "
              "--environment fault=build"),
          (1, f"bisect step f.isotick {FAILS}"),
          (0, f"audit f.isotick --sim ./faulty.so --environment token={SECRET}"),
          (0, f"sims --check ./faulty.so --environment token={SECRET}"))


class Environment(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record("f.isotick", "--sim ./faulty.so --ticks 60")

    def bytes_in(self, name):
        """Names and bytes of a file, or of all that is in a folder."""
        place = self.path(name)
        files = [place] if place.is_file() else [one for one in place.rglob("*") if one.is_file()]
        self.assertTrue(files, name)
        return b"".join(str(one.relative_to(self.folder)).encode() + b"\n" + one.read_bytes()
                        for one in files)

    def files_of(self, code, command, name):
        before = {path.name for path in self.folder.iterdir()}
        run = self.ends(code, command.format(name))
        # Files that nobody named, such as the plan of a long session, are looked at too.
        new = {path.name for path in self.folder.iterdir()} - before
        self.assertIn(name, new, run)
        return b"".join(self.bytes_in(one) for one in new), run

    def test_json_has_no_value(self):
        for command in some(JSON, 1):
            with self.subTest(command=command):
                run = self.ends(1, f"{command} --json")
                self.assertNotIn(SECRET, run.out)
                self.assertIn("token=…", run.out)
                self.assertIn(SECRET, self.ends(1, f"{command} --json {SHOW}").out)

    def test_files_have_no_value(self):
        for number, command in enumerate(some(FILES, 1)):
            with self.subTest(command=command):
                found, _ = self.files_of(1, command, f"without{number}")
                self.assertNotIn(SECRET.encode(), found)
                found, _ = self.files_of(1, f"{command} {SHOW}", f"with{number}")
                self.assertIn(SECRET.encode(), found)

    def test_a_minimized_recording_has_no_value(self):
        for number, how in enumerate(("", "--json", f"--json {SHOW}")):
            with self.subTest(how=how):
                found, run = self.files_of(0, f"minimize f.isotick {FAILS} -o {{}} {how}",
                                           f"smaller{number}.isotick")
                self.assertNotIn(SECRET.encode(), found)
                if how:
                    self.assertEqual(SECRET in run.out, SHOW in how, run.out)

    def test_a_recording_has_no_value(self):
        found, _ = self.files_of(0, f"record --sim ./faulty.so --environment token={SECRET} "
                                    "--ticks 20 -o {}", "recorded.isotick")
        self.assertNotIn(SECRET.encode(), found)
        found, _ = self.files_of(0, f"{PEERS} -o {{}} {SHOW}", "peers")
        self.assertNotIn(SECRET.encode(), found)

    def test_what_shows_no_settings_shows_no_value(self):
        for code, command in SILENT:
            with self.subTest(command=command):
                self.assertNotIn(SECRET, self.ends(code, f"{command} --json").out)

    def test_a_page_that_lacks_values_says_how_to_get_them(self):
        self.files_of(1, f"why f.isotick {FAILS} --trials 3 -o {{}}", "page")
        for name in ("why.txt", "why.md", "why.json", "reproduce.sh"):
            with self.subTest(name=name):
                self.assertIn(SHOW.encode(), self.content(f"page/{name}"))

    def test_the_terminal_shows_what_was_typed_there(self):
        run = self.ends(1, f"why f.isotick {FAILS} --trials 3")
        self.assertIn(f"--environment token={SECRET}", run.out)
        self.assertNotIn(SHOW, run.out)


if __name__ == "__main__":
    unittest.main()
