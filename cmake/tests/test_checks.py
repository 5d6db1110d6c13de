#!/usr/bin/env python3
"""test_checks.py - each checker of checks.py must refuse a planted violation and accept its repair."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import checks


class Tree(unittest.TestCase):
    """A scratch tree with a clean header in every room of the line."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name).resolve()
        self.addCleanup(self.folder.cleanup)
        self.write("fe/rungfe.h", "#pragma once\n")
        self.write("fe/fe_impl.h", "#pragma once\n")
        self.write("fe/check.h", "#pragma once\n")
        self.write("systems/rungsystem.h", "#include <rungfe.h>\n")
        self.write("timestepping/rungstep.h", "#include <rungsystem.h>\n")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def assertFound(self, findings, word):
        self.assertEqual(len(findings), 1, findings)
        self.assertIn(word, findings[0])


class Layers(Tree):
    def test_a_clean_tree_passes(self):
        self.write("systems/a.c", '#include <petscksp.h>\n#include "rungsystem.h"\n/* RungMesh lives below */\n')
        self.write("timestepping/tests/test_a.c", '#include "check.h"\nRungMesh mesh;\n')
        self.write("fe/deep/a.c", '#include "../fe_impl.h"\n')
        self.assertEqual(checks.check_layers(self.root, 0), [])

    def test_a_look_upwards_is_refused(self):
        self.write("fe/a.c", "#include <rungsystem.h>\n")
        self.assertFound(checks.check_layers(self.root, 0), "fe/a.c:1: includes rungsystem.h of the room systems above")

    def test_a_private_header_of_another_room_is_refused(self):
        self.write("systems/a.c", '\n#include "fe_impl.h"\n')
        self.assertFound(checks.check_layers(self.root, 0), "systems/a.c:2: includes fe_impl.h, which is private to fe")

    def test_a_path_out_of_the_room_is_refused(self):
        self.write("systems/a.c", '#include "../fe/rungfe.h"\n')
        self.assertFound(checks.check_layers(self.root, 0), "a path out of its room")

    def test_metis_above_fe_is_refused(self):
        self.write("systems/a.c", "#include <metis.h>\n")
        self.assertFound(checks.check_layers(self.root, 0), "only fe knows METIS")

    def test_test_macros_outside_tests_are_refused(self):
        self.write("systems/a.c", '#include "check.h"\n')
        self.assertFound(checks.check_layers(self.root, 0), "check.h, which is private to fe")

    def test_a_program_that_includes_what_rooms_include_is_refused(self):
        self.write("fe/rungfe_room.h", "#include <rungfe.h>\n")
        self.write("systems/a.c", "#include <rungfe_room.h>\n")
        self.write("apps/a.c", "#include <rungfe_room.h>\n")
        self.assertFound(checks.check_layers(self.root, 0), "apps/a.c:1: includes rungfe_room.h, which is for rooms")

    def test_a_call_that_writes_behind_its_room_is_refused(self):
        self.write("apps/a.c", '/* PetscStrlcat */\nPetscCall(PetscStrlcat(text, "a", sizeof text));\n')
        self.assertFound(checks.check_layers(self.root, 0), "apps/a.c:2: calls PetscStrlcat()")

    def test_a_form_under_timestepping_is_refused(self):
        self.write("timestepping/a.c", "/* text */ RungFormAssembleVec(form);\n")
        self.assertFound(checks.check_layers(self.root, 0), "timestepping/a.c:1: names RungFormAssembleVec")


