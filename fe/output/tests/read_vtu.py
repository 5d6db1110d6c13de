#!/usr/bin/python3
"""read_vtu.py FOLDER - reads what test_output.c wrote with VTK's own reader and checks points, cells and values.

Exit status 77 (skipped) if python3-vtk9 is missing, 1 if a check fails.
"""
import os
import sys
import xml.etree.ElementTree as tree

try:
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
    import numpy
except ImportError as reason:
    print("skipped: %s; install python3-vtk9" % reason)
    sys.exit(77)

CELLS = {"interval": (3, 68, 3, 1), "triangle": (5, 69, 12, 2), "quadrilateral": (9, 70, 6, 2),
         "tetrahedron": (10, 71, 72, 3), "hexahedron": (12, 72, 12, 3)}  # linear, Lagrange, cells of the box, dimension
SIZE = (1, 0.75, 0.5)
failures = 0
FOLDER = sys.argv[1] if len(sys.argv) > 1 else "."


def check(name, ok, what):
    global failures
    if not ok:
        failures += 1
        print("FAIL %s: %s" % (name, what))


def read(pvd):
    """The times of a series and the grid of each."""
    times, grids = [], []
    for entry in tree.parse(pvd).getroot().iter("DataSet"):
        reader = vtk.vtkXMLUnstructuredGridReader()
        path = os.path.join(os.path.dirname(pvd), entry.get("file"))
        check(pvd, os.path.exists(path), path + " is missing")
        reader.SetFileName(path)
        reader.Update()
        check(pvd, reader.GetErrorCode() == 0, "the reader complains")
        times.append(float(entry.get("timestep")))
        grids.append(reader.GetOutput())
    return times, grids


def pieces(name):
    """Of the first time, which is one file."""
    folder = os.path.join(FOLDER, name + ".pvd.d")
    files = [f for f in os.listdir(folder) if f.startswith(name + "_000000")]
    check(name, files == [name + "_000000.vtu"], "files of the first time %s" % files)
    with open(os.path.join(folder, files[0]), "rb") as file:
        return file.read().count(b"<Piece ")


def power(x, degree, box):
    base = (1 + x[:, 0]) * (1 + 2 * x[:, 1]) * (1 + 3 * x[:, 2]) if box else 1 + x[:, 0] + 2 * x[:, 1] + 3 * x[:, 2]
    return (base / 2) ** degree


def near(a, b):
    return a.shape == b.shape and (a.size == 0 or numpy.abs(a - b).max() < 1e-10 * (1 + numpy.abs(b).max()))


def check_inside(name, grid, degree, box):
    """VTK's own interpolation, at points inside cells, has to give the function back: the order of nodes is right."""
    u = vtk_to_numpy(grid.GetPointData().GetArray("u"))
    where, value = [], []
    for c in range(grid.GetNumberOfCells()):
        cell = grid.GetCell(c)
        points = vtk_to_numpy(cell.GetPoints().GetData())
        ids = [cell.GetPointId(i) for i in range(cell.GetNumberOfPoints())]
        for p in ((0.13, 0.29, 0.41), (0.52, 0.11, 0.23)):
            weights, at, sub = [0.0] * len(ids), [0.0] * 3, vtk.mutable(0)
            cell.EvaluateLocation(sub, p, at, weights)
            where.append(numpy.dot(weights, points))
            value.append(numpy.dot(weights, u[ids]))
    check(name, near(numpy.array(value), power(numpy.array(where), degree, box)), "u between its nodes")


def total_size(grid):
    sizes = vtk.vtkCellSizeFilter()
    sizes.SetInputData(grid)
    sizes.Update()
    data = sizes.GetOutput().GetCellData()
    return sum(vtk_to_numpy(data.GetArray(n)).sum() for n in ("Length", "Area", "Volume"))


