"""words.py MPIEXEC FOLDER - the words of a run: what programs say of them, before they touch a file.

FOLDER holds heat, robertson, elastodynamics, plasticity, rung and its name verify.  Every program starts in an empty folder with a home of
its own, so that a file that it makes is seen."""
import os
import signal
import subprocess
import sys
import tempfile

MPIEXEC, FOLDER = sys.argv[1], os.path.abspath(sys.argv[2])
SMALL = ["-mesh_count", "4,4", "-stepper_dt", "0.5"]
bad = 0


def complain(text):
    global bad
    bad = 1
    print(text)


def run(words, ranks=1, keep_cache=True, before=None):
    """Status, standard output, standard error, files made."""
    with tempfile.TemporaryDirectory(dir=".") as folder:
        environment = dict(os.environ)
        if not keep_cache:
            environment.update(HOME=os.path.abspath(folder), XDG_CACHE_HOME=os.path.abspath(folder))
        if before:
            before(folder)
        command = [os.path.join(FOLDER, words[0])] + words[1:]
        if ranks > 1:
            command = [MPIEXEC, "--oversubscribe", "-n", str(ranks)] + command
        done = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=250, check=False)
        files = [name for name in sorted(os.listdir(folder)) if not name.startswith(("given", "ompi"))]
        return done.returncode, done.stdout.decode(), done.stderr.decode(), files


def refused(words, text, before=None, untouched=True):
    status, _, error, files = run(words, keep_cache=False, before=before)
    if status == 0 or "error: " + text not in error or error.count("error: ") != 1:
        complain("%s: status %d, said %s wanted %s" % (words, status, error, text))
    if files and untouched:
        complain("%s: refused, but there is %s" % (words, files))


def helps(words, ranks, wanted):
    status, out, error, files = run(words, ranks, keep_cache=False)
    if status != 0 or error or files:
        complain("%s on %d ranks: status %d, %s, files %s" % (words, ranks, status, error, files))
    for text in wanted:
        if out.count("\n  %s " % text) != 1:
            complain("%s on %d ranks does not say %s once: %s" % (words, ranks, text, out[:300]))


def good(words, wanted):
    status, out, error, files = run(words)
    if status != 0:
        complain("%s: status %d, %s" % (words, status, error))
    for text in wanted:
        if text not in out + error:
            complain("%s does not say %s but %s" % (words, text, out + error))
    return files, out + error


def pipe(folder):
    os.mkfifo(os.path.join(folder, "given"))


def folder(path):
    os.mkdir(os.path.join(path, "given"))


refused(["heat", "stepper_dt", "0.01"], '"stepper_dt" belongs to no option; did you mean -stepper_dt?')
refused(["heat", "-stepper_dt=0.01"], "there is no option -stepper_dt=0.01; a value stands behind a blank, -stepper_dt 0.01")
refused(["heat", "-stepper_dt", "0.1", "0.2"], '"0.2" behind -stepper_dt and its value belongs to no option')
refused(["heat", "-case", "relaxation"], "there is no option -case")
refused(["heat", "-stepper_tabel", "t.csv"], "there is no option -stepper_tabel; did you mean -stepper_table?")
refused(["heat", "-Stepper_dt", "0.5"], "there is no option -Stepper_dt; did you mean -stepper_dt?")
refused(["heat", "-kappa", "3"], "there is no option -kappa; did you mean -system_kappa?")
refused(["heat", "-study_dt", "0.1"], "there is no option -study_dt; did you mean -stepper_dt?")
refused(["heat", "-stepper_table", "/dev/null"], 'the table "/dev/null.csv" cannot be written: "/dev/null" is a device or pipe',
        untouched=False)
refused(["heat", "-stepper_table", ".."], 'a table "..": the file name is missing')
refused(["heat", "-stepper_table", "t_{step}.csv"], 'a table "t_{step}.csv": {step} is the number of a checkpoint')
refused(["heat", "-system_kapa", "1"], "there is no option -system_kapa; did you mean -system_kappa?")
refused(["heat", "-mesh_count", "9223372036854775808,3"], '-mesh_count: "9223372036854775808" is beyond the whole numbers')
refused(["heat", "-stepper_end", "1e400"], '-stepper_end: "1e400" is beyond the numbers')
refused(["heat", "-system_kappa", "nan"], '-system_kappa: "nan" is no number')
for make, found in ((pipe, "pipe or device"), (folder, "folder")):
    refused(["heat", "-mesh_file", "given"], "mesh file given cannot be read: it is a " + found, make)