class Subrooms(Tree):
    """A room of two floors, ground and roof."""

    def setUp(self):
        super().setUp()
        self.write("fe/CMakeLists.txt", "rung_room(fe\n  HEADERS rungfe.h\n  SUBROOMS ground roof\n)\n")
        self.write("fe/ground/ground_impl.h", "#include <rungfe.h>\n")
        self.write("fe/ground/g.c", "int RungGround(int a)\n{\n  return a;\n}\n")
        self.write("fe/roof/roof_impl.h", '#include "ground_impl.h"\n')
        self.write("fe/roof/r.c", "/* RungTop */\nPetscErrorCode RungRoof(int a)\n{\n  return RungGround(a);\n}\n")
        self.write("fe/top.c", "int RungTop(int a)\n{\n  return RungRoof(a);\n}\n")

    def test_looks_downwards_pass(self):
        self.write("fe/ground/tests/test_g.c", "int main(void)\n{\n  return RungRoof(0);\n}\n")
        self.assertEqual(checks.check_layers(self.root, 0), [])

    def test_a_call_upwards_is_refused(self):
        self.write("fe/ground/b.c", 'static int b(void)\n{\n  return RungRoof("RungRoof");\n}\n')
        self.assertFound(checks.check_layers(self.root, 0), "fe/ground/b.c:3: names RungRoof of roof above")

    def test_a_call_of_what_lies_above_all_sub_rooms_is_refused(self):
        self.write("fe/roof/b.c", "static int (*b)(int) = RungTop;\n")
        self.assertFound(checks.check_layers(self.root, 0), "fe/roof/b.c:1: names RungTop of fe above")

    def test_an_array_upwards_is_refused(self):
        self.write("fe/roof/table.c", "const char *const RungNames[] = {0};\n")
        self.write("fe/ground/b.c", "extern const char *const RungNames[];\n")
        self.assertFound(checks.check_layers(self.root, 0), "fe/ground/b.c:1: names RungNames of roof above")

    def test_a_header_upwards_is_refused(self):
        self.write("fe/ground/b.c", '#include "roof_impl.h"\n')
        self.assertFound(checks.check_layers(self.root, 0), "fe/ground/b.c:1: names roof_impl.h of roof above")

    def test_what_is_on_the_list_passes_until_it_is_gone(self):
        self.write("cmake/upward.txt", "# a list\nfe/ground/b.c RungRoof\n")
        self.write("fe/ground/b.c", "int RungB(void)\n{\n  return RungRoof(1);\n}\n")
        self.assertEqual(checks.check_layers(self.root, 1), [])
        self.write("fe/ground/b.c", "int RungB(void)\n{\n  return 1;\n}\n")
        self.assertFound(checks.check_layers(self.root, 1), "cmake/upward.txt:2: fe/ground/b.c has no RungRoof any more")

    def test_the_rooms_own_folder_lies_where_the_dot_stands(self):
        self.write("fe/CMakeLists.txt", "rung_room(fe\n  SUBROOMS ground . roof\n)\n")
        self.assertFound(checks.check_layers(self.root, 0), "fe/top.c:3: names RungRoof of roof above")
        self.write("fe/CMakeLists.txt", "rung_room(fe\n  SUBROOMS ground roof .\n)\n")
        self.assertEqual(checks.check_layers(self.root, 0), [])

    def test_the_list_does_not_grow(self):
        self.write("cmake/upward.txt", "fe/ground/b.c RungRoof\n")
        self.write("fe/ground/b.c", "int RungB(void)\n{\n  return RungRoof(1);\n}\n")
        self.assertFound(checks.check_layers(self.root, 0), "gets shorter only")
        self.assertFound(checks.check_layers(self.root, 2), "lower it")


class Headers(Tree):
    def findings(self, text):
        return checks.check_prototypes("fe/rungfe.h", text)

    def test_a_documented_prototype_passes(self):
        self.assertEqual(self.findings("/* RungAct - acts. */\nRUNG_EXTERN int RungAct(int a);\n"), [])
        self.assertEqual(self.findings("RUNG_EXTERN int RungAct(int a); /* acts */\n"), [])

    def test_prototypes_in_one_block_share_a_comment(self):
        self.assertEqual(self.findings("/* both */\nRUNG_EXTERN int RungA(int a);\nRUNG_EXTERN int RungB(int a);\n"), [])

    def test_a_prototype_without_comment_is_refused(self):
        self.assertFound(self.findings("/* far */\n\nRUNG_EXTERN int RungAct(int a);\n"), "RungAct has no comment")

    def test_the_title_of_a_section_is_no_comment(self):
        self.assertFound(self.findings("/* ---- acts ---- */\nRUNG_EXTERN int RungAct(int a);\n"), "RungAct has no comment")

    def test_a_comment_beside_the_neighbour_is_not_shared(self):
        text = "RUNG_EXTERN int RungA(int a); /* a */\nRUNG_EXTERN int RungB(int b);\n"
        self.assertFound(self.findings(text), "RungB has no comment")

    def test_an_argument_without_a_name_is_refused(self):
        self.assertFound(self.findings("/* x */\nRUNG_EXTERN int RungAct(const double *, int b);\n"), '"const double *"')

    def test_pointers_to_functions_and_arrays_are_read(self):
        text = "/* x */\nRUNG_EXTERN int RungAct(int (*fn)(int, void *), const int x[3], void *ctx, ...);\n"
        self.assertEqual(self.findings(text), [])


