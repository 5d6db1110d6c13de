#!/usr/bin/env python3
"""test_rooms.py - each checker of rooms.py must refuse a planted violation and accept its repair."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import rooms
from test_checks import Tree


class Names(Tree):
    def found(self):
        return rooms.check_names(self.root)

    def test_names_of_a_file_alone_and_of_one_definition_pass(self):
        for name in ("fe/a.c", "forms/b.c"):
            self.write(name, "typedef struct {\n  int a[2];\n} Own;\n#define OWN 3\nstatic int run(int a)\n{\n  return a;\n}\n")
        self.write("fe/a_impl.h", "typedef struct _RungBox *RungBox; /* RungLid */\nstruct _RungBox {\n  struct {\n    int a;\n  } b;\n};\n")
        self.write("forms/b_impl.h", "typedef int RungLid(RungBox box);\n/* typedef int RungBox; */\nstatic inline int RungSeal(int a)\n{\n  return a;\n}\n")
        self.assertEqual(self.found(), [])

    def test_a_type_of_two_rooms_is_refused(self):
        for text in ("typedef int RungBox;\n", "typedef struct {\n  int a;\n} RungBox;\n", "typedef int (*RungBox)(int a);\n",
                     "typedef double RungBox __attribute__((vector_size(16)));\n", "typedef int RungBox(int a);\n", "enum RungBox { A };\n"):
            self.write("fe/a_impl.h", "typedef struct {\n  int b;\n} RungBox;\n")
            self.write("forms/b_impl.h", "\n" + text)
            self.assertFound(self.found(), "forms/b_impl.h:2: the type RungBox is defined in fe/a_impl.h:1 too")

    def test_a_type_named_like_a_function_is_refused(self):
        self.write("fe/a.c", "PetscErrorCode RungBox(int a)\n{\n  return a;\n}\n")
        self.write("forms/b_impl.h", "typedef enum { RUNG_A } RungBox;\n")
        self.assertFound(self.found(), "forms/b_impl.h:1: the type RungBox has the name of a function of fe/a.c")

    def test_a_macro_of_two_files_is_refused(self):
        self.write("fe/a_impl.h", "#define RUNG_MOST 3\n")
        self.write("forms/b.c", "#define RUNG_MOST 4\n")
        self.assertFound(self.found(), "forms/b.c:1: the macro RUNG_MOST is defined in fe/a_impl.h:1 too")

    def test_a_parameter_of_a_header_passes(self):
        self.write("fe/a_impl.h", "#ifndef RUNG_MOST\n  #define RUNG_MOST 3\n#endif\n")
        self.write("fe/a.c", "#define RUNG_MOST 4\n#define RUNG_ROW(a) a,\n")
        self.write("fe/b.c", "#define RUNG_ROW(a) #a,\n")
        self.write("fe/rows.def", "RUNG_ROW(one)\n#undef RUNG_ROW\n")
        self.assertEqual(self.found(), [])

    def test_a_static_function_in_camel_case_is_refused(self):
        for text in ("static int Run(int a)\n", "static const double *runAll(\n  int a)\n", "RUNG_INLINE void RungRun(void)\n",
                     "static PetscErrorCode run_CG(void);\n"):
            self.write("fe/tests/test_a.c", text)
            self.assertFound(self.found(), "is not snake_case")


class Tour(Tree):
    """The headers of the tree, one source and a program."""

    TEXT = ("`no.c`\n## fe: cells\n- `rungfe.h` a\n- `fe_impl.h` `check.h` b\n### fe/deep\n`a.c`, for `rung`\n"
            "## systems\n`rungsystem.h`\n## timestepping\n`rungstep.h`\n## apps: programs\n`heat.c`\n## more\nnone\n")

    def setUp(self):
        super().setUp()
        for name in ("fe/deep/a.c", "fe/deep/tests/test_a.c", "apps/heat.c", "bench/b.c"):
            self.write(name, "int a;\n")
        self.write("docs/tour.md", self.TEXT)

    def found(self):
        return rooms.check_tour(self.root)

    def test_a_tour_of_all_files_passes(self):
        self.assertEqual(self.found(), [])

    def test_a_file_that_the_tour_does_not_name_is_refused(self):
        self.write("fe/deep/b.c", "int b;\n")
        self.assertFound(self.found(), "docs/tour.md: does not name fe/deep/b.c")

    def test_a_name_without_a_file_is_refused(self):
        (self.root / "apps" / "heat.c").rename(self.root / "apps" / "warm.c")
        self.write("docs/tour.md", self.TEXT.replace("`heat.c`", "`heat.c` `warm.c`"))
        self.assertFound(self.found(), "docs/tour.md:12: the folder apps has no heat.c")

    def test_a_file_of_another_folder_is_refused(self):
        self.write("docs/tour.md", self.TEXT.replace("none", "`rungfe.h`"))
        self.assertFound(self.found(), "docs/tour.md:14: the folder more has no rungfe.h")

    def test_a_file_that_is_named_twice_is_refused(self):
        self.write("docs/tour.md", self.TEXT.replace("for `rung`", "`a.c`"))
        self.assertFound(self.found(), "docs/tour.md:6: names a.c of fe/deep again")


class Tests(Tree):
    README = "Seen to fail.\n\na.c  fe.b  twice(): `+` became `-`\n"

    def setUp(self):
        super().setUp()
        for name in ("fe/deep/a.c", "fe/deep/b.c", "fe/deep/tests/test_b.c", "apps/heat.c"):
            self.write(name, "int a;\n")
        self.write("fe/deep/tests/README", self.README)

    def found(self):
        return rooms.check_tests(self.root, 0)

    def test_a_test_of_the_same_name_or_a_line_passes(self):
        self.assertEqual(self.found(), [])

    def test_a_source_without_either_is_refused(self):
        self.write("fe/deep/c.c", "int c;\n")
        self.assertFound(self.found(), "fe/deep/c.c: has neither tests/test_c.c nor a line in tests/README")

    def test_what_was_never_seen_gets_fewer(self):
        self.write("fe/deep/c.c", "int c;\n")
        self.assertEqual(rooms.check_tests(self.root, 1), [])
        self.assertFound(rooms.check_tests(self.root, 2), "MOST_UNSEEN is 2, and there are 1; lower it")

    def test_a_line_that_does_not_say_how_is_none(self):
        self.write("fe/deep/tests/README", "a.c  fe.b\n")
        self.assertFound(self.found(), "fe/deep/a.c: has neither")

    def test_a_test_that_is_not_there_is_refused(self):
        self.write("fe/deep/tests/README", self.README.replace("fe.b", "fe.other.np2"))
        self.assertFound(self.found(), "fe/deep/tests/README:3: there is no test fe.other")

    def test_a_test_on_several_ranks_passes(self):
        self.write("fe/deep/tests/README", self.README.replace("fe.b", "fe.b.np2"))
        self.assertEqual(self.found(), [])

    def test_an_entry_that_is_added_by_name_passes(self):
        self.write("apps/CMakeLists.txt", "rung_add_test(apps.walk 1 \"apps\")\n")
        self.write("fe/deep/tests/README", self.README.replace("fe.b", "apps.walk"))
        self.assertEqual(self.found(), [])

    def test_a_line_that_is_not_needed_any_more_is_refused(self):
        self.write("fe/deep/tests/test_a.c", "int a;\n")
        self.assertFound(self.found(), "fe/deep/tests/README:3: a.c has tests/test_a.c; take the line out")

    def test_a_folder_of_many_sources_is_refused(self):
        self.assertEqual(rooms.check_sizes(self.root, 2), [])
        self.assertFound(rooms.check_sizes(self.root, 1), "fe/deep: holds 2 sources; at most 1")

    def test_a_source_of_many_lines_is_refused(self):
        self.write("fe/deep/long.c", "\n" * 9)
        self.assertEqual(rooms.check_sizes(self.root, most_lines=9), [])
        self.assertFound(rooms.check_sizes(self.root, most_lines=8), "fe/deep/long.c: has 9 lines; at most 8")


if __name__ == "__main__":
    unittest.main()
