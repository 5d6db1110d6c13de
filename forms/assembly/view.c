/* view.c - a form printed at any stage: its traits, its nodes, its tapes, its source. */
#include "rungnodal_room.h"
#include "kernel_impl.h"

/* Text of any length; PetscViewerASCIIPrintf has a buffer. */
static PetscErrorCode print(PetscViewer viewer, MPI_Comm comm, const char text[])
{
  PetscMPIInt rank;
  FILE       *file;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscViewerFlush(viewer));
  if (rank) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIGetPointer(viewer, &file));
  PetscCheck(fputs(text, file) >= 0, PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "a form cannot be printed");
  fflush(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "sigma 1: linear, constant, symmetric" of the blocks dF/du^(k) that are there */
static PetscErrorCode view_blocks(const RungFormTraits *traits, PetscViewer viewer)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k <= RUNG_MAX_ORDER; ++k) {
    if (!traits->block[k]) continue;
    PetscCall(PetscViewerASCIIPrintf(
      viewer, "    sigma %" PetscInt_FMT ": %s, %s, %s\n", k, traits->linear_block[k] ? "linear" : "nonlinear",
      traits->constant_block[k] ? "constant" : "varies", traits->symmetric_block[k] ? "symmetric" : "not symmetric"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each integral of the form by itself. */
static PetscErrorCode view_terms(RungForm form, PetscViewer viewer)
{
  const RungScope scope = form->expr.scope;
  const RungNode *root  = RungScopeNode(scope, form->expr.node);
  const PetscInt  n     = root->op == RUNG_OP_SUM ? root->args : 1;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) {
    const RungExpr term = {scope, root->op == RUNG_OP_SUM ? root->arg[i] : form->expr.node};
    RungFormTraits traits;
    PetscBool      load = PETSC_TRUE;
    char          *text;

    PetscCall(RungLowerTraits(term, &traits));
    PetscCall(RungExprToText(term, &text));
    PetscCall(PetscViewerASCIIPrintf(viewer, "  term "));
    PetscCall(print(viewer, form->comm, text));
    PetscCall(PetscFree(text));
    for (PetscInt f = 0; f < RungScopeUnknowns(scope); ++f)
      load = load && traits.unknown_order[f] < 0 ? PETSC_TRUE : PETSC_FALSE;
    PetscCall(PetscViewerASCIIPrintf(viewer, "\n    %s%s%s\n",
                                     load                       ? "free of unknowns"
                                     : traits.rank == 0         ? "a number"
                                     : !traits.linear           ? "nonlinear"
                                     : traits.constant_jacobian ? "linear, constant jacobian"
                                                                : "linear",
                                     traits.definite ? ", definite" : "",
                                     traits.time_dependent ? ", depends on t" : ""));
    PetscCall(view_blocks(&traits, viewer));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view_traits(RungForm form, PetscViewer viewer)
{
  const RungFormTraits *traits   = &form->traits;
  static const char    *no_yes[] = {"no", "yes"};

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "traits of form \"%s\"\n", form->name));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  rank %" PetscInt_FMT ", order in time %" PetscInt_FMT "\n", traits->rank,
                                   traits->order));
  for (PetscInt f = 0; f < RungScopeUnknowns(form->expr.scope); ++f) {
    const PetscInt order = traits->unknown_order[f];

    PetscCall(PetscViewerASCIIPrintf(viewer, "  unknown %s: ", RungScopeUnknownName(form->expr.scope, f)));
    if (order < 0)
      PetscCall(PetscViewerASCIIPrintf(viewer, "absent"));
    else if (order == 0)
      PetscCall(PetscViewerASCIIPrintf(viewer, "no time derivative"));
    else
      PetscCall(PetscViewerASCIIPrintf(viewer, "order %" PetscInt_FMT, order));
    PetscCall(PetscViewerASCIIPrintf(viewer, "%s\n", traits->tested[f] ? "" : ", not tested"));
  }
  PetscCall(PetscViewerASCIIPrintf(viewer, "  linear %s, constant jacobian %s (by order in time:",
                                   no_yes[traits->linear], no_yes[traits->constant_jacobian]));
  for (PetscInt k = 0; k <= traits->order; ++k) {
    PetscCall(PetscViewerASCIIPrintf(viewer, " %s", no_yes[traits->constant_block[k]]));
  }
  PetscCall(PetscViewerASCIIPrintf(viewer, ")\n  symmetric %s, definite %s, depends on t %s\n",
                                   no_yes[traits->symmetric], no_yes[traits->definite],
                                   no_yes[traits->time_dependent]));
  if (form->expr.node >= 0) PetscCall(view_terms(form, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Marks node and what is below it; arguments have smaller numbers. */
static PetscErrorCode reach(RungScope scope, PetscInt node, PetscBool reached[])
{
  PetscFunctionBegin;
  reached[node] = PETSC_TRUE;
  for (PetscInt i = node; i >= 0; --i) {
    const RungNode *it = RungScopeNode(scope, i);

    for (PetscInt a = 0; reached[i] && a < it->args; ++a) reached[it->arg[a]] = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view_dag(RungForm form, PetscViewer viewer)
{
  PetscBool *reached;
  char      *text;

  PetscFunctionBegin;
  PetscCall(RungExprToText(form->expr, &text));
  PetscCall(PetscViewerASCIIPrintf(viewer, "nodes of form \"%s\"\n  ", form->name));
  PetscCall(print(viewer, form->comm, text));
  PetscCall(PetscViewerASCIIPrintf(viewer, "\n"));
  PetscCall(PetscFree(text));
  if (form->expr.node < 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1(form->expr.node + 1, &reached));
  PetscCall(reach(form->expr.scope, form->expr.node, reached));
  for (PetscInt i = 0; i <= form->expr.node; ++i) {
    const RungNode *node = reached[i] ? RungScopeNode(form->expr.scope, i) : NULL;

    if (!node) continue;
    PetscCall(PetscViewerASCIIPrintf(viewer, "  %4" PetscInt_FMT "  %s", i, rung_ops[node->op].code));
    for (PetscInt a = 0; a < node->args; ++a)
      PetscCall(PetscViewerASCIIPrintf(viewer, " %" PetscInt_FMT, node->arg[a]));
    if (node->op == RUNG_OP_NUMBER) PetscCall(PetscViewerASCIIPrintf(viewer, " %g", node->number));
    for (PetscInt r = 0; r < node->rank; ++r) {
      PetscCall(PetscViewerASCIIPrintf(viewer, "%s[%" PetscInt_FMT "]", r ? "" : "  ", node->shape[r]));
    }
    PetscCall(PetscViewerASCIIPrintf(viewer, "%s\n", node->arity ? "  test" : ""));
  }
  PetscCall(PetscFree(reached));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view_integral(RungForm form, const RungPlan plan, PetscViewer viewer)
{
  const RungIntegral *integral  = plan->integral;
  static const char  *measure[] = {"dx", "ds", "dS", "dR", "dP", "dl"};
  const PetscBool     nodes     = integral->degree > RUNG_QUADRATURE_NODES ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "form \"%s\": rank %" PetscInt_FMT " over %s%s%s%s, %sdegree %" PetscInt_FMT
                                   " (%" PetscInt_FMT " points), %" PetscInt_FMT " instructions\n",
                                   form->name, integral->rank, measure[integral->domain], integral->part[0] ? "(" : "",
                                   integral->part, integral->part[0] ? ")" : "", nodes ? "nodes of " : "",
                                   integral->degree - (nodes ? RUNG_QUADRATURE_NODES : 0), plan->points,
                                   integral->tape.instructions));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Integral and back end of each kernel. */
static PetscErrorCode view_kernels(RungForm form, const RungFormPart *part, PetscViewer viewer)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < part->n; ++i) {
    const char *origin = part->kernel[i]->origin;

    PetscCall(view_integral(form, part->plan[i], viewer));
    PetscCall(PetscViewerASCIIPrintf(viewer, "  back end %s%s%s%s, %" PetscInt_FMT " places at a time\n",
                                     origin ? "c" : "interpreter", origin ? " (" : "", origin ? origin : "",
                                     origin ? ")" : "", part->kernel[i]->lanes));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormViewStages(RungForm form, const RungFormPart *part)
{
  PetscViewer viewer;

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIGetStdout(form->comm, &viewer));
  if (part == &form->part[RUNG_FORM_VALUE] && form->view & RUNG_VIEW_TRAITS) PetscCall(view_traits(form, viewer));
  if (part == &form->part[RUNG_FORM_VALUE] && form->view & RUNG_VIEW_DAG) PetscCall(view_dag(form, viewer));
  for (PetscInt i = 0; i < part->n && form->view & RUNG_VIEW_TAPE; ++i) {
    PetscCall(view_integral(form, part->plan[i], viewer));
    PetscCall(RungTapeView(&part->plan[i]->integral->tape, form->expr.scope, viewer));
  }
  if (form->view & RUNG_VIEW_KERNELS) PetscCall(view_kernels(form, part, viewer));
  if (part->n && form->view & RUNG_VIEW_SOURCE) {
    char *source;

    PetscCall(RungEmit(part->n, part->plan, form->options.lanes ? form->options.lanes : RungIsaLanes(form->options.isa),
                       &source));
    PetscCall(print(viewer, form->comm, source));
    PetscCall(PetscFree(source));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFormView(RungForm form, PetscViewer viewer)
{
  PetscFunctionBegin;
  RungNeed(form);
  if (!viewer) PetscCall(PetscViewerASCIIGetStdout(form->comm, &viewer));
  PetscCall(view_traits(form, viewer));
  for (int p = 0; p < RUNG_FORM_PARTS; ++p) PetscCall(view_kernels(form, &form->part[p], viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}
