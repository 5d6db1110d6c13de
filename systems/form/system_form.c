/* system_form.c - systems made of weak forms: names, residuals, set-up, view.

   With conserved terms there are three forms: F with every dt expanded by the chain rule (consistent starts, Taylor
   tests), the rest R, and m, the terms dt(q)*v with q in place of dt(q); F = R + dm/dt. */
#include "rungnodal_room.h"
#include "form_side_impl.h"

PetscErrorCode RungSystemNeedForm(RungSystem sys, const char what[])
{
  PetscFunctionBegin;
  PetscCheck(!sys->callback, sys->comm, PETSC_ERR_ARG_WRONGSTATE,
             "%s is for systems of unknowns on meshes, this one has callbacks; use a second system", what);
  if (sys->form) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungFormCheckOptions(sys->comm)); /* known before the first form is made */
  PetscCall(PetscNew(&sys->form));
  sys->ops = &RungSystemOps_Form;
  PetscCall(RungScopeCreate(sys->comm, &sys->form->scope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what the app says -------------------------------------------------------------------------------------------- */

/* The space that the app gives, or the one of -space_NAME on the same mesh.  Gives a reference. */
static PetscErrorCode choose_space(const char name[], RungSpace given, RungSpace *space)
{
  const RungSpaceData *data;
  char                 option[128], spec[128] = "";
  PetscBool            set;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof option, "-space_%s", name));
  PetscCall(RungSpaceGetData(given, &data));
  PetscCall(PetscStrncpy(spec, data->spec, sizeof spec));
  PetscCall(RungOptionText(RungMeshComm(data->mesh), option, "space of an unknown: P2, Q1, P2^d, ..", NULL, sizeof spec,
                           spec, &set));
  if (set) {
    PetscCall(RungSpaceCreate(data->mesh, spec, space));
  } else {
    PetscCall(RungSpaceReference(given));
    *space = given;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_comm(RungSystem sys, const char name[], RungSpace space)
{
  const RungSpaceData *data;
  char                 what[300];

  PetscFunctionBegin;
  PetscCall(RungSpaceGetData(space, &data));
  PetscCall(PetscSNPrintf(what, sizeof what, "the space of \"%s\"", name));
  PetscCall(RungCommCheck(RungMeshComm(data->mesh), what, sys->comm, "the system"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemAddUnknown(RungSystem sys, const char name[], const char test[], RungSpace given)
{
  RungFormSide form;
  RungSpace    space;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemCheckNew(sys, "RungSystemAddUnknown"));
  PetscCall(RungSystemNeedForm(sys, "RungSystemAddUnknown"));
  form = sys->form;
  PetscCheck(name && test && given, sys->comm, PETSC_ERR_ARG_NULL,
             "an unknown needs a name, the name of its test function and a space");
  PetscCall(check_comm(sys, name, given));
  PetscCall(choose_space(name, given, &space));
  RungCallOrUndo(RungScopeAddUnknown(form->scope, name, test, space), PetscCall(RungSpaceDestroy(&space)));
  form->space[form->unknowns] = space;
  PetscCall(PetscStrallocpy(name, &form->name[form->unknowns]));
  PetscCall(PetscStrallocpy(test, &form->test[form->unknowns++]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Texts of the system have been read: a new name is for later ones, or it is an old one misspelt. */
static PetscErrorCode check_late_constant(RungSystem sys, const char name[])
{
  const char *const *names, *nearest;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(RungScopeGetConstants(sys->form->scope, &n, &names, NULL));
  for (PetscInt i = 0; i < n; ++i)
    if (strcmp(name, names[i]) == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungSuggest(name, n, names, &nearest));
  PetscCheck(
    !nearest, sys->comm, PETSC_ERR_ARG_WRONG,
    "the system, which is set up, has no constant \"%s\"; did you mean \"%s\"? A constant of that name for later "
    "texts is declared before",
    name, nearest);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemSetConstant(RungSystem sys, const char name[], PetscReal value)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemNeedForm(sys, "RungSystemSetConstant"));
  PetscCheck(name, sys->comm, PETSC_ERR_ARG_NULL, "a constant without a name");
  PetscCall(RungSystemCheckConstantName(sys, name));
  if (sys->ready) PetscCall(check_late_constant(sys, name));
  PetscCall(RungScopeSetConstant(sys->form->scope, name, value));
  ++sys->form->constants_version;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemDefine(RungSystem sys, const char name[], const char text[])
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemCheckNew(sys, "RungSystemDefine"));
  PetscCall(RungSystemNeedForm(sys, "RungSystemDefine"));
  PetscCheck(name && text, sys->comm, PETSC_ERR_ARG_NULL, "a definition needs a name and a text");
  PetscCall(RungScopeDefine(sys->form->scope, name, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_residual(RungSystem sys, const char text[], RungExpr expr)
{
  RungFormSide form = sys->form;

  PetscFunctionBegin;
  RungGrow(form->residuals, form->residual);
  form->residual[form->residuals] = (RungResidualTerm){.expr = expr};
  if (text) PetscCall(PetscStrallocpy(text, &form->residual[form->residuals].text));
  ++form->residuals;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemAddResidual(RungSystem sys, const char text[])
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemCheckNew(sys, "RungSystemAddResidual"));
  PetscCall(RungSystemNeedForm(sys, "RungSystemAddResidual"));
  PetscCheck(text, sys->comm, PETSC_ERR_ARG_NULL, "a residual without a text");
  PetscCall(add_residual(sys, text, (RungExpr){NULL, RUNG_NO_EXPR}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemAddResidualExpr(RungSystem sys, RungExpr expr)
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemCheckNew(sys, "RungSystemAddResidualExpr"));
  PetscCall(RungSystemNeedForm(sys, "RungSystemAddResidualExpr"));
  PetscCall(RungExprCheck(expr));
  PetscCheck(expr.scope == sys->form->scope, sys->comm, PETSC_ERR_ARG_WRONG,
             "residual %" PetscInt_FMT
             " is an expression of another scope; build it with the names of RungSystemGetScope",
             sys->form->residuals + 1);
  PetscCall(add_residual(sys, NULL, expr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_data(RungSystem sys, const char name[], const char part[], const char text[], PetscInt *n,
                               RungDataText **list)
{
  RungDataText *data;

  PetscFunctionBegin;
  PetscCheck(name && text, sys->comm, PETSC_ERR_ARG_NULL, "data without a name or a text");
  RungGrow(*n, *list);
  data  = &(*list)[(*n)++];
  *data = (RungDataText){NULL, NULL, NULL};
  PetscCall(PetscStrallocpy(name, &data->name));
  PetscCall(PetscStrallocpy(part, &data->part));
  PetscCall(PetscStrallocpy(text, &data->text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemSetDirichlet(RungSystem sys, const char name[], const char part[], const char text[])
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemCheckNew(sys, "RungSystemSetDirichlet"));
  PetscCall(RungSystemNeedForm(sys, "RungSystemSetDirichlet"));
  PetscCheck(part, sys->comm, PETSC_ERR_ARG_NULL, "boundary data without a part; \"boundary\" is all of it");
  PetscCall(add_data(sys, name, part, text, &sys->form->conditions, &sys->form->condition));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemSetInitial(RungSystem sys, const char name[], const char text[])
{
  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemCheckNew(sys, "RungSystemSetInitial"));
  PetscCall(RungSystemNeedForm(sys, "RungSystemSetInitial"));
  PetscCall(add_data(sys, name, NULL, text, &sys->form->initials, &sys->form->initial));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what others ask ---------------------------------------------------------------------------------------------- */

PetscErrorCode RungSystemGetScope(RungSystem sys, RungScope *scope)
{
  PetscFunctionBegin;
  RungNeed(sys);
  RungNeedArgument(scope);
  PetscCall(RungSystemNeedForm(sys, "RungSystemGetScope"));
  *scope = sys->form->scope;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemGetLayout(RungSystem sys, RungLayout *layout)
{
  PetscFunctionBegin;
  RungNeed(sys);
  RungNeedArgument(layout);
  PetscCall(RungSystemSetUp(sys));
  *layout = sys->form ? sys->form->layout : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *RungSystemNameOf(RungSystem sys, PetscInt f)
{
  return sys->form ? sys->form->name[f] : "u";
}

PetscErrorCode RungSystemGetUnknown(RungSystem sys, PetscInt f, const char **name, RungSpace *space)
{
  RungNeed(sys);
  const PetscInt n = sys->form ? sys->form->unknowns : 1;

  PetscFunctionBegin;
  PetscCheck(f >= 0 && f < n, sys->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "unknown %" PetscInt_FMT " of a system with %" PetscInt_FMT "; they count from 0", f, n);
  if (name) *name = RungSystemNameOf(sys, f);
  if (space) *space = sys->form ? sys->form->space[f] : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A term is read once; what it reads must be an integral with one test function. */
static PetscErrorCode read_term(RungSystem sys, PetscInt i)
{
  RungResidualTerm *term = &sys->form->residual[i];
  PetscInt          rank, shape[2], arity;
  PetscBool         integral;
  char              label[64];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(label, sizeof label, "residual %" PetscInt_FMT, i + 1));
  if (term->text && term->expr.node < 0) {
    PetscCall(RungScopeParse(sys->form->scope, label, term->text, &term->expr));
    PetscCall(RungExprCheck(term->expr));
  }
  PetscCall(RungExprGetShape(term->expr, &rank, shape, &integral, &arity));
  PetscCheck(integral, sys->comm, PETSC_ERR_ARG_WRONG, "%s is not integrated; wanted ..*dx or ..*ds(part)", label);
  PetscCheck(arity == 1, sys->comm, PETSC_ERR_ARG_WRONG, "%s holds no test function; every term wants one", label);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSystemGetResidual(RungSystem sys, RungExpr *expr)
{
  RungFormSide form;

  PetscFunctionBegin;
  RungNeed(sys);
  PetscCall(RungSystemNeedForm(sys, "RungSystemGetResidual"));
  form = sys->form;
  PetscCheck(form->residuals, sys->comm, PETSC_ERR_ORDER,
             "the system has no residual; add one with RungSystemAddResidual");
  for (PetscInt i = 0; i < form->residuals; ++i) {
    PetscCall(read_term(sys, i));
    *expr = i ? RungAdd(*expr, form->residual[i].expr) : form->residual[0].expr;
  }
  PetscCall(RungExprCheck(*expr));
  if (form->lump) {
    PetscInt terms;

    PetscCall(RungExprLumpRates(*expr, expr, &terms));
    PetscCheck(
      terms, sys->comm, PETSC_ERR_ARG_INCOMP,
      "-system_lumped_mass, and no term of the residual is a multiple of dt(..) under dx or ds without a degree; "
      "leave it away");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- set-up ------------------------------------------------------------------------------------------------------- */

static PetscErrorCode create_form(RungSystem sys, RungExpr expr, const char name[], RungForm *form)
{
  PetscFunctionBegin;
  PetscCall(RungFormCreate(expr, name, sys->form->layout, form));
  PetscCall(RungFormSetFromOptions(*form));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_tested(RungSystem sys, const RungFormTraits *traits)
{
  RungFormSide form = sys->form;
  PetscBool    tied;

  PetscFunctionBegin;
  for (PetscInt f = 0; f < form->unknowns; ++f) {
    PetscCall(RungConstraintsTieTo(sys, f, &tied));
    if (tied) continue; /* its slaves' equations are its own */
    PetscCheck(traits->tested[f], sys->comm, PETSC_ERR_ARG_WRONG,
               "unknown \"%s\" has no equation: no residual contains its test function \"%s\"", form->name[f],
               form->test[f]);
    PetscCheck(traits->unknown_order[f] >= 0, sys->comm, PETSC_ERR_ARG_WRONG,
               "unknown \"%s\" appears in no residual; nothing would determine it", form->name[f]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_traits(RungSystem sys, const RungFormTraits *from)
{
  RungFormSide form = sys->form;
  RungTraits  *to   = &sys->traits;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(form->unknowns * form->unknowns, &form->couple));
  to->unknowns          = form->unknowns;
  to->order             = PetscMax(from->order, sys->least_order);
  to->linear            = from->linear;
  to->jumps             = from->jumps;
  to->constant_jacobian = from->constant_jacobian;
  to->symmetric         = from->symmetric;
  to->definite          = from->definite;
  to->mass              = from->mass && to->order == from->order ? PETSC_TRUE : PETSC_FALSE;
  to->undamped          = to->order == 2 && !from->block[1] ? PETSC_TRUE : PETSC_FALSE;
  to->time_dependent    = from->time_dependent || form->couplings ? PETSC_TRUE : PETSC_FALSE;
  form->holds_fields    = PETSC_FALSE;
  for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k)
    form->holds_fields = form->holds_fields || from->field_block[k] ? PETSC_TRUE : PETSC_FALSE;
  for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) to->constant_block[k] = from->constant_block[k];
  for (PetscInt k = 0; k <= RUNG_MAX_ORDER && form->couplings; ++k) { /* the other system moves */
    if (from->field_block[k]) to->constant_block[k] = to->constant_jacobian = PETSC_FALSE;
  }
  for (PetscInt f = 0; f < form->unknowns; ++f) {
    to->unknown_order[f] = from->unknown_order[f];
    form->holds[f]       = 0;
    for (PetscInt g = 0; g < form->unknowns; ++g) {
      const unsigned orders = from->unknown_order[g] < 0 ? 0 : from->couple_rates[f][g];

      form->couple[f * form->unknowns + g] = from->couple[f][g];
      if (orders & ~1u) form->holds[f] = PetscMax(form->holds[f], 1);
      if (orders && orders & (1u << from->unknown_order[g])) form->holds[f] = 2;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Densities of scalar unknowns, for boundary data that move: where rates of the unknown are in no term beside dt(q)*v. */
static PetscErrorCode find_densities(RungSystem sys, RungExpr conserved)
{
  RungFormSide   form = sys->form;
  RungFormTraits rest = {0};

  PetscFunctionBegin;
  if (form->rest) PetscCall(RungFormGetTraits(form->rest, &rest));
  for (PetscInt f = 0; f < form->unknowns; ++f) {
    const RungSpaceData *space;

    PetscCall(RungSpaceGetData(form->space[f], &space));
    if (space->components > 1 || sys->traits.unknown_order[f] < 1 || rest.unknown_order[f] > 0) continue;
    PetscCall(RungDensityCreate(conserved, f, &form->density[f]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The order-1 terms dt(q)*v that stay whole. */
static PetscErrorCode split_conserved(RungSystem sys, RungExpr residual)
{
  RungFormSide   form = sys->form;
  RungExpr       rest, conserved;
  RungFormTraits traits;

  PetscFunctionBegin;
  if (!sys->conserve || sys->traits.order != 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungExprSplitConserved(residual, &rest, &conserved));
  if (conserved.node == RUNG_NO_EXPR) PetscFunctionReturn(PETSC_SUCCESS);
  sys->traits.conserved = PETSC_TRUE;
  PetscCall(create_form(sys, conserved, "conserved", &form->m));
  PetscCall(RungFormGetTraits(form->m, &traits));
  if (!traits.linear) sys->traits.linear = PETSC_FALSE; /* of a jump of a total F shows nothing */
  if (traits.jumps) sys->traits.jumps = PETSC_TRUE;
  PetscCall(RungFormSetUp(form->m, PETSC_TRUE));
  if (rest.node != RUNG_NO_EXPR) {
    PetscCall(create_form(sys, rest, "residual without conserved terms", &form->rest));
    PetscCall(RungVaryingSetUp(sys, form->rest));
    PetscCall(RungFormSetUp(form->rest, PETSC_TRUE));
  }
  PetscCall(find_densities(sys, conserved));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_vec(RungSystem sys, Vec *u)
{
  PetscFunctionBegin;
  PetscCall(RungLayoutCreateVec(sys->form->layout, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_mat(RungSystem sys, Mat *J)
{
  RungFormSide form = sys->form;
  MatInfo      info;

  PetscFunctionBegin;
  if (form->constraints)
    PetscCall(RungConstraintsCreateMat(sys, PETSC_FALSE, J));
  else
    PetscCall(RungLayoutCreateMat(form->layout, form->couple, form->fixed, J));
  if (sys->traits.symmetric) PetscCall(MatSetOption(*J, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatGetInfo(*J, MAT_LOCAL, &info));
  form->nonzeros = info.nz_used;
  form->counted  = PETSC_TRUE;
  PetscCall(RungNullSpacesAttach(sys, *J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Points that see too little of a cell give answers that look like any other: a warning, once. */
static PetscErrorCode tell_reduced(RungSystem sys)
{
  static char told[1024];
  char        message[1024] = "";

  PetscFunctionBegin;
  for (PetscInt f = 0; f < sys->form->unknowns && !sys->reduced; ++f) {
    const PetscInt order = sys->traits.unknown_order[f];

    PetscCall(RungFormFindReduced(sys->form->F, f, 0, message, sizeof message));
    if (!message[0] && order) PetscCall(RungFormFindReduced(sys->form->F, f, order, message, sizeof message));
    if (!message[0] || !strcmp(message, told)) continue;
    PetscCall(PetscStrncpy(told, message, sizeof told));
    PetscCall(RungSystemWarn(sys, "%s, or say -system_reduced_integration where this is meant", message));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_all(RungSystem sys)
{
  RungFormSide   form = sys->form;
  RungFormTraits traits;
  RungExpr       written, residual, outside, inside;
  PetscBool      moves;

  PetscFunctionBegin;
  PetscCheck(form->unknowns, sys->comm, PETSC_ERR_ORDER,
             "the system has no unknown; add one with RungSystemAddUnknown before it is used");
  PetscCall(RungSystemReadConstants(sys));
  PetscCall(RungSystemGetResidual(sys, &written));
  residual = written;
  PetscCall(RungSystemTakeSwitches(sys, &residual));
  PetscCall(RungExprSplitExplicit(residual, &residual, &outside, &inside));
  PetscCall(RungLayoutCreate(sys->comm, form->unknowns, form->space, &form->layout));
  PetscCall(RungLayoutGetData(form->layout, &form->data));
  sys->local = form->data->owned;
  for (PetscInt f = 0; f <= form->unknowns; ++f) sys->range[f] = form->data->range[f];
  PetscCall(create_form(sys, residual, "residual", &form->F));
  PetscCall(RungFormGetTraits(form->F, &traits));
  PetscCall(check_tested(sys, &traits));
  PetscCall(set_traits(sys, &traits));
  PetscCall(RungConstraintsRaiseOrders(sys));
  PetscCall(split_conserved(sys, residual));
  PetscCall(RungPartsSetUp(sys, outside, inside));
  PetscCall(RungPartsCheck(sys, written));
  if (!sys->traits.conserved) {
    PetscCall(RungVaryingSetUp(sys, form->F));
    PetscCall(RungFormSetUp(form->F, sys->matrix_free ? PETSC_FALSE : PETSC_TRUE));
  }
  PetscCall(RungDirichletSetUp(sys));
  PetscCall(RungDirichletIsTimeDependent(sys, &moves));
  if (moves) sys->traits.time_dependent = PETSC_TRUE;
  PetscCall(RungCondenseSetUp(sys, residual, &traits));
  PetscCall(RungInitialSetUp(sys));
  PetscCall(RungQuantitySetUp(sys));
  PetscCall(tell_reduced(sys));
  PetscCall(RungApartTell(sys, &traits));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Forgets what SetUp made; what the app said stays. */
static PetscErrorCode reset(RungSystem sys)
{
  RungFormSide form = sys->form;

  PetscFunctionBegin;
  PetscCall(RungConstantBlocksDestroy(&form->constant));
  PetscCall(RungVaryingDestroy(&form->varying));
  PetscCall(RungCondenseDestroy(&form->condense));
  PetscCall(RungInitialDestroy(sys));
  PetscCall(RungQuantityReset(sys));
  PetscCall(RungNullSpacesDestroy(&form->null_spaces));
  PetscCall(RungConstraintsDestroy(sys));
  PetscCall(RungDirichletDestroy(&form->dirichlet));
  PetscCall(RungSwitchesDestroy(&form->switches));
  PetscCall(RungFormDestroy(&form->F));
  PetscCall(RungFormDestroy(&form->rest));
  PetscCall(RungFormDestroy(&form->m));
  PetscCall(RungFormDestroy(&form->implicit));
  PetscCall(RungFormDestroy(&form->explicit_part));
  PetscCall(RungFormDestroy(&form->forces));
  form->asked_forces = PETSC_FALSE;
  for (PetscInt f = 0; f < form->unknowns; ++f) PetscCall(RungPointwiseDestroy(&form->density[f]));
  PetscCall(PetscFree(form->couple));
  PetscCall(PetscFree(form->fixed));
  PetscCall(PetscFree(sys->rated));
  PetscCall(RungLayoutDestroy(&form->layout));
  form->data  = NULL;
  sys->traits = (RungTraits){0};
  sys->split  = PETSC_FALSE;
  sys->local  = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A system that is refused is as it was before: it can be completed and set up again, or destroyed. */
static PetscErrorCode setup(RungSystem sys)
{
  PetscFunctionBegin;
  RungCallOrUndo(make_all(sys), PetscCall(reset(sys)));
  if (RungSystemDim(sys) < 3) sys->most_factored = RUNG_FACTORED_PLANE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- view and end ------------------------------------------------------------------------------------------------- */

static PetscErrorCode view_unknowns(RungSystem sys, PetscViewer viewer)
{
  RungFormSide form = sys->form;

  PetscFunctionBegin;
  for (PetscInt f = 0; f < form->unknowns; ++f) {
    const RungSpaceData *space;

    PetscCall(RungSpaceGetData(form->space[f], &space));
    PetscCall(PetscViewerASCIIPrintf(
      viewer, "unknown %s, test %s: %s, %" PetscInt_FMT " entries, order in time %" PetscInt_FMT "%s\n", form->name[f],
      form->test[f], space->spec, space->nodes_global * space->components, sys->traits.unknown_order[f],
      sys->traits.unknown_order[f] ? "" : " (algebraic)"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Integrals by their kinds, then probes: one line each, whatever its number of components; global unknowns have theirs
   among the unknowns. */
static PetscErrorCode view_quantities(RungSystem sys, PetscViewer viewer)
{
  static const char *const kind[] = {"quantity", "mean", "rate"}; /* in the order of RungQuantityKind */
  RungFormSide             form   = sys->form;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < form->quantities; ++i) {
    const RungQuantity *q = &form->quantity[i];

    if (q->kind < RUNG_QUANTITY_GLOBAL)
      PetscCall(PetscViewerASCIIPrintf(viewer, "%s %s: %s\n", kind[q->kind], q->name, q->text));
  }
  for (PetscInt p = 0; p < form->probes; ++p) {
    char place[128];

    PetscCall(RungPlaceToText(RungSystemDim(sys), form->probe[p].x, place, sizeof place));
    PetscCall(PetscViewerASCIIPrintf(viewer, "probe %s: %s, %s\n", form->probe[p].name, form->probe[p].text, place));
  }
  PetscCall(RungWatchesView(sys, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view_conserved(RungSystem sys, PetscViewer viewer)
{
  PetscFunctionBegin;
  if (sys->form->lump)
    PetscCall(
      PetscViewerASCIIPrintf(viewer, "lumped: terms with dt() are integrated at the nodes (-system_lumped_mass)\n"));
  if (sys->traits.conserved) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "conserved: dt() of nonlinear terms is kept whole (-system_conserve)\n"));
    for (PetscInt f = 0; f < sys->form->unknowns; ++f) {
      PetscCall(PetscViewerASCIIPrintf(viewer, "boundary data of %s that move: by the rate of %s\n", sys->form->name[f],
                                       sys->form->density[f] ? "what is conserved" : "the unknown, stages lose order"));
    }
  } else if (sys->traits.order == 2 && !sys->traits.linear) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "conserved: every dt() is expanded by the chain rule (order 2)\n"));
  } else if (!sys->conserve) {
    PetscCall(
      PetscViewerASCIIPrintf(viewer, "conserved: every dt() is expanded by the chain rule (-system_conserve)\n"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view(RungSystem sys, PetscViewer viewer)
{
  RungFormSide       form = sys->form;
  PetscInt           n;
  const char *const *name;
  const PetscReal   *value;

  PetscFunctionBegin;
  PetscCall(view_unknowns(sys, viewer));
  for (PetscInt i = 0; i < form->residuals; ++i) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "residual %" PetscInt_FMT ": %s\n", i + 1,
                                     form->residual[i].text ? form->residual[i].text : "(built)"));
  }
  PetscCall(RungPartsView(sys, viewer));
  PetscCall(view_conserved(sys, viewer));
  PetscCall(RungCondenseView(sys, viewer));
  PetscCall(RungScopeGetConstants(form->scope, &n, &name, &value));
  for (PetscInt i = 0; i < n; ++i)
    PetscCall(PetscViewerASCIIPrintf(viewer, "constant %s = %g\n", name[i], (double)value[i]));
  PetscCall(RungDirichletView(sys, viewer));
  PetscCall(RungConstraintsView(sys, viewer));
  PetscCall(view_quantities(sys, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_data(PetscInt n, RungDataText **list)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) {
    PetscCall(PetscFree((*list)[i].name));
    PetscCall(PetscFree((*list)[i].part));
    PetscCall(PetscFree((*list)[i].text));
  }
  PetscCall(PetscFree(*list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(RungSystem sys)
{
  RungFormSide form = sys->form;

  PetscFunctionBegin;
  PetscCall(reset(sys));
  PetscCall(RungQuantityDestroy(sys));
  PetscCall(RungBoundsDestroy(sys));
  PetscCall(RungConstraintsDestroyTexts(sys));
  for (PetscInt i = 0; i < form->residuals; ++i) PetscCall(PetscFree(form->residual[i].text));
  PetscCall(PetscFree(form->residual));
  PetscCall(destroy_data(form->conditions, &form->condition));
  PetscCall(destroy_data(form->initials, &form->initial));
  for (PetscInt f = 0; f < form->unknowns; ++f) {
    PetscCall(RungSpaceDestroy(&form->space[f]));
    PetscCall(PetscFree(form->name[f]));
    PetscCall(PetscFree(form->test[f]));
  }
  for (PetscInt i = 0; i < form->changings; ++i) PetscCall(PetscFree(form->changing[i]));
  PetscCall(PetscFree(form->changing));
  PetscCall(RungScopeDestroy(&form->scope));
  PetscCall(RungCouplingsDestroy(sys));
  PetscCall(RungFieldsDestroy(sys));
  PetscCall(PetscFree(sys->form));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const RungSystemOps RungSystemOps_Form = {
  .kind            = "forms",
  .tell            = RungFormSideTell,
  .setup           = setup,
  .create_vec      = create_vec,
  .create_mat      = create_mat,
  .residual        = RungFormSideResidual,
  .jacobian        = RungFormSideJacobian,
  .rest            = RungFormSideRest,
  .stage_jacobian  = RungFormSideStageJacobian,
  .conserved       = RungFormSideConserved,
  .explicit_part   = RungFormSideExplicit,
  .forces          = RungFormSideForces,
  .action          = RungFormSideAction,
  .time_derivative = RungFormSideTimeDerivative,
  .initial         = RungInitialValues,
  .check_start     = RungInitialCheckStart,
  .explain         = RungFormSideExplain,
  .view            = view,
  .drop            = RungCouplingsDrop,
  .destroy         = destroy,
};