def centroids(grid):
    out = []
    for c in range(grid.GetNumberOfCells()):
        cell = grid.GetCell(c)
        n = {1: 2, 2: 4 if cell.GetNumberOfEdges() == 4 else 3, 3: 8 if cell.GetNumberOfFaces() == 6 else 4}
        points = vtk_to_numpy(cell.GetPoints().GetData())[:n[cell.GetCellDimension()]]
        out.append(points.mean(axis=0))
    return numpy.array(out)


def check_box(name, cell, degree, times, grids):
    linear, lagrange, cells, dim = CELLS[cell]
    grid, box = grids[0], cell in ("quadrilateral", "hexahedron")
    check(name, times == ([0, 0.1, 0.2] if degree == 2 else [0]), "times %s" % times)
    check(name, grid.GetNumberOfCells() == cells, "%d cells" % grid.GetNumberOfCells())
    kinds = {grid.GetCellType(c) for c in range(grid.GetNumberOfCells())}
    check(name, kinds == {linear if degree == 1 else lagrange}, "cell types %s" % kinds)
    x = vtk_to_numpy(grid.GetPoints().GetData())
    check(name, near(vtk_to_numpy(grid.GetPointData().GetArray("u")), power(x, degree, box)), "u at the points")
    nodes = numpy.prod([degree * n + 1 for n in (3, 2, 2)[:dim]])
    places = len(numpy.unique(numpy.round(x, 9), axis=0))
    check(name, places == nodes and (grid.GetNumberOfPoints() == nodes or pieces(name) > 1), "%d points" % places)
    v = numpy.stack([c + 1 + x[:, 0] - x[:, 1] if c < dim else 0 * x[:, 0] for c in range(3)], axis=1)
    check(name, near(vtk_to_numpy(grid.GetPointData().GetArray("v")), v), "v at the points")
    volume = numpy.prod(SIZE[:dim])
    check(name, abs(total_size(grid) - volume) < 1e-10, "size %g, wanted %g" % (total_size(grid), volume))
    check_inside(name, grid, degree, box)
    middle = centroids(grid)
    q = 1 + middle[:, 0] - middle[:, 1]
    check(name, near(vtk_to_numpy(grid.GetCellData().GetArray("q")), q), "means of q")
    c = numpy.zeros((cells, 9))
    for r in range(dim):
        for s in range(dim):
            c[:, 3 * r + s] = r * dim + s + q
    check(name, near(vtk_to_numpy(grid.GetCellData().GetArray("c")), c), "tensors c")


def check_side(cell, degree, grid):
    """Facets at x = 1, as cells; a facet has the constant of its cell, whose middle is at 1 - 1/6 in boxes."""
    name, dim, box = "right_%s_%d" % (cell, degree), CELLS[cell][3], cell in ("quadrilateral", "hexahedron")
    x = vtk_to_numpy(grid.GetPoints().GetData())
    check(name, numpy.abs(x[:, 0] - 1).max() < 1e-12, "points beside the part")
    check(name, near(vtk_to_numpy(grid.GetPointData().GetArray("u")), power(x, degree, box)), "u at the points")
    cells = {1: 1, 2: 2, 3: 4 if box else 8}[dim]
    check(name, grid.GetNumberOfCells() == cells, "%d cells" % grid.GetNumberOfCells())
    places = len(numpy.unique(numpy.round(x, 9), axis=0))
    nodes = numpy.prod([degree * n + 1 for n in (2, 2)[:dim - 1]])
    check(name, places == nodes, "%d points" % places)
    if dim > 1:
        check(name, abs(total_size(grid) - numpy.prod(SIZE[1:dim])) < 1e-10, "size %g" % total_size(grid))
        check_inside(name, grid, degree, box)
    if box:
        c, middle = vtk_to_numpy(grid.GetCellData().GetArray("c")), centroids(grid)
        check(name, near(c[:, 0], 1 + 5 / 6 - middle[:, 1]), "constants of the cells")


