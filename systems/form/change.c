/* change.c - what an event does to a system: a text whose value goes into an unknown, a rate or a constant.

   Right sides are evaluated before any of them is put in, so that two bodies can exchange their velocities.  Unknowns get values at
   their nodes, numbers (R) and constants numbers made of quantities and of rates of numbers.  A constant that a change is made for is part of the
   state of a run: a checkpoint holds its value, and does not ask whether it is another one than at the start. */
#include "form_side_impl.h"

struct _p_RungChange {
  RungSystem  sys;      /* reference                                                                  */
  RungTarget  target;   /* of an unknown                                                              */
  char       *constant; /* owned: its name; NULL: an unknown                                          */
  RungGauge   gauge;    /* owned: of a constant, of a number in R; NULL: the members below             */
  RungSampler sampler;  /* owned                                                                      */
  RungField   field;    /* owned: values of the right side, at the nodes of the unknown               */
  PetscReal   value;    /* of the gauge                                                             */
};

/* The space of one component: "P2" of "P2^d". */
static PetscErrorCode component_space(RungSystem sys, const char label[], const RungSpaceData *data, RungSpace *space)
{
  const RungSpaceData *one;
  const char          *power = strchr(data->spec, '^');
  char                 spec[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(spec, sizeof spec, "%.*s", power ? (int)(power - data->spec) : 120, data->spec));
  PetscCall(RungSpaceCreate(RungSystemMesh(sys), spec, space));
  PetscCall(RungSpaceGetData(*space, &one));
  if (one->components == 1 && one->owned == data->owned) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSpaceDestroy(space));
  SETERRQ(sys->comm, PETSC_ERR_SUP, "%s: %s has no components with nodes of their own; change all of it", label,
          data->spec);
}

