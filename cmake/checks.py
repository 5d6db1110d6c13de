#!/usr/bin/env python3
"""checks.py - what the house rules say of the text of the tree, as tests.

    checks.py layers  ROOT           a room looks down only, and so does a sub-room
    checks.py headers ROOT BUILD     public prototypes are named and documented, exported symbols are declared
    checks.py format  ROOT [--fix]   clang-format
    checks.py tidy    ROOT BUILD     clang-tidy over every file that BUILD compiles
    checks.py dialects FOLDER [--all] [flag..]   installed headers are clean in C11 and in C++11 to C++20

A finding is one line, file:line: what was found, what is wanted.  Exit status 1 with findings, 2 without the tools."""

import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

ROOMS = ["fe", "forms", "systems", "timestepping", "verification", "apps", "bench"]  # from the ground up
INNER_ROOMS = ["verification/reader"]  # of a room, with sub-rooms of their own
TEST_HEADERS = {"adaptive.h", "check.h", "check_curved.h", "check_options.h", "fuzz.h"}  # macros, meshes and options for the tests of every room
CLANG_MAJOR = 14  # another version formats differently

MOST_UPWARD = 60  # lines of cmake/upward.txt: a number that falls and never rises

MOST_FUNCTIONS = 150  # of rung.h, which an application's author can know

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
CUTS = "PetscStrlcat"  # of PETSc 3.18: cuts too soon, and writes behind the end of its room
SPATIAL = re.compile(r"\bRung(?:Form|Expr|Space|Mesh)\w*")


def sources(root, suffixes, rooms=ROOMS):
    """Files of the rooms, sorted; build folders are not inside rooms."""
    found = [p for room in rooms for p in (root / room).rglob("*") if p.suffix in suffixes and p.is_file()]
    return sorted(found)


def without_comments(text):
    """The text with comments blanked, so that line numbers stay."""
    return COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def is_public(name):
    """May rooms above include it?"""
    return name.startswith("rung") and name.endswith(".h")


def is_installed(name):
    """Is it for programs?  Other public headers are for the next room."""
    return is_public(name) and not name.endswith("_room.h")


# ---- layers ----------------------------------------------------------------------------------------------------------


def headers_by_name(root):
    """name -> rooms that have a file of this name and may be included."""
    owners = {}
    for path in sources(root, {".h", ".def"}):
        owners.setdefault(path.name, set()).add(path.relative_to(root).parts[0])
    return owners


def include_finding(where, target, owners):
    """Why this #include is refused, or None."""
    room, in_tests, name = where.parts[0], "tests" in where.parts, Path(target).name
    if ".." in Path(target).parts:
        inside = Path(os.path.normpath(where.parent / target)).parts[0] == room
        return None if inside else f"includes {target}, a path out of its room; name the public header alone"
    if name == "metis.h" and room != "fe":
        return "includes metis.h; only fe knows METIS"
    if name not in owners or room in owners[name]:
        return None  # of the system or PETSc, or its own
    owner = min(owners[name], key=ROOMS.index)
    if name in TEST_HEADERS and (in_tests or room == "bench"):
        return None
    if ROOMS.index(owner) > ROOMS.index(room):
        return f"includes {name} of the room {owner} above; a room looks down only"
    if room == "apps" and not is_installed(name):
        return f"includes {name}, which is for rooms; programs include rung.h"
    if not is_public(name):
        return f"includes {name}, which is private to {owner}; use the public header rung{owner}*.h"
    return None


SUBROOMS = re.compile(r"\brung_room\([^)]*?\bSUBROOMS ([\w. ]+)")
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
NAME = re.compile(r"\b(?:Rung|rung|RUNG)\w+")
DEFINED = re.compile(r"^(?!static|typedef|extern|RUNG_EXTERN)(?:\w+[\s*]+)+?((?:Rung|rung|RUNG)\w+)\s*"
                     r"(?:\([^;{}]*\)\s*\{|=|;|\[[^\]]*\]\s*[=;])", re.MULTILINE)


