/* fuzz_parse.c - libFuzzer on the room, down to the source of a kernel: any bytes are a form or a message.  What is read is
   printed and read again; it is derived, lowered and written as C, which nobody compiles.  Nodes and memory of a text stay bounded,
   as the scope dies with it. */
#include "jit_impl.h"
#include "scalar_impl.h"
#include <fuzz.h>
#include <string.h>

#define MOST 2000 /* operations: what has more is written no other way */

static RungMesh   mesh;
static RungSpace  P1, P1d;
static RungLayout layout;

static PetscErrorCode begin(void)
{
  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_SELF, &mesh));
  PetscCall(RungMeshSetBox(mesh, "triangle", 2, (PetscInt[]){1, 1}, (PetscReal[]){1, 1}));
  PetscCall(RungSpaceCreate(mesh, "P1", &P1));
  PetscCall(RungSpaceCreate(mesh, "P1^d", &P1d));
  PetscCall(RungLayoutCreate(PETSC_COMM_SELF, 2, (RungSpace[]){P1, P1d}, &layout));
  PetscCall(RungFileWrite(PETSC_COMM_SELF, "fuzz.csv", 12, "0 1\n1 2\n3 4\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode end(void)
{
  PetscFunctionBegin;
  PetscCall(RungLayoutDestroy(&layout));
  PetscCall(RungSpaceDestroy(&P1));
  PetscCall(RungSpaceDestroy(&P1d));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is read is printed, and read again as the same node; shapes that fit have components. */
static void use_expression(RungScope scope, RungExpr expr)
{
  RungExpr again;
  char    *text = NULL;

  if (RungExprToText(expr, &text)) abort();
  if (!RungScopeParse(scope, "again", text, &again) && again.node != expr.node) abort();
  PetscFree(text);
}

/* The integrals of one part of a form (or of none, where that is refused), as source. */
static void write_source(RungScope scope, RungExpr expr, int what)
{
  RungIntegral *integral;
  PetscInt      n;

  if (RungLower(expr, what, -1, &n, &integral)) return;
  for (PetscInt i = 0; i < n; ++i) {
    RungPlan plan;
    uint64_t hash[2] = {1, 1};
    char    *source;

    if (integral[i].tape.instructions > MOST) continue;
    if (RungPlanCreate(&integral[i], scope, layout, &plan)) continue;
    RungPlanHash(plan, hash);
    if (RungEmit(1, &plan, 4, &source)) abort();
    PetscFree(source);
    RungPlanDestroy(&plan);
  }
  RungIntegralsDestroy(n, &integral);
}

/* Everything that is asked of an expression. */
static void lower(RungScope scope, RungExpr expr)
{
  RungFormTraits traits;
  RungTape       tape = {0};
  PetscInt       rank, arity;
  PetscBool      integral;

  if (RungExprGetShape(expr, &rank, NULL, &integral, &arity)) abort();
  if (!integral) {
    if (!RungLowerPointwise(expr, &tape)) RungTapeDestroy(&tape);
    return;
  }
  if (RungLowerTraits(expr, &traits)) return;
  for (int what = 0; what < (arity ? RUNG_FORM_PARTS : 1); ++what) write_source(scope, expr, what);
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
  if (!RungScopeParse(scope, "fuzz", text, &expr)) {
    use_expression(scope, expr);
    lower(scope, expr);
  }
  free(text);
  if (RungScopeDestroy(&scope)) abort();
  return 0;
}
