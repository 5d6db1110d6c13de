#!/usr/bin/env python3
"""rooms.py - what the tree promises whoever looks for something in it.

    rooms.py names ROOT     a type or macro of ours is defined once; static functions of sources are snake_case
    rooms.py tour ROOT      docs/tour.md names every source and header once, in the section of its folder
    rooms.py tests ROOT     a source has a test of its own name, or tests/README names one that was seen to fail
    rooms.py sizes ROOT     a folder holds few sources, a source or header few lines
    rooms.py top ROOT       nothing but the rooms and the usual files is committed at the top
    rooms.py all ROOT       the five of them

A finding is one line, file:line: what was found, what is wanted.  Exit status 1 with findings."""

import re
import subprocess
import sys
from pathlib import Path

from checks import ROOMS, sources, without_comments

MOST_SOURCES = 34  # of a folder
MOST_LINES = 700  # of a source or header
FLAT = {"timestepping"}  # families of methods beside each other: a sub-room would have no other reason than their number
MOST_UNSEEN = 0  # sources that no test was seen to fail for: a number that falls and never rises

LIBRARY = [room for room in ROOMS if room not in ("apps", "bench")]

# ---- names -----------------------------------------------------------------------------------------------------------

BODY = re.compile(r"\{[^{}]*\}")
TYPEDEF = re.compile(r"^typedef\b[^;]*;", re.MULTILINE)
POINTER = re.compile(r"\(\s*\*\s*(\w+)\s*\)")  # typedef int (*Name)(..)
CALLED = re.compile(r"(\w+)\s*\([^()]*\)\s*;$")  # typedef int Name(..)
PLAIN = re.compile(r"(\w+)\s*(?:\[[^\]]*\]\s*)*(?:__attribute__\s*\(\(.*\)\)\s*)?;$", re.DOTALL)
TAG = re.compile(r"^(?:typedef )?(?:struct|enum|union) (\w+)\s*\{", re.MULTILINE)
MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
OPTIONAL = re.compile(r"^[ \t]*#[ \t]*(?:ifndef|undef)[ \t]+(\w+)", re.MULTILINE)
FUNCTION = re.compile(r"^[A-Za-z][\w \t*]*?\b(Rung\w+)\([^;{}]*\)\n\{", re.MULTILINE)
STATIC = re.compile(r"^(?:static|RUNG_INLINE|RUNG_SPECIALIZED)\s[\w\s*]*?\b(\w*[A-Z]\w*)\(", re.MULTILINE)


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def without_bodies(text):
    """What stands between braces blanked, inner ones first, so that positions stay."""
    while True:
        blanked = BODY.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
        if blanked == text:
            return text
        text = blanked


def types_of(text):
    """(name, position) of the types that a file without comments defines; `typedef struct x *y;` defines y alone."""
    for found in TYPEDEF.finditer(without_bodies(text)):
        name = POINTER.search(found.group()) or CALLED.search(found.group()) or PLAIN.search(found.group())
        if name:
            yield name.group(1), found.start()
    for found in TAG.finditer(text):
        yield found.group(1), found.start()


def check_names(root):
    """Names of ours alone: what has no prefix is a file's own.  A macro that somebody undefines, or defines where it is not
    there yet, is a parameter of the file that it is defined for."""
    findings, first = [], {}
    files = [p for p in sources(root, {".c", ".h", ".def"}, LIBRARY) if "tests" not in p.relative_to(root).parts]
    text = {path: without_comments(path.read_text()) for path in files}
    parameters = {name for path in files for name in OPTIONAL.findall(text[path])}
    functions = {name: path for path in files for name in FUNCTION.findall(text[path])}
    for path in files:
        where = path.relative_to(root)
        macros = [(m.group(1), m.start()) for m in MACRO.finditer(text[path]) if m.group(1) not in parameters]
        for kind, names in (("type", types_of(text[path])), ("macro", macros)):
            for name, at in names:
                here = f"{where}:{line_of(text[path], at)}"
                if not name.lstrip("_").startswith(("Rung", "RUNG_", "p_Rung")):
                    continue
                if kind == "type" and name in functions:
                    findings.append(f"{here}: the type {name} has the name of a function of {functions[name].relative_to(root)}")
                if first.setdefault((kind, name), (where, here))[0] != where:
                    findings.append(f"{here}: the {kind} {name} is defined in {first[kind, name][1]} too; every name once")
    for path in sources(root, {".c"}):
        code = without_comments(path.read_text())
        findings += [f"{path.relative_to(root)}:{line_of(code, m.start())}: the static function {m.group(1)} is not snake_case"
                     for m in STATIC.finditer(code)]
    return findings


# ---- tour ------------------------------------------------------------------------------------------------------------

SECTION = re.compile(r"^#{2,}\s+([\w/]+)", re.MULTILINE)  # its first word is a folder, or it is about none
NAMED = re.compile(r"`([\w/]+\.[ch])`")


