/* couple.c - life of a coupling: its systems, what is said of their way through time, whether all of it fits together.
   */
#include "coupling_impl.h"

PetscErrorCode RungCouplingCreate(MPI_Comm comm, RungCoupling *coupling)
{
  RungCoupling c;

  PetscFunctionBegin;
  RungNeedArgument(coupling);
  PetscCall(PetscNew(&c));
  PetscCall(PetscCommDuplicate(comm, &c->comm, NULL));
  c->window    = NAN;
  c->tolerance = 1e-8;
  c->most      = 50;
  c->saved     = -1;
  PetscCall(RungRowsCreate(c->comm, &c->rows));
  PetscCall(RungScopeCreate(c->comm, &c->scope));
  PetscCall(RungScopeSetDimension(c->scope, 1));
  *coupling = c;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_member(RungMember *member)
{
  RungMember m = *member;

  PetscFunctionBegin;
  PetscCall(RungStoreDestroy(m));
  PetscCall(RungMemberDestroyState(m));
  PetscCall(RungRowsDestroy(&m->rows));
  PetscCall(RungSystemDestroy(&m->sys));
  PetscCall(PetscFree(m->name));
  PetscCall(PetscFree(*member));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCouplingDestroy(RungCoupling *coupling)
{
  RungNeedArgument(coupling);
  RungCoupling c = *coupling;

  PetscFunctionBegin;
  *coupling = NULL;
  if (!c) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungHappeningsDestroy(c));
  PetscCall(RungColumnsDestroy(c));
  for (PetscInt i = 0; i < c->members; ++i) PetscCall(destroy_member(&c->member[i]));
  PetscCall(RungRowsDestroy(&c->rows));
  PetscCall(PetscFree(c->member));
  PetscCall(PetscFree(c->monitor));
  PetscCall(PetscCommDestroy(&c->comm));
  PetscCall(PetscFree(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCouplingCheckNew(RungCoupling c, const char what[])
{
  PetscFunctionBegin;
  PetscCheck(!c->ready, c->comm, PETSC_ERR_ORDER, "%s after the coupling was set up; call it before", what);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- systems ----------------------------------------------------------------------------------------------------- */

PetscErrorCode RungMemberFind(RungCoupling c, const char name[], RungMember *member)
{
  const char **list, *nearest;

  PetscFunctionBegin;
  *member = NULL;
  if (!name) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < c->members; ++i) {
    if (!strcmp(c->member[i]->name, name)) *member = c->member[i];
  }
  if (*member) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(c->members, &list));
  for (PetscInt i = 0; i < c->members; ++i) list[i] = c->member[i]->name;
  PetscCall(RungSuggest(name, c->members, list, &nearest));
  PetscCall(PetscFree(list));
  SETERRQ(c->comm, PETSC_ERR_ARG_WRONG, "no system is called \"%s\"%s%s%s", name,
          nearest ? "; did you mean \"" : ", add it to the coupling", nearest ? nearest : "", nearest ? "\"?" : "");
}

static PetscErrorCode check_system(RungCoupling c, const char name[], RungStepper stepper, RungSystem sys)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

  PetscFunctionBegin;
  PetscCheck(strlen(name) <= 60 && strspn(name, letters) == strlen(name), c->comm, PETSC_ERR_ARG_WRONG,
             "\"%s\" is no name of a system; wanted letters, digits and _, 60 at most", name);
  PetscCheck(sys, c->comm, PETSC_ERR_ARG_NULL,
             "the stepper of system %s has no system; RungStepperSetSystem() gives it one", name);
  PetscCall(RungCommCheck(RungSystemComm(sys), "the system", c->comm, "the coupling"));
  PetscCheck(!c->closed, c->comm, PETSC_ERR_ORDER,
             "system %s behind the first number or event of all systems; add it before", name);
  for (PetscInt i = 0; i < c->members; ++i) {
    PetscCheck(strcmp(c->member[i]->name, name) != 0, c->comm, PETSC_ERR_ARG_WRONG,
               "there is a system \"%s\" already; give this one another name", name);
    PetscCheck(c->member[i]->sys != sys && c->member[i]->stepper != stepper, c->comm, PETSC_ERR_ARG_WRONG,
               "system %s is the same as system %s; each has a system and a stepper of its own", name,
               c->member[i]->name);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCouplingAddSystem(RungCoupling c, const char name[], RungStepper stepper)
{
  RungSystem sys;
  RungMember m;

  PetscFunctionBegin;
  RungNeed(c);
  PetscCall(RungCouplingCheckNew(c, "RungCouplingAddSystem"));
  PetscCheck(name && name[0] && stepper, c->comm, PETSC_ERR_ARG_NULL, "a system without a name or without a stepper");
  PetscCall(RungStepperGetSystem(stepper, &sys));
  PetscCall(check_system(c, name, stepper, sys));
  PetscCall(RungStepperKeepMethod(stepper));
  PetscCall(RungSystemSetUp(sys));
  PetscCall(PetscRealloc((size_t)(c->members + 1) * sizeof *c->member, &c->member));
  PetscCall(PetscNew(&m));
  m->coupling = c;
  m->stepper  = stepper;
  PetscCall(RungSystemReference(sys));
  m->sys = sys;
  PetscCall(PetscStrallocpy(name, &m->name));
  PetscCall(RungSystemGetQuantities(sys, &m->quantities, &m->quantity, &m->rate));
  PetscCall(RungRowsCreate(c->comm, &m->rows));
  c->member[c->members++] = m;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what is said ------------------------------------------------------------------------------------------------ */

PetscErrorCode RungCouplingSetScheme(RungCoupling c, RungCouplingScheme scheme)
{
  PetscFunctionBegin;
  RungNeed(c);
  PetscCall(RungCouplingCheckNew(c, "RungCouplingSetScheme"));
  PetscCheck((int)scheme >= RUNG_COUPLING_EXPLICIT && (int)scheme <= RUNG_COUPLING_STRANG, c->comm,
             PETSC_ERR_ARG_OUTOFRANGE, "there is no scheme %d to couple systems; wanted one of RungCouplingScheme",
             (int)scheme);
  c->scheme = scheme;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCouplingSetWindow(RungCoupling c, PetscReal window)
{
  PetscFunctionBegin;
  RungNeed(c);
  PetscCall(RungCouplingCheckNew(c, "RungCouplingSetWindow"));
  PetscCheck(window > 0 && window < PETSC_INFINITY, c->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "a window of %g, wanted a positive number", (double)window);
  c->window = window;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCouplingSetTolerance(RungCoupling c, PetscReal tolerance, PetscInt most)
{
  PetscFunctionBegin;
  RungNeed(c);
  PetscCall(RungCouplingCheckNew(c, "RungCouplingSetTolerance"));
  PetscCheck(tolerance > 0 && tolerance < PETSC_INFINITY && most > 0, c->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "a tolerance of %g and %" PetscInt_FMT " solves at most, wanted positive numbers", (double)tolerance,
             most);
  c->tolerance  = tolerance;
  c->most       = most;
  c->toleranced = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode put_path(RungCoupling c, const char path[], char own[PETSC_MAX_PATH_LEN])
{
  PetscFunctionBegin;
  PetscCheck(!path || strlen(path) + 80 < PETSC_MAX_PATH_LEN, c->comm, PETSC_ERR_ARG_SIZ,
             "a path of a checkpoint that is too long");
  PetscCall(PetscStrncpy(own, path ? path : "", PETSC_MAX_PATH_LEN));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCouplingSetCheckpoint(RungCoupling c, const char path[], PetscInt every)
{
  PetscFunctionBegin;
  RungNeed(c);
  PetscCall(RungCouplingCheckNew(c, "RungCouplingSetCheckpoint"));
  PetscCheck(every >= 0, c->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "a checkpoint each %" PetscInt_FMT " windows, wanted 0 or a positive number", every);
  PetscCall(put_path(c, path, c->save));
  c->every = every;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCouplingSetRestart(RungCoupling c, const char path[])
{
  PetscFunctionBegin;
  RungNeed(c);
  PetscCall(RungCouplingCheckNew(c, "RungCouplingSetRestart"));
  PetscCall(put_path(c, path, c->load));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCouplingAddTable(RungCoupling c, const char system[], const char path[])
{
  RungMember m;

  PetscFunctionBegin;
  RungNeed(c);
  PetscCall(RungCouplingCheckNew(c, "RungCouplingAddTable"));
  PetscCall(RungMemberFind(c, system, &m));
  PetscCall(RungRowsAddTable(m ? m->rows : c->rows, path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCouplingAddOutput(RungCoupling c, const char system[], const char path[], PetscReal every,
                                     const char list[])
{
  RungMember m;

  PetscFunctionBegin;
  RungNeed(c);
  PetscCall(RungCouplingCheckNew(c, "RungCouplingAddOutput"));
  PetscCheck(system, c->comm, PETSC_ERR_ARG_NULL, "a series of which system?");
  PetscCheck(!PetscIsInfOrNanReal(every), c->comm, PETSC_ERR_ARG_OUTOFRANGE, "a series every %g, wanted a number",
             (double)every);
  PetscCall(RungMemberFind(c, system, &m));
  PetscCall(RungRowsAddOutput(m->rows, m->sys, path, list, every));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCouplingAddMonitor(RungCoupling c, RungCouplingMonitorFn *fn, void *ctx)
{
  PetscFunctionBegin;
  RungNeed(c);
  PetscCheck(fn, c->comm, PETSC_ERR_ARG_NULL, "a monitor without a function");
  PetscCall(PetscRealloc((size_t)(c->monitors + 1) * sizeof *c->monitor, &c->monitor));
  c->monitor[c->monitors++] = (RungCouplingMonitor){fn, ctx};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what must fit together -------------------------------------------------------------------------------------- */

/* Numbers that ranks might give differently, each beside its negative. */
static PetscErrorCode check_ranks(RungCoupling c)
{
  PetscReal most[8] = {c->window, c->tolerance, (PetscReal)c->scheme, (PetscReal)c->members};

  PetscFunctionBegin;
  for (int i = 0; i < 4; ++i) most[4 + i] = -most[i];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 8, MPIU_REAL, MPI_MAX, c->comm));
  for (int i = 0; i < 4; ++i)
    PetscCheck(most[i] == -most[4 + i], c->comm, PETSC_ERR_ARG_INCOMP,
               "window, tolerance, scheme or number of systems differ between ranks; all give the same");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool are_alike(const RungSpaceData *a, const RungSpaceData *b)
{
  return a->mesh == b->mesh && a->degree == b->degree && a->continuous == b->continuous && a->single == b->single &&
             a->components == b->components && a->cell_nodes == b->cell_nodes && a->owned == b->owned
           ? PETSC_TRUE
           : PETSC_FALSE;
}

/* An unknown that two systems have is one state, of which each has some of the terms. */
static PetscErrorCode check_shared(RungCoupling c, RungMember a, RungMember b)
{
  PetscInt n[2];

  PetscFunctionBegin;
  PetscCall(RungSystemCountUnknowns(a->sys, &n[0]));
  PetscCall(RungSystemCountUnknowns(b->sys, &n[1]));
  for (PetscInt i = 0; i < n[0] * n[1]; ++i) {
    const RungSpaceData *data[2];
    const char          *name[2];
    RungSpace            space[2];

    PetscCall(RungSystemGetUnknown(a->sys, i % n[0], &name[0], &space[0]));
    PetscCall(RungSystemGetUnknown(b->sys, i / n[0], &name[1], &space[1]));
    if (strcmp(name[0], name[1]) != 0) continue;
    PetscCheck(c->scheme == RUNG_COUPLING_LIE || c->scheme == RUNG_COUPLING_STRANG, c->comm, PETSC_ERR_ARG_INCOMP,
               "systems %s and %s both have \"%s\": that is a splitting, of Lie or Strang; else take another name, and "
               "RungSystemAddCoupling()",
               a->name, b->name, name[0]);
    PetscCall(RungSpaceGetData(space[0], &data[0]));
    PetscCall(RungSpaceGetData(space[1], &data[1]));
    RungCheckAll(are_alike(data[0], data[1]), c->comm, PETSC_ERR_ARG_INCOMP,
                 "\"%s\" is on %s in system %s, on %s in system %s; systems that share an unknown have it on one space "
                 "of one mesh",
                 name[0], data[0]->spec, a->name, data[1]->spec, b->name);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_coefficients(RungCoupling c, RungMember m)
{
  const char *name;
  RungSystem  from;

  PetscFunctionBegin;
  PetscCall(RungSystemGetCoupling(m->sys, 0, &name, &from, NULL));
  for (PetscInt i = 1; name; ++i) {
    PetscBool known = PETSC_FALSE;

    for (PetscInt k = 0; k < c->members; ++k) known = known || c->member[k]->sys == from ? PETSC_TRUE : PETSC_FALSE;
    PetscCheck(known, c->comm, PETSC_ERR_ARG_WRONG,
               "\"%s\" of system %s is an unknown of a system that was not added; RungCouplingAddSystem() does that",
               name, m->name);
    PetscCall(RungSystemGetCoupling(m->sys, i, &name, &from, NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_member(RungCoupling c, RungMember m)
{
  const char *kind;
  PetscReal   t0, t1;

  PetscFunctionBegin;
  PetscCall(RungStepperFindRecord(m->stepper, &kind));
  PetscCheck(!kind, c->comm, PETSC_ERR_ARG_INCOMP,
             "the stepper of system %s has %s, which would begin anew in each window; give it to the coupling", m->name,
             kind);
  PetscCall(RungStepperGetInterval(m->stepper, &t0, &t1, &m->dt));
  if (m == c->member[0]) c->t0 = t0, c->t1 = t1;
  PetscCheck(t0 == c->t0 && t1 == c->t1, c->comm, PETSC_ERR_ARG_INCOMP,
             "system %s goes from t = %.10g to t = %.10g, system %s from t = %.10g to t = %.10g; wanted one interval, "
             "with steps of "
             "their own",
             c->member[0]->name, (double)c->t0, (double)c->t1, m->name, (double)t0, (double)t1);
  PetscCall(check_coefficients(c, m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One interval of all, cut into windows. */
static PetscErrorCode cut_windows(RungCoupling c)
{
  const PetscReal n = (c->t1 - c->t0) / c->window, whole = PetscFloorReal(n + 0.5);
  const PetscReal rounding = 16 * PETSC_MACHINE_EPSILON * PetscMax(PetscAbsReal(c->t0), PetscAbsReal(c->t1)) /
                             c->window;
  const PetscReal near = 1e-10 * n + rounding; /* of as many windows: they fit the run */

  PetscFunctionBegin;
  PetscCheck(n > 1 - near, c->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "a window of %g, and the run goes from t = %.10g to t = %.10g; take a shorter one", (double)c->window,
             (double)c->t0, (double)c->t1);
  PetscCheck(n <= 1e9, c->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "%g windows of %g from t = %.10g to t = %.10g; take longer ones", (double)n, (double)c->window,
             (double)c->t0, (double)c->t1);
  c->length  = c->window;
  c->windows = (PetscInt)(PetscAbsReal(n - whole) < near ? whole : PetscCeilReal(n));
  if (PetscAbsReal(n - (PetscReal)c->windows) < near) c->length = (c->t1 - c->t0) / (PetscReal)c->windows;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCouplingSetUp(RungCoupling c)
{
  PetscFunctionBegin;
  RungNeed(c);
  if (c->ready) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(c->members, c->comm, PETSC_ERR_ORDER, "a coupling of no systems; RungCouplingAddSystem() adds one");
  PetscCheck(!PetscIsNanReal(c->window), c->comm, PETSC_ERR_ORDER,
             "how long is a window? RungCouplingSetWindow() says it");
  PetscCall(check_ranks(c));
  PetscCheck(!c->toleranced || c->scheme == RUNG_COUPLING_ITERATE, c->comm, PETSC_ERR_ARG_INCOMP,
             "a tolerance without iterations; take RUNG_COUPLING_ITERATE, or no tolerance");
  for (PetscInt i = 0; i < c->members; ++i) PetscCall(check_member(c, c->member[i]));
  for (PetscInt i = 0; i < c->members; ++i) {
    for (PetscInt k = i + 1; k < c->members; ++k) PetscCall(check_shared(c, c->member[i], c->member[k]));
  }
  PetscCall(cut_windows(c));
  PetscCall(RungColumnsClose(c));
  PetscCall(PetscCalloc1(c->columns, &c->value));
  PetscCall(RungRowsSetStart(c->rows, c->t0));
  for (PetscInt i = 0; i < c->members; ++i) PetscCall(RungRowsSetStart(c->member[i]->rows, c->t0));
  c->ready = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- questions --------------------------------------------------------------------------------------------------- */

PetscErrorCode RungCouplingGetState(RungCoupling c, const char system[], PetscReal *t, const Vec **u)
{
  RungMember m;

  PetscFunctionBegin;
  RungNeed(c);
  PetscCheck(system, c->comm, PETSC_ERR_ARG_NULL, "the state of which system?");
  PetscCall(RungMemberFind(c, system, &m));
  if (t) *t = m->t;
  if (u) *u = m->u[0] ? m->u : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCouplingGetReason(RungCoupling c, RungStepperReason *reason)
{
  PetscFunctionBegin;
  RungNeed(c);
  RungNeedArgument(reason);
  *reason = c->signalled ? RUNG_STEPPER_SIGNALLED : c->stopped ? RUNG_STEPPER_EVENT : RUNG_STEPPER_REACHED_END;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCouplingGetStatistics(RungCoupling c, const char system[], RungCouplingStatistics *statistics)
{
  RungMember m;

  PetscFunctionBegin;
  RungNeed(c);
  RungNeedArgument(statistics);
  PetscCall(RungMemberFind(c, system, &m));
  *statistics = (RungCouplingStatistics){.windows = c->done, .solves = c->solves};
  for (PetscInt i = 0; i < c->members; ++i) {
    if (m && c->member[i] != m) continue;
    statistics->steps += c->member[i]->steps;
    statistics->newton += c->member[i]->newton;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungCouplingGetWindows(RungCoupling c, PetscReal *t0, PetscReal *t1, PetscReal *length,
                                      PetscInt *windows)
{
  PetscFunctionBegin;
  RungNeed(c);
  PetscCheck(c->ready, c->comm, PETSC_ERR_ORDER, "windows before the coupling was set up; call RungCouplingSetUp()");
  if (t0) *t0 = c->t0;
  if (t1) *t1 = c->t1;
  if (length) *length = c->length;
  if (windows) *windows = c->windows;
  PetscFunctionReturn(PETSC_SUCCESS);
}
