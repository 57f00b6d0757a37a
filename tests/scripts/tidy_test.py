"""Plants each fault that scripts/tidy looks for in a clean tree; tidy must name its exact place."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
CLEAN = {
    "CMakeLists.txt": "add_subdirectory(core)\nadd_subdirectory(replay)\nadd_subdirectory(tests)\n",
    "core/CMakeLists.txt": "isotick_library(core SOURCES src/text/a.cpp src/text/a.h\n"
                           "  HEADERS include/isotick/core/a.hpp)\n",
    "core/include/isotick/core/a.hpp": "#pragma once\n\n#include <isotick/core/b.hpp>\n",
    "core/src/text/a.cpp": "#include <isotick/core/a.hpp>\n\nint a() {\n    return 1;\n}\n",
    "core/src/text/a.h": "#ifndef ISOTICK_A_H\n#define ISOTICK_A_H\n#endif\n",
    "replay/CMakeLists.txt": "isotick_library(replay SOURCES src/read/r.cpp)\n",
    "replay/src/read/r.cpp": "#include <isotick/core/a.hpp>\n",
    "tests/CMakeLists.txt": "add_subdirectory(core)\n",
    "tests/core/CMakeLists.txt": "isotick_test(core SOURCES a_test.cpp)\n",
    "tests/core/a_test.cpp": '#include "../../core/src/text/a.h"\n',
    "scripts/run": "#!/usr/bin/env python3\n",
}


def function_of(lines, opening="int long_one() {"):
    """A function with `lines` lines between its braces."""
    return opening + "\n" + "    ++count;\n" * lines + "}\n"


class Tidy(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp(prefix="isotick-tidy-"))
        self.addCleanup(shutil.rmtree, self.root)
        shutil.copy(PROJECT / ".clang-format", self.root)
        for path, text in CLEAN.items():
            self.write(path, text)

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def append(self, path, text):
        self.write(path, CLEAN[path] + text)

    def findings(self):
        ran = subprocess.run([sys.executable, str(PROJECT / "scripts/tidy"), "--root",
                              str(self.root)], capture_output=True, text=True, check=False)
        found = [line for line in ran.stdout.splitlines() if not line.startswith("tidy: ")]
        self.assertEqual(ran.returncode, 1 if found else 0, ran.stderr)
        return found

    def assert_finds(self, *expected):
        self.assertEqual(self.findings(), list(expected))

    def test_the_clean_tree_is_clean(self):
        self.assert_finds()

    def test_core_must_not_include_replay(self):
        self.append("core/src/text/a.cpp", "#include <isotick/replay/r.hpp>\n")
        self.assert_finds("core/src/text/a.cpp:6: core must not include replay")

    def test_replay_must_not_include_harness(self):
        self.append("replay/src/read/r.cpp", "#include <isotick/harness/h.hpp>\n")
        self.assert_finds("replay/src/read/r.cpp:2: replay must not include harness")

    def test_public_headers_must_not_include_filesystem(self):
        self.write("core/include/isotick/core/a.hpp", "#pragma once\n\n#include <filesystem>\n")
        self.write("core/src/text/a.h", "#pragma once\n\n#include <filesystem>\n")
        self.assert_finds("core/include/isotick/core/a.hpp:3: public headers take paths as "
                          "std::string, not <filesystem>")

    def test_another_modules_src_is_private(self):
        self.write("replay/src/read/r.cpp", '#include "../../../core/src/text/a.h"\n')
        self.assert_finds("replay/src/read/r.cpp:1: src belongs to core alone")

    def test_a_room_must_not_include_a_later_one(self):
        self.write("replay/src/format/p.hpp", '#pragma once\n\n#include "../read/q.hpp"\n')
        self.write("replay/src/read/q.hpp", "#pragma once\n")
        self.write("replay/src/read/r.cpp", '#include "../format/p.hpp"\n')
        self.assert_finds("replay/src/format/p.hpp:3: format must not include read")

    def test_a_folder_that_is_no_room_is_found(self):
        self.append("replay/CMakeLists.txt", "target_sources(r PRIVATE src/attic/s.cpp)\n")
        self.write("replay/src/attic/s.cpp", "int s();\n")
        self.assert_finds("replay/src/attic/s.cpp:1: attic is no room of replay")

    def test_a_test_sees_the_src_of_its_own_module_only(self):
        self.write("tests/core/a_test.cpp", '#include "../../replay/src/read/r.hpp"\n')
        self.assert_finds("tests/core/a_test.cpp:1: src belongs to replay alone")

    def test_a_header_ends_after_800_lines(self):
        for name in ("a.hpp", "a.h"):
            header = f"core/include/isotick/core/{name}"
            self.append("core/CMakeLists.txt",
                        f"target_sources(c INTERFACE include/isotick/core/{name})\n")
            self.write(header, "#pragma once\n" + "// x\n" * 799)
            self.assert_finds()
            self.write(header, "#pragma once\n" + "// x\n" * 800)
            self.assert_finds(f"{header}:801: header of 801 lines; at most 800")
            self.write(header, "#pragma once\n")

    def test_a_source_ends_after_800_lines(self):
        self.write("core/src/text/a.cpp", "// x\n" * 800)
        self.assert_finds()
        self.write("core/src/text/a.cpp", "// x\n" * 801)
        self.assert_finds("core/src/text/a.cpp:801: source of 801 lines; at most 800")

    def test_a_script_ends_after_800_lines(self):
        self.append("scripts/run", "# x\n" * 800)
        self.assert_finds("scripts/run:801: script of 801 lines; at most 800")

    def test_no_two_files_define_one_type(self):
        self.append("core/CMakeLists.txt", "target_sources(c PRIVATE src/text/b.cpp)\n")
        text = "namespace isotick {\nclass Link {};\n}  // namespace isotick\n"
        self.append("core/src/text/a.cpp", text)
        self.write("core/src/text/b.cpp", text)
        line = CLEAN["core/src/text/a.cpp"].count("\n") + 2
        self.assert_finds("core/src/text/b.cpp:2: 'isotick::Link' is defined in "
                          f"core/src/text/a.cpp:{line} too")
        self.write("core/src/text/b.cpp", text.replace("isotick", "isotick::core"))
        self.assert_finds()
        self.write("core/src/text/b.cpp", text.replace("isotick {", "{").replace(" isotick", ""))
        self.assert_finds()

    def test_a_line_ends_after_100_columns(self):
        self.append("core/src/text/a.cpp", "// " + "\u00e9" * 97 + "\n")
        self.assert_finds()
        self.append("core/CMakeLists.txt", "# " + "x" * 99 + "\n")
        self.assert_finds("core/CMakeLists.txt:3: line of 101 columns; at most 100")

    def test_a_test_that_is_not_built_is_found(self):
        self.write("tests/core/b_test.cpp", "int b();\n")
        self.assert_finds("tests/core/b_test.cpp:1: in no CMakeLists.txt, so never built")

    def test_a_name_in_a_comment_is_not_a_listing(self):
        self.write("tests/core/CMakeLists.txt", "isotick_test(core)  # a_test.cpp\n")
        self.assert_finds("tests/core/a_test.cpp:1: in no CMakeLists.txt, so never built")

    def test_a_python_test_that_never_runs_is_found(self):
        self.write("tests/core/b_test.py", "import sys\n")
        self.assert_finds("tests/core/b_test.py:1: in no CMakeLists.txt, so never built")

    def test_a_module_source_that_is_not_built_is_found(self):
        self.write("replay/src/read/s.cpp", "int s();\n")
        self.assert_finds("replay/src/read/s.cpp:1: in no CMakeLists.txt, so never built")

    def test_a_header_of_the_tests_needs_no_listing(self):
        self.write("tests/core/b.hpp", "#pragma once\n")
        self.assert_finds()

    def test_a_private_header_that_nobody_includes_is_found(self):
        self.write("replay/src/format/p.hpp", "#pragma once\n")
        self.assert_finds("replay/src/format/p.hpp:1: in no CMakeLists.txt, so never built")
        self.write("replay/src/read/r.cpp", '#include "../format/p.hpp"\n')
        self.assert_finds()

    def test_a_header_that_is_not_installed_is_found(self):
        self.write("replay/include/isotick/replay/s.hpp", "#pragma once\n")
        self.assert_finds(
            "replay/include/isotick/replay/s.hpp:1: in no CMakeLists.txt, so never built")

    def test_a_folder_that_is_not_added_is_found(self):
        self.write("tests/fuzz/CMakeLists.txt", "add_executable(f)\n")
        self.assert_finds("tests/fuzz/CMakeLists.txt:1: not added by tests/CMakeLists.txt")
        self.write("tests/fuzz/CMakeLists.txt", "project(outside)\n")
        self.assert_finds()

    def test_a_header_without_pragma_once_is_found(self):
        self.write("core/include/isotick/core/a.hpp", "int a();\n")
        self.assert_finds("core/include/isotick/core/a.hpp:1: no #pragma once")

    def test_a_guard_that_guards_nothing_is_found(self):
        self.write("core/src/text/a.h", "#ifndef ISOTICK_A_H\n#define ISOTICK_B_H\n#endif\n")
        self.assert_finds("core/src/text/a.h:1: no #pragma once")

    def test_unfinished_work_is_found(self):
        for word in ("TO" "DO", "FIX" "ME", "XX" "X", "HA" "CK"):
            self.append("core/src/text/a.cpp", f"// {word}: later\n")
            self.assert_finds(f"core/src/text/a.cpp:6: {word}: finish it or open an issue")

    def test_a_result_that_is_thrown_away_is_found(self):
        for line in ("(void)a();", "(void)!a();", "(void)::a();", "static_cast<void>(a());",
                     "std::ignore = a();"):
            self.append("core/src/text/a.cpp", f"void b() {{\n    {line}\n}}\n")
            self.assert_finds("core/src/text/a.cpp:7: a result is thrown away: handle it, or don't "
                              "return it")

    def test_a_function_without_parameters_throws_nothing_away(self):
        self.append("core/src/text/a.cpp", "extern \"C\" int b(void);\nint (*c)(void) = b;\n")
        self.assert_finds()

    def test_braces_that_do_not_balance_are_found(self):
        # In CMake's eyes fine, so nobody else would notice: the scan must not pass in silence.
        shutil.copy(PROJECT / ".clang-format", self.root)
        self.write("core/src/text/a.cpp", "#define OPEN {\nint a() OPEN\n    return 1;\n}\n")
        self.assertIn("core/src/text/a.cpp:4: these braces do not balance", self.findings())

    @unittest.skipUnless(shutil.which("clang-format"), "no clang-format here")
    def test_code_formatted_otherwise_is_found(self):
        self.append("core/src/text/a.cpp", "int  b();\n")
        self.assert_finds("core/src/text/a.cpp:6: not formatted as .clang-format says")


if __name__ == "__main__":
    unittest.main()
