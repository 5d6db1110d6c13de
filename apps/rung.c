/* rung.c - problems as files: run, check, study them.

   Try   rung run heat.rung -kappa 0.2 -mesh_count 64,64
         mpiexec -n 2 rung run heat.rung
         rung check heat.rung
         rung study brusselator.rung -method "esdirk*,bdf2"
         verify -case relaxation -stepper_method trbdf2 -study_dt 0.2,0.1,0.05
         rung help residual                                                                                            */
#include <rung.h>
#include <rungbinding.h>
#include <rungmethod.h>
#include <rungreader.h>
#include "gallery.h"
#include "rung_commit.h" /* made while it is built */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char usage[] =
  "rung run FILE [options]       runs a problem; results go to NAME.out (-output DIR), -quiet, -step NAME\n"
  "rung check FILE               parse, shapes, parts, traits, methods that fit; no run\n"
  "           -c, -canonical      prints the program in C, or the file with its defaults\n"
  "           -picture            parts, given entries, the start, cells for ParaView: NAME.check (-output DIR)\n"
  "rung study FILE               (or verify FILE) errors over a ladder of steps or tolerances, orders;\n"
  "                              verify -list, verify -case NAME: reference problems of the gallery\n"
  "rung taylor FILE              tests the Jacobian\n"
  "rung compile FILE             kernels ahead of time: -output FILE.c -name NAME -form_isa avx2\n"
  "rung diff A.out B.out         compares tables and series, whatever ranks wrote them: -rel 1e-6, of the largest\n"
  "                              value of a column or field, or -abs 1e-12; exactly with -rel 0 -abs 0\n"
  "rung new NAME                 copies a problem of the gallery to NAME.rung, FOLDER/NAME to FOLDER/NAME.rung\n"
  "rung help [WORD]              a statement, an operator, a method, an option\n"
  "rung list WHAT                statements, methods, problems, elements, operators, options\n"
  "rung version\n";

typedef struct {
  RungProblem problem;
  const char *file;
  char        step[128]; /* that the run begins with; "" */
  const char *print;     /* "c", "canonical" of rung check; "" */
  int         argc;
  char      **argv;
} Call;

