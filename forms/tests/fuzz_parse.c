/* fuzz_parse.c - libFuzzer on the parser: any bytes are an expression or a message, and an expression is read as it is printed.

   PETSc's error handler is taken off: errors are answers here.  Nodes and memory of a text stay bounded, as the scope dies with
   it.  Leaks are those of the library, as PETSc and MPI keep theirs. */
#include "../scalar_impl.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static RungMesh  mesh;
static RungSpace P1, P1d;

static PetscErrorCode Ignore(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode n,
                             PetscErrorType type, const char *text, void *ctx)
{
  (void)comm, (void)line, (void)function, (void)file, (void)type, (void)text, (void)ctx;
  return n;
}

static PetscErrorCode Begin(void)
{
  static char  name[] = "fuzz_parse";
  static char *args[] = {name, NULL};
  char       **argv   = args;
  int          argc   = 1;

  PetscFunctionBegin;
  PetscCall(RungInitialize(&argc, &argv, NULL));
  PetscCall(RungMeshCreate(PETSC_COMM_SELF, &mesh));
  PetscCall(RungMeshSetBox(mesh, "triangle", 2, (PetscInt[]){1, 1}, (PetscReal[]){1, 1}));
  PetscCall(RungSpaceCreate(mesh, "P1", &P1));
  PetscCall(RungSpaceCreate(mesh, "P1^d", &P1d));
  PetscCall(RungFileWrite(PETSC_COMM_SELF, "fuzz.csv", 12, "0 1\n1 2\n3 4\n"));
  PetscCall(PetscPushErrorHandler(Ignore, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode End(void)
{
  PetscFunctionBegin;
  PetscCall(PetscPopErrorHandler());
  PetscCall(RungSpaceDestroy(&P1));
  PetscCall(RungSpaceDestroy(&P1d));
  PetscCall(RungMeshDestroy(&mesh));
  PetscCall(RungFinalize());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void AtExit(void)
{
  if (End()) abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  (void)argc, (void)argv;
  if (Begin()) abort();
  return atexit(AtExit);
}

/* What is read is printed, and read again as the same node; shapes that fit have components. */
static void Use(RungScope scope, RungExpr expr)
{
  RungExpr again;
  char    *text = NULL;

  if (RungExprToText(expr, &text)) abort();
  if (!RungScopeParse(scope, "again", text, &again) && again.node != expr.node) abort();
  PetscFree(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  RungScope scope = NULL;
  RungExpr  expr;
  char     *text = (char *)malloc(size + 1);

  if (!text) abort();
  memcpy(text, data, size);
  text[size] = 0;
  if (RungScopeCreate(PETSC_COMM_SELF, &scope) || RungScopeAddUnknown(scope, "u", "v", P1) ||
      RungScopeAddUnknown(scope, "U", "W", P1d) || RungScopeSetConstant(scope, "k", 2) ||
      RungScopeDefine(scope, "E", "sym(grad(U))"))
    abort();
  if (!RungScopeParse(scope, "fuzz", text, &expr)) Use(scope, expr);
  free(text);
  if (RungScopeDestroy(&scope)) abort();
  return 0;
}
