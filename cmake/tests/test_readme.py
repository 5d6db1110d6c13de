"""test_readme.py ROOT BUILD COMPILER - README.md keeps its word: its shell blocks run in their order, its C block stands in
the program that it quotes, its links lead somewhere, and what it runs and installs is what ./bootstrap demo builds.

The blocks run in one shell in an empty folder that has ROOT's files and BUILD as build/, without the variables that let
root use mpiexec: README names them.  The lines that begin with ./bootstrap are not run: they make what the test is given,
and must be in bootstrap's own usage.  HOME is the folder, so that nothing of the user's is touched.
"""
import os
import re
import subprocess
import sys

ROOT, BUILD, COMPILER = (os.path.abspath(word) if os.sep in word else word for word in sys.argv[1:4])
TEXT = open(os.path.join(ROOT, "README.md"), encoding="utf-8").read()
bad = []


def blocks(language):
    return re.findall(r"^```" + language + r"\n(.*?)^```$", TEXT, re.M | re.S)


def check_links():
    for target in re.findall(r"\]\(([^)#:]+)\)", TEXT):
        if not os.path.exists(os.path.join(ROOT, target)):
            bad.append(f"README links {target}, which does not exist")


def check_quotes():
    """The C block is a passage of the program whose name stands before it."""
    program = open(os.path.join(ROOT, "apps", "heat.c"), encoding="utf-8").read()
    lines = [line.strip() for line in program.splitlines()]
    for block in blocks("c"):
        wanted = [line.strip() for line in block.splitlines()]
        starts = range(len(lines) - len(wanted) + 1)
        if not any(lines[i : i + len(wanted)] == wanted for i in starts):
            missing = [line for line in wanted if line not in lines]
            bad.append("README's C block is no passage of apps/heat.c" + "".join(f"\n  not there: {m}" for m in missing))


def run_blocks():
    usage = subprocess.run(["sh", os.path.join(ROOT, "bootstrap"), "--help"], capture_output=True, text=True).stdout
    lines = []
    for line in "\n".join(blocks("sh")).splitlines():
        if line.startswith("./bootstrap"):
            if " ".join(line.split("#")[0].split()) not in usage:
                bad.append(f"README says {line.strip()}, bootstrap's usage does not")
        else:
            lines.append(line)
    scratch = os.path.abspath("tree")
    subprocess.run(["rm", "-rf", scratch], check=True)
    os.makedirs(os.path.join(scratch, "bin"))
    os.symlink(os.path.join(ROOT, "apps"), os.path.join(scratch, "apps"))
    os.symlink(BUILD, os.path.join(scratch, "build"))
    os.symlink(COMPILER, os.path.join(scratch, "bin", "cc"))
    environment = {k: v for k, v in os.environ.items() if not k.startswith("OMPI_ALLOW_RUN_AS_ROOT")}
    environment |= {"HOME": scratch, "CC": COMPILER, "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    environment["PATH"] = os.path.join(scratch, "bin") + os.pathsep + environment["PATH"]
    run = subprocess.run(["sh", "-exc", "\n".join(lines)], cwd=scratch, env=environment, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    if run.returncode:
        bad.append(f"README's lines end with status {run.returncode}; the last thing that they said:\n{run.stdout[-3000:]}")
    for made in ("heat.pvd", "plate/plate", "rung/bin/rung-compile"):
        if not run.returncode and not os.path.exists(os.path.join(scratch, made)):
            bad.append(f"README's lines have run and left no {made}")


def check_demo():
    """What README runs of build/, and what is installed from there, are made by the commands of the target that ./bootstrap demo builds."""
    if not os.path.exists(os.path.join(BUILD, "build.ninja")):
        print("no Ninja files here: what ./bootstrap demo builds is not compared")
        return
    demo = re.search(r"\n  demo\)(.*?);;\n", open(os.path.join(ROOT, "bootstrap"), encoding="utf-8").read(), re.S)
    target = re.search(r"^    build (.*)$", demo.group(1), re.M).group(1).strip("'\"").split()
    commands = subprocess.run(["ninja", "-C", BUILD, "-t", "commands", *target], capture_output=True, text=True, check=True)
    built = {os.path.normpath(os.path.join(BUILD, word)) for word in commands.stdout.split()}
    wanted = set()
    for name in re.findall(r"build/(bin/[\w-]+)", "\n".join(blocks("sh"))):
        wanted.add(os.path.join(BUILD, name))
    for folder, below, files in os.walk(BUILD):
        if folder == BUILD and "scratch" in below:
            below.remove("scratch")  # of tests, some of which build and install trees of their own
        if "cmake_install.cmake" in files:
            script = open(os.path.join(folder, "cmake_install.cmake"), encoding="utf-8").read()
            wanted.update(re.findall(r'"(' + re.escape(BUILD) + r'/(?:bin/[\w-]+|[^"]*\.a|[^"]*\.so[.\d]*))"', script))
    if len(wanted) < 5:
        bad.append(f"README and the installation seem to use nothing of build/ but {sorted(wanted)}")
    for path in sorted(wanted):
        if path not in built and not os.path.islink(path):
            bad.append(f"./bootstrap demo builds {' '.join(target)}, which does not make {path}")


check_links()
check_quotes()
check_demo()
run_blocks()
print("\n".join(bad) if bad else "all is well")
sys.exit(1 if bad else 0)
