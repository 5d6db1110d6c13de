/* target.c - names of data ("u", "u[1]", "dt(u)") -> entries of an unknown; data read and fitted to them. */
#include "form_side_impl.h"
#include <ctype.h>
#include <stdlib.h>

#define RUNG_TARGET_TEXT 256

/* ---- names -------------------------------------------------------------------------------------------------------- */

/* text without blanks */
static PetscErrorCode squeeze(MPI_Comm comm, const char what[], const char text[], char out[RUNG_TARGET_TEXT])
{
  size_t n = 0;

  PetscFunctionBegin;
  for (; *text; ++text) {
    if (isspace((unsigned char)*text)) continue;
    PetscCheck(n + 1 < RUNG_TARGET_TEXT, comm, PETSC_ERR_ARG_SIZ, "%s: a name of more than %d letters", what,
               RUNG_TARGET_TEXT - 1);
    out[n++] = *text;
  }
  out[n] = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_unknown(RungSystem sys, const char what[], const char name[], PetscInt *unknown)
{
  RungFormSide form = sys->form;
  const char  *near = NULL;

  PetscFunctionBegin;
  for (*unknown = 0; *unknown < form->unknowns; ++*unknown) {
    if (!strcmp(name, form->name[*unknown])) PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(RungSuggest(name, form->unknowns, (const char *const *)form->name, &near));
  SETERRQ(sys->comm, PETSC_ERR_ARG_WRONG, "%s: \"%s\" is no unknown%s%s%s; wanted a name, name[i] or dt(name)", what,
          name, near ? "; did you mean \"" : "", near ? near : "", near ? "\"" : "");
}

static void print_shape(PetscInt rank, const PetscInt shape[], char text[], size_t size)
{
  if (rank == 0)
    (void)PetscSNPrintf(text, size, "scalar");
  else if (rank == 1)
    (void)PetscSNPrintf(text, size, "vector[%" PetscInt_FMT "]", shape[0]);
  else
    (void)PetscSNPrintf(text, size, "tensor[%" PetscInt_FMT ", %" PetscInt_FMT "]", shape[0], shape[1]);
}

/* "[1]" or "[0,1]" -> row-major component */
static PetscErrorCode find_component(RungSystem sys, const char what[], const char index[], RungTarget *target)
{
  const RungSpaceData *space;
  PetscInt             i[2] = {0, 0}, n = 0;
  char                *at = (char *)index, shape[64];

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(sys->form->space[target->unknown], &space));
  do {
    char *end;

    if (n < 2)
      i[n] = (PetscInt)strtol(at + 1, &end, 10);
    else
      end = at;
    ++n;
    if (end == at + 1) break;
    at = end;
  } while (*at == ',');
  print_shape(space->rank, space->shape, shape, sizeof shape);
  PetscCheck(!strcmp(at, "]") && n == space->rank && i[0] >= 0 && i[0] < space->shape[0] && i[1] >= 0 &&
               i[1] < space->shape[1],
             sys->comm, PETSC_ERR_ARG_OUTOFRANGE, "%s: \"%s%s\" names no component; \"%s\" is a %s%s", what,
             sys->form->name[target->unknown], index, sys->form->name[target->unknown], shape,
             space->rank ? ", counted from 0" : "");
  target->component = i[0] * space->shape[1] + i[1];
  target->width     = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTargetFind(RungSystem sys, const char what[], const char name[], RungTarget *target)
{
  char                 text[RUNG_TARGET_TEXT], index[RUNG_TARGET_TEXT] = "", *start = text, *bracket;
  const RungSpaceData *space;

  PetscFunctionBegin;
  PetscCall(squeeze(sys->comm, what, name, text));
  *target = (RungTarget){.component = -1};
  if (!strncmp(text, "dt(", 3)) {
    char *close = strrchr(text, ')');

    if (close) memmove(close, close + 1, strlen(close)); /* dt(u)[1] and dt(u[1]) both become u[1] */
    start     = text + 3;
    target->k = 1;
  }
  bracket = strchr(start, '[');
  if (bracket) {
    PetscCall(PetscStrncpy(index, bracket, sizeof index));
    *bracket = 0;
  }
  PetscCall(find_unknown(sys, what, start, &target->unknown));
  PetscCall(RungSpaceGetData(sys->form->space[target->unknown], &space));
  target->width = space->components;
  if (index[0]) PetscCall(find_component(sys, what, index, target));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- data --------------------------------------------------------------------------------------------------------- */

static PetscBool is_zero(const char text[])
{
  char        *end;
  const double value = strtod(text, &end);

  while (isspace((unsigned char)*end)) ++end;
  return end != text && !*end && value == 0 ? PETSC_TRUE : PETSC_FALSE;
}

PetscErrorCode RungTargetRead(RungSystem sys, const RungTarget *target, const char label[], const char text[],
                              RungExpr *expr, PetscBool *zero)
{
  const RungSpaceData *space;
  PetscInt             rank, shape[2] = {1, 1}, wanted_rank, arity;
  PetscBool            integral;
  char                 found[64], wanted[64];

  PetscFunctionBegin;
  *zero = is_zero(text);
  if (*zero) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungScopeParse(sys->form->scope, label, text, expr));
  PetscCall(RungExprCheck(*expr));
  PetscCall(RungExprGetShape(*expr, &rank, shape, &integral, &arity));
  PetscCheck(!integral && !arity, sys->comm, PETSC_ERR_ARG_WRONG,
             "%s: \"%s\" holds %s, wanted values of x, t and constants", label, text,
             integral ? "an integral" : "a test function");
  PetscCall(RungSpaceGetData(sys->form->space[target->unknown], &space));
  wanted_rank = target->component < 0 ? space->rank : 0;
  print_shape(rank, shape, found, sizeof found);
  print_shape(wanted_rank, space->shape, wanted, sizeof wanted);
  PetscCheck(!strcmp(found, wanted), sys->comm, PETSC_ERR_ARG_INCOMP,
             "%s: \"%s\" is a %s, wanted a %s; only the literal 0 fits every shape", label, text, found, wanted);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTargetReadLevels(RungSystem sys, const RungTarget *target, const char label[], const char text[],
                                    RungPointwise value[], PetscBool *moves)
{
  RungExpr  expr;
  PetscBool zero;

  PetscFunctionBegin;
  *moves = PETSC_FALSE;
  PetscCall(RungTargetRead(sys, target, label, text, &expr, &zero));
  if (zero) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSystemTakeSwitches(sys, &expr));
  PetscCall(RungPointwiseCreate(expr, &value[0]));
  PetscCall(RungPointwiseIsTimeDependent(value[0], moves));
  for (PetscInt k = 1; *moves && k <= sys->traits.order; ++k) {
    expr = RungDt(expr);
    PetscCall(RungExprCheck(expr));
    PetscCall(RungPointwiseCreate(expr, &value[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungPlaceToText(PetscInt dim, const PetscReal x[], char place[], size_t size)
{
  size_t n;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(place, size, "x = ("));
  for (PetscInt a = 0; a < dim; ++a) {
    n = strlen(place);
    PetscCall(PetscSNPrintf(place + n, size - n, "%s%g", a ? ", " : "", (double)x[a]));
  }
  n = strlen(place);
  PetscCall(PetscSNPrintf(place + n, size - n, ")"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTargetPlace(const RungSpaceData *space, PetscInt node, char place[], size_t size)
{
  const RungMeshData *mesh;

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(space->mesh, &mesh));
  PetscCall(RungPlaceToText(mesh->dim, space->x + node * mesh->dim, place, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt RungSystemDim(RungSystem sys)
{
  const RungSpaceData *space;
  const RungMeshData  *mesh;

  (void)RungSpaceGetData(sys->form->space[0], &space);
  (void)RungMeshGetData(space->mesh, &mesh);
  return mesh->dim;
}