def upward(root, room):
    """(file, line, name, sub-room above) of what a sub-room calls or includes of those above it.

    The room's CMakeLists.txt names its sub-rooms from the ground up.  In its own folder public headers lie below them all, and
    sources and private headers above, or where the dot stands in the row of sub-rooms."""
    cmake = root / room / "CMakeLists.txt"
    match = SUBROOMS.search(cmake.read_text()) if cmake.is_file() else None
    order = match.group(1).split() if match else []
    files = [p for p in sources(root, {".c", ".h", ".def"}, [room]) if order and "tests" not in p.relative_to(root).parts]
    text = {path: without_comments(path.read_text()) for path in files}
    order += [] if "." in order else ["."]
    floor, defined = {}, {}
    for path in files:
        folder = path.relative_to(root / room).parts[0]
        public = path.parent == root / room and path.suffix != ".c" and not path.stem.endswith("_impl")
        floor[path] = -1 if public else order.index(folder if folder in order else ".")
        if path.suffix == ".c":
            defined.update((name, path) for name in DEFINED.findall(STRING.sub('""', text[path])))
    headers = {path.name: path for path in files if path.suffix != ".c"}
    for path in files:
        seen = set()
        for number, line in enumerate(text[path].splitlines(), 1):
            include = INCLUDE.match(line)
            if include:
                names = {Path(include.group(2)).name: headers.get(Path(include.group(2)).name)}
            else:
                names = {n: defined.get(n) for n in NAME.findall(STRING.sub('""', line)) if path.suffix == ".c"}
            for name, other in names.items():
                if other and floor[other] > floor[path] and name not in seen:
                    seen.add(name)
                    yield path.relative_to(root), number, name, order[floor[other]].replace(".", room)


def check_subrooms(root, most):
    """Whatever looks up is in cmake/upward.txt, and all that is in there looks up."""
    path, findings, left = root / "cmake" / "upward.txt", [], {}
    for number, line in enumerate(path.read_text().splitlines() if path.is_file() else [], 1):
        if line.strip() and not line.startswith("#"):
            left[tuple(line.split())] = number
    if len(left) != most:
        findings.append(f"cmake/upward.txt: {len(left)} lines where MOST_UPWARD of cmake/checks.py says {most}; "
                        + ("the list gets shorter only" if len(left) > most else "lower it"))
    for room in ROOMS + INNER_ROOMS:
        for where, number, name, above in upward(root, room):
            if not left.pop((str(where), name), None):
                findings.append(f"{where}:{number}: names {name} of {above} above; a sub-room looks down only")
    for (where, name), number in left.items():
        findings.append(f"cmake/upward.txt:{number}: {where} has no {name} any more; take the line out")
    return findings


def check_layers(root, most=MOST_UPWARD):
    findings, owners = check_subrooms(root, most), headers_by_name(root)
    for path in sources(root, {".c", ".h", ".def"}):
        where = path.relative_to(root)
        room, in_tests = where.parts[0], "tests" in where.parts
        text = without_comments(path.read_text())
        for number, line in enumerate(text.splitlines(), 1):
            match = INCLUDE.match(line)
            finding = include_finding(where, match.group(2), owners) if match else None
            if finding:
                findings.append(f"{where}:{number}: {finding}")
            if CUTS in line:
                findings.append(f"{where}:{number}: calls {CUTS}(), which writes behind the end of its room; take RungTextAppend()")
            if room == "timestepping" and not in_tests:
                for word in SPATIAL.findall(line):
                    findings.append(f"{where}:{number}: names {word}; time stepping knows systems only")
    return findings


# ---- headers ---------------------------------------------------------------------------------------------------------

# Life of every class; the first lines of rungfe.h describe these once for all.
LIFE = re.compile(r"^Rung\w+?(?:Reference|Destroy|View|SetUp)$")


def prototypes(lines):
    """(first line, last line, text) of every RUNG_EXTERN or RUNG_INTERN declaration; lines are counted from 0."""
    start = None
    for number, line in enumerate(lines):
        if start is None and line.startswith(("RUNG_EXTERN ", "RUNG_INTERN ")):
            start = number
        if start is not None and ";" in COMMENT.sub("", line):
            yield start, number, " ".join(lines[start : number + 1])
            start = None


def split_arguments(text):
    """Arguments between the outer brackets, split at the top level."""
    depth, words, current = 0, [], ""
    for char in text:
        depth += (char in "([{") - (char in ")]}")
        if char == "," and depth == 0:
            words.append(current)
            current = ""
        else:
            current += char
    return [word.strip() for word in words + [current]]


