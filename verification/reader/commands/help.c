/* help.c - help, lists, the page of the statements and an editor's grammar, all from the tables that the code is made of. */
#include "reader_impl.h"
#include <ctype.h>
#include <rungmethod.h>
#include <stdio.h>
#include <stdlib.h>

/* The rows of statements.def: the title of a section, or NULL for a statement, the next one of rung_words. */
#define RUNG_SECTION(title)                                   title,
#define RUNG_STATEMENT(word, phase, usage, label, call, help) NULL,
static const char *const row_title[] = {
#include "statements.def"
};
#undef RUNG_STATEMENT
#undef RUNG_SECTION
#define ROWS (sizeof row_title / sizeof row_title[0])

/* ---- statements --------------------------------------------------------------------------------------------------- */

static PetscErrorCode print_word(MPI_Comm comm, const RungWord *w)
{
  PetscFunctionBegin;
  PetscCall(PetscPrintf(comm, "%s %s\n    %s\n", w->word, w->usage, w->help));
  if (w->call[0]) PetscCall(PetscPrintf(comm, "    in C: %s\n", w->call));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_words(MPI_Comm comm)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < RungWordCount(); ++i)
    PetscCall(PetscPrintf(comm, "  %-11s %s\n", rung_words[i].word, rung_words[i].usage));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void put_escaped(FILE *file, const char text[])
{
  for (; *text; ++text) {
    if (*text == '|') (void)fputc('\\', file);
    (void)fputc(*text, file);
  }
}

static void print_page(FILE *file)
{
  const RungWord *w = rung_words;

  (void)fputs("<!-- Made from verification/reader/statements.def: cmake --build BUILD -t docs.  Do not edit. -->\n\n"
              "| statement | what it says | in C |\n|---|---|---|\n",
              file);
  for (size_t row = 0; row < ROWS; ++row) {
    if (row_title[row]) {
      (void)fprintf(file, "| **%s** | | |\n", row_title[row]);
      continue;
    }
    (void)fprintf(file, "| `%s ", w->word);
    put_escaped(file, w->usage);
    (void)fputs("` | ", file);
    put_escaped(file, w->help);
    (void)fprintf(file, " | %s |\n", w->call);
    ++w;
  }
}

static void print_vim(FILE *file)
{
  (void)fputs("\" rung.vim - problem files; made from verification/reader/statements.def: rung help -vim\n"
              "if exists('b:current_syntax') | finish | endif\n"
              "syntax match rungRemark /#.*$/\n"
              "syntax match rungNumber /\\<\\d\\+\\(\\.\\d*\\)\\?\\([eE][-+]\\?\\d\\+\\)\\?\\>/\n"
              "syntax region rungName start=/\"/ end=/\"/ oneline\n",
              file);
  for (PetscInt i = 0; i < RungWordCount(); ++i)
    (void)fprintf(file, "syntax match rungStatement /^\\s*%s\\>/\n", rung_words[i].word);
  (void)fputs("highlight default link rungRemark Comment\nhighlight default link rungNumber Number\n"
              "highlight default link rungName String\nhighlight default link rungStatement Statement\n"
              "let b:current_syntax = 'rung'\n",
              file);
}

/* Text of a manual page: a hyphen is a minus, and nothing is a request. */
static void put_manual(FILE *file, const char text[])
{
  for (const char *c = text; *c; ++c) {
    if (*c == '\\')
      (void)fputs("\\e", file);
    else if (*c == '-')
      (void)fputs("\\-", file);
    else if ((*c == '.' || *c == '\'') && (c == text || c[-1] == '\n'))
      (void)fprintf(file, "\\&%c", *c);
    else
      (void)fputc(*c, file);
  }
}

