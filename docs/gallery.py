"""gallery.py RUNG SOURCE [NAME..] - docs/gallery.md and its pictures, docs/gallery/NAME.png, made from the problem files and their results.
gallery.py -check SOURCE - are the pages those of the files, and is each file as the gallery wants it?

Each problem is run in a folder of scratch, NAME.out below the current one; gnuplot draws what PICTURES names.  Files stand in
verification/problems and apps.  A file has a title, equations as remarks, a source, a word on what to look at, a number that its
run tests, and at most 40 lines; a picture has less than 60 kB.  `bracket` draws docs/bracket.png, the picture of README.md.

    gallery.py RUNG TREE [NAME]..   draws these pictures, or all of them, and writes docs/gallery.md
    gallery.py -check TREE          are the files as the page wants them, and is the page theirs?"""
import csv
import os
import re
import shutil
import struct
import subprocess
import sys

# name: folder, then curves of a table's columns over one of them; profiles of a series over x at several times; a map of its last time
PROBLEMS, APPS = "verification/problems", "apps"
PICTURES = {
    "heat": (APPS, "map", "heat", "u"),
    "bracket": (APPS, "surface", "bracket", "u"),
    "plasticity": (APPS, "curves", "plasticity", "t", ["stress"]),
    "advection": (PROBLEMS, "profiles", "advection", "u"),
    "beam": (PROBLEMS, "curves", "beam_swing", "t", ["tip"]),
    "ball": (PROBLEMS, "curves", "ball", "t", ["height"]),
    "bimetal": (PROBLEMS, "curves", "bimetal", "heat", ["tip"]),
    "brusselator": (PROBLEMS, "curves", "brusselator", "t", ["y0", "y1"]),
    "buoyant": (PROBLEMS, "map", "buoyant", "T"),
    "cahn_hilliard": (PROBLEMS, "map", "mixture", "c"),
    "cavity": (PROBLEMS, "map", "cavity", "u"),
    "consolidation": (PROBLEMS, "profiles", "consolidation", "p"),
    "gray_scott": (PROBLEMS, "profiles", "gray_scott", "v"),
    "kinetics": (PROBLEMS, "curves", "kinetics", "t", ["y0"]),
    "lid": (PROBLEMS, "curves", "lid", "t", ["middle"]),
    "monodomain": (PROBLEMS, "profiles", "monodomain", "v"),
    "obstacle": (PROBLEMS, "profiles", "obstacle", "u"),
    "pendulum": (PROBLEMS, "curves", "pendulum", "t", ["x"]),
    "waves": (PROBLEMS, "profiles", "waves", "u"),
    "windkessel": (PROBLEMS, "curves", "windkessel", "t", ["P"]),
}
# problems that methods are tried on: in a table of the page, without a picture
REFERENCE = ["damped_oscillator", "elastic_bar", "maxwell", "moving_bar", "moving_edge", "nonlinear_mass", "oscillator", "power_edge",
             "relaxation", "steady_edge", "steady_wave"]
FILES = {"bracket": "elastodynamics"}  # where the file has another name
OPTIONS = {"bracket": ["-stepper_end", "5e-4"]}
CORNERS = {3: 2, 21: 2, 68: 2, 5: 3, 22: 3, 69: 3, 9: 4, 23: 4, 28: 4, 70: 4, 10: 4, 24: 4, 71: 4}  # of VTK's lines, triangles, quadrilaterals, tetrahedra
MOST_LINES, MOST_BYTES = 40, 60000
HEAD = "set terminal pngcairo size 640,400 font 'Sans,11'\nset output '%s'\nset border 3 lc rgb '#666666'\nset tics nomirror\n"