def unnamed_arguments(prototype):
    """Arguments without a name: fewer than two words once *, [] and qualifiers are taken away."""
    arguments = prototype[prototype.index("(") + 1 : prototype.rindex(")")]
    unnamed = []
    for argument in split_arguments(arguments):
        if argument in ("void", "..."):
            continue
        pointer = re.search(r"\(\s*\*\s*(\w*)", argument)  # to a function or an array
        plain = re.sub(r"\[[^\]]*\]|\*|\b(?:const|struct|unsigned|restrict)\b", " ", argument)
        if not (pointer.group(1) if pointer else len(plain.split()) >= 2):
            unnamed.append(argument)
    return unnamed


def is_headed(lines, code, first, headed_before):
    """A comment ends on the line above; prototypes without a blank line between them share one.  code: lines without comments."""
    above = lines[first - 1].strip() if first else ""
    if above.endswith("*/") and not code[first - 1].strip():
        return not re.match(r"/\* -{4}", above)  # a section's title is no comment on a function
    return above != "" and headed_before


def check_prototypes(where, text):
    findings, headed = [], False
    lines, code = text.splitlines(), without_comments(text).splitlines()
    for first, last, prototype in prototypes(lines):
        bare = re.sub(r"\s+", " ", COMMENT.sub(" ", prototype))
        name = re.search(r"(\w+)\s*(?:\(|;|\[)", bare).group(1)
        headed = is_headed(lines, code, first, headed)
        beside = any("/*" in line for line in lines[first : last + 1])
        if not (headed or beside or LIFE.match(name)):
            findings.append(f"{where}:{first + 1}: {name} has no comment above or beside it")
        for argument in unnamed_arguments(bare) if "(" in bare else []:
            findings.append(f'{where}:{first + 1}: {name} has an argument without a name: "{argument}"')
    return findings


OBJECT = re.compile(r"typedef struct \w+\s*\*\s*(Rung\w+);")
ON_OBJECT = re.compile(r"RUNG_(?:EXTERN|INTERN)\s+PetscErrorCode\s+(Rung\w+)\((Rung\w+) \w+(?:,[^;]*)?\);")


def check_objects(root):
    """Public functions ask for their object (RungNeed) before they look into it; those of inner loops have no PetscFunctionBegin."""
    public = [re.sub(r"\s+", " ", without_comments(p.read_text())) for p in sources(root, {".h"}) if is_public(p.name)]
    objects = {name for text in public for name in OBJECT.findall(text)}
    wanted = {name for text in public for name, kind in ON_OBJECT.findall(text) if kind in objects}
    findings = []
    for path in sources(root, {".c"}):
        text = path.read_text()
        for found in re.finditer(r"^PetscErrorCode (Rung\w+)\([^)]*\)\n\{\n(.*?)^\}", text, re.S | re.M):
            if found.group(1) in wanted and "PetscFunctionBegin" in found.group(2) and "RungNeed(" not in found.group(2):
                line = text.count("\n", 0, found.start()) + 1
                findings.append(f"{path.relative_to(root)}:{line}: {found.group(1)} does not ask for its object; RungNeed() does")
    return findings


def declared_in(room, root, build):
    """The preprocessed text of all headers of a room: X-macros are expanded as for a user."""
    commands = json.loads((build / "compile_commands.json").read_text())
    for entry in commands:
        if f"/rung_{room}.dir/" in entry["command"]:  # a source of the library, none of the interpreter's renamed copies
            words = shlex.split(entry["command"])
            flags = [w for i, w in enumerate(words[1:], 1) if w.startswith(("-I", "-D", "-std"))
                     or w == "-isystem" or words[i - 1] == "-isystem"]
            headers = [p for p in sorted((root / room).rglob("*.h")) if p.name not in TEST_HEADERS and "tests" not in p.parts]
            flags += sorted({f"-I{p.parent}" for p in headers})
            includes = "".join(f'#include "{p}"\n' for p in headers)
            run = subprocess.run([words[0], *flags, "-E", "-P", "-"], input=includes, text=True, capture_output=True)
            if run.returncode:
                raise SystemExit(f"the headers of {room} do not go through the preprocessor:\n{run.stderr}")
            return set(re.findall(r"\b(?:Rung|rung|RUNG)\w+", run.stdout))
    raise SystemExit(f"{build} compiles no file of {root / room}; configure it for this tree")


def exported(room, build):
    """Symbols that a room's library defines for others."""
    for library in sorted((build / room).glob(f"librung{room}.*")):
        if library.suffix in (".a", ".so"):
            names = ["nm", "-g", "--defined-only", "--format=posix"] + (["-D"] if library.suffix == ".so" else [])
            run = subprocess.run([*names, str(library)], text=True, capture_output=True, check=True)
            for line in run.stdout.splitlines():
                word = line.split()
                if len(word) >= 2 and len(word[1]) == 1 and not word[0].startswith("_"):
                    yield re.sub("_(sse2|avx2|avx512)$", "", word[0])  # copies of a function, see forms/interpreter/isa.c
            return


