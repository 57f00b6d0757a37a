"""isotick bisect build: the unit, the function, the tick and the field that other flags change."""

import unittest

from sources import (COMPILER, SUMS_INSIDE, UNITS, UnitsTest, build_project, long_form, some,
                     units_of)


# A function that only says which static functions are to be called, as constraints of physics do.
POINTS = """
#include "world.h"
struct table {{
    float (*apply)(float value, float large);
}};
static __attribute__((noinline)) float added(float value, float large) {{
    return (value + large) - large;
}}
static float apply(float value, float large) {{
    return added(value, large) * (large > 0.0f ? 1.0f : 2.0f);
}}
static const struct table table = {{apply}};
void unit{n}_init(const struct table** out) {{
    *out = &table;
}}
float unit{n}_half(float value) {{
    return value != value ? 0.0f : value * 0.5f;
}}
void unit{n}_step(struct cell* cell, uint64_t tick) {{
    const struct table* found = 0;
    unit{n}_init(&found);
    cell->value = tick < 12 ? unit{n}_half((float)tick) : found->apply(0.3f, 16777216.0f);
}}
"""


class Build(UnitsTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, sources in (("one", units_of({7: 12})), ("two", units_of({4: 20, 13: 5})),
                              ("clean", units_of()),
                              ("inside", units_of({7: 12}, SUMS_INSIDE))):
            cls.record_with(name, cls.project(name, sources))

    def test_names_unit_function_tick_and_field(self):
        said = self.read_json(1, self.command("one"))
        self.assertEqual(self.found(said), [
            (["unit7.c"], 12, ["cells[*].value"], [["unit7_sum"]])])
        one = said["culprits"][0]
        self.assertEqual(one["fields"]["listed"][0]["path"], "cells[7].value")
        self.assertEqual(one["functions"][0]["signature"], one["signature"])
        self.assertEqual(said["signature"], one["signature"])
        self.assertTrue(said["explains_all"])
        self.assertFalse(said["recorded_again"])
        self.assertEqual((said["units"], said["differing"]), (15, 6))
        self.assertLessEqual(said["unit_links"], 8)

    def test_names_each_of_two(self):
        said = self.read_json(1, self.command("two"))
        self.assertEqual(self.found(said), [
            (["unit4.c"], 20, ["cells[*].value"], [["unit4_sum"]]),
            (["unit13.c"], 5, ["cells[*].value"], [["unit13_sum"]])])
        self.assertEqual(said["signature"]["tick"], 5)
        self.assertTrue(said["explains_all"])

    def test_why_names_unit_and_function_on_its_page(self):
        build_project(self.folder / "one", self.folder / "fast.so", "-O2 -ffast-math")
        run = self.ends(1, "why one.isotick --sim ./fast.so --sim-a ./one.so --trials 2 "
                           "--with=-ffast-math --compile-commands one/compile_commands.json "
                           "--work why.work")
        page = " ".join(run.out.split())
        self.assertIn("computes other bits than the one that recorded", page)
        self.assertRegex(page, r"file \S*unit7\.c, in unit7_sum: tick 12, cells\[\*\]\.value")

    @long_form
    def test_a_static_function_counts_for_its_caller(self):
        said = self.read_json(1, self.command("inside"))
        self.assertEqual(self.found(said), [
            (["unit7.c"], 12, ["cells[*].value"], [["unit7_step"]])])

    def test_lists_what_a_guilty_function_points_to(self):
        sources = units_of()
        sources["unit7.c"] = POINTS.format(n=7)
        self.record_with("points", self.project("points", sources))
        run = self.ends(1, self.command("points"), "DIVERGED  because of 1 culprit\n")
        self.assertIn("unit7.c\n    diverges  at tick 12, cells[*].value\n"
                      "    function  unit7_init\n    reaches   added, apply\n", run.out)

    def test_says_that_it_makes_no_difference(self):
        run = self.ends(0, self.command("clean"), "IDENTICAL  built either way\n")
        self.assertIn("  units       15 linked, 5 with another object file\n", run.out)
        said = self.read_json(0, self.command("clean"))
        self.assertEqual((said["culprits"], said["verdict"]), ([], "identical"))
        run = self.ends(0, self.command("clean", "--with=-DNOTHING"), "IDENTICAL")
        self.assertIn("  units       15 linked, 0 with another object file\n", run.out)

    @long_form
    def test_text_says_it(self):
        run = self.ends(1, self.command("one"), "DIVERGED  because of 1 culprit\n")
        self.assertIn("unit7.c\n    diverges  at tick 12, cells[*].value\n"
                      "    function  unit7_sum\n", run.out)
        self.assertIn("6 of 6 units: diverged at tick 12, cells[*].value\n", run.err)

    def test_compiles_once_and_again_what_has_changed(self):
        name = "cached"
        folder = self.project(name, units_of({7: 12}))
        self.record_with(name, folder)
        command = self.command(name, "--with=-ffast-math --units-only")
        first = self.read_json(1, command)
        self.assertEqual((first["compiled"], first["from_cache"]), (30, 0))
        again = self.read_json(1, command)
        self.assertEqual((again["compiled"], again["from_cache"]), (0, 30))
        self.assertEqual(again["culprits"], first["culprits"])
        (folder / "unit3.c").write_text((folder / "unit3.c").read_text() + "\n\nint more;\n")
        third = self.read_json(1, command)
        self.assertEqual((third["compiled"], third["from_cache"]), (2, 28))
        header = folder / "world.h"
        header.write_text(header.read_text().replace("count;", "count, more;"))
        self.assertEqual(self.read_json(1, command)["from_cache"], 0)
        self.assertEqual(sorted(path.name for path in folder.iterdir()), sorted(
            ["compile_commands.json", "world.c", "world.h", *units_of()]))

    def test_takes_the_builds_own_link_command(self):
        objects = " ".join(f"out/unit{n}.c.o" for n in range(UNITS))
        for link in some((f"{COMPILER} -shared -o out/cells.so out/world.c.o {objects} -lm",
                          f"{COMPILER} -shared -o {{out}} {{objects}}",
                          f": && {COMPILER} -shared {{objects}} -o cells.so && :"), 1):
            said = self.read_json(1, self.command("one", f"--with=-ffast-math --units-only "
                                                         f"--link '{link}'"))
            self.assertEqual(self.found(said), [(["unit7.c"], 12, ["cells[*].value"], [])])
        self.assertFalse((self.path("one") / "cells.so").exists())

    @long_form
    def test_takes_a_command_that_runs_what_was_linked(self):
        said = self.read_json(1, self.command("one", "--with=-ffast-math --units-only --sim "
                                                     "'exec:isotick serve --sim {out}'"))
        self.assertEqual(self.found(said), [(["unit7.c"], 12, ["cells[*].value"], [])])

    def test_reference_of_another_build_is_recorded_again(self):
        self.project("fast", units_of({7: 12}), flags="-O2 -ffast-math")
        self.path("fast.isotick").write_bytes(self.content("one.isotick"))
        said = self.read_json(1, self.command("fast", "--with=-fno-fast-math"))
        self.assertTrue(said["recorded_again"])
        self.assertEqual(self.found(said), [
            (["unit7.c"], 12, ["cells[*].value"], [["unit7_sum"]])])


class Trouble(UnitsTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.record_with("one", cls.project("one", units_of({7: 12})))

    def changed(self, name, changes, guilty=None):
        """The project with other sources; the recording stays."""
        sources = units_of(guilty or {7: 12})
        for file, change in changes.items():
            sources[file] += change
        self.project(name, sources)
        self.path(f"{name}.isotick").write_bytes(self.content("one.isotick"))

    def test_what_does_not_compile_the_usual_way(self):
        self.changed("broken", {"unit5.c": "#error never\n"})
        self.refuses_build("broken", "unit5.c does not compile the usual way")

    def refuses_build(self, name, says, more="--with=-ffast-math"):
        run = self.ends(2, self.command(name, more), says)
        self.assertEqual(run.out, "")
        log = run.err.rpartition("log: ")[2].rstrip(")\n")
        return self.path(log).read_text() if log.startswith("/") else ""

    def test_what_does_not_compile_the_other_way_stays_as_it_is(self):
        self.changed("partly", {"unit5.c": "#ifdef __FAST_MATH__\n#error not so\n#endif\n"})
        said = self.read_json(1, self.command("partly"))
        self.assertEqual([one["file"].rpartition("/")[2] for one in said["left_out"]], ["unit5.c"])
        self.assertIn("not so", self.path(said["left_out"][0]["log"]).read_text())
        self.assertEqual(self.found(said)[0][0], ["unit7.c"])

    def test_flags_that_no_compiler_takes(self):
        log = self.refuses_build("one", "no unit compiles the other way", "--with=-fno-such-flag")
        self.assertIn("no-such-flag", log)
        self.refuses_build("one", "no unit compiles the other way", "--with=no-such-compiler")

    def test_links_that_fail(self):
        link = f"--with=-ffast-math --link '{COMPILER} -shared {{objects}} -o {{out}} -lnosuch'"
        self.assertIn("nosuch", self.refuses_build("one", "the usual build does not link", link))
        self.refuses_build("one", "left no file", "--with=-O3 --link 'echo {objects} {out}'")

    @long_form
    def test_mixtures_that_crash(self):
        layout = "\nint unit{n}_layout(void);\nint unit{n}_layout(void) {{\n" \
                 "#ifdef __FAST_MATH__\n    return 1;\n#else\n    return 0;\n#endif\n}}\n"
        check = "\n#include <stdlib.h>\nint unit3_layout(void);\nint unit12_layout(void);\n" \
                "float unit9_checked(float value);\n" \
                "__attribute__((constructor)) static void check(void) {\n" \
                "    if (unit3_layout() != unit12_layout()) {\n        abort();\n    }\n}\n"
        self.changed("crashing", {"unit3.c": layout.format(n=3), "unit12.c": layout.format(n=12),
                                  "unit1.c": check})
        said = self.read_json(1, self.command("crashing"))
        self.assertEqual(self.found(said), [
            (["unit7.c"], 12, ["cells[*].value"], [["unit7_sum"]])])
        self.assertFalse(said["rest_unknown"])

    def test_units_that_only_differ_together(self):
        part = "\nint unit{n}_part(void);\nint unit{n}_part(void) {{\n" \
               "#ifdef __FAST_MATH__\n    return 1;\n#else\n    return 0;\n#endif\n}}\n"
        sources = units_of()
        for n in (3, 12):
            sources[f"unit{n}.c"] += part.format(n=n)
        sources["unit1.c"] = sources["unit1.c"].replace(
            "(int32_t)tick;", "(int32_t)tick + (tick > 8) * unit3_part() * unit12_part();"
        ).replace("void", "int unit3_part(void);\nint unit12_part(void);\nvoid", 1)
        self.record_with("pair", self.project("pair", sources))
        said = self.read_json(1, self.command("pair"))
        self.assertEqual(self.found(said), [(["unit3.c", "unit12.c"], 9, ["cells[*].count"], [])])
        self.assertEqual(said["culprits"][0]["functions_unknown"],
                         "these units only differ together")

    @long_form
    def test_functions_that_share_data(self):
        self.changed("shared", {"unit7.c": "static int calls;\nint unit7_calls(void);\n"
                                           "int unit7_calls(void) { return ++calls; }\n"})
        said = self.read_json(1, self.command("shared"))
        self.assertEqual(self.found(said)[0][3], [])
        self.assertIn("share static data (calls)", said["culprits"][0]["functions_unknown"])

    def test_files_and_options_that_make_no_sense(self):
        for text in ("", "{}", "[]", "[1]", '[{"file": "a.c"}]', '[{"command": "cc a.c"}]'):
            self.path("bad.json").write_text(text)
            self.refuses("bisect build one.isotick --compile-commands bad.json --work bad.work "
                         "--with=-O3", "bad.json: ")
        self.refuses("bisect build one.isotick --with=-O3 --work bad.work",
                     "compile_commands.json: cannot be read")
        self.refuses(self.command("one", "--with=-O3 --units '*/none.c'"), "--units */none.c: fits")
        self.refuses(self.command("one", "--with=-O3 --link 'cc -o x'"), "has no {objects}")
        self.refuses(self.command("one", "--with=-O3 --link 'cc {objects}'"), "has neither {out}")
        self.refuses(self.command("one", "--with=-O3 --sim ./one.so"), "has no {out}")
        self.refuses(self.command("one", "--with= "), "--with")
        self.refuses(self.command("one", ""), "--with is required")


if __name__ == "__main__":
    unittest.main()
