#!/usr/bin/env python3
"""null_calls.py - calls of all public functions with NULL in the place of each of their arguments that is an address.

    null_calls.py ROOT FILE     writes FILE, which test_null.c includes: begin(NAME) call(NAME, ARGUMENT, NAMED, NAME(..)) .. end()

NAMED: a message has to name the argument; of the object that a function is about, or of the only address, its function says enough.  All other arguments are what the test owns.  An argument of a type that is not known here is an error: say below how it is made."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import checks

# what a call gets for an argument of a type that is handed over by itself
OWN = {
    "RungMesh": "own.mesh", "RungSpace": "own.space", "RungLayout": "own.layout", "RungField": "own.field",
    "RungProbes": "own.probes", "RungOutput": "own.output", "RungScope": "own.scope", "RungExpr": "own.expr",
    "RungForm": "own.form", "RungSystem": "own.sys", "RungStepper": "own.stepper", "RungCoupling": "own.coupling",
    "RungStudy": "own.study", "RungProblem": "own.problem", "RungGauge": "own.gauge", "RungWriter": "own.writer",
    "Vec": "own.u", "Mat": "own.J", "TS": "own.ts", "PetscViewer": "NULL", "MPI_Comm": "PETSC_COMM_SELF",
    "RungTraits": "(RungTraits){.unknowns = 1, .order = 1}", "RungStepperType": '"dirk"',
    "PetscInt": "1", "PetscReal": "1", "PetscScalar": "1", "PetscBool": "PETSC_TRUE", "int": "1", "size_t": "1",
}
ENUMS = {"RungDomain", "RungErrorNormType", "RungNormType", "RungWatchKind", "RungMonitorMode", "RungCouplingScheme"}
# .. and for an address of something that is read
READ = {"RungExpr": "own.exprs", "Vec": "own.level", "RungState": "own.state", "RungSpace": "&own.space", "RungField": "&own.field"}
BY_ADDRESS = {"RungExpr", "RungStepperType", "Vec", "Mat", "TS"}  # types that are addresses, or hold one, beside all objects
MAY_LACK = {"PetscViewer", "MPI_Comm"}  # NULL has a meaning there, or is none of their values


def absent(value):
    """what stands for NULL in the place of a value: an expression that nobody made is all zeros"""
    return "(RungExpr){0}" if value == OWN["RungExpr"] else "NULL"


def public_functions(root):
    """(name, arguments, format of a call) of what installed headers declare with an error code, or builds an expression that is checked."""
    for path in checks.sources(root, {".h"}):
        text = checks.without_comments(path.read_text()) if checks.is_installed(path.name) else ""
        for _, _, prototype in checks.prototypes(text.split("\n")):
            found = re.match(r"RUNG_EXTERN (PetscErrorCode|RungExpr) (\w+)\((.*)\);$", " ".join(prototype.split()))
            if found and found[3] != "void" and not found[2].endswith("_Private"):
                called = "RungExprCheck({}({}))" if found[1] == "RungExpr" else "{}({})"
                yield found[2], [a for a in checks.split_arguments(found[3]) if a != "..."], called


def value_of(function, argument, objects):
    """(expression, its name where it is an address that NULL is tried for)"""
    name = re.search(r"(\w+)\s*(?:\[.*\])*$", argument)[1]
    kind = re.sub(r"\b(?:const|struct)\b", " ", argument).split()[0].strip("*")
    stars = argument.count("*") + argument.count("[")
    if argument.startswith("void *"):
        return "NULL", None
    if kind.endswith("Fn") and stars == 1:
        return f"({kind} *)(void (*)(void))nothing", name
    if stars == 0 and kind in ENUMS:
        return f"({kind})0", None
    if stars == 0 and kind in OWN:
        return OWN[kind], name if kind in (objects | BY_ADDRESS) - MAY_LACK else None
    if stars == 0:
        raise SystemExit(f"null_calls.py: {function} has an argument {argument}; say in OWN how a {kind} is made")
    if re.fullmatch(r"const char \*const \w+\[\]", argument):
        return "own.names", name
    if "const" not in argument or stars > 1:
        return ("own.file" if kind == "FILE" else "(void *)own.place"), name
    if kind == "char":
        return '"u"', name
    return READ.get(kind, "(const void *)own.zeros"), name


def main(root, out):
    objects = {name for p in checks.sources(root, {".h"}) for name in checks.OBJECT.findall(p.read_text())}
    lines = []
    for function, arguments, called in public_functions(root):
        values = [value_of(function, argument, objects) for argument in arguments]
        tried = sum(name is not None for _, name in values)
        if tried:
            lines.append(f"begin({function})")
            for at, (_, name) in enumerate(values):
                if name:
                    named = int(tried > 1 and not (at == 0 and values[0][0] in OWN.values()))
                    given = [absent(value) if i == at else value for i, (value, _) in enumerate(values)]
                    lines.append(f"  call({function}, {name}, {named}, {called.format(function, ', '.join(given))})")
            lines.append("end()")
    Path(out).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
