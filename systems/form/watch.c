/* watch.c - quantities that are no integrals: reactions, and the largest or least value of an expression with its place.

   A reaction is the sum of F over the entries of an unknown at the nodes of a part, before data and constraints are put in.  In
   exact arithmetic free entries have no part in it, and it is what holds the others: forces, moments of flux, exact
   where an integral of the stress over the part has the error of its derivatives. */
#include "form_side_impl.h"

#define SAME 1e-9 /* values and places that are the same but for rounding, and solvers' tolerances */

PetscErrorCode RungSystemAddWatch(RungSystem sys, RungWatchKind kind, const char name[], const char text[],
                                  const char part[])
{
  static const char *const whats[] = {"a reaction", "a maximum", "a minimum"};
  const char              *what;
  RungFormSide             form;
  RungWatch               *w;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCheck(kind == RUNG_REACTION || kind == RUNG_MAXIMUM || kind == RUNG_MINIMUM, sys->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "a watch of kind %d, wanted RUNG_REACTION, RUNG_MAXIMUM or RUNG_MINIMUM", (int)kind);
  what = whats[kind];
  PetscCheck((kind == RUNG_REACTION) == (part && part[0]), sys->comm, PETSC_ERR_ARG_NULL, "%s %s", what,
             kind == RUNG_REACTION ? "needs a part" : "has no part");
  PetscCall(RungSystemCheckNew(sys, "RungSystemAddWatch"));
  PetscCall(RungSystemNeedForm(sys, "RungSystemAddWatch"));
  form = sys->form;
  PetscCheck(name && name[0] && text, sys->comm, PETSC_ERR_ARG_NULL, "%s needs a name and a text", what);
  PetscCall(RungColumnCheck(sys->comm, what, name));
  PetscCheck(form->unknowns, sys->comm, PETSC_ERR_ORDER, "%s before the first unknown, whose mesh it looks at", what);
  RungGrow(form->watches, form->watch);
  w  = &form->watch[form->watches++];
  *w = (RungWatch){.least = kind == RUNG_MINIMUM ? PETSC_TRUE : PETSC_FALSE};
  PetscCall(PetscStrallocpy(name, &w->name));
  PetscCall(PetscStrallocpy(text, &w->text));
  if (part) PetscCall(PetscStrallocpy(part, &w->part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- set-up ------------------------------------------------------------------------------------------------------- */

static PetscErrorCode add_quantity(RungSystem sys, PetscInt number, PetscInt component, const char name[])
{
  RungFormSide     form = sys->form;
  const RungWatch *w    = &form->watch[number];

  PetscFunctionBegin;
  PetscCall(RungColumnCheck(sys->comm, "a quantity", name));
  for (PetscInt i = 0; i < form->quantities; ++i)
    PetscCheck(strcmp(form->quantity[i].name, name), sys->comm, PETSC_ERR_ARG_WRONG,
               "there is a quantity \"%s\" already; give this one another name", name);
  RungGrow(form->quantities, form->quantity);
  form->quantity[form->quantities] = (RungQuantity){
    .kind = RUNG_QUANTITY_WATCH, .unknown = number, .component = component, .extent = 1};
  PetscCall(PetscStrallocpy(name, &form->quantity[form->quantities].name));
  PetscCall(PetscStrallocpy(w->text, &form->quantity[form->quantities++].text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The owned entries of the unknown, or of its component, at the nodes of the part. */
static PetscErrorCode find_entries(RungSystem sys, RungWatch *w, const RungSpaceData *space)
{
  const PetscInt first = PetscMax(0, w->target.component), width = w->target.width;
  PetscInt       count, *node;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetPartNodes(sys->form->space[w->target.unknown], w->part, &count, &node));
  PetscCall(PetscMalloc1(count * width, &w->entry));
  for (PetscInt i = 0; i < count; ++i) {
    if (node[i] >= space->owned) continue;
    for (PetscInt a = 0; a < width; ++a)
      w->entry[w->entries++] = RungLayoutDof(sys->form->layout, w->target.unknown, node[i], first + a);
  }
  PetscCall(PetscFree(node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "shear", or "shear[0]", "shear[1]" of a vector; "[i,j]" of a tensor. */
static PetscErrorCode set_up_reaction(RungSystem sys, PetscInt number)
{
  RungWatch           *w = &sys->form->watch[number];
  const RungSpaceData *space;
  char                 label[512], name[512];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(label, sizeof label, "reaction %s", w->name));
  PetscCall(RungTargetFind(sys, label, w->text, &w->target));
  PetscCall(RungSpaceGetData(sys->form->space[w->target.unknown], &space));
  PetscCheck(!w->target.k, sys->comm, PETSC_ERR_ARG_WRONG, "%s: \"%s\" is a rate; wanted an unknown or a component",
             label, w->text);
  PetscCheck(space->continuous, sys->comm, PETSC_ERR_SUP,
             "%s: \"%s\" lives in %s, which has no nodes on a part; integrate the flux of the form over it", label,
             w->text, space->spec);
  PetscCall(find_entries(sys, w, space));
  w->values = w->target.width;
  PetscCall(PetscCalloc1(2 * w->values, &w->value));
  for (PetscInt a = 0; a < w->values; ++a) {
    if (w->target.component >= 0 || !space->rank)
      PetscCall(PetscSNPrintf(name, sizeof name, "%s", w->name));
    else if (space->rank == 1)
      PetscCall(PetscSNPrintf(name, sizeof name, "%s[%" PetscInt_FMT "]", w->name, a));
    else
      PetscCall(PetscSNPrintf(name, sizeof name, "%s[%" PetscInt_FMT ",%" PetscInt_FMT "]", w->name,
                              a / space->shape[1], a % space->shape[1]));
    PetscCall(add_quantity(sys, number, a, name));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nodes of every cell for itself, of the highest degree among the unknowns: an expression that jumps has both values. */
static PetscErrorCode make_field(RungSystem sys, RungWatch *w)
{
  const RungMeshData  *mesh;
  const RungSpaceData *data;
  RungSpace            space;
  PetscInt             degree = 0, rule;
  char                 spec[64];

  PetscFunctionBegin;
  for (PetscInt f = 0; f < sys->form->unknowns; ++f) {
    PetscCall(RungSpaceGetData(sys->form->space[f], &data));
    if (!data->quadrature && !data->single) degree = PetscMax(degree, data->degree);
  }
  PetscCall(RungMeshGetData(RungSystemMesh(sys), &mesh));
  PetscCall(RungSamplerGetRule(w->sampler, &rule));
  if (rule >= 0)
    PetscCall(PetscSNPrintf(spec, sizeof spec, "Quad(%" PetscInt_FMT ")", rule));
  else if (mesh->type == RUNG_POINT || !degree)
    PetscCall(PetscSNPrintf(spec, sizeof spec, "P0"));
  else
    PetscCall(PetscSNPrintf(spec, sizeof spec, "DG%" PetscInt_FMT, degree));
  PetscCall(RungSpaceCreate(RungSystemMesh(sys), spec, &space));
  RungCallFinally(RungFieldCreate(space, w->name, &w->field), PetscCall(RungSpaceDestroy(&space)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_up_extreme(RungSystem sys, PetscInt number)
{
  static const char axis[] = "xyz";
  RungWatch        *w      = &sys->form->watch[number];
  RungExpr          expr;
  PetscInt          rank, shape[2], arity;
  PetscBool         integral;
  char              label[512], name[512];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(label, sizeof label, "%s %s", w->least ? "min" : "max", w->name));
  PetscCall(RungScopeParse(sys->form->scope, label, w->text, &expr));
  PetscCall(RungExprGetShape(expr, &rank, shape, &integral, &arity));
  PetscCheck(!integral && !arity && !rank, sys->comm, PETSC_ERR_ARG_WRONG, "%s: \"%s\" %s; wanted a number at points",
             label, w->text,
             integral ? "holds an integral"
             : arity  ? "holds a test function"
                      : "is a vector or tensor");
  PetscCall(RungSamplerCreate(expr, RungSystemMesh(sys), sys->form->layout, &w->sampler));
  PetscCall(make_field(sys, w));
  w->values = 1 + RungSystemDim(sys);
  PetscCall(PetscCalloc1(w->values, &w->value));
  PetscCall(add_quantity(sys, number, 0, w->name));
  for (PetscInt a = 0; a < RungSystemDim(sys); ++a) {
    PetscCall(PetscSNPrintf(name, sizeof name, "%s.%c", w->name, axis[a]));
    PetscCall(add_quantity(sys, number, 1 + a, name));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungWatchesSetUp(RungSystem sys)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < sys->form->watches; ++i)
    PetscCall(sys->form->watch[i].part ? set_up_reaction(sys, i) : set_up_extreme(sys, i));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungWatchesReset(RungSystem sys)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < sys->form->watches; ++i) {
    RungWatch *w = &sys->form->watch[i];

    PetscCall(PetscFree(w->entry));
    PetscCall(PetscFree(w->value));
    w->entries = w->values = 0;
    PetscCall(RungSamplerDestroy(&w->sampler));
    PetscCall(RungFieldDestroy(&w->field));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungWatchesDestroyTexts(RungSystem sys)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < sys->form->watches; ++i) {
    PetscCall(PetscFree(sys->form->watch[i].name));
    PetscCall(PetscFree(sys->form->watch[i].text));
    PetscCall(PetscFree(sys->form->watch[i].part));
  }
  PetscCall(PetscFree(sys->form->watch));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- values ------------------------------------------------------------------------------------------------------- */

static PetscErrorCode read_reaction(RungSystem sys, RungWatch *w, Vec r)
{
  const PetscScalar *f;
  PetscReal         *mine = w->value + w->values;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(mine, w->values));
  PetscCall(VecGetArrayRead(r, &f));
  for (PetscInt i = 0; i < w->entries; ++i) mine[i % w->values] += PetscRealPart(f[w->entry[i]]);
  PetscCall(VecRestoreArrayRead(r, &f));
  PetscCallMPI(MPI_Allreduce(mine, w->value, (PetscMPIInt)w->values, MPIU_REAL, MPI_SUM, sys->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of all ranks: the largest of sign x[i], nan where one is nan, of |x[i]| that are finite, and how far the nodes reach along any axis. */
static PetscErrorCode measure(MPI_Comm comm, const RungSpaceData *data, PetscInt dim, PetscReal sign,
                              const PetscScalar x[], PetscReal *most, PetscReal *scale, PetscReal *reach)
{
  PetscReal mine[9], all[9];

  PetscFunctionBegin;
  for (int i = 0; i < 8; ++i) mine[i] = -INFINITY; /* PETSC_NINFINITY is a number */
  mine[1] = mine[8] = 0;
  for (PetscInt i = 0; i < data->owned; ++i) {
    mine[0] = PetscMax(mine[0], sign * PetscRealPart(x[i]));
    if (!PetscIsInfOrNanScalar(x[i])) mine[1] = PetscMax(mine[1], PetscAbsScalar(x[i]));
    if (PetscIsNanScalar(x[i])) mine[8] = 1;
    for (PetscInt a = 0; a < dim; ++a) {
      mine[2 + a] = PetscMax(mine[2 + a], data->x[i * dim + a]);
      mine[5 + a] = PetscMax(mine[5 + a], -data->x[i * dim + a]);
    }
  }
  PetscCallMPI(MPI_Allreduce(mine, all, 9, MPIU_REAL, MPI_MAX, comm));
  *most  = all[8] > 0 ? NAN : all[0];
  *scale = all[1];
  *reach = 0;
  for (PetscInt a = 0; a < dim; ++a) *reach = PetscMax(*reach, all[2 + a] + all[5 + a]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The value (nan where one is nan), and of the places that have it but for SAME of the largest the one that comes first along x, then y, then z: the
   same on any ranks, whose sums and cells round in other ways. */
static PetscErrorCode read_extreme(RungSystem sys, RungWatch *w, PetscReal t, const Vec u[])
{
  const PetscInt       dim  = RungSystemDim(sys);
  const PetscReal      sign = w->least ? -1 : 1;
  const RungSpaceData *data;
  const PetscScalar   *x;
  RungSpace            space;
  Vec                  values;
  PetscReal            most, scale, reach, place;

  PetscFunctionBegin;
  PetscCall(RungFieldInterpolate(w->field, w->sampler, t, u, NULL));
  PetscCall(RungFieldGetSpace(w->field, &space));
  PetscCall(RungSpaceGetData(space, &data));
  PetscCall(RungFieldGetVec(w->field, &values));
  PetscCall(VecGetArrayRead(values, &x));
  PetscCall(measure(sys->comm, data, dim, sign, x, &most, &scale, &reach));
  w->value[0] = sign * most;
  for (PetscInt a = 0; a < dim; ++a) {
    place = PETSC_INFINITY;
    for (PetscInt i = 0; i < data->owned; ++i) {
      PetscBool at = PetscIsNanReal(most) ? PetscIsNanScalar(x[i])
                                          : (PetscBool)(sign * PetscRealPart(x[i]) >= most - SAME * scale);

      for (PetscInt b = 0; b < a; ++b)
        at = at && data->x[i * dim + b] <= w->value[1 + b] + SAME * reach ? PETSC_TRUE : PETSC_FALSE;
      if (at) place = PetscMin(place, data->x[i * dim + a]);
    }
    PetscCallMPI(MPI_Allreduce(&place, &w->value[1 + a], 1, MPIU_REAL, MPI_MIN, sys->comm));
  }
  PetscCall(VecRestoreArrayRead(values, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_all(RungSystem sys, PetscReal t, const Vec u[], Vec r)
{
  PetscBool assembled = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < sys->form->watches; ++i) {
    RungWatch *w = &sys->form->watch[i];

    if (!w->part) {
      PetscCall(read_extreme(sys, w, t, u));
      continue;
    }
    if (!assembled) PetscCall(RungFormAssembleVec(sys->form->F, t, u, r));
    assembled = PETSC_TRUE;
    PetscCall(read_reaction(sys, w, r));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungWatchesRead(RungSystem sys, PetscReal t, const Vec u[])
{
  Vec r;

  PetscFunctionBegin;
  if (!sys->form->watches) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungCouplingsCheck(sys));
  PetscCall(RungSystemCreateVec(sys, &r));
  RungCallFinally(read_all(sys, t, u, r), PetscCall(VecDestroy(&r)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungWatchesView(RungSystem sys, PetscViewer viewer)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < sys->form->watches; ++i) {
    const RungWatch *w = &sys->form->watch[i];

    if (w->part)
      PetscCall(PetscViewerASCIIPrintf(viewer, "reaction %s: %s on %s\n", w->name, w->text, w->part));
    else
      PetscCall(PetscViewerASCIIPrintf(viewer, "%s %s: %s\n", w->least ? "min" : "max", w->name, w->text));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