static PetscErrorCode read_field(RungChange c, const char label[], const char text[])
{
  const RungSpaceData *data;
  RungSpace            space = c->sys->form->space[c->target.unknown];
  RungExpr             expr;
  PetscInt             rank, shape[2], arity, wanted;
  PetscBool            integral, same;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(space, &data));
  PetscCall(RungSystemReadExpr(c->sys, label, text, &expr));
  PetscCall(RungExprGetShape(expr, &rank, shape, &integral, &arity));
  wanted = c->target.component < 0 ? data->rank : 0;
  same   = (PetscBool)(rank == wanted && (!rank || (shape[0] == data->shape[0] && shape[1] == data->shape[1])));
  PetscCheck(same, c->sys->comm, PETSC_ERR_ARG_INCOMP,
             "%s: \"%s\" has rank %" PetscInt_FMT ", wanted the shape of what it is for, rank %" PetscInt_FMT, label,
             text, rank, wanted);
  PetscCall(RungSamplerCreate(expr, RungSystemMesh(c->sys), c->sys->form->layout, &c->sampler));
  if (c->target.component < 0) {
    PetscCall(RungFieldCreate(space, "change", &c->field));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(component_space(c->sys, label, data, &space));
  RungCallFinally(RungFieldCreate(space, "change", &c->field), PetscCall(RungSpaceDestroy(&space)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_unknown(RungChange c, const char label[], const char name[], const char text[],
                                   PetscInt more, const char *const names[])
{
  RungSystem  sys = c->sys;
  PetscInt    order;
  const char *of;

  PetscFunctionBegin;
  PetscCall(RungTargetFind(sys, label, name, &c->target));
  of    = sys->form->name[c->target.unknown];
  order = sys->traits.unknown_order[c->target.unknown];
  PetscCheck(order > 0, sys->comm, PETSC_ERR_ARG_WRONG,
             "%s: \"%s\" has no rate, it follows from the equations; change what it follows from", label, of);
  PetscCheck(c->target.k < order, sys->comm, PETSC_ERR_ARG_WRONG,
             "%s: \"%s\" has order %" PetscInt_FMT " in time, so its rate follows from the equations; change \"%s\"",
             label, of, order, of);
  if (RungGlobalUnknown(sys, c->target.unknown) && c->target.width == 1)
    PetscCall(RungGaugeCreateRated(sys, label, text, more, names, &c->gauge));
  else
    PetscCall(read_field(c, label, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The system remembers that the constant is a state. */
static PetscErrorCode read_constant(RungChange c, const char label[], const char name[], const char text[],
                                    PetscInt more, const char *const names[])
{
  RungFormSide form = c->sys->form;
  PetscBool    is;

  PetscFunctionBegin;
  PetscCall(PetscStrallocpy(name, &c->constant));
  PetscCall(RungGaugeCreateRated(c->sys, label, text, more, names, &c->gauge));
  PetscCall(RungSystemIsChanging(c->sys, name, &is));
  if (is) PetscFunctionReturn(PETSC_SUCCESS);
  RungGrow(form->changings, form->changing);
  PetscCall(PetscStrallocpy(name, &form->changing[form->changings++]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_change(RungChange c, const char label[], const char name[], const char text[], PetscInt more,
                                  const char *const names[])
{
  const char *const *constants;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(RungScopeGetConstants(c->sys->form->scope, &n, &constants, NULL));
  for (PetscInt i = 0; i < n; ++i) {
    if (strcmp(constants[i], name) != 0) continue;
    PetscCall(read_constant(c, label, name, text, more, names));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(read_unknown(c, label, name, text, more, names));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungChangeCreate(RungSystem sys, const char label[], const char name[], const char text[], PetscInt more,
                                const char *const names[], RungChange *change)
{
  RungChange c;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCheck(name && name[0] && text && text[0], sys->comm, PETSC_ERR_ARG_NULL,
             "%s: a change needs the name of an unknown or a constant, and a text", label);
  PetscCall(RungSystemSetUp(sys));
  PetscCheck(sys->form, sys->comm, PETSC_ERR_SUP,
             "%s: \"%s\" is a name, and a system of callbacks has none; take a function of C", label, name);
  PetscCall(PetscNew(&c));
  PetscCall(RungSystemReference(sys));
  c->sys = sys;
  RungCallOrUndo(read_change(c, label, name, text, more, names), PetscCall(RungChangeDestroy(&c)));
  *change = c;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungChangeGetConstant(RungChange c, const char **name, PetscReal *value)
{
  PetscFunctionBegin;
  RungNeed(c);
  *name = c->constant;
  if (c->constant && value) PetscCall(RungScopeGetConstant(c->sys->form->scope, c->constant, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungChangeEvaluate(RungChange c, PetscReal t, const Vec u[], const PetscReal quantity[])
{
  PetscFunctionBegin;
  RungNeed(c);
  if (c->gauge) {
    PetscCall(RungGaugeCheck(c->gauge, t, quantity));
    PetscCall(RungGaugeSee(c->gauge, t, u));
    PetscCall(RungGaugeEvaluate(c->gauge, t, quantity, &c->value));
  } else
    PetscCall(RungFieldInterpolate(c->field, c->sampler, t, u, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The right side's values into the target's entries; R has its one node on its owner. */
static PetscErrorCode put(RungChange c, Vec u)
{
  const PetscInt       first = PetscMax(0, c->target.component), width = c->target.width;
  const RungSpaceData *data;
  const PetscScalar   *from = NULL;
  PetscScalar         *to;
  Vec                  values;

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(c->sys->form->space[c->target.unknown], &data));
  if (c->field) PetscCall(RungFieldGetVec(c->field, &values));
  if (c->field) PetscCall(VecGetArrayRead(values, &from));
  PetscCall(VecGetArray(u, &to));
  to += c->sys->range[c->target.unknown];
  for (PetscInt node = 0; node < data->owned; ++node) {
    for (PetscInt a = 0; a < width; ++a)
      to[node * data->components + first + a] = from ? from[node * width + a] : c->value;
  }
  to -= c->sys->range[c->target.unknown];
  PetscCall(VecRestoreArray(u, &to));
  if (c->field) PetscCall(VecRestoreArrayRead(values, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungChangePut(RungChange c, const Vec u[])
{
  PetscFunctionBegin;
  RungNeed(c);
  if (!c->constant) PetscCall(put(c, u[c->target.k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungChangeSet(RungChange c)
{
  PetscFunctionBegin;
  RungNeed(c);
  if (c->constant) PetscCall(RungSystemSetConstant(c->sys, c->constant, c->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungChangeDestroy(RungChange *destroyed)
{
  RungChange c = *destroyed;

  PetscFunctionBegin;
  *destroyed = NULL;
  if (!c) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungGaugeDestroy(&c->gauge));
  PetscCall(RungSamplerDestroy(&c->sampler));
  PetscCall(RungFieldDestroy(&c->field));
  PetscCall(PetscFree(c->constant));
  PetscCall(RungSystemDestroy(&c->sys));
  PetscCall(PetscFree(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}