EXTERN = re.compile(r"^RUNG_EXTERN\b[^;(\[]*?(\w+)\s*[;(\[]", re.MULTILINE)


def programs_see(root):
    """name of an installed header -> what it declares for programs."""
    headers = [p for p in sources(root, {".h"}) if is_installed(p.name)]
    return {p.name: set(EXTERN.findall(without_comments(p.read_text()))) for p in headers}


def visible(library):
    """What a library shows to programs: of a static one what a shared library made of it would export."""
    if library.suffix == ".so":
        run = subprocess.run(["nm", "-D", "--defined-only", "--format=posix", library], text=True, capture_output=True, check=True)
        names = {line.split()[0].split("@")[0] for line in run.stdout.splitlines()}
        return {name for name in names if not name.startswith("_")}  # which are the linker's
    run = subprocess.run(["readelf", "--symbols", "--wide", library], text=True, capture_output=True, check=True)
    words = [line.split() for line in run.stdout.splitlines()]
    return {w[7] for w in words if len(w) >= 8 and w[4] in ("GLOBAL", "WEAK") and w[5] == "DEFAULT" and w[6] != "UND"}


def check_exports(root, build):
    """Exported is what an installed header declares, no more and no less."""
    declared = set().union(*programs_see(root).values())
    archives = [p for room in ROOMS for p in sorted((build / room).rglob("librung*.a"))]
    findings = []
    for shown in [set().union(*map(visible, archives))] * bool(archives) + [visible(p) for p in build.glob("librung.so")]:
        findings += [f"exports {name}, which no installed header declares; RUNG_INTERN or no header of a room's folder"
                     for name in sorted(shown - declared)]
        findings += [f"an installed header declares {name}, which no library exports" for name in sorted(declared - shown)]
    return findings


def check_size(root, most):
    """rung.h and all that it includes declare at most so many functions."""
    declares, seen, left = programs_see(root), set(), ["rung.h"]
    paths = {p.name: p for p in sources(root, {".h"}) if p.name in declares}
    while left:
        name = left.pop()
        if name in paths and name not in seen:
            seen.add(name)
            left += [Path(m.group(2)).name for m in map(INCLUDE.match, paths[name].read_text().splitlines()) if m]
    functions = sum(len(declares[name]) for name in seen)
    return [f"rung.h declares {functions} functions; at most {most}"] if functions > most else []


def check_headers(root, build, most=MOST_FUNCTIONS):
    findings = check_objects(root) + check_size(root, most) + check_exports(root, build)
    for path in sources(root, {".h"}):
        if is_public(path.name):
            findings += check_prototypes(path.relative_to(root), path.read_text())
    for room in ROOMS:
        symbols = sorted(set(exported(room, build)))
        declared = declared_in(room, root, build) if symbols else set()
        for symbol in symbols:
            if not symbol.startswith(("Rung", "rung", "RUNG_")):
                findings.append(f"{room}: exports {symbol}; make it static or let its name begin with Rung")
            elif symbol not in declared:
                findings.append(f"{room}: exports {symbol}, which no header of the room declares; make it static")
    return findings


# ---- clang -----------------------------------------------------------------------------------------------------------


def tool(name):
    """The program of the version that the settings are written for."""
    path = shutil.which(f"{name}-{CLANG_MAJOR}") or shutil.which(name)
    if not path:
        print(f"{name} is not installed; wanted version {CLANG_MAJOR}: apt-get install {name}", file=sys.stderr)
        raise SystemExit(2)
    version = subprocess.run([path, "--version"], text=True, capture_output=True).stdout
    if f"version {CLANG_MAJOR}." not in version:
        print(f"{path} is not version {CLANG_MAJOR}: apt-get install {name}-{CLANG_MAJOR}\n{version}", file=sys.stderr)
        raise SystemExit(2)
    return path


