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
     define    f 10*exp(-t)*x[0]
     residual  dt(u)*v*dx         as often as there are terms
     quantity  heat u*dx

   in the program's own words and order: a form that is written otherwise is another form.  Options: -output FILE (default
   FILE.c), -name NAME in C (default the file's name), -form_isa, -form_degree. */
#include <ctype.h>
#include <rungsystem.h>

static const char help[] = "Turns the forms of a problem into one C source.\n";

typedef struct {
  const char *file;
  int         number; /* of the line, from 1 */
  RungMesh    mesh;
  RungSystem  sys;
} Reader;

/* Cuts the next word off. */
static char *Word(char **rest)
{
  char *word = *rest + strspn(*rest, " \t");

  *rest = word + strcspn(word, " \t");
  if (**rest) *(*rest)++ = 0;
  *rest += strspn(*rest, " \t");
  return word;
}

static PetscErrorCode SetCell(Reader *reader, const char cell[])
{
  static const char *const name[] = {"interval", "triangle", "quadrilateral", "tetrahedron", "hexahedron"};
  static const PetscInt    dim[]  = {1, 2, 2, 3, 3};
  const char              *nearest;
  int                      c = 0;

  PetscFunctionBegin;
  while (c < 5 && strcmp(cell, name[c]) != 0) ++c;
  if (c == 5) PetscCall(RungSuggest(cell, 5, name, &nearest));
  PetscCheck(c < 5, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "%s:%d: no cell is called \"%s\"; did you mean \"%s\"?",
             reader->file, reader->number, cell, nearest ? nearest : "triangle");
  PetscCall(RungMeshSetBox(reader->mesh, name[c], dim[c], (PetscInt[]){2, 2, 2}, (PetscReal[]){1, 1, 1}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddUnknown(Reader *reader, char *rest)
{
  const char *name = Word(&rest), *test = Word(&rest), *spec = Word(&rest);
  RungSpace   space;

  PetscFunctionBegin;
  PetscCheck(spec[0], PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "%s:%d: unknown wants a name, a test function and a space", reader->file, reader->number);
  PetscCall(RungSpaceCreate(reader->mesh, spec, &space));
  PetscCall(RungSystemAddUnknown(reader->sys, name, test, space));
  PetscCall(RungSpaceDestroy(&space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Statement(Reader *reader, char *line)
{
  static const char *const list[] = {"cell", "mesh", "points", "unknown", "constant", "define", "residual", "quantity"};
  char                    *rest = line, *key = Word(&rest), *name;
  const char              *nearest;
  int                      k = 0;

  PetscFunctionBegin;
  if (!key[0]) PetscFunctionReturn(PETSC_SUCCESS);
  while (k < 8 && strcmp(key, list[k]) != 0) ++k;
  if (k == 8) PetscCall(RungSuggest(key, 8, list, &nearest));
  PetscCheck(k < 8, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "%s:%d: no statement is called \"%s\"%s%s%s; it takes cell, mesh, points, unknown, constant, define, "
             "residual, quantity",
             reader->file, reader->number, key, nearest ? "; did you mean \"" : "", nearest ? nearest : "",
             nearest ? "\"?" : "");
  PetscCheck(k == 2 || rest[0], PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "%s:%d: nothing follows \"%s\"", reader->file,
             reader->number, key);
  if (k == 0) PetscCall(SetCell(reader, rest));
  if (k == 1) PetscCall(RungMeshSetFile(reader->mesh, rest));
  if (k == 2) PetscCall(RungMeshSetPoints(reader->mesh, 1));
  if (k == 3) PetscCall(AddUnknown(reader, rest));
  if (k == 6) PetscCall(RungSystemAddResidual(reader->sys, rest));
  name = k == 4 || k == 5 || k == 7 ? Word(&rest) : NULL;
  if (k == 4) PetscCall(RungSystemSetConstant(reader->sys, name, strtod(rest, NULL)));
  if (k == 5) PetscCall(RungSystemDefine(reader->sys, name, rest));
  if (k == 7) PetscCall(RungSystemAddQuantity(reader->sys, name, rest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Statement by statement, lines put together and remarks cut. */
static PetscErrorCode Read(Reader *reader)
{
  FILE  *file = fopen(reader->file, "r");
  char   line[8192];
  size_t n = 0;

  PetscFunctionBegin;
  PetscCheck(file, PETSC_COMM_WORLD, PETSC_ERR_FILE_OPEN, "form file \"%s\" cannot be read", reader->file);
  while (fgets(line + n, (int)(sizeof line - n), file)) {
    ++reader->number;
    PetscCheck(strchr(line + n, '\n') || feof(file), PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
               "%s:%d: a statement has more than %zu letters", reader->file, reader->number, sizeof line);
    line[n + strcspn(line + n, "#\r\n")] = 0;
    for (n = strlen(line); n && isspace((unsigned char)line[n - 1]);) line[--n] = 0;
    if (n && line[n - 1] == '\\') {
      line[n - 1] = ' ';
      continue;
    }
    PetscCall(Statement(reader, line));
    n = 0;
  }
  (void)fclose(file);
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

static PetscErrorCode Write(const char file[])
{
  char     output[PETSC_MAX_PATH_LEN], name[64], isa[16] = "native";
  PetscInt kernels;

  PetscFunctionBegin;
  PetscCall(BaseName(file, name));
  PetscCall(PetscSNPrintf(output, sizeof output, "%s.c", file));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-output", output, sizeof output, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-name", name, sizeof name, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-form_isa", isa, sizeof isa, NULL));
  PetscCall(RungKernelsWrite(output, name, isa, &kernels));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %" PetscInt_FMT " kernels of %s\n", output, kernels, file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Reader      reader = {.file = argc > 1 ? argv[1] : "-"};
  PetscMPIInt size;

  PetscCall(RungInitialize(&argc, &argv, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCheck(reader.file[0] != '-', PETSC_COMM_WORLD, PETSC_ERR_USER,
             "no form file; run rung-compile FILE [-output FILE.c]");
  PetscCheck(size == 1, PETSC_COMM_WORLD, PETSC_ERR_USER, "rung-compile runs on 1 rank, not %d", size);
  PetscCall(RungOptionKnown("output"));
  PetscCall(RungOptionKnown("name"));
  PetscCall(PetscOptionsSetValue(NULL, "-form_backend", "interpreter")); /* no compiler is asked for */
  PetscCall(RungKernelsRecord(PETSC_TRUE));
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &reader.mesh));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, &reader.sys));
  PetscCall(Read(&reader));
  PetscCall(RungSystemSetUp(reader.sys));
  PetscCall(Write(reader.file));
  PetscCall(RungSystemDestroy(&reader.sys));
  PetscCall(RungMeshDestroy(&reader.mesh));
  PetscCall(RungKernelsRecord(PETSC_FALSE));
  PetscCall(RungFinalize());
  return 0;
}
