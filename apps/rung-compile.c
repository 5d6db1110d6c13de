/* rung-compile.c - kernels ahead of time: the forms of a problem become one C source that a program links.

   Run       rung-compile heat.form -output heat_kernels.c -form_isa avx2
   then      cc -O2 -funroll-loops -fno-math-errno -mavx2 -mfma -c heat_kernels.c     (as its first lines say)
   and link heat_kernels.o into the program.  It finds the kernels by their hash, needs no compiler where it runs, and with
   -form_jit never starts none; -form_view kernels tells what it found.

   A form file has one statement a line; # begins a remark, a line that ends in \ goes on in the next:

     cell      triangle           interval, triangle, quadrilateral, tetrahedron or hexahedron: affine cells; or
     mesh      bracket.msh        a Gmsh file, where forms speak of its parts or cells are curved; or
     points                       a mesh of points
     unknown   u v P1             name, test function, space
     constant  kappa 0.1          its value does not matter
     field     w P1^d             a given function or an unknown of another system, and its space; [P0^d] of its rate
     define    f 10*exp(-t)*x[0]
     residual  dt(u)*v*dx         as often as there are terms
     quantity  heat u*dx          rates of RungSystemAddRate() are written so too
     mean      edge u*ds(left)    of RungSystemAddMean()

   in the program's own words and order: a form that is written otherwise is another form.  Options: -output FILE (default
   FILE.c), -name NAME in C (default the file's name), -form_isa, and those that the program is run with and that change its
   forms: -form_degree, -space_u, -system_conserve, -system_condense, -system_keep_blocks, -system_mat_type shell. */
#include <ctype.h>
#include <errno.h>
#include <rungsystem.h>

static const char help[] = "Turns the forms of a problem into one C source.\n";

#define MOST_FIELDS 96
#define MOST_MEANS  64

typedef struct {
  const char *file;
  int         number; /* of the line, from 1                                                                     */
  int         cells;  /* of the line that says what they are, 0: none yet                                        */
  RungMesh    mesh;
  RungSystem  sys;
  PetscInt    fields;
  RungField field[MOST_FIELDS]; /* owned                                                                             */
  int       means;
  char     *mean[MOST_MEANS];   /* owned texts of integrals                                                          */
  RungForm  extent[MOST_MEANS]; /* owned                                                                             */
} Reader;

/* Ends the run with "file:line: .." unless all is well. */
#define CHECK_LINE(reader, ok, format, ...)                                                                            \
  PetscCheck(ok, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "%s:%d: " format, (reader)->file, (reader)->number,           \
             __VA_ARGS__)

/* Cuts the next word off. */
static char *Word(char **rest)
{
  char *word = *rest + strspn(*rest, " \t");

  *rest = word + strcspn(word, " \t");
  if (**rest) *(*rest)++ = 0;
  *rest += strspn(*rest, " \t");
  return word;
}