def check_format(root, fix=False):
    mode = ["-i"] if fix else ["--dry-run", "-Werror"]
    files = [str(p.relative_to(root)) for p in sources(root, {".c", ".h"})]
    if not files:
        return ["no C file found below " + str(root)]
    run = subprocess.run([tool("clang-format"), *mode, *files], cwd=root, text=True, capture_output=True)
    findings = re.findall(r"^(.+?:\d+):\d+: error", run.stderr, re.MULTILINE)
    if run.returncode and not findings:
        return [run.stderr.strip()]
    return [f"{place}: not as clang-format has it; cmake --build build -t format" for place in dict.fromkeys(findings)]


def tidy_one(program, build, path):
    """Findings in one file, without the analyser's way to them: clang-tidy -p BUILD FILE shows it."""
    run = subprocess.run([program, "-p", str(build), "--quiet", path], text=True, capture_output=True)
    found = re.findall(r"^\S+:\d+:\d+: (?:error|warning): .*", run.stdout, re.MULTILINE)
    return found or ([f"{path}: {run.stdout}{run.stderr}"] if run.returncode else [])


def check_tidy(root, build):
    program = tool("clang-tidy")
    entries = json.loads((build / "compile_commands.json").read_text())
    files = sorted({e["file"] for e in entries if Path(e["file"]).is_relative_to(root)
                    and not Path(e["file"]).is_relative_to(build)})
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        outputs = pool.map(lambda path: tidy_one(program, build, path), files)
    return list(dict.fromkeys(line for lines in outputs for line in lines))  # a header's finding once


# ---- dialects --------------------------------------------------------------------------------------------------------

C_COMPILERS, CXX_COMPILERS = ("gcc", "clang"), ("g++", "clang++")
C_DIALECTS, CXX_DIALECTS = ("c11",), ("c++11", "c++14", "c++17", "c++20")
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror", "-fsyntax-only"]


def compile_headers(compiler, dialect, headers, folder, flags):
    """A finding if a source that includes these headers, and these alone, is not clean."""
    words = [compiler, "-x", "c" if dialect in C_DIALECTS else "c++", f"-std={dialect}", *STRICT, f"-I{folder}", *flags, "-"]
    text = "".join(f"#include <{name}>\n" for name in headers) + "typedef int rung_alone;\n"
    run = subprocess.run(words, input=text, text=True, capture_output=True)
    return [f"{', '.join(headers)}: {compiler} -std={dialect} complains:\n{run.stderr.strip()}"] if run.returncode else []


def check_dialects(folder, every, flags):
    """Each header alone in C, by one of the compilers in turn.  In C++, which takes a second for PETSc's headers, all together and
    each dialect by one of the compilers, unless every one is wanted of each."""
    headers = sorted(p.name for p in folder.glob("*.h"))
    if "rung.h" not in headers or not all(map(is_installed, headers)):
        return [f"{folder}: wanted rung.h and headers for programs alone, found {', '.join(headers) or 'none'}"]
    alone = [[name] for name in headers]
    known = [c for c in C_COMPILERS if shutil.which(c)]
    jobs = [(c, d, group) for d in C_DIALECTS for i, group in enumerate(alone)
            for c in (known if every else known[i % 2 : i % 2 + 1] or known)]
    both = [c for c in CXX_COMPILERS if shutil.which(c)]
    for i, dialect in enumerate(CXX_DIALECTS):
        by = both if every else both[i % 2 : i % 2 + 1] or both
        jobs += [(c, dialect, group) for c in by for group in (alone if every else [headers[::-1]])]
    flags = [re.sub("^-I", "-isystem", flag) if flag != f"-I{folder}" else flag for flag in flags]
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        found = pool.map(lambda job: compile_headers(*job, folder, flags), jobs)
    print(f"dialects: {len(jobs)} compilations by {', '.join(dict.fromkeys(job[0] for job in jobs))}")
    return [line for lines in found for line in lines]


def main(words):
    check, root = words[0], Path(words[1]).resolve()
    rest = words[2:]
    if check == "layers":
        findings = check_layers(root)
    elif check == "headers":
        findings = check_headers(root, Path(rest[0]).resolve())
    elif check == "format":
        findings = check_format(root, "--fix" in rest)
    elif check == "dialects":
        findings = check_dialects(root, "--all" in rest, [word for word in rest if word != "--all"])
    else:
        findings = check_tidy(root, Path(rest[0]).resolve())
    print("\n".join(findings))
    if findings:
        print(f"{check}: {len(findings)} finding{'s' * (len(findings) > 1)}")
    return 1 if findings else 0


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("layers", "headers", "format", "tidy", "dialects"):
        raise SystemExit(__doc__)
    sys.exit(main(sys.argv[1:]))
