/* probe.c - expressions at points as quantities of a system. */
#include "form_side_impl.h"

#include <ctype.h>
#include <stdlib.h>

PetscErrorCode RungSystemAddProbe(RungSystem sys, const char name[], const char text[], const PetscReal x[])
{
  RungFormSide form;
  RungProbe   *probe;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemCheckNew(sys, "RungSystemAddProbe"));
  PetscCall(RungSystemNeedForm(sys, "RungSystemAddProbe"));
  form = sys->form;
  PetscCheck(name && name[0] && text && x, sys->comm, PETSC_ERR_ARG_NULL, "a probe needs a name, a text and a point");
  PetscCall(RungColumnCheck(sys->comm, "a probe", name));
  PetscCheck(form->unknowns, sys->comm, PETSC_ERR_ORDER, "a probe before the first unknown, whose mesh it looks into");
  RungGrow(form->probes, form->probe);
  probe  = &form->probe[form->probes++];
  *probe = (RungProbe){.first = 0};
  PetscCall(PetscArraycpy(probe->x, x, RungSystemDim(sys)));
  PetscCall(PetscStrallocpy(name, &probe->name));
  PetscCall(PetscStrallocpy(text, &probe->text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NAME=TEXT@X,Y,Z */
static PetscErrorCode read_one(RungSystem sys, char one[])
{
  char     *equal = strchr(one, '='), *at = strrchr(one, '@'), *end = one;
  PetscInt  n    = 0, dim;
  PetscReal x[3] = {0};

  PetscFunctionBegin;
  PetscCheck(sys->form && sys->form->unknowns, sys->comm, PETSC_ERR_ORDER, "-system_probe %s: no unknown to look at",
             one);
  dim = RungSystemDim(sys);
  while (isspace((unsigned char)*one)) ++one;
  if (at && equal && equal < at) {
    for (end = at; n < 3 && (!n || *end == ','); ++n) x[n] = strtod(end + 1, &end);
    while (isspace((unsigned char)*end)) ++end;
  }
  PetscCheck(at && equal && equal < at && n == dim && !*end, sys->comm, PETSC_ERR_ARG_WRONG,
             "-system_probe \"%s\", wanted NAME=EXPRESSION@X,Y with %" PetscInt_FMT " coordinates", one, dim);
  *equal = *at = 0;
  PetscCall(RungSystemAddProbe(sys, one, equal + 1, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProbesFromOptions(RungSystem sys)
{
  char      text[4096] = "";
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(RungOptionText(sys->comm, "-system_probe", "NAME=EXPRESSION@X,Y: quantities at points, \";\" between", NULL,
                           sizeof text, text, &set));
  for (char *one = text, *next; set && one; one = next) {
    next = strchr(one, ';');
    if (next) *next++ = 0;
    PetscCall(read_one(sys, one));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Finds the point, which rank 0 asks for. */
static PetscErrorCode locate(RungSystem sys, RungProbe *probe)
{
  const PetscInt   dim = RungSystemDim(sys);
  const PetscReal *distance;
  PetscReal        far = 0;
  PetscMPIInt      rank;
  char             place[128];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(sys->comm, &rank));
  PetscCall(RungProbesCreate(RungSystemMesh(sys), rank ? 0 : 1, probe->x, &probe->point));
  PetscCall(RungProbesGetDistance(probe->point, &distance));
  if (!rank) far = distance[0];
  PetscCallMPI(MPI_Bcast(&far, 1, MPIU_REAL, 0, sys->comm));
  PetscCall(RungPlaceToText(dim, probe->x, place, sizeof place));
  PetscCheck(far == 0, sys->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "probe %s: %s is outside of the mesh, %g away from it; take a point inside", probe->name, place,
             (double)far);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "tip", "tip[1]", "tip[0,1]" */
static PetscErrorCode add_quantity(RungSystem sys, PetscInt p, PetscInt rank, const PetscInt shape[],
                                   PetscInt component)
{
  RungFormSide form = sys->form;
  char         name[512];
  const char  *base = form->probe[p].name;

  PetscFunctionBegin;
  if (rank == 0)
    PetscCall(PetscSNPrintf(name, sizeof name, "%s", base));
  else if (rank == 1)
    PetscCall(PetscSNPrintf(name, sizeof name, "%s[%" PetscInt_FMT "]", base, component));
  else
    PetscCall(PetscSNPrintf(name, sizeof name, "%s[%" PetscInt_FMT ",%" PetscInt_FMT "]", base, component / shape[1],
                            component % shape[1]));
  PetscCall(RungColumnCheck(sys->comm, "a probe", name));
  for (PetscInt i = 0; i < form->quantities; ++i)
    PetscCheck(strcmp(form->quantity[i].name, name), sys->comm, PETSC_ERR_ARG_WRONG,
               "there is a quantity \"%s\" already; give the probe another name", name);
  RungGrow(form->quantities, form->quantity);
  form->quantity[form->quantities] = (RungQuantity){
    .kind = RUNG_QUANTITY_PROBE, .unknown = p, .component = component, .extent = 1};
  PetscCall(PetscStrallocpy(name, &form->quantity[form->quantities].name));
  PetscCall(PetscStrallocpy(form->probe[p].text, &form->quantity[form->quantities++].text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProbesSetUp(RungSystem sys)
{
  RungFormSide form  = sys->form;
  PetscInt     total = 0;

  PetscFunctionBegin;
  for (PetscInt p = 0; p < form->probes; ++p) {
    RungProbe *probe = &form->probe[p];
    RungExpr   expr;
    PetscInt   rank, shape[2], arity;
    PetscBool  integral;
    char       label[512];

    PetscCall(PetscSNPrintf(label, sizeof label, "probe %s", probe->name));
    PetscCall(RungScopeParse(form->scope, label, probe->text, &expr));
    PetscCall(RungExprGetShape(expr, &rank, shape, &integral, &arity));
    PetscCheck(!integral && !arity, sys->comm, PETSC_ERR_ARG_WRONG, "%s: \"%s\" holds %s; wanted a value at a point",
               label, probe->text, integral ? "an integral" : "a test function");
    PetscCall(RungSamplerCreate(expr, RungSystemMesh(sys), form->layout, &probe->sampler));
    PetscCall(locate(sys, probe));
    probe->first      = total;
    probe->components = shape[0] * shape[1];
    total += probe->components;
    for (PetscInt a = 0; a < probe->components; ++a) PetscCall(add_quantity(sys, p, rank, shape, a));
  }
  PetscCall(PetscCalloc1(total, &form->probed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* probed[] of all probes, the same on all ranks */
PetscErrorCode RungProbesRead(RungSystem sys, PetscReal t, const Vec u[])
{
  RungFormSide form  = sys->form;
  PetscInt     total = 0;

  PetscFunctionBegin;
  for (PetscInt p = 0; p < form->probes; ++p) {
    PetscCall(
      RungSamplerProbe(form->probe[p].sampler, t, u, form->probe[p].point, form->probed + form->probe[p].first));
    total += form->probe[p].components;
  }
  if (total) PetscCallMPI(MPI_Bcast(form->probed, (PetscMPIInt)total, MPIU_SCALAR, 0, sys->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProbesReset(RungSystem sys)
{
  RungFormSide form = sys->form;

  PetscFunctionBegin;
  for (PetscInt p = 0; p < form->probes; ++p) {
    PetscCall(RungSamplerDestroy(&form->probe[p].sampler));
    PetscCall(RungProbesDestroy(&form->probe[p].point));
  }
  PetscCall(PetscFree(form->probed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungProbesDestroyTexts(RungSystem sys)
{
  RungFormSide form = sys->form;

  PetscFunctionBegin;
  for (PetscInt p = 0; p < form->probes; ++p) {
    PetscCall(PetscFree(form->probe[p].name));
    PetscCall(PetscFree(form->probe[p].text));
  }
  PetscCall(PetscFree(form->probe));
  PetscFunctionReturn(PETSC_SUCCESS);
}