/* The options that rung itself reads. */
static PetscErrorCode read_options(Call *call)
{
  char      text[PETSC_MAX_PATH_LEN] = "", *command;
  size_t    room = 1, used = 0;
  PetscBool set, quiet     = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(
    RungOptionText(PETSC_COMM_WORLD, "-output", "where results go: a folder, none", NULL, sizeof text, text, &set));
  if (set) PetscCall(RungProblemSetOutput(call->problem, text));
  PetscCall(RungOptionText(PETSC_COMM_WORLD, "-step", "step of the file that the run begins with", NULL,
                           sizeof call->step, call->step, &set));
  if (!set) call->step[0] = 0;
  PetscCall(RungOptionBool(PETSC_COMM_WORLD, "-quiet", "nothing is printed but what fails", &quiet, NULL));
  PetscCall(RungProblemSetQuiet(call->problem, quiet));
  for (int i = 0; i < call->argc; ++i) room += strlen(call->argv[i]) + 1;
  PetscCall(PetscMalloc1(room, &command));
  for (int i = 0; i < call->argc; ++i)
    used += (size_t)snprintf(command + used, room - used, "%s%s", i ? " " : "", call->argv[i]);
  PetscCall(RungProblemSetCommand(call->problem, command, RUNG_COMMIT));
  PetscCall(PetscFree(command));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -c without a value is no constant c, whatever the file has: it is taken away before the file is read. */
static PetscErrorCode read_print(Call *call, PetscBool check)
{
  char      text[64];
  PetscBool set, canonical = PETSC_FALSE;

  PetscFunctionBegin;
  call->print = "";
  if (!check) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungOptionBool(PETSC_COMM_WORLD, "-canonical", "the file with its defaults", &canonical, NULL));
  if (canonical) call->print = "canonical";
  PetscCall(PetscOptionsGetString(NULL, NULL, "-c", text, sizeof text, &set));
  if (!set || text[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsClearValue(NULL, "-c"));
  call->print = "c";
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what can be asked for ---------------------------------------------------------------------------------------- */

static PetscErrorCode run(Call *call, RungExit *status)
{
  PetscFunctionBegin;
  PetscCall(RungProblemRun(call->problem, status));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check(Call *call, RungExit *status)
{
  PetscBool picture = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(RungOptionBool(PETSC_COMM_WORLD, "-picture", "parts, given entries, the start, cells for ParaView",
                           &picture, NULL));
  if (call->print[0])
    PetscCall(RungProblemPrint(call->problem, call->print));
  else
    PetscCall(RungProblemCheck(call->problem, picture));
  *status = RUNG_EXIT_DONE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode study(Call *call, RungExit *status)
{
  PetscFunctionBegin;
  PetscCall(RungProblemStudy(call->problem, status));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode taylor(Call *call, RungExit *status)
{
  PetscFunctionBegin;
  PetscCall(RungProblemTaylor(call->problem, status));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "path/heat.form" -> "heat" */
static void base_name(const char path[], char name[64])
{
  const char *slash = strrchr(path, '/');

  (void)snprintf(name, 64, "%s", slash ? slash + 1 : path);
  name[strcspn(name, ".")] = 0;
  for (char *c = name; *c; ++c) {
    if (!isalnum((unsigned char)*c)) *c = '_';
  }
}

static PetscErrorCode compile(Call *call, RungExit *status)
{
  char        output[PETSC_MAX_PATH_LEN], name[64], isa[16] = "native";
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCheck(size == 1, PETSC_COMM_WORLD, PETSC_ERR_USER, "rung compile runs on 1 rank, not %d", size);
  base_name(call->file, name);
  PetscCall(PetscSNPrintf(output, sizeof output, "%s.c", call->file));
  PetscCall(RungOptionText(PETSC_COMM_WORLD, "-output", "the C source, FILE.c", NULL, sizeof output, output, NULL));
  PetscCall(RungOptionText(PETSC_COMM_WORLD, "-name", "of the kernels in C", NULL, sizeof name, name, NULL));
  PetscCall(
    RungOptionText(PETSC_COMM_WORLD, "-form_isa", "machine that the kernels are for", NULL, sizeof isa, isa, NULL));
  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", "interpreter")); /* no compiler is asked for */
  PetscCall(RungProblemCompile(call->problem, output, name, isa));
  *status = RUNG_EXIT_DONE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const struct {
  const char *word;
  PetscErrorCode (*go)(Call *call, RungExit *status);
} verbs[] = {{"run", run},      {"check", check},   {"study", study},
             {"verify", study}, {"taylor", taylor}, {"compile", compile}};

/* ---- files -------------------------------------------------------------------------------------------------------- */

/* Mistakes are shown; a file that wants to be refused is content with them if they hold what it says. */
static PetscErrorCode settle(Call *call, RungExit *status)
{
  const char *text;
  PetscInt    n;
  PetscBool   wanted, met;

  PetscFunctionBegin;
  PetscCall(RungProblemGetRefusal(call->problem, &wanted, &met));
  PetscCall(RungProblemGetMistakes(call->problem, &n, &text)); /* lent until somebody asks again */
  if (n) *status = RUNG_EXIT_REFUSED;
  if (wanted && met) {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "ok     %s is refused as it says:\n%s\n", call->file, text));
    *status = RUNG_EXIT_DONE;
  } else if (n)
    PetscCall(PetscFPrintf(PETSC_COMM_WORLD, stderr, "error: %s\n", text));
  if (wanted && !met) {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "FAILED %s wants to be refused with another message\n", call->file));
    *status = RUNG_EXIT_FAILED;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_and_go(PetscErrorCode (*go)(Call *call, RungExit *status), Call *call, RungExit *status)
{
  PetscFunctionBegin;
  PetscCall(read_options(call));
  PetscCall(read_print(call, go == check ? PETSC_TRUE : PETSC_FALSE));
  PetscCall(RungProblemRead(call->problem, call->file));
  if (call->step[0]) PetscCall(RungProblemSetStep(call->problem, call->step));
  PetscCall(go(call, status));
  PetscCall(settle(call, status));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is made for a run that an error ends is given back on one rank; of several ranks others may wait somewhere else, and the end of the
   process is all that is sure not to wait for them. */
static PetscErrorCode on_file(PetscErrorCode (*go)(Call *call, RungExit *status), Call *call, RungExit *status)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  *status = RUNG_EXIT_REFUSED;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(RungProblemCreate(PETSC_COMM_WORLD, &call->problem));
  RungCallOrUndo(read_and_go(go, call, status), if (size == 1) PetscCall(RungProblemDestroy(&call->problem)));
  PetscCall(RungProblemDestroy(&call->problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the program -------------------------------------------------------------------------------------------------- */

/* The word that the program's name stands for: "rung-compile FILE" is rung compile FILE, "verify FILE" is rung study FILE; else "". */
static const char *name_says(const char program[])
{
  const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;

  return !strcmp(name, "rung-compile") ? "compile" : !strcmp(name, "verify") ? "study" : "";
}

/* The gallery's reference problems. */
static PetscErrorCode read_cases(void)
{
  char folder[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  gallery_path("", folder);
  PetscCall(RungCaseReadFiles(PETSC_COMM_WORLD, folder));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_list(const char what[])
{
  char folder[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  gallery_path("", folder);
  PetscCall(RungListPrint(PETSC_COMM_WORLD, what, folder));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* verify without a file: studies of the reference problems, and the lists of both. */
static PetscErrorCode print_registry(void)
{
  const RungCase *problems;
  PetscInt        n;

  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "cases (-case NAME)\n"));
  PetscCall(RungCaseGetAll(&n, &problems));
  for (PetscInt i = 0; i < n; ++i)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  %-18s %s\n", problems[i].name, problems[i].about));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "steppers (-stepper_type TYPE -stepper_method METHOD)\n"));
  PetscCall(RungMethodsPrint(PETSC_COMM_WORLD, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode study_case(RungExit *status)
{
  RungStudy study;
  PetscBool list = PETSC_FALSE, page = PETSC_FALSE, passed;

  PetscFunctionBegin;
  *status = RUNG_EXIT_DONE;
  PetscCall(RungOptionBool(PETSC_COMM_WORLD, "-list", "print cases and methods", &list, NULL));
  PetscCall(RungOptionBool(PETSC_COMM_WORLD, "-methods_page", "print the table of docs/methods.md", &page, NULL));
  if (!page) PetscCall(read_cases());
  if (list || page) {
    PetscCall(page ? RungMethodsPrint(PETSC_COMM_WORLD, PETSC_TRUE) : print_registry());
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungStudyCreate(PETSC_COMM_WORLD, &study));
  PetscCall(RungStudySetFromOptions(study));
  PetscCall(RungStudyRun(study));
  PetscCall(RungStudyView(study, PETSC_VIEWER_STDOUT_WORLD));
  PetscCall(RungStudyGetPassed(study, &passed));
  PetscCall(RungStudyDestroy(&study));
  *status = passed ? RUNG_EXIT_DONE : RUNG_EXIT_FAILED;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_version(void)
{
  const char *rung;
  char        petsc[256];

  PetscFunctionBegin;
  PetscCall(RungGetVersion(NULL, NULL, NULL, &rung));
  PetscCall(PetscGetVersion(petsc, sizeof petsc));
  PetscCall(
    PetscPrintf(PETSC_COMM_WORLD, "rung %s, %s%s%s\n", rung, petsc, RUNG_COMMIT[0] ? ", commit " : "", RUNG_COMMIT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode copy_problem(const char name[])
{
  char folder[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  gallery_path("", folder);
  PetscCall(RungGalleryCopy(PETSC_COMM_WORLD, folder, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_positive(const char option[], PetscReal value)
{
  char text[32];

  PetscFunctionBegin;
  (void)snprintf(text, sizeof text, "%g", (double)value);
  PetscCheck(value >= 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "%s is %s; wanted a number at least 0", option,
             text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode diff(const char one[], const char other[], RungExit *status)
{
  PetscReal rel = 1e-6, abs = 1e-12;
  PetscBool same;

  PetscFunctionBegin;
  PetscCheck(one && other, PETSC_COMM_WORLD, PETSC_ERR_USER, "two folders are compared; rung diff A.out B.out");
  PetscCall(RungOptionReal(PETSC_COMM_WORLD, "-rel", "numbers may differ by this part of the largest", &rel, NULL));
  PetscCall(RungOptionReal(PETSC_COMM_WORLD, "-abs", "numbers may differ by so much", &abs, NULL));
  PetscCall(check_positive("-rel", rel));
  PetscCall(check_positive("-abs", abs));
  PetscCall(RungResultsDiff(PETSC_COMM_WORLD, one, other, rel, abs, &same));
  *status = same ? RUNG_EXIT_DONE : RUNG_EXIT_FAILED;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* rung(1), of the words that rung help prints. */
static void print_manual(void)
{
  (void)printf(".\\\" made from apps/rung.c: rung help \\-manual_program\n.TH RUNG 1 \"\" \"rung %s\" \"Problems as "
               "files\"\n.SH NAME\n"
               "rung \\- transient finite element problems from files\n.SH SYNOPSIS\n.nf\n",
               RUNG_VERSION);
  for (const char *c = usage; *c; ++c) (void)printf(*c == '-' ? "\\-" : "%c", *c);
  (void)printf(".fi\n.SH EXIT STATUS\n0, done; 1, a reference or expectation failed; 2, refused before the run; 3, the "
               "run gave up;\n"
               "4, some results are missing; 128 + n, signal n.\n.SH SEE ALSO\n.BR rung (5)\n");
}

/* rung help -page, -vim: the table of statements for docs/problems.md, and for an editor. */
static PetscErrorCode print_tables(PetscBool *printed)
{
  PetscBool   page = PETSC_FALSE, vim = PETSC_FALSE, manual = PETSC_FALSE, program = PETSC_FALSE;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(RungOptionBool(PETSC_COMM_WORLD, "-page", "the statements, for docs/problems.md", &page, NULL));
  PetscCall(RungOptionBool(PETSC_COMM_WORLD, "-vim", "the statements, for an editor", &vim, NULL));
  PetscCall(RungOptionBool(PETSC_COMM_WORLD, "-manual", "the statements, as the page rung(5)", &manual, NULL));
  PetscCall(RungOptionBool(PETSC_COMM_WORLD, "-manual_program", "the program, as the page rung(1)", &program, NULL));
  *printed = page || vim || manual || program ? PETSC_TRUE : PETSC_FALSE;
  if (*printed && !rank && program)
    print_manual();
  else if (*printed && !rank)
    PetscCall(RungStatementsPrint(stdout, page ? "page" : vim ? "vim" : "manual"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The lines of `usage` that name an option. */
static PetscErrorCode print_usage_of(const char option[], PetscBool *found)
{
  const size_t n = strlen(option);

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  for (const char *line = usage, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
    const char *at = strstr(line, option);

    while (at && at < end && isalnum((unsigned char)at[n])) at = strstr(at + 1, option);
    if (!at || at >= end) continue;
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%.*s\n", (int)(end - line), line));
    *found = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The lines of `usage` of a verb, with those that go on. */
static PetscErrorCode print_usage_of_verb(const char verb[], PetscBool *found)
{
  const size_t n  = strlen(verb);
  PetscBool    on = PETSC_FALSE;

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  for (const char *line = usage, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
    if (line[0] != ' ')
      on = !strncmp(line + 5, verb, n) && !isalpha((unsigned char)line[5 + n]) ? PETSC_TRUE : PETSC_FALSE;
    if (!on) continue;
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%.*s\n", (int)(end - line), line));
    *found = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* word: NULL if none; options are no words: argv has them, and nobody reads them. */
static PetscErrorCode help(const char word[], int argc, char **argv)
{
  PetscBool found = PETSC_FALSE;

  PetscFunctionBegin;
  if (!word && argc > 2 && argv[2][0] == '-' && isalpha((unsigned char)argv[2][1])) {
    word = argv[2];
    PetscCall(PetscOptionsClearValue(NULL, word));
    PetscCall(print_usage_of(word, &found));
  } else if (word)
    PetscCall(print_usage_of_verb(word, &found));
  if (found && !strcmp(word, "diff")) found = PETSC_FALSE; /* an operator, too */
  if (!found) PetscCall(word ? RungHelpPrint(PETSC_COMM_WORLD, word) : PetscPrintf(PETSC_COMM_WORLD, "%s", usage));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What nobody reads was meant to be read: words behind the last one that a verb takes. */
static PetscErrorCode check_words(const char verb[], const char word[], const char next[], const char third[])
{
  const char *extra = !strcmp(verb, "diff") ? third : !strcmp(verb, "version") ? word : next;

  PetscFunctionBegin;
  if (strcmp(verb, "diff") && strcmp(verb, "version") && strcmp(verb, "new") && strcmp(verb, "help") &&
      strcmp(verb, "list"))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(!extra, PETSC_COMM_WORLD, PETSC_ERR_USER, "\"%s\" is too much for rung %s; rung help says what it takes",
             extra, verb);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* next: what stands behind the word, NULL if nothing does. */
static PetscErrorCode dispatch(const char verb[], const char word[], const char next[], int argc, char **argv,
                               RungExit *status)
{
  static const char *const list[] = {"run",  "check", "study", "verify", "taylor", "compile",
                                     "diff", "new",   "help",  "list",   "version"};
  const char              *nearest;
  Call                     call = {.file = word, .argc = argc, .argv = argv};
  PetscBool                printed;

  PetscFunctionBegin;
  *status = RUNG_EXIT_DONE;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(verbs); ++i) {
    if (strcmp(verbs[i].word, verb) != 0) continue;
    PetscCheck(word, PETSC_COMM_WORLD, PETSC_ERR_USER, "no problem file; rung %s FILE, options behind it", verb);
    PetscCheck(!next, PETSC_COMM_WORLD, PETSC_ERR_USER,
               "there are options only after the problem file, got \"%s\"; run once for every file", next);
    PetscCall(on_file(verbs[i].go, &call, status));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(print_tables(&printed));
  if (printed) PetscFunctionReturn(PETSC_SUCCESS);
  if (!strcmp(verb, "help"))
    PetscCall(help(word, argc, argv));
  else if (!strcmp(verb, "list"))
    PetscCall(print_list(word ? word : ""));
  else if (!strcmp(verb, "diff"))
    PetscCall(diff(word, next, status));
  else if (!strcmp(verb, "new"))
    PetscCall(copy_problem(word));
  else if (!strcmp(verb, "version"))
    PetscCall(print_version());
  else if (!verb[0]) {
    PetscCall(PetscOptionsClearValue(NULL, "--help")); /* nobody reads it: this is what it wants */
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s", usage));
  } else {
    PetscCheck(!strchr(verb, '.'), PETSC_COMM_WORLD, PETSC_ERR_USER,
               "what is to be done with %s? rung run %s, or check, study, taylor, compile", verb, verb);
    PetscCall(RungSuggest(verb, (PetscInt)PETSC_STATIC_ARRAY_LENGTH(list), list, &nearest));
    SETERRQ(PETSC_COMM_WORLD, PETSC_ERR_USER, "rung does not %s%s%s%s; rung help says what it does", verb,
            nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After a refusal, and without a run, nobody read the options of the run: that is not worth a warning. */
static PetscErrorCode forget_options(void)
{
  char    **name, **value, option[PETSC_MAX_OPTION_NAME];
  PetscInt  n;
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsLeftGet(NULL, &n, &name, &value));
  for (PetscInt i = 0; i < n; ++i) {
    PetscCall(PetscSNPrintf(option, sizeof option, "-%s", name[i]));
    PetscCall(PetscOptionsHasName(NULL, NULL, option, &set));
  }
  PetscCall(PetscOptionsLeftRestore(NULL, &n, &name, &value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  RungExit           status = RUNG_EXIT_DONE;
  const char        *verb;
  const char *const *word;
  PetscInt           n, first;

  if (RungInitialize(&argc, &argv, usage)) return RUNG_EXIT_REFUSED;
  PetscCall(RungErrorStatus(RUNG_EXIT_REFUSED));
  PetscCall(RungArguments(&n, &word));
  verb  = name_says(argv[0]);
  first = verb[0] ? 0 : 1; /* of the words behind the verb */
  if (first) verb = n ? word[0] : "";
  if (!first && !n && !strcmp(verb, "study"))
    PetscCall(study_case(&status));
  else {
    const char *behind[3];

    for (PetscInt i = 0; i < 3; ++i) behind[i] = n > first + i ? word[first + i] : NULL;
    PetscCall(check_words(verb, behind[0], behind[1], behind[2]));
    PetscCall(dispatch(verb, behind[0], behind[1], argc, argv, &status));
  }
  if (status == RUNG_EXIT_REFUSED || !strcmp(verb, "check") || !strcmp(verb, "help")) PetscCall(forget_options());
  PetscCall(RungFinalize());
  return (int)status;
}