def check_tour(root):
    """What stands before the first section is about no folder."""
    path, findings, left = root / "docs" / "tour.md", [], {}
    for file in sources(root, {".c", ".h"}, LIBRARY + ["apps"]):
        where = file.relative_to(root)
        if "tests" not in where.parts:
            left.setdefault(str(where.parent), set()).add(where.name)
    folders, text = {folder: set(names) for folder, names in left.items()}, path.read_text() if path.is_file() else ""
    starts = list(SECTION.finditer(text))
    for start, end in zip(starts, [s.start() for s in starts[1:]] + [len(text)]):
        folder = start.group(1)
        for found in NAMED.finditer(text, start.start(), end):
            name, here = found.group(1), f"docs/tour.md:{line_of(text, found.start())}"
            if name not in folders.get(folder, set()):
                findings.append(f"{here}: the folder {folder} has no {name}; a section names the files of its folder alone")
            elif name not in left[folder]:
                findings.append(f"{here}: names {name} of {folder} again; once is enough")
            left.get(folder, set()).discard(name)
    return findings + [f"docs/tour.md: does not name {folder}/{name}; say in the section {folder} what it is for"
                       for folder, names in sorted(left.items()) for name in sorted(names)]


# ---- tests -----------------------------------------------------------------------------------------------------------

ROW = re.compile(r"^(\w+\.c)\s+([\w.]+?)(?:\.np\d+)?\s+(\S.*)$")
ENTRY = re.compile(r"\brung_add_test\(([\w.]+?)(?:\.np\$\{np\})?\s")


def test_names(root):
    """Entries of CTest, without their numbers of ranks: those of test files, and those that a CMakeLists.txt adds by name."""
    names = {name for room in ROOMS for path in (root / room).rglob("CMakeLists.txt") for name in ENTRY.findall(path.read_text())}
    for path in sources(root, {".c"}, LIBRARY):
        if path.parent.name == "tests" and path.name.startswith("test_"):
            names |= {f"{room}.{path.stem[len('test_'):]}" for room in path.relative_to(root).parts[:-2]}
    return names


def check_tests(root, most=MOST_UNSEEN):
    """A row of tests/README: the source, the test that saw it broken, how it was broken."""
    findings, unseen, tests = [], [], test_names(root)
    for folder in sorted({p.parent for p in sources(root, {".c"}, LIBRARY) if p.parent.name != "tests"}):
        here, readme = folder.relative_to(root), folder / "tests" / "README"
        mirrors = {p.name[len("test_"):] for p in (folder / "tests").glob("test_*.c")}
        alone, seen = {p.name for p in folder.glob("*.c")} - mirrors, set()
        rows = map(ROW.match, readme.read_text().splitlines() if readme.is_file() else [])
        for number, row in enumerate(rows, 1):
            if not row:
                continue
            source, test, _ = row.groups()
            seen.add(source)
            if source not in alone:
                why = f"has tests/test_{source}" if source in mirrors else "is not there"
                findings.append(f"{here}/tests/README:{number}: {source} {why}; take the line out")
            elif test not in tests:
                findings.append(f"{here}/tests/README:{number}: there is no test {test}")
        unseen += [f"{here}/{name}: has neither tests/test_{name} nor a line in tests/README; break it, and name there the test that "
                   "fails" for name in sorted(alone - seen)]
    if len(unseen) < most:
        findings.append(f"cmake/rooms.py: MOST_UNSEEN is {most}, and there are {len(unseen)}; lower it")
    return findings + (unseen if len(unseen) > most else [])


# ---- sizes -----------------------------------------------------------------------------------------------------------


def check_sizes(root, most=MOST_SOURCES, most_lines=MOST_LINES):
    folders = [str(p.parent.relative_to(root)) for p in sources(root, {".c"}, LIBRARY) if p.parent.name != "tests"]
    lines = {path: path.read_text().count("\n") for path in sources(root, {".c", ".h"})}
    return [f"{folder}: holds {folders.count(folder)} sources; at most {most}, move those of one responsibility into a sub-room"
            for folder in sorted(set(folders) - FLAT) if folders.count(folder) > most] + [
            f"{path.relative_to(root)}: has {n} lines; at most {most_lines}, a part that can be named is a file of its own"
            for path, n in sorted(lines.items()) if n > most_lines]


# ---- the top level -----------------------------------------------------------------------------------------------------

TOP = set(ROOMS) | {"cmake", "docs", ".ci", ".clang-format", ".clang-tidy", ".gitignore", "bootstrap", "CHANGELOG.md", "CMakeLists.txt",
                    "CMakePresets.json", "CONTRIBUTING.md", "LICENSE", "README.md"}


def check_top(root):
    """Where there is no git, a tree from an archive, nothing is asked."""
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "--full-name"], capture_output=True, text=True)
    if listed.returncode or not (root / ".git").exists():
        return []
    strange = sorted({line.split("/")[0] for line in listed.stdout.splitlines()} - TOP)
    return [f"{name}: is committed at the top level, where rooms and the usual files are; results of runs belong elsewhere"
            for name in strange]


CHECKS = {"names": check_names, "tour": check_tour, "tests": check_tests, "sizes": check_sizes, "top": check_top}
CHECKS["all"] = lambda root: [finding for check in (check_names, check_tour, check_tests, check_sizes, check_top) for finding in check(root)]


def main(words):
    findings = CHECKS[words[0]](Path(words[1]).resolve())
    print("\n".join(findings))
    if findings:
        print(f"{words[0]}: {len(findings)} finding{'s' * (len(findings) > 1)}")
    return 1 if findings else 0


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in CHECKS:
        raise SystemExit(__doc__)
    sys.exit(main(sys.argv[1:]))