def check_line(cell, degree, grid):
    name, box = "line_%s_%d" % (cell, degree), cell in ("quadrilateral", "hexahedron")
    x = vtk_to_numpy(grid.GetPoints().GetData())
    check(name, near(x[:, 0], 0.125 * numpy.arange(1, 9)), "points %s" % x[:, 0])
    check(name, grid.GetNumberOfCells() == 7 and grid.GetCellType(0) == 3, "pieces of the line")
    check(name, near(vtk_to_numpy(grid.GetPointData().GetArray("u")), power(x, degree, box)), "u along the line")
    check(name, grid.GetPointData().GetArray("c").GetNumberOfComponents() == 3, "c along the line")


def main():
    vtk.vtkObject.GlobalWarningDisplayOff()
    for cell in CELLS:
        for degree in (1, 2, 3, 4):
            name = "%s_%d" % (cell, degree)
            check_box(name, cell, degree, *read(os.path.join(FOLDER, name + ".pvd")))
        for degree in (1, 3):
            for what, checks in (("right", check_side), ("line", check_line)):
                _, (grid,) = read(os.path.join(FOLDER, "%s_%s_%d.pvd" % (what, cell, degree)))
                checks(cell, degree, grid)
    _, (grid,) = read(os.path.join(FOLDER, "air.pvd"))
    x = vtk_to_numpy(grid.GetPoints().GetData())
    check("air", grid.GetNumberOfCells() == 2 and abs(total_size(grid) - 0.5) < 1e-12, "cells of the part")
    check("air", near(vtk_to_numpy(grid.GetPointData().GetArray("u")), power(x, 2, False)), "u")
    middle = centroids(grid)
    check("air", near(vtk_to_numpy(grid.GetCellData().GetArray("c")), 1 + middle[:, 0] - middle[:, 1]), "c")
    _, (grid,) = read(os.path.join(FOLDER, "seam.pvd"))  # (0,0) (1,0), then (1,0) and (0,1) to the middle
    x = vtk_to_numpy(grid.GetPoints().GetData())
    check("seam", grid.GetNumberOfCells() == 3 and len(numpy.unique(numpy.round(x, 9), axis=0)) == 7, "facets")
    check("seam", near(vtk_to_numpy(grid.GetPointData().GetArray("u")), power(x, 2, False)), "u")
    c = sorted(vtk_to_numpy(grid.GetCellData().GetArray("c")))  # of the first cell behind each facet
    check("seam", near(numpy.array(c), numpy.array([1 - 1 / 3, 4 / 3, 4 / 3])), "constants of the first cells")
    _, (grid,) = read(os.path.join(FOLDER, "split_2.pvd"))
    x = vtk_to_numpy(grid.GetPoints().GetData())
    check("split_2", grid.GetNumberOfPoints() == 6 * grid.GetNumberOfCells() == 72, "points and cells")
    check("split_2", near(vtk_to_numpy(grid.GetPointData().GetArray("u")), power(x, 2, False)), "u")
    check_inside("split_2", grid, 2, False)
    _, (grid,) = read(os.path.join(FOLDER, "points_0.pvd"))
    check("points_0", grid.GetNumberOfCells() == grid.GetNumberOfPoints() == 5, "points and cells")
    x = vtk_to_numpy(grid.GetPoints().GetData())
    check("points_0", sorted(x[:, 0]) == [0, 1, 2, 3, 4] and grid.GetCellType(0) == 1, "vertices")
    v = numpy.stack([c + 1 + x[:, 0] for c in range(3)], axis=1)
    check("points_0", near(vtk_to_numpy(grid.GetPointData().GetArray("v <&>")), v), "v")
    times, _ = read(os.path.join(FOLDER, "full_3.pvd"))
    check("full_3", times == [0], "the time that was not written is listed")
    print("%d failures" % failures)
    return 1 if failures else 0


sys.exit(main())