/* rung(5) */
static void print_manual(FILE *file)
{
  const RungWord *w = rung_words;

  (void)fputs(
    ".\\\" made from verification/reader/statements.def: rung help \\-manual\n.TH RUNG 5 \"\" \"rung " RUNG_VERSION
    "\" \"Problem files\"\n.SH NAME\nrung \\- problem files\n.SH DESCRIPTION\n"
    "A problem is a file of statements, one a line.  The first word names the statement, # begins a remark, a line "
    "that\n"
    "ends in a backslash goes on, names with blanks stand in quotes.  Texts are those of weak forms.\n",
    file);
  for (size_t row = 0; row < ROWS; ++row) {
    if (row_title[row]) {
      (void)fprintf(file, ".SS %s\n", row_title[row]);
      continue;
    }
    (void)fprintf(file, ".TP\n.BR %s \" \\fR", w->word);
    put_manual(file, w->usage);
    (void)fputs("\"\n", file);
    put_manual(file, w->help);
    (void)fputs(".\n", file);
    ++w;
  }
  (void)fputs(".SH SEE ALSO\n.BR rung (1)\n", file);
}

PetscErrorCode RungStatementsPrint(FILE *file, const char what[])
{
  RungNeedArgument(file);
  static const struct {
    const char *word;
    void (*print)(FILE *file);
  } kinds[] = {{"page", print_page}, {"vim", print_vim}, {"manual", print_manual}};
  size_t k  = 0;

  PetscFunctionBegin;
  RungNeedArgument(what);
  while (k < PETSC_STATIC_ARRAY_LENGTH(kinds) && strcmp(kinds[k].word, what) != 0) ++k;
  PetscCheck(k < PETSC_STATIC_ARRAY_LENGTH(kinds), PETSC_COMM_SELF, PETSC_ERR_ARG_UNKNOWN_TYPE,
             "statements are printed as page, vim or manual, not as \"%s\"", what);
  kinds[k].print(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- lists -------------------------------------------------------------------------------------------------------- */

static PetscErrorCode print_elements(MPI_Comm comm)
{
  PetscFunctionBegin;
  PetscCall(PetscPrintf(comm, "  P1 P2 ..   continuous on simplices          Q1 Q2 ..   on box cells\n"
                              "  CG1 ..     P or Q, as the cells are         DG1 ..     DP or DQ\n"
                              "  DP1 DQ2 .. discontinuous                    P0         one value a cell\n"
                              "  P1+B       with the bubble of the cell      Quad(q)    values at quadrature points\n"
                              "  R          a number of the whole mesh\n"
                              "  behind it: ^n or ^d a vector, ^nxm or ^dxd a tensor, as Q2^d, Quad(2)^dxd\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_operators(MPI_Comm comm, const char word[], PetscBool *found)
{
  PetscFunctionBegin;
  for (PetscInt i = 0;; ++i) {
    const char *name, *doc, *example;

    if (!RungOperatorGet(i, &name, &doc, &example)) break;
    if (word && strcmp(word, name) != 0) continue;
    if (word)
      PetscCall(PetscPrintf(comm, "%s, an operator of forms\n    %s\n    %s\n", name, doc, example));
    else
      PetscCall(PetscPrintf(comm, "  %-12s %s\n", name, doc));
    *found = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Integrals and spaces, which are words of forms and of `unknown`. */
static PetscErrorCode print_space_or_measure(MPI_Comm comm, const char word[], PetscBool *found)
{
  static const char *const measure[][2] = {
    {"dx", "over cells"},          {"ds", "over the boundary"},     {"dS", "over facets between cells"},
    {"dl", "over edges in space"}, {"dP", "the sum over vertices"}, {"dR", "of numbers in R, once"},
    {"pi", "3.14159265358979.."}};
  static const char *const space[] = {"CG", "DG", "DP", "DQ", "P", "Q", "Quad", "R"};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(measure); ++i) {
    if (strcmp(measure[i][0], word) != 0) continue;
    *found = PETSC_TRUE;
    if (word[0] == 'd')
      PetscCall(PetscPrintf(comm,
                            "%s, an integral %s\n    u*v*%s, over a part u*v*%s(left), exact to a degree "
                            "u*v*%s(degree: 4)\n",
                            word, measure[i][1], word, word, word));
    else
      PetscCall(PetscPrintf(comm, "%s, a number: %s\n", word, measure[i][1]));
  }
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(space) && !*found; ++i) {
    const char *rest = word + strlen(space[i]);

    if (strncmp(space[i], word, strlen(space[i])) != 0 ||
        (*rest && !isdigit((unsigned char)*rest) && !strchr("(^+", *rest)))
      continue;
    *found = PETSC_TRUE;
    PetscCall(PetscPrintf(comm, "%s, a space: unknown NAME TEST SPACE\n", word));
    PetscCall(print_elements(comm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every class reads its options once, for a small problem, and so enters them into the list. */
static PetscErrorCode print_options(MPI_Comm comm)
{
  RungMesh    mesh;
  RungSpace   space;
  RungSystem  sys;
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(comm, &mesh));
  PetscCall(RungMeshSetBox(mesh, "interval", 1, (PetscInt[]){2}, NULL));
  PetscCall(RungMeshSetFromOptions(mesh));
  PetscCall(RungSpaceCreate(mesh, "CG1", &space));
  PetscCall(RungSystemCreate(comm, &sys));
  PetscCall(RungSystemAddUnknown(sys, "u", "v", space));
  PetscCall(RungSystemAddResidual(sys, "dt(u)*v*dx"));
  PetscCall(RungSystemSetFromOptions(sys));
  PetscCall(RungStepperCreate(comm, &stepper));
  PetscCall(RungStepperSetSystem(stepper, sys));
  PetscCall(RungStepperSetFromOptions(stepper));
  PetscCall(RungOptionsPrint(comm));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&space));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Options of PETSc's solvers, which it tells when they are there. */
static PetscErrorCode print_other_option(MPI_Comm comm, const char word[], PetscBool *found)
{
  static const char *const begins[] = {"ksp_", "pc_",         "mat_", "snes_",   "mass_",
                                       "sub_", "fieldsplit_", "log_", "options_"};

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(begins) && !*found; ++i) {
    if (strncmp(word, begins[i], strlen(begins[i])) != 0) continue;
    PetscCall(PetscPrintf(
      comm,
      "-%s is PETSc's, if it is an option: its manual tells of it, and a run says at its end what it did not use\n",
      word));
    *found = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What -help says of one option, whose name comes without the hyphen. */
static PetscErrorCode print_option(MPI_Comm comm, const char word[], PetscBool *found)
{
  FILE       *before = PETSC_STDOUT;
  char       *all    = NULL, *line, *rest;
  size_t      size = 0, n = strlen(word);
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PETSC_STDOUT = open_memstream(&all, &size);
  RungCallFinally(print_options(comm), (void)fclose(PETSC_STDOUT); PETSC_STDOUT = before);
  line = !rank && all ? strtok_r(all, "\n", &rest) : NULL;
  for (; line && !*found; line = strtok_r(NULL, "\n", &rest)) {
    const char *name = line + strspn(line, " ");

    if (name[0] != '-' || strncmp(name + 1, word, n) != 0 || name[n + 1] != ' ') continue;
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "an option\n%s\n", line));
    *found = PETSC_TRUE;
  }
  free(all);
  PetscCallMPI(MPI_Bcast(found, 1, RUNG_MPI_BOOL, 0, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungListPrint(MPI_Comm comm, const char what[], const char folder[])
{
  static const char *const list[] = {"statements", "methods", "problems", "elements", "operators", "options"};
  const char              *nearest;
  PetscBool                found = PETSC_FALSE;
  size_t                   k     = 0;

  PetscFunctionBegin;
  RungNeedArgument(what);
  while (k < PETSC_STATIC_ARRAY_LENGTH(list) && strcmp(what, list[k]) != 0) ++k;
  switch (k) {
  case 0: PetscCall(print_words(comm)); break;
  case 1: PetscCall(RungMethodsPrint(comm, PETSC_FALSE)); break;
  case 2: PetscCall(RungGalleryPrint(comm, folder)); break;
  case 3: PetscCall(print_elements(comm)); break;
  case 4: PetscCall(print_operators(comm, NULL, &found)); break;
  case 5: PetscCall(print_options(comm)); break;
  default:
    PetscCall(RungSuggest(what, (PetscInt)PETSC_STATIC_ARRAY_LENGTH(list), list, &nearest));
    SETERRQ(comm, PETSC_ERR_ARG_UNKNOWN_TYPE,
            "there is no list of \"%s\"%s%s%s; there are statements, methods, problems, elements, operators, options",
            what, nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_method(MPI_Comm comm, RungStepperType type, const char method[])
{
  RungStepper stepper;
  const char *name;
  char        others[512], aliases[256];
  PetscInt    order;

  PetscFunctionBegin;
  PetscCall(RungStepperCreate(comm, &stepper));
  PetscCall(RungStepperSetType(stepper, type));
  PetscCall(RungStepperSetMethod(stepper, method));
  PetscCall(RungStepperGetMethod(stepper, &name, &order));
  PetscCall(PetscPrintf(comm, "%s, a method of type %s and order %" PetscInt_FMT "\n    method %s\n", method, type,
                        order, method));
  PetscCall(RungStepperGetOtherNames(method, PETSC_TRUE, aliases, sizeof aliases));
  if (aliases[0]) PetscCall(PetscPrintf(comm, "    or method%s\n", aliases));
  PetscCall(RungStepperGetOtherNames(method, PETSC_FALSE, others, sizeof others));
  if (others[0]) PetscCall(PetscPrintf(comm, "    others call it%s\n", others));
  PetscCall(RungStepperDestroy(&stepper));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A method by its name, or by one that others have for it. */
static PetscErrorCode print_methods(MPI_Comm comm, const char word[], PetscBool *found)
{
  const char *type, *own, *method[RUNG_CLAIMS], *why = NULL;
  PetscInt    n = 0;

  PetscFunctionBegin;
  PetscCall(RungStepperTypeOf(word, &type, &own));
  if (type) method[n++] = own;
  if (!n && !*found) PetscCall(RungStepperFindSynonyms(word, &n, method, &why));
  if (why) PetscCall(PetscPrintf(comm, "%s is %s; the nearest is\n", word, why));
  for (PetscInt i = 0; i < n; ++i) {
    PetscCall(RungStepperTypeOf(method[i], &type, &own));
    PetscCall(print_method(comm, type, own));
    *found = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_type(MPI_Comm comm, const char word[], PetscBool *found)
{
  const char *const *types, *const *methods;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(RungStepperGetMethods(&n, &types, &methods));
  for (PetscInt i = 0; i < n; ++i) {
    if (strcmp(types[i], word) != 0) continue;
    if (!*found) PetscCall(PetscPrintf(comm, "%s, a type of methods, -stepper_type %s\n   ", word, word));
    PetscCall(PetscPrintf(comm, " %s", methods[i]));
    *found = PETSC_TRUE;
  }
  if (*found) PetscCall(PetscPrintf(comm, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungHelpPrint(MPI_Comm comm, const char word[])
{
  const RungWord *nearest;
  PetscBool       found = PETSC_FALSE;

  PetscFunctionBegin;
  if (!word) {
    PetscCall(print_words(comm));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (word[0] == '-' && isalpha((unsigned char)word[1])) ++word; /* an option; - is an operator */
  for (PetscInt i = 0; i < RungWordCount(); ++i) {
    if (strcmp(rung_words[i].word, word) != 0) continue;
    PetscCall(print_word(comm, &rung_words[i]));
    found = PETSC_TRUE;
  }
  PetscCall(print_operators(comm, word, &found));
  PetscCall(print_methods(comm, word, &found));
  if (!found) PetscCall(print_type(comm, word, &found));
  if (!found) PetscCall(print_space_or_measure(comm, word, &found));
  if (!found) PetscCall(print_option(comm, word, &found));
  if (!found) PetscCall(print_other_option(comm, word, &found));
  PetscCall(RungWordNearest(word, &nearest));
  PetscCheck(found, comm, PETSC_ERR_ARG_UNKNOWN_TYPE,
             "no statement, operator, method or option is called \"%s\"%s%s%s; rung list statements, operators, "
             "methods, options show them",
             word, nearest ? "; did you mean \"" : "", nearest ? nearest->word : "", nearest ? "\"?" : "");
  PetscFunctionReturn(PETSC_SUCCESS);
}
