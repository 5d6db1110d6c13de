"""ranks.py MPIEXEC TOLERANCE RANKS TABLE command.. - one program on several numbers of ranks must give one table.

Runs `command -stepper_table TABLE` for each of the comma-separated rank counts in a folder np<N>, and compares all tables
with the first: the same header, the same rows, values apart by no more than TOLERANCE times the column's largest."""
import csv
import os
import subprocess
import sys


def table(path):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    return rows[0], [[float(value) for value in row] for row in rows[1:]]


def apart(first, other):
    """Largest difference of two tables in units of each column's largest absolute value."""
    worst = 0.0
    for column in zip(*[list(zip(a, b)) for a, b in zip(first, other)]):
        largest = max(abs(a) for a, _ in column) or 1.0
        worst = max(worst, max(abs(a - b) for a, b in column) / largest)
    return worst


def main():
    mpiexec, tolerance, ranks, name = sys.argv[1], float(sys.argv[2]), sys.argv[3].split(","), sys.argv[4]
    command = sys.argv[5:]
    tables = []
    for np in ranks:
        folder = "np" + np
        os.makedirs(folder, exist_ok=True)
        run = [mpiexec, "--oversubscribe", "-n", np] + command + ["-stepper_table", name]
        done = subprocess.run(run, cwd=folder, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode:
            print(done.stdout, done.stderr, "%s ranks ended with status %d" % (np, done.returncode))
            return 1
        tables.append(table(os.path.join(folder, name)))
    failed = 0
    for np, (header, rows) in zip(ranks[1:], tables[1:]):
        if header != tables[0][0] or len(rows) != len(tables[0][1]):
            print("%s ranks: %d rows of %s, wanted %d of %s" % (np, len(rows), header, len(tables[0][1]), tables[0][0]))
            failed = 1
            continue
        worst = apart(tables[0][1], rows)
        print("%s ranks against %s: apart by %.2e" % (np, ranks[0], worst))
        failed |= not worst <= tolerance
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
