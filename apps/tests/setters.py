"""setters.py TREE - all that a program can set a problem file can say, or docs/problems.md tells why not.

The setters are those of the headers that rung.h includes: functions of meshes, fields, systems, steppers and studies whose name
says Set, Add, Define, Tie or Mark.  A statement is known by the column `call` of statements.def."""
import os
import re
import sys

HEADERS = ["fe/rungfe.h", "systems/rungsystem.h", "timestepping/rungstep.h", "verification/rungverify.h"]
SETTER = re.compile(r"\bPetscErrorCode (Rung(?:Mesh|Field|System|Stepper|Study)\w*?(?:Set|Add|Define|Tie|Mark)\w*)\(")
NOT_MEANT = re.compile(r"SetUp$|SetFromOptions$")  # of every class, called by rung itself


def read(tree, path):
    with open(os.path.join(tree, path)) as file:
        return file.read()


def main():
    tree = sys.argv[1]
    setters = set()
    for header in HEADERS:
        text = re.sub(r"/\*.*?\*/", "", read(tree, header), flags=re.S)
        setters |= {name for name in SETTER.findall(text) if not NOT_MEANT.search(name)}
    said = set(re.findall(r"\bRung\w+", read(tree, "verification/reader/statements.def")))
    page = read(tree, "docs/problems.md")
    told = set(re.findall(r"\bRung\w+", page[:page.index("<!-- Made from")]))
    missing = sorted(setters - said - told)
    gone = sorted(name for name in (told - setters) if re.match(r"Rung(Mesh|Field|System|Stepper|Study)\w*(Set|Add|Mark)", name))
    twice = sorted(setters & said & told)
    for text, names in [("no statement and no reason in docs/problems.md", missing), ("in docs/problems.md, but in no header", gone),
                        ("a statement, and a reason why there is none", twice)]:
        for name in names:
            print("%s: %s" % (name, text))
    print("%d setters, %d statements" % (len(setters), len(setters & said)))
    return 1 if missing or gone or twice or len(setters) < 40 else 0


sys.exit(main())