refused(["heat", "-stepper_restart", "given"] + SMALL, 'checkpoint "given" is refused: it is a pipe or device', pipe, False)

helps(["heat", "-help"], 1, ["-form_degree <-1>", "-mesh_count", "-space_u <CG1>", "-system_kappa <0.1>", "-system_probe",
                             "-stepper_dt <0.05>", "-stepper_rho_inf", "-rung_traceback <false>"])
helps(["elastodynamics", "-help"], 2, ["-space_u <CG2^d>", "-stepper_dt", "-form_jit <wait>"])
helps(["verify", "-help"], 1, ["-case", "-study_dt", "-stepper_method", "-list <false>"])
helps(["verify", "-help", "-case", "relaxation"], 1, ["-case", "-stepper_method <esdirk43>"])

files, said = good(["heat", "-system_probe", "p=u@0.5,0.5;q=grad(u)@0.5,0.5", "-stepper_table", "t.csv", "-system_view"] + SMALL,
                   ["files: heat.pvd, t.csv", "probe p: u, x = (0.5, 0.5)", "probe q: grad(u), x = (0.5, 0.5)"])
if said.count("files: ") != 1 or said.count("probe q") != 1 or "(null)" in said:
    complain("said twice, or not what it is: " + said)
if "t.csv" not in files or "heat.pvd" not in files:
    complain("the files are not there: %s" % files)
# the files of a run are those that it has written, and no others
def foreign_picture(path):
    with open(os.path.join(path, "t.png"), "w", encoding="ascii") as file:
        file.write("mine\n")


def link_table(path):
    os.symlink("given_nowhere", os.path.join(path, "t.csv"))


def link_pieces(path):
    os.mkdir(os.path.join(path, "given"))
    os.symlink("given", os.path.join(path, "heat.pvd.d"))


def foreign_folder(path):
    os.mkdir(os.path.join(path, "heat.pvd.d"))
    with open(os.path.join(path, "heat.pvd.d", "letter"), "w", encoding="ascii") as file:
        file.write("mine\n")


status, out, said, files = run(["heat", "-stepper_table", "t.csv"] + SMALL, before=foreign_picture)
if status or said.count("t.png") != 1 or "note: the table" not in said or "files: heat.pvd, t.csv\n" not in said:
    complain("a foreign picture: status %d, %s" % (status, said))
refused(["heat", "-stepper_table", "t"] + SMALL, 'the table "t.csv" cannot be written: a link of that name exists', link_table, False)
refused(["heat"] + SMALL, 'cannot make the folder "heat.pvd.d" for output to "heat.pvd": a link', link_pieces, False)
refused(["heat"] + SMALL, 'cannot make the folder "heat.pvd.d" for output to "heat.pvd": a folder of that name exists, and no '
        "file of this series", foreign_folder, False)
# who reads no more ends who writes, without a word
for words in ["heat", "-help"], ["rung", "list", "operators"]:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([os.path.join(FOLDER, words[0])] + words[1:], stdin=subprocess.DEVNULL, stdout=writer,
                          stderr=subprocess.PIPE, timeout=60, check=False)
    os.close(writer)
    if done.stderr or done.returncode not in (0, -signal.SIGPIPE):
        complain("%s into a pipe that nobody reads: status %d, %s" % (words, done.returncode, done.stderr))

files, said = good(["heat", "-stepper_monitor", "false"] + SMALL, [])
if said:
    complain("not quiet on request: " + said)
good(["robertson", "-stepper_end", "1", "-system_probe", "p=y@0"], [])
good(["elastodynamics", "-space_u", "P1^d", "-stepper_end", "1e-4", "-system_probe", "p=u@0.05,0.005,0.005"], [])
good(["plasticity", "-mesh_count", "2,1,1", "-stepper_end", "0.5", "-stepper_dt", "0.5", "-system_probe", "p=u@0.5,0.5,0.5"], [])
sys.exit(bad)
