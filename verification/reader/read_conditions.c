/* read_conditions.c - statements of boundary and initial data, constraints, quantities. */
#include "reader_impl.h"
#include <stdio.h>

PetscErrorCode RungRead_dirichlet(RungProblem problem, RungStatement *s)
{
  PetscFunctionBegin;
  RungPass(problem, s, RungSystemSetDirichlet(problem->sys, s->arg[0].text, s->arg[1].text, s->arg[2].text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_initial(RungProblem problem, RungStatement *s)
{
  PetscFunctionBegin;
  if (RungIsFrom(s)) PetscFunctionReturn(PETSC_SUCCESS); /* when fields and system are there */
  RungPass(problem, s, RungSystemSetInitial(problem->sys, s->arg[0].text, s->arg[1].text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_periodic(RungProblem problem, RungStatement *s)
{
  PetscFunctionBegin;
  RungPass(problem, s,
           RungSystemAddPeriodic(problem->sys, s->arg[0].text, s->arg[1].text, s->arg[2].text,
                                 s->args > 3 ? s->arg[3].text : NULL, s->args > 4 ? s->arg[4].text : NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_tie(RungProblem problem, RungStatement *s)
{
  PetscFunctionBegin;
  RungPass(problem, s,
           RungSystemTie(problem->sys, s->arg[0].text, s->arg[1].text, s->args > 2 ? s->arg[2].text : NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_slip(RungProblem problem, RungStatement *s)
{
  PetscFunctionBegin;
  RungPass(problem, s,
           RungSystemSetSlip(problem->sys, s->arg[0].text, s->arg[1].text, s->args > 2 ? s->arg[2].text : NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_bounds(RungProblem problem, RungStatement *s)
{
  const char *low = s->arg[1].text, *high = s->arg[2].text;

  PetscFunctionBegin;
  RungPass(
    problem, s,
    RungSystemSetBounds(problem->sys, s->arg[0].text, strcmp(low, "-") ? low : NULL, strcmp(high, "-") ? high : NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The last statement about the unknown of a message "bound of NAME at ..". */
static RungStatement *find_bounds(RungProblem problem, const char message[])
{
  RungStatement *found = NULL;
  const char    *name  = strstr(message, "bound of ");

  for (PetscInt i = 0; i < problem->statements; ++i) {
    const char  *said = RungIs(problem, i, "bounds") ? problem->statement[i].arg[0].text : NULL;
    const size_t n    = said ? strcspn(said, "[") : 0;

    if (said && (!name || (!strncmp(name + 9, said, n) && name[9 + n] == ' '))) found = &problem->statement[i];
  }
  return found;
}

PetscErrorCode RungBoundsCheck(RungProblem problem)
{
  PetscReal  t = problem->fixed.t;
  RungCaught caught;
  Vec        side[2];

  PetscFunctionBegin;
  if (!RungHas(problem, "bounds") || problem->mistakes) PetscFunctionReturn(PETSC_SUCCESS);
  if (!problem->fixed.said) PetscCall(RungStepperGetInterval(problem->stepper, &t, NULL, NULL));
  for (int i = 0; i < 2; ++i) PetscCall(RungSystemCreateVec(problem->sys, &side[i]));
  RungCatch(&caught, RungSystemGetBounds(problem->sys, t, side[0], side[1]));
  for (int i = 0; i < 2; ++i) PetscCall(VecDestroy(&side[i]));
  if (caught.code) PetscCall(RungMistakeCaught(problem, find_bounds(problem, caught.message), &caught));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- values at nodes ---------------------------------------------------------------------------------------------- */

/* A place has as many numbers as the mesh has dimensions; a mesh of points has one that counts. */
static PetscErrorCode check_place(RungProblem problem, const RungStatement *s, PetscInt n, PetscBool *good)
{
  const RungMeshData *mesh;
  PetscInt            wanted;

  PetscFunctionBegin;
  PetscCall(RungMeshGetData(problem->mesh, &mesh));
  wanted = PetscMax(1, mesh->dim);
  if (n == wanted) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungMistake(problem, s, s->arg[1].span,
                        "a place of %" PetscInt_FMT " number%s, and the mesh has %" PetscInt_FMT
                        " dimension%s; wanted %s",
                        n, n == 1 ? "" : "s", wanted, wanted == 1 ? "" : "s",
                        wanted == 1   ? "X"
                        : wanted == 2 ? "X,Y"
                                      : "X,Y,Z"));
  *good = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_hold(RungProblem problem, RungStatement *s)
{
  const char *name = s->arg[0].text;
  PetscReal   x[3] = {0, 0, 0}, one = 1;
  PetscInt    n;
  PetscBool   good = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(RungGetReals(problem, s, 1, 3, &n, x, &good));
  if (good) PetscCall(check_place(problem, s, n, &good));
  if (good)
    RungPass(problem, s, RungSystemAddConstraint(problem->sys, 1, &name, x, &one, s->args > 2 ? s->arg[2].text : NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bytes of text up to one of `stop` outside of brackets. */
static PetscInt reach(const char text[], PetscInt at, PetscInt end, const char stop[])
{
  PetscInt depth = 0;

  for (; at < end; ++at) {
    if (!depth && strchr(stop, text[at])) return at;
    depth += (text[at] == '(' || text[at] == '[') - (text[at] == ')' || text[at] == ']');
  }
  return end;
}

/* A term, "2 u[1](1, 0)" or "p": coefficient, name, place. */
static PetscErrorCode read_term(RungProblem problem, const RungStatement *s, PetscInt at, PetscInt end, PetscReal sign,
                                RungNodeSum *sum, PetscBool *good)
{
  const char *text = s->text;
  PetscInt    name, open, k = 0;

  PetscFunctionBegin;
  while (end > at && text[end - 1] == ' ') --end;
  name = at;
  while (name < end && !isalpha((unsigned char)text[name]) && text[name] != '_') ++name;
  open                     = reach(text, name, end, "(");
  sum->coefficient[sum->n] = 1;
  if (name > at) {
    PetscInt last = name;

    while (last > at && strchr(" *", text[last - 1])) --last;
    if (last > at)
      PetscCall(RungArithmetic(problem, s, (RungSourceSpan){at, last - at}, &sum->coefficient[sum->n], good));
  }
  sum->coefficient[sum->n] *= sign;
  if (name == end || (open < end && text[end - 1] != ')')) {
    PetscCall(RungMistake(problem, s, (RungSourceSpan){at, PetscMax(1, end - at)},
                          "this is no value at a node; wanted a component and its place, as 2 u[0](1, 0.5)"));
    *good = PETSC_FALSE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  (void)snprintf(sum->name[sum->n], sizeof sum->name[0], "%.*s", (int)(open - name), text + name);
  for (PetscInt from = open + 1; open < end && from < end && k < 3; ++k) {
    const PetscInt comma = reach(text, from, end - 1, ",");

    PetscCall(RungArithmetic(problem, s, (RungSourceSpan){from, comma - from}, &sum->x[3 * sum->n + k], good));
    from = comma + 1;
  }
  ++sum->n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_sum(RungProblem problem, const RungStatement *s, PetscInt at, PetscInt end, RungNodeSum *sum,
                               PetscBool *good)
{
  PetscReal sign = 1;

  PetscFunctionBegin;
  while (*good) {
    PetscInt last;

    while (at < end && strchr(" +-", s->text[at])) {
      if (s->text[at] == '-') sign = -sign;
      ++at;
    }
    last = reach(s->text, at, end, "+-");
    if (sum->n == RUNG_SUM_TERMS) {
      PetscCall(RungMistake(problem, s, (RungSourceSpan){at, 1}, "more than %d terms", RUNG_SUM_TERMS));
      *good = PETSC_FALSE;
      break;
    }
    PetscCall(read_term(problem, s, at, last, sign, sum, good));
    if (last >= end) break;
    at   = last;
    sign = 1;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A value at a node on the right, "u[0](1, 1)": where, and how long; length 0: there is none. */
static RungSourceSpan find_value(RungProblem problem, const RungStatement *s, PetscInt from)
{
  for (PetscInt at = from; s->text[at]; ++at) {
    if ((at && (isalnum((unsigned char)s->text[at - 1]) || s->text[at - 1] == '_'))) continue;
    for (PetscInt i = 0; i < problem->statements; ++i) {
      const size_t n   = RungIs(problem, i, "unknown") ? strlen(problem->statement[i].arg[0].text) : 0;
      PetscInt     end = at + (PetscInt)n;

      if (!n || strncmp(s->text + at, problem->statement[i].arg[0].text, n) != 0) continue;
      if (s->text[end] == '[') end += (PetscInt)strcspn(s->text + end, "]") + 1;
      if (s->text[end - 1] && s->text[end] == '(')
        return (RungSourceSpan){at, end - at + (PetscInt)strcspn(s->text + end, ")") + 1};
    }
  }
  return (RungSourceSpan){from, 0};
}

PetscErrorCode RungGetSum(RungProblem problem, const RungStatement *s, RungNodeSum *sum, PetscBool *good)
{
  const RungSourceSpan all    = s->arg[0].span;
  const PetscInt       equals = reach(s->text, all.begin, all.begin + all.length, "=");
  RungSourceSpan       right;

  PetscFunctionBegin;
  sum->n = 0;
  if (equals == all.begin + all.length) {
    PetscCall(RungMistake(problem, s, all, "a constraint is an equation, as u(0,0) - 2 u(1,1) = sin(t)"));
    *good = PETSC_FALSE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  sum->right = s->text + equals + 1 + strspn(s->text + equals + 1, " ");
  PetscCall(read_sum(problem, s, all.begin, equals, sum, good));
  right = find_value(problem, s, equals + 1);
  if (*good && right.length) {
    PetscCall(RungMistake(problem, s, right,
                          "values at nodes stand in front of =, and behind it what they add up to, as in "
                          "u(0,0) - 2 u(1,1) = sin(t)"));
    *good = PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_constraint(RungProblem problem, RungStatement *s)
{
  const char  *names[RUNG_SUM_TERMS];
  PetscBool    good = PETSC_TRUE;
  RungNodeSum *sum;

  PetscFunctionBegin;
  PetscCall(PetscNew(&sum));
  PetscCall(RungGetSum(problem, s, sum, &good));
  for (PetscInt i = 0; i < sum->n; ++i) names[i] = sum->name[i];
  if (good)
    RungPass(problem, s, RungSystemAddConstraint(problem->sys, sum->n, names, sum->x, sum->coefficient, sum->right));
  PetscCall(PetscFree(sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what is watched ---------------------------------------------------------------------------------------------- */

PetscErrorCode RungRead_quantity(RungProblem problem, RungStatement *s)
{
  PetscFunctionBegin;
  RungPass(problem, s, RungSystemAddQuantity(problem->sys, s->arg[0].text, s->arg[1].text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_rate(RungProblem problem, RungStatement *s)
{
  PetscFunctionBegin;
  RungPass(problem, s, RungSystemAddRate(problem->sys, s->arg[0].text, s->arg[1].text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_mean(RungProblem problem, RungStatement *s)
{
  PetscFunctionBegin;
  RungPass(problem, s, RungSystemAddMean(problem->sys, s->arg[0].text, s->arg[1].text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_probe(RungProblem problem, RungStatement *s)
{
  PetscReal x[3] = {0, 0, 0};
  PetscInt  n, unknowns;
  PetscBool good = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(RungSystemCountUnknowns(problem->sys, &unknowns)); /* that there is none, or why, is told elsewhere */
  PetscCall(RungGetReals(problem, s, 1, 3, &n, x, &good));
  if (good) PetscCall(check_place(problem, s, n, &good));
  if (good && unknowns) RungPass(problem, s, RungSystemAddProbe(problem->sys, s->arg[0].text, s->arg[2].text, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_reaction(RungProblem problem, RungStatement *s)
{
  PetscFunctionBegin;
  RungPass(problem, s, RungSystemAddWatch(problem->sys, RUNG_REACTION, s->arg[0].text, s->arg[1].text, s->arg[2].text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Over the mesh of the unknowns; that there is none, or why, is told elsewhere. */
static PetscErrorCode add_extreme(RungProblem problem, RungStatement *s, RungWatchKind kind)
{
  PetscInt unknowns;

  PetscFunctionBegin;
  PetscCall(RungSystemCountUnknowns(problem->sys, &unknowns));
  if (unknowns) RungPass(problem, s, RungSystemAddWatch(problem->sys, kind, s->arg[0].text, s->arg[1].text, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_max(RungProblem problem, RungStatement *s)
{
  PetscFunctionBegin;
  PetscCall(add_extreme(problem, s, RUNG_MAXIMUM));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_min(RungProblem problem, RungStatement *s)
{
  PetscFunctionBegin;
  PetscCall(add_extreme(problem, s, RUNG_MINIMUM));
  PetscFunctionReturn(PETSC_SUCCESS);
}