class Objects(Tree):
    def findings(self, body):
        self.write("fe/rungfe.h", "typedef struct _p_RungBox *RungBox;\nRUNG_EXTERN PetscErrorCode RungBoxOpen(RungBox box,\n  int a);\n")
        self.write("fe/a.c", f"PetscErrorCode RungBoxOpen(RungBox box, int a)\n{{\n{body}}}\n")
        return checks.check_objects(self.root)

    def test_a_function_that_asks_for_its_object_passes(self):
        self.assertEqual(self.findings("  PetscFunctionBegin;\n  RungNeed(box);\n"), [])

    def test_a_function_that_does_not_is_refused(self):
        self.assertFound(self.findings("  PetscFunctionBegin;\n  box->a = a;\n"), "fe/a.c:1: RungBoxOpen does not ask")


class Exports(Tree):
    SEEN = '#pragma once\n#define RUNG_EXTERN extern __attribute__((visibility("default")))\n/* seen */\nRUNG_EXTERN int RungSeen(int a);\n'
    MADE = '#include "rungfe.h"\nint RungSeen(int a) { return a; }\n'

    def findings(self, code, made=True):
        """Findings of a library made of one file, fe/a.c, which has what rungfe.h declares or has not."""
        build, source = self.root / "b", self.root / "fe" / "a.c"
        self.write("fe/fe_impl.h", "#pragma once\n#define MAKE(name) int Rung##name(int a)\nMAKE(Made);\n")
        self.write("fe/rungfe.h", self.SEEN)
        self.write("fe/a.c", self.MADE * made + code)
        command = f"cc -fvisibility=hidden -I{self.root}/fe -c {source} -o {build}/rung_fe.dir/a.o"
        self.write("b/compile_commands.json", json.dumps([{"file": str(source), "command": command}]))
        for folder in ("fe", "rung_fe.dir"):
            (build / folder).mkdir(exist_ok=True)
        subprocess.run(command.split(), check=True)
        subprocess.run(["ar", "rc", build / "fe" / "librungfe.a", build / "rung_fe.dir" / "a.o"], check=True)
        return checks.check_headers(self.root, build)

    def test_declared_and_static_symbols_pass(self):
        self.assertEqual(self.findings("static int two(void) { return 2; }\nint RungMade(int a) { return a + two(); }\n"), [])

    def test_a_symbol_that_no_header_declares_is_refused(self):
        self.assertFound(self.findings("int RungLost(void) { return 2; }\n"), "exports RungLost, which no header")

    def test_a_symbol_that_programs_see_without_a_header_is_refused(self):
        code = '__attribute__((visibility("default"))) int RungMade(int a) { return a; }\n'
        self.assertFound(self.findings(code), "exports RungMade, which no installed header declares")

    def test_a_function_that_an_installed_header_promises_is_missed(self):
        self.assertFound(self.findings("int RungMade(int a) { return a; }\n", False), "declares RungSeen, which no library exports")

    def test_a_header_for_the_next_room_exports_nothing(self):
        self.write("fe/rungfe_room.h", self.SEEN.replace("RungSeen", "RungNext"))
        code = '#include "rungfe_room.h"\nint RungNext(int a) { return a; }\n'
        self.assertFound(self.findings(code), "exports RungNext, which no installed header declares")

    def test_an_application_has_so_many_functions_and_no_more(self):
        self.findings("")
        self.write("verification/rung.h", "#include <rungfe.h>\n/* b */\nRUNG_EXTERN int RungB(int a);\n")
        self.write("fe/runglayout.h", "/* c */\nRUNG_EXTERN int RungC(int a);\n")
        self.assertEqual(checks.check_size(self.root, 2), [])
        self.assertFound(checks.check_size(self.root, 1), "rung.h declares 2 functions; at most 1")

    def test_a_symbol_without_our_prefix_is_refused(self):
        self.assertFound(self.findings("int two(void) { return 2; }\n"), "exports two; make it static")


class Format(Tree):
    def test_formatted_text_passes_and_other_is_refused(self):
        style = Path(__file__).resolve().parents[2] / ".clang-format"
        self.write(".clang-format", style.read_text())
        self.assertEqual(checks.check_format(self.root), [])
        self.write("fe/a.c", "int  main( ){return 0;}\n")
        self.assertFound(checks.check_format(self.root), "fe/a.c:1")


if __name__ == "__main__":
    unittest.main()
