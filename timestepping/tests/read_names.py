"""read_names.py FOLDER - reads what test_names.c wrote with the readers of others: csv, an XML parser, and VTK where it is."""
import csv
import os
import struct
import sys
import xml.etree.ElementTree as tree
import zlib

FOLDER = sys.argv[1] if len(sys.argv) > 1 else "."
failures = 0


def check(ok, what):
    global failures
    if not ok:
        failures += 1
        print("FAIL", what)


def head(path):
    """The XML of a file, without its blocks of numbers."""
    with open(path, "rb") as file:
        text = file.read()
    at = text.find(b"  <AppendedData")
    return tree.fromstring(text if at < 0 else text[:at] + b"</VTKFile>")


def arrays(root, tag):
    return [array.get("Name") for data in root.iter(tag) for array in data]


def series(folder, name):
    """All files of a series; the names of its fields in each piece of each of its files."""
    fields = []
    files = [name + ".pvd"]
    for entry in head(os.path.join(folder, name + ".pvd")).iter("DataSet"):
        files.append(entry.get("file"))
        for piece in head(os.path.join(folder, entry.get("file"))).iter("Piece"):
            fields.append(arrays(piece, "PointData"))
    return files, fields


def table(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def is_picture(path):
    """All chunks of a PNG have their checksums."""
    with open(path, "rb") as file:
        data = file.read()
    at = 8
    while at + 12 <= len(data):
        size = struct.unpack(">I", data[at:at + 4])[0]
        if zlib.crc32(data[at + 4:at + 8 + size]) != struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0]:
            return False
        at += 12 + size
    return data[:8] == b"\x89PNG\r\n\x1a\n" and at == len(data)


def read_vtk(path, names):
    try:
        import vtk  # pylint: disable=import-outside-toplevel
    except ImportError:
        return
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(path)
    reader.Update()
    data = reader.GetOutput().GetPointData()
    check([data.GetArrayName(i) for i in range(data.GetNumberOfArrays())] == names, "VTK reads other names")


def main():
    with open(os.path.join(FOLDER, "names.txt"), encoding="utf-8", newline="\n") as file:
        names = file.read().split("\n")[:-1]
    rows = table(os.path.join(FOLDER, "names.csv"))
    check(rows[0] == ["t"] + names and len(rows) == 4 and all(len(row) == len(rows[0]) for row in rows), "names.csv")
    check(is_picture(os.path.join(FOLDER, "names.png")), "names.png")
    files, fields = series(FOLDER, "names")
    check(fields and all(found == names for found in fields), "names.pvd")
    read_vtk(os.path.join(FOLDER, files[1]), names)
    expected = {"%s'`touch PWNED`" + step + ".h5" for step in "012"}
    paths = os.path.join(FOLDER, "paths")
    for name in names:
        if name in (".", ".."):  # no files
            continue
        csv_name = name if name.endswith(".csv") else name + ".csv"
        expected |= {name + ".field"} | set(series(paths, name)[0])
        if name == "{step}":  # no table
            continue
        check(table(os.path.join(paths, csv_name))[0] == ["t"], csv_name)
        expected |= {csv_name}
    found = {os.path.relpath(os.path.join(at, one), paths) for at, _, inside in os.walk(paths) for one in inside}
    check(found <= {os.path.normpath(one) for one in expected}, "stray files: %s" % sorted(found - expected))
    check(not os.path.exists(os.path.join(FOLDER, "PWNED")), "a name was run as a program")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
