"""valgrind.py VALGRIND MPIEXEC BUILD [NAME] - small programs of every room under memcheck, on one and two ranks.

Ends with 1 if one of them reads what was never written, reads or writes what is not its own, or loses memory for good;
with 77 (skipped, for CTest) where there is no valgrind.  NAME runs the programs whose line holds it."""

import os
import subprocess
import sys
from pathlib import Path

SUPPRESSIONS = Path(__file__).with_name("valgrind.supp")
OF_OPEN_MPI = Path("/usr/share/openmpi/openmpi-valgrind.supp")
MEMCHECK = ["-q", "--error-exitcode=9", "--leak-check=full", "--show-leak-kinds=definite",
            "--errors-for-leak-kinds=definite", "--num-callers=40"]

# ranks, program below the build folder, arguments
PROGRAMS = [
    (1, "bin/heat", "-mesh_count 3,3 -stepper_dt 0.5 -form_jit wait"),
    (2, "bin/heat", "-mesh_count 3,3 -stepper_dt 0.5 -form_jit wait"),
    (1, "bin/elastodynamics", "-mesh_refine 0 -space_u P1^d -stepper_end 2e-5 -form_backend interpreter"),
    (1, "bin/robertson", "-mesh_points 3 -stepper_end 0.1"),
    (1, "bin/plasticity", "-mesh_count 1,1,1 -stepper_end 0.5 -stepper_dt 0.5"),
    (1, "bin/verify", "-list"),
    (1, "tests/test_fe_layout", ""),
    (2, "tests/test_fe_layout", ""),
    (1, "tests/test_forms_parse", ""),
    (1, "tests/test_forms_assemble", "-form_backend interpreter"),
    (2, "tests/test_forms_assemble", "-form_backend interpreter"),
    (1, "tests/test_systems_dirichlet", ""),
    (2, "tests/test_systems_dirichlet", ""),
    (1, "tests/test_systems_constraint", "-form_backend interpreter"),
    (2, "tests/test_systems_checkpoint", "-form_backend interpreter"),
    (1, "tests/test_timestepping_stepper", ""),
    (2, "tests/test_timestepping_record", "-form_backend interpreter"),
]


def command(valgrind, mpiexec, build, ranks, program, arguments):
    start = [mpiexec, "--oversubscribe", "-n", str(ranks)] if ranks > 1 else []
    supp = [f"--suppressions={path}" for path in (SUPPRESSIONS, OF_OPEN_MPI) if path.exists()]
    return [*start, valgrind, *MEMCHECK, *supp, str(build / program), *arguments.split()]


def main(valgrind, mpiexec, build, only=""):
    if not valgrind or valgrind.endswith("NOTFOUND"):
        print("skipped: valgrind is not installed (apt install valgrind)")
        return 77
    bad = 0
    for ranks, program, arguments in PROGRAMS:
        line = f"{program} {arguments} on {ranks}"
        if only not in line:
            continue
        run = subprocess.run(command(valgrind, mpiexec, Path(build), ranks, program, arguments), text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, "OMP_NUM_THREADS": "1"})
        print(("ok   " if run.returncode == 0 else "FAIL ") + line, flush=True)
        if run.returncode:
            bad += 1
            print(run.stdout)
    print(f"{bad} with findings")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