def read_vtu(path):
    """Points, cells as lists of corners, and the named arrays of points: name -> list of tuples."""
    with open(path, "rb") as file:
        data = file.read()
    head, start = data[:data.index(b"<AppendedData")].decode(), data.index(b"_", data.index(b"<AppendedData")) + 1
    code = {"Float64": "d", "Float32": "f", "Int32": "i", "Int64": "q", "UInt8": "B"}

    def array(match):
        kind, width, offset = match.group(1), int(match.group(3)), start + int(match.group(4))
        size = struct.unpack_from("<Q", data, offset)[0]
        values = struct.unpack_from("<%d%s" % (size // struct.calcsize(code[kind]), code[kind]), data, offset + 8)
        return [values[i:i + width] for i in range(0, len(values), width)]

    pattern = re.compile(r'type="(\w+)" Name="([^"]*)" NumberOfComponents="(\d+)" format="appended" offset="(\d+)"')
    arrays = {match.group(2): array(match) for match in pattern.finditer(head)}
    ends, cells, first = [e[0] for e in arrays["offsets"]], [], 0
    for end, kind in zip(ends, arrays["types"]):
        cells.append([n[0] for n in arrays["connectivity"][first:first + CORNERS.get(kind[0], end - first)]])
        first = end
    return arrays["Points"], cells, arrays


def series(folder, name):
    """(time, path) of a .pvd in a folder of results."""
    with open(os.path.join(folder, name + ".pvd")) as file:
        return [(float(t), os.path.join(folder, path))
                for t, path in re.findall(r'timestep="([^"]*)" part="\d+" file="([^"]*)"', file.read())]


def size_of(value):
    return value[0] if len(value) == 1 else sum(v * v for v in value) ** 0.5


def curves(folder, table, column, columns):
    with open(os.path.join(folder, table + ".csv")) as file:
        rows = [line.split(",") for line in file.read().split("\n") if line]
    out = "set xlabel '%s'\nset key top right\n" % column
    for name in columns:
        i, k = rows[0].index(column), rows[0].index(name)
        out += "$%s << END\n%s\nEND\n" % (name, "\n".join("%s %s" % (row[i], row[k]) for row in rows[1:]))
    return out + "plot %s\n" % ", ".join("$%s with lines lw 2 title '%s'" % (name, name) for name in columns)


def profiles(folder, name, field):
    times = series(folder, name)
    chosen = sorted({round(i * (len(times) - 1) / 4) for i in range(5)})
    out = "set xlabel 'x'\nset ylabel '%s'\nset key top right\n" % field
    for i in chosen:
        points, _, arrays = read_vtu(times[i][1])
        pairs = sorted((point[0], size_of(value)) for point, value in zip(points, arrays[field]))
        out += "$t%d << END\n%s\nEND\n" % (i, "\n".join("%.6g %.6g" % pair for pair in pairs))
    return out + "plot %s\n" % ", ".join("$t%d with lines lw 2 title 't = %.3g'" % (i, times[i][0]) for i in chosen)


def face(points, values, corners):
    """A surface of gnuplot's pm3d of two lines: a quadrilateral, or a triangle with a corner twice."""
    a, b, c, d = corners if len(corners) == 4 else (*corners, corners[2])
    lines = ["%.6g %.6g %.6g %.6g" % (*points[n], values[n]) for n in (a, b, d, c)]
    return "%s\n%s\n\n%s\n%s\n\n\n" % (lines[0], lines[1], lines[2], lines[3])


def map_of(folder, name, field):
    points, cells, arrays = read_vtu(series(folder, name)[-1][1])
    values = [size_of(value) for value in arrays[field]]
    label = field if len(arrays[field][0]) == 1 else "|%s|" % field
    return ("set view map\nset size ratio -1\nset palette defined (0 '#30306a', 1 '#2a9d8f', 2 '#f2e394')\nset cblabel '%s'\n"
            "unset key\nset pm3d corners2color mean\n$map << END\n%sEND\nsplot $map using 1:2:3:4 with pm3d\n"
            % (label, "".join(face(points, values, cell) for cell in cells)))


def surface(folder, name, field, factor=150):
    """Faces that one tetrahedron alone has, moved by the field."""
    points, cells, arrays = read_vtu(series(folder, name)[-1][1])
    values = [size_of(value) for value in arrays[field]]
    moved = [[x + factor * u for x, u in zip(point, value)] for point, value in zip(points, arrays[field])]
    faces = {}
    for cell in cells:
        for k in range(4):
            corners = cell[:k] + cell[k + 1:]
            faces.setdefault(tuple(sorted(corners)), []).append(corners)
    outer = [faces[key][0] for key in faces if len(faces[key]) == 1]
    return ("set view 64,58,1.5\nset view equal xyz\nset margins 0,0,0,0\nunset border\nunset tics\nunset key\nunset colorbox\nset pm3d depthorder corners2color mean\n"
            "set pm3d lighting primary 0.6 specular 0.2\nset palette defined (0 '#30306a', 1 '#2a9d8f', 2 '#f2e394')\n$map << END\n%sEND\n"
            "splot $map using 1:2:3:4 with pm3d\n" % "".join(face(moved, values, corners) for corners in outer))


DRAW = {"curves": curves, "profiles": profiles, "map": map_of, "surface": surface}


def source_of(tree, name):
    return os.path.join(tree, PICTURES[name][0], FILES.get(name, name) + ".rung")


def draw(rung, tree, name):
    picture = os.path.join(tree, "docs", "bracket.png" if name == "bracket" else "gallery/%s.png" % name)
    folder = name + ".out"
    shutil.rmtree(folder, ignore_errors=True)
    done = subprocess.run([rung, "run", source_of(tree, name), "-output", folder, "-quiet", "-stepper_monitor", "none"]
                          + OPTIONS.get(name, []), check=False)
    if done.returncode:
        sys.exit("%s ended with status %d" % (name, done.returncode))
    _, kind, *rest = PICTURES[name]
    text = HEAD % picture + DRAW[kind](folder, *rest)
    subprocess.run(["gnuplot"], input=text, text=True, check=True)
    print("%s: %d bytes" % (picture, os.path.getsize(picture)))


def words_of(path):
    """The lines of a file, and what stands behind each word."""
    with open(path) as file:
        lines = file.read().rstrip("\n").split("\n")
    said = {}
    for line in lines:
        word, _, rest = line.partition(" ")
        said.setdefault(word, []).append(rest.strip())
    return lines, said


def references(tree):
    """The table of problems that methods are tried on."""
    out = ["## Reference problems", "", "`rung study NAME.rung -method \"esdirk*,bdf2\"` shows the orders of methods on them.", "",
           "| file | problem | tested |", "|---|---|---|"]
    for name in REFERENCE:
        _, said = words_of(os.path.join(tree, PROBLEMS, name + ".rung"))
        tested = ["%s `%s`" % (word, text.split("#")[0].strip()) for word in ("reference", "expect") for text in said.get(word, [])]
        out.append("| [%s](../%s/%s.rung) | %s | %s |" % (name, PROBLEMS, name, said["title"][0], ", ".join(tested)))
    return out + [""]


# what ends a problem before a million values, or why its iterations grow
LARGE = {
    "ball": "a mass alone; steps of explicit methods take no iterations",
    "beam": "kept factors; at 972842 values with steps of 8e-4, since those of 0.04, as at 772634, let the end ring from element to element: Newton's "
            "method took 47 iterations in the second step at 515522 values",
    "buoyant": "kept factors: 5.7 CPU s at 78159 values, 9.3 with new ones",
    "cahn_hilliard": "kept factors: 4.4 CPU s at 94178 values, 6.7 with new ones",
    "cavity": "kept factors: 4.1 CPU s at 130803 values, 5.9 with new ones",
    "elastodynamics": "not refined",
    "heat": "ICC in between",
    "nonlinear_mass": "factors up to 200000 values, above them multigrid behind ICC, which took 103 and, on 2 ranks, 170: 105 and 333 CPU s, 31 and "
                      "80 now",
    "monodomain": "kept factors: 1.2 CPU s at 100002 values, 1.8 with new ones",
    "obstacle": "Newton iterations of the first steps: 3, 2, 2; 6, 7, 5 at a million",
    "pendulum": "kept factors",
    "plasticity": "kept factors; at 973191 values the first solve tries 40 iterations of ILU before it factors: 1 behind it",
}


def larger(tree):
    """The table of problems on finer meshes, as bench/gallery_large.py has measured them."""
    with open(os.path.join(tree, "docs/gallery/large.csv"), newline="") as file:
        rows = list(csv.DictReader(file))
    out = ["## On finer meshes", "", "Linear iterations a solve, in the first two or three steps of a run, by the solver that the run takes by itself: as the file",
           "says, and with more cells. 1 is a factorisation. Kept factors serve several Newton iterations and steps, where fewer factorisations",
           "are cheaper than fewer iterations. Made by `bench/gallery_large.py`; what is not there was not measured.", "",
           "| file | values, ranks: iterations | |", "|---|---|---|"]
    for name in sorted({row["name"] for row in rows}):
        cells = ["%s%s: %s" % (row["values"], "" if row["ranks"] == "1" else ", %s ranks" % row["ranks"], row["iterations"])
                 for row in rows if row["name"] == name]
        out.append("| %s | %s | %s |" % (name, "; ".join(cells), LARGE.get(name, "")))
    return out + [""]


def page(tree):
    """The text of docs/gallery.md."""
    out = ["# Gallery", "",
           "Each is a file whose run tests the numbers below; `rung new NAME` copies it, with these tests as remarks. This page and "
           "its pictures are made by "
           "`docs/gallery.py`.", ""]
    for name in sorted(PICTURES):
        lines, said = words_of(source_of(tree, name))
        out += ["## %s" % said["title"][0], "", "`%s` · [%s](../%s), %d lines"
                % (FILES.get(name, name), os.path.basename(source_of(tree, name)), os.path.relpath(source_of(tree, name), tree),
                   len(lines)), "", "```"]
        out += [line[1:].strip() for line in lines if line.startswith("#")] + ["```", ""]
        out += ["- source: %s" % said.get("source", [""])[0], "- look: %s" % said.get("look", [""])[0]]
        out += ["- %s `%s`" % (word, text) for word in ("reference", "expect") for text in said.get(word, [])]
        out += ["", "![%s](%s)" % (name, "bracket.png" if name == "bracket" else "gallery/%s.png" % name), ""]
    return "\n".join(out + references(tree) + larger(tree))


def check(tree):
    failed = 0
    for name in PICTURES:
        picture = os.path.join(tree, "docs", "bracket.png" if name == "bracket" else "gallery/%s.png" % name)
        with open(source_of(tree, name)) as file:
            text = file.read()
        missing = [word for word in ("title ", "source ", "look ", "#") if not re.search("^" + word, text, re.M)]
        if name != "bracket" and not re.search("^(reference|expect) ", text, re.M):
            missing.append("reference")
        if missing or text.count("\n") > MOST_LINES or not 0 < os.path.getsize(picture) < MOST_BYTES:
            print("%s: %d lines, missing %s, picture of %d bytes" % (name, text.count("\n"), missing, os.path.getsize(picture)))
            failed = 1
    names = {os.path.splitext(f)[0] for f in os.listdir(os.path.join(tree, PROBLEMS)) if f.endswith(".rung")}
    for name in REFERENCE:
        lines, said = words_of(os.path.join(tree, PROBLEMS, name + ".rung"))
        missing = [word for word in ("title", "source", "#") if word not in said]
        if missing or len(lines) > MOST_LINES or not {"reference", "expect"} & set(said):
            print("%s: %d lines, missing %s" % (name, len(lines), missing))
            failed = 1
    if names != (set(PICTURES) | set(REFERENCE)) & names:
        print("not in docs/gallery.py: %s" % ", ".join(sorted(names - set(PICTURES) - set(REFERENCE))))
        failed = 1
    with open(os.path.join(tree, "docs", "gallery.md")) as file:
        if file.read() != page(tree):
            print("docs/gallery.md is not what docs/gallery.py writes; python3 docs/gallery.py RUNG . makes it")
            failed = 1
    print("%d problems" % len(PICTURES))
    return failed


def main():
    tree = os.path.abspath(sys.argv[2])
    if sys.argv[1] == "-check":
        return check(tree)
    for name in sorted(PICTURES.keys() & sys.argv[3:] if sys.argv[3:] else PICTURES):
        draw(os.path.abspath(sys.argv[1]), tree, name)
    with open(os.path.join(tree, "docs", "gallery.md"), "w") as file:
        file.write(page(tree))
    return 0


sys.exit(main())