/* The next word, which the statement needs. */
static PetscErrorCode Need(Reader *reader, char **rest, const char what[], const char **word)
{
  PetscFunctionBegin;
  *word = Word(rest);
  CHECK_LINE(reader, (*word)[0], "%s is missing", what);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode End(Reader *reader, const char rest[])
{
  PetscFunctionBegin;
  CHECK_LINE(reader, !rest[0], "\"%s\" is too much; a statement has a line of its own", rest);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- statements: what follows their word ---------------------------------------------------------------------- */

static PetscErrorCode OnceCells(Reader *reader)
{
  PetscFunctionBegin;
  CHECK_LINE(reader, !reader->cells, "line %d says already what the cells are; one of cell, mesh, points",
             reader->cells);
  reader->cells = reader->number;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadCell(Reader *reader, char *rest)
{
  static const char *const name[] = {"interval", "triangle", "quadrilateral", "tetrahedron", "hexahedron"};
  static const PetscInt    dim[]  = {1, 2, 2, 3, 3};
  const char              *cell, *nearest;
  int                      c = 0;

  PetscFunctionBegin;
  PetscCall(OnceCells(reader));
  PetscCall(Need(reader, &rest, "the cell", &cell));
  PetscCall(End(reader, rest));
  while (c < 5 && strcmp(cell, name[c]) != 0) ++c;
  PetscCall(RungSuggest(cell, 5, name, &nearest));
  CHECK_LINE(reader, c < 5,
             "no cell is called \"%s\"%s%s%s; there are interval, triangle, quadrilateral, tetrahedron, hexahedron",
             cell, nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
  PetscCall(RungMeshSetBox(reader->mesh, name[c], dim[c], (PetscInt[]){2, 2, 2}, (PetscReal[]){1, 1, 1}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadMesh(Reader *reader, char *rest)
{
  PetscFunctionBegin;
  PetscCall(OnceCells(reader));
  CHECK_LINE(reader, rest[0], "%s is missing", "the mesh file");
  PetscCall(RungMeshSetFile(reader->mesh, rest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadPoints(Reader *reader, char *rest)
{
  PetscFunctionBegin;
  PetscCall(OnceCells(reader));
  PetscCall(End(reader, rest));
  PetscCall(RungMeshSetPoints(reader->mesh, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateSpace(Reader *reader, const char spec[], RungSpace *space)
{
  PetscFunctionBegin;
  CHECK_LINE(reader, reader->cells, "%s come first; write cell triangle, mesh FILE or points above", "cells");
  PetscCall(RungSpaceCreate(reader->mesh, spec, space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadUnknown(Reader *reader, char *rest)
{
  const char *name, *test, *spec;
  RungSpace   space;

  PetscFunctionBegin;
  PetscCall(Need(reader, &rest, "the name of the unknown", &name));
  PetscCall(Need(reader, &rest, "the name of its test function", &test));
  PetscCall(Need(reader, &rest, "the space, third of unknown NAME TEST SPACE,", &spec));
  PetscCall(End(reader, rest));
  PetscCall(CreateSpace(reader, spec, &space));
  PetscCall(RungSystemAddUnknown(reader->sys, name, test, space));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Its rates are entered by the forms that read them. */
static PetscErrorCode ReadField(Reader *reader, char *rest)
{
  const char *name, *spec;
  RungField  *field = reader->field + reader->fields;
  RungSpace   space;

  PetscFunctionBegin;
  PetscCall(Need(reader, &rest, "the name of the field", &name));
  PetscCall(Need(reader, &rest, "the space, second of field NAME SPACE,", &spec));
  CHECK_LINE(reader, reader->fields + 3 <= MOST_FIELDS, "more than %d fields", MOST_FIELDS / 3);
  for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) {
    const char *word = k ? Word(&rest) : spec;

    if (word[0]) spec = word;
    PetscCall(CreateSpace(reader, spec, &space));
    PetscCall(RungFieldCreate(space, name, &field[k]));
    ++reader->fields;
    PetscCall(RungSpaceDestroy(&space));
    if (k) PetscCall(RungFieldSetRate(field[k - 1], field[k]));
  }
  PetscCall(End(reader, rest));
  PetscCall(RungSystemAddField(reader->sys, name, field[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadConstant(Reader *reader, char *rest)
{
  const char *name, *word;
  char       *end;
  PetscReal   value;

  PetscFunctionBegin;
  PetscCall(Need(reader, &rest, "the name of the constant", &name));
  PetscCall(Need(reader, &rest, "the value", &word));
  PetscCall(End(reader, rest));
  value = strtod(word, &end);
  CHECK_LINE(reader, !*end, "\"%s\" is no number; a constant has a value, any one", word);
  PetscCall(RungSystemSetConstant(reader->sys, name, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef PetscErrorCode NamedFn(RungSystem sys, const char name[], const char text[]);

static PetscErrorCode ReadNamed(Reader *reader, char *rest, NamedFn *add)
{
  const char *name;

  PetscFunctionBegin;
  PetscCall(Need(reader, &rest, "a name", &name));
  CHECK_LINE(reader, rest[0], "\"%s\" is nothing; an expression follows the name", name);
  PetscCall(add(reader->sys, name, rest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadDefine(Reader *reader, char *rest)
{
  PetscFunctionBegin;
  PetscCall(ReadNamed(reader, rest, RungSystemDefine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadQuantity(Reader *reader, char *rest)
{
  PetscFunctionBegin;
  PetscCall(ReadNamed(reader, rest, RungSystemAddQuantity));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The text is kept: the integral that the mean is divided by is a form of its own. */
static PetscErrorCode ReadMean(Reader *reader, char *rest)
{
  const char *text = rest + strcspn(rest, " \t");

  PetscFunctionBegin;
  CHECK_LINE(reader, reader->means < MOST_MEANS, "more than %d means", MOST_MEANS);
  PetscCall(PetscStrallocpy(text, &reader->mean[reader->means++]));
  PetscCall(ReadNamed(reader, rest, RungSystemAddMean));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadResidual(Reader *reader, char *rest)
{
  PetscFunctionBegin;
  CHECK_LINE(reader, rest[0], "%s is missing", "the sum of integrals");
  PetscCall(RungSystemAddResidual(reader->sys, rest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the file ------------------------------------------------------------------------------------------------- */

#define STATEMENTS 10

static PetscErrorCode Statement(Reader *reader, char *line)
{
  static const char *const list[STATEMENTS] = {"cell",  "mesh",   "points",   "unknown",  "constant",
                                               "field", "define", "residual", "quantity", "mean"};
  static PetscErrorCode (*const read[STATEMENTS])(Reader *, char *) = {
    ReadCell,  ReadMesh,   ReadPoints,   ReadUnknown,  ReadConstant,
    ReadField, ReadDefine, ReadResidual, ReadQuantity, ReadMean};
  char       *rest = line, *key = Word(&rest);
  const char *nearest;
  int         k = 0;

  PetscFunctionBegin;
  if (!key[0]) PetscFunctionReturn(PETSC_SUCCESS);
  while (k < STATEMENTS && strcmp(key, list[k]) != 0) ++k;
  if (k == STATEMENTS) PetscCall(RungSuggest(key, STATEMENTS, list, &nearest));
  CHECK_LINE(reader, k < STATEMENTS,
             "no statement is called \"%s\"%s%s%s; it takes cell, mesh, points, unknown, constant, field, define, "
             "residual, quantity, mean",
             key, nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
  PetscCall(read[k](reader, rest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Statement by statement, lines put together and remarks cut. */
static PetscErrorCode Read(Reader *reader)
{
  FILE  *file = fopen(reader->file, "r");
  char   line[8192];
  size_t n    = 0;
  int    code = 0;

  PetscFunctionBegin;
  while (file && fgets(line + n, (int)(sizeof line - n), file)) {
    ++reader->number;
    CHECK_LINE(reader, strchr(line + n, '\n') || feof(file), "a statement has more than %zu letters", sizeof line);
    line[n + strcspn(line + n, "#\r\n")] = 0;
    for (n = strlen(line); n && isspace((unsigned char)line[n - 1]);) line[--n] = 0;
    if (n && line[n - 1] == '\\') {
      line[n - 1] = ' ';
      continue;
    }
    PetscCall(Statement(reader, line));
    n = 0;
  }
  if (!file || ferror(file)) code = errno;
  PetscCheck(!code, PETSC_COMM_WORLD, PETSC_ERR_FILE_OPEN, "form file \"%s\" cannot be read: %s", reader->file,
             strerror(code));
  (void)fclose(file);
  CHECK_LINE(reader, !n, "%s", "the file ends where a line goes on; take the \\ at its end away");
  CHECK_LINE(reader, reader->cells, "%s", "nothing says what the cells are; write cell triangle, mesh FILE or points");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "path/heat.form" -> "heat" */
static PetscErrorCode BaseName(const char path[], char name[64])
{
  const char *slash = strrchr(path, '/');

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(name, slash ? slash + 1 : path, 64));
  name[strcspn(name, ".")] = 0;
  for (char *c = name; *c; ++c) {
    if (!isalnum((unsigned char)*c)) *c = '_';
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Forms that a system makes when somebody asks for them: with its dt() taken by the chain rule, for consistent starts;
   products with a matrix that has no entries; the measures of means.  What comes out does not matter. */
static PetscErrorCode MakeLateForms(Reader *reader)
{
  PetscReal  sigma[(RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS];
  Vec        u[RUNG_MAX_ORDER + 1], r;
  Mat        J;
  RungScope  scope;
  RungLayout layout;

  PetscFunctionBegin;
  PetscCall(RungSystemCreateMat(reader->sys, &J));
  PetscCall(RungSystemCreateVec(reader->sys, &r));
  for (PetscInt k = 0; k < (RUNG_MAX_ORDER + 1) * RUNG_MAX_UNKNOWNS; ++k) sigma[k] = 1;
  for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) {
    PetscCall(VecDuplicate(r, &u[k]));
    PetscCall(VecZeroEntries(u[k]));
  }
  PetscCall(RungSystemResidual(reader->sys, 0, u, r));
  PetscCall(RungSystemJacobian(reader->sys, 0, u, sigma, J));
  PetscCall(MatMult(J, u[0], r));
  PetscCall(MatGetDiagonal(J, r));
  for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) PetscCall(VecDestroy(&u[k]));
  PetscCall(VecDestroy(&r));
  PetscCall(MatDestroy(&J));
  PetscCall(RungSystemGetScope(reader->sys, &scope));
  PetscCall(RungSystemGetLayout(reader->sys, &layout));
  for (int i = 0; i < reader->means; ++i) {
    RungExpr integral;

    PetscCall(RungScopeParse(scope, "mean", reader->mean[i], &integral));
    PetscCall(RungFormCreate(RungExtent(integral), "extent", layout, &reader->extent[i]));
    PetscCall(RungFormSetUp(reader->extent[i], PETSC_FALSE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Destroy(Reader *reader)
{
  PetscFunctionBegin;
  for (int i = 0; i < reader->means; ++i) {
    PetscCall(RungFormDestroy(&reader->extent[i]));
    PetscCall(PetscFree(reader->mean[i]));
  }
  PetscCall(RungSystemDestroy(&reader->sys));
  for (PetscInt f = 0; f < reader->fields; ++f) PetscCall(RungFieldDestroy(&reader->field[f]));
  PetscCall(RungMeshDestroy(&reader->mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Write(const char file[])
{
  const MPI_Comm comm = PETSC_COMM_WORLD;
  char           output[PETSC_MAX_PATH_LEN], name[64], isa[16] = "native";
  PetscInt       kernels;

  PetscFunctionBegin;
  PetscCall(BaseName(file, name));
  PetscCall(PetscSNPrintf(output, sizeof output, "%s.c", file));
  PetscCall(RungOptionText(comm, "-output", "the C source, FILE.c", NULL, sizeof output, output, NULL));
  PetscCall(RungOptionText(comm, "-name", "of the kernels in C", NULL, sizeof name, name, NULL));
  PetscCall(RungOptionText(comm, "-form_isa", "machine that the kernels are for", NULL, sizeof isa, isa, NULL));
  PetscCall(RungOptionsCheck(comm));
  PetscCall(RungKernelsWrite(output, name, isa, &kernels));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %" PetscInt_FMT " kernels of %s\n", output, kernels, file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Reader             reader = {0};
  PetscMPIInt        size;
  PetscInt           files;
  const char *const *file;

  PetscCall(RungInitialize(&argc, &argv, help));
  PetscCall(RungArguments(&files, &file));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (RungHelpWanted() && !files) PetscCall(RungOptionsCheck(PETSC_COMM_WORLD));
  PetscCheck(files, PETSC_COMM_WORLD, PETSC_ERR_USER, "no form file; run rung-compile FILE [-output FILE.c]");
  PetscCheck(files == 1, PETSC_COMM_WORLD, PETSC_ERR_USER,
             "there are options only after the form file, got \"%s\"; run once for every file", file[1]);
  reader.file = file[0];
  PetscCheck(size == 1, PETSC_COMM_WORLD, PETSC_ERR_USER, "rung-compile runs on 1 rank, not %d", size);
  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", "interpreter")); /* no compiler is asked for */
  PetscCall(RungKernelsRecord(PETSC_TRUE));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &reader.mesh));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &reader.sys));
  PetscCall(Read(&reader));
  PetscCall(RungSystemSetFromOptions(reader.sys));
  PetscCall(RungSystemSetUp(reader.sys));
  PetscCall(MakeLateForms(&reader));
  PetscCall(Write(reader.file));
  PetscCall(Destroy(&reader));
  PetscCall(RungKernelsRecord(PETSC_FALSE));
  PetscCall(RungFinalize());
  return 0;
}
