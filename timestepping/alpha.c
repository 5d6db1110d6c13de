/* alpha.c - Newmark, HHT, WBZ, generalized-alpha (Chung and Hulbert 1993), and JWH (Jansen, Whiting, Hulbert 2000) for
   unknowns of order 1: their parameters, and what they say of themselves.  Steps are in alpha_step.c. */
#include "alpha_impl.h"

#include <stdio.h>
#include <string.h>

enum { CHUNG_HULBERT, HHT, WBZ, NEWMARK };
static const char *const alpha_methods[] = {"chung_hulbert", "hht", "wbz", "newmark", NULL};
static const char *const citations[]     = {
      "Chung and Hulbert, J. Appl. Mech. 60, 1993; order 1: Jansen, Whiting and Hulbert, CMAME 190, 2000",
      "Hilber, Hughes and Taylor, Earthq. Eng. Struct. Dyn. 5, 1977", "Wood, Bossak and Zienkiewicz, IJNME 15, 1980",
      "Newmark, J. Eng. Mech. Div. ASCE 85, 1959"};

/* ---- parameters ------------------------------------------------------------------------------------------------- */

static RungAlphaWeights weights_of(PetscInt method, PetscReal rho)
{
  const PetscReal a = (1 - rho) / (1 + rho), second = 0.5 + a, optimal = PetscSqr(1 + a) / 4;

  switch (method) {
  case CHUNG_HULBERT:
    return (RungAlphaWeights){(2 - rho) / (1 + rho), 1 / (1 + rho), (3 - rho) / (2 * (1 + rho)), 1 / PetscSqr(1 + rho)};
  case HHT: return (RungAlphaWeights){1, 1 - a, second, optimal};
  case WBZ: return (RungAlphaWeights){1 + a, 1, second, optimal};
  default: return (RungAlphaWeights){1, 1, (3 - rho) / (2 * (1 + rho)), 1 / PetscSqr(1 + rho)};
  }
}

static RungAlphaWeights weights_jwh(PetscReal rho)
{
  return (RungAlphaWeights){(3 - rho) / (2 * (1 + rho)), 1 / (1 + rho), 1 / (1 + rho), 0};
}

/* Newmark's rho_inf while beta is the optimal one; otherwise the nearest thing to it. */
static PetscReal radius_of_newmark(PetscReal gamma)
{
  return PetscAbsReal(gamma - 1.5) / (gamma + 0.5);
}

static void set_weights(RungAlpha *alpha)
{
  const PetscInt method = alpha->facts.method;

  if (method != NEWMARK) alpha->newmark_given = PETSC_FALSE;
  if (!alpha->rho_given && !alpha->newmark_given) alpha->rho = method == NEWMARK ? 1 : 0.9;
  alpha->weights[2] = weights_of(method, alpha->rho);
  if (alpha->newmark_given) {
    alpha->weights[2].beta  = alpha->beta;
    alpha->weights[2].gamma = alpha->gamma;
    alpha->rho              = radius_of_newmark(alpha->gamma);
  }
  alpha->weights[1] = weights_jwh(alpha->rho);
  alpha->damped[1]  = weights_jwh(0);
  alpha->damped[2]  = weights_of(CHUNG_HULBERT, 0);
  alpha->order = PetscAbsReal(alpha->weights[2].gamma - 0.5 - alpha->weights[2].m + alpha->weights[2].f) < 1e-12 ? 2
                                                                                                                 : 1;
}

/* What the stepper and the parameters say now. */
static PetscErrorCode renew(RungStepper stepper)
{
  RungAlpha *alpha = RungStepperGetData(stepper);

  PetscFunctionBegin;
  PetscCall(RungStepperGetFacts(stepper, &alpha->facts));
  set_weights(alpha);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The parameters, which may still be set, with the facts of now. */
static PetscErrorCode open_parameters(RungStepper stepper, const char what[], RungAlpha **alpha)
{
  RungStepperFacts facts;
  RungStepperType  type;

  PetscFunctionBegin;
  PetscCall(RungStepperGetFacts(stepper, &facts));
  PetscCall(RungStepperGetType(stepper, &type));
  PetscCheck(type && !strcmp(type, RUNGALPHA), facts.comm, PETSC_ERR_ARG_WRONGSTATE,
             "%s belongs to type alpha, this stepper has %s%s; take -stepper_type alpha", what,
             type ? "type " : "no type", type ? type : "");
  PetscCheck(!facts.ready, facts.comm, PETSC_ERR_ORDER, "%s after the stepper was set up; call it before", what);
  *alpha          = RungStepperGetData(stepper);
  (*alpha)->facts = facts;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperAlphaSetRadius(RungStepper stepper, PetscReal rho_inf)
{
  RungAlpha *alpha;

  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCall(open_parameters(stepper, "a spectral radius", &alpha));
  PetscCheck(rho_inf >= 0 && rho_inf <= 1, alpha->facts.comm, PETSC_ERR_ARG_OUTOFRANGE,
             "rho_inf is %g, wanted a number in [0, 1]: 1 keeps the highest frequencies, 0 annihilates them",
             (double)rho_inf);
  alpha->rho       = rho_inf;
  alpha->rho_given = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperAlphaSetNewmark(RungStepper stepper, PetscReal beta, PetscReal gamma)
{
  RungAlpha *alpha;

  PetscFunctionBegin;
  RungNeed(stepper);
  PetscCall(open_parameters(stepper, "Newmark's beta and gamma", &alpha));
  PetscCheck(beta > 0 && !PetscIsInfOrNanReal(beta), alpha->facts.comm, PETSC_ERR_ARG_OUTOFRANGE,
             "beta is %g, wanted a positive number; 0.25 is the average acceleration", (double)beta);
  PetscCheck(gamma > 0 && !PetscIsInfOrNanReal(gamma), alpha->facts.comm, PETSC_ERR_ARG_OUTOFRANGE,
             "gamma is %g, wanted a number of at least 0.5", (double)gamma);
  PetscCall(RungStepperSetMethod(stepper, "newmark"));
  alpha->beta          = beta;
  alpha->gamma         = gamma;
  alpha->newmark_given = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_alpha(RungStepper stepper)
{
  static const char *const forms[] = {"endpoint", "blended", NULL};
  RungAlpha               *alpha   = RungStepperGetData(stepper);
  PetscReal                rho, beta, gamma;
  PetscBool                has_rho, has_beta, has_gamma, has_method;
  PetscInt                 form = alpha->blended ? 1 : 0;
  MPI_Comm                 comm;

  PetscFunctionBegin;
  PetscCall(renew(stepper));
  comm  = alpha->facts.comm;
  rho   = alpha->rho;
  beta  = alpha->weights[2].beta;
  gamma = alpha->weights[2].gamma;
  PetscCall(RungStepperReadReal(stepper, "-stepper_rho_inf", "0 to 1", &rho, &has_rho));
  PetscCall(RungStepperReadReal(stepper, "-stepper_beta", "above 0", &beta, &has_beta));
  PetscCall(RungOptionReal(comm, "-stepper_gamma", NULL, &gamma, &has_gamma));
  PetscCheck(!has_rho || !(has_beta || has_gamma), comm, PETSC_ERR_ARG_INCOMP,
             "-stepper_rho_inf beside -stepper_beta or -stepper_gamma; rho_inf chooses both, give it or them");
  PetscCall(RungStepperReadChoice(stepper, "-stepper_alpha_form", forms, &form));
  alpha->blended = form ? PETSC_TRUE : PETSC_FALSE;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-stepper_method", &has_method));
  PetscCheck(
    !(has_beta || has_gamma) || !has_method || alpha->facts.method == NEWMARK, comm, PETSC_ERR_ARG_INCOMP,
    "-stepper_beta and -stepper_gamma are those of method newmark, not of \"%s\"; leave them or -stepper_method away",
    alpha_methods[alpha->facts.method]);
  if (has_beta || has_gamma) {
    alpha->rho_given = PETSC_FALSE; /* what the program chose gives way to the command line */
    if (!has_gamma) gamma = 0.5;
    if (!has_beta) beta = PetscSqr(gamma + 0.5) / 4; /* the best dissipation at this gamma */
    PetscCall(RungStepperAlphaSetNewmark(stepper, beta, gamma));
  }
  if (has_rho) {
    alpha->newmark_given = PETSC_FALSE;
    PetscCall(RungStepperAlphaSetRadius(stepper, rho));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- set-up ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode check_parameters(RungStepper stepper)
{
  RungAlpha              *alpha = RungStepperGetData(stepper);
  const RungAlphaWeights *w     = &alpha->weights[2];

  PetscFunctionBegin;
  PetscCheck(alpha->facts.method != HHT || alpha->rho >= 0.5, alpha->facts.comm, PETSC_ERR_ARG_OUTOFRANGE,
             "hht with rho_inf = %g, wanted a number in [1/2, 1]; chung_hulbert and wbz go down to 0",
             (double)alpha->rho);
  PetscCheck(!alpha->newmark_given || w->gamma >= 0.5 || alpha->facts.force, alpha->facts.comm,
             PETSC_ERR_ARG_OUTOFRANGE,
             "gamma is %g, and below 0.5 Newmark's method amplifies all motion; take 0.5 or insist with -stepper_force",
             (double)w->gamma);
  PetscCheck(!alpha->facts.adaptive || alpha->facts.traits->order == 1 ||
               PetscAbsReal(w->beta + (w->f - w->m) / 2 - 1.0 / 6) > 1e-12,
             alpha->facts.comm, PETSC_ERR_ARG_OUTOFRANGE,
             "beta is 1/6, for which the error estimate vanishes; take another beta or a fixed step");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The blended form evaluates F once, so all unknowns need the same place in the step. */
static PetscErrorCode check_blended_orders(RungStepper stepper)
{
  const RungAlpha *alpha = RungStepperGetData(stepper);

  PetscFunctionBegin;
  for (PetscInt f = 0; alpha->blended && f < alpha->facts.traits->unknowns; ++f) {
    const PetscInt order = alpha->facts.traits->unknown_order[f];

    PetscCheck(order == alpha->facts.traits->order || (order == 1 && alpha->facts.method == CHUNG_HULBERT),
               alpha->facts.comm, PETSC_ERR_SUP,
               "the blended form needs unknowns of one order; take -stepper_alpha_form endpoint");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode plan_alpha(RungStepper stepper, const RungTraits *traits, RungMethodPlan *plan)
{
  RungAlpha *alpha = RungStepperGetData(stepper);

  PetscFunctionBegin;
  PetscCall(renew(stepper));
  plan->order    = traits && traits->order == 1 ? 2 : alpha->order;
  plan->exponent = plan->order + 1;
  plan->carried  = 2;
  plan->can      = RUNG_CAN_ALL & ~(unsigned)RUNG_CAN_SPLIT;
  if (alpha->facts.method != CHUNG_HULBERT) plan->can &= ~(unsigned)RUNG_CAN_ORDER1;
  if (alpha->blended) { /* conserved terms have no end of the step there, undamped multipliers no order */
    plan->can &= ~(unsigned)(RUNG_CAN_CONSERVE | (alpha->rho < 1 ? 0 : RUNG_CAN_ALGEBRAIC));
    plan->way_out = "take -stepper_alpha_form endpoint";
  }
  plan->stages = plan->solves = 1;
  plan->stage_order           = plan->order;
  plan->limit                 = alpha->rho;
  plan->angle                 = 90;
  plan->citation              = citations[alpha->facts.method];
  if (!traits) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(check_parameters(stepper));
  PetscCall(check_blended_orders(stepper));
  plan->depth = PetscMax(3, RungAlphaDampedSteps(alpha) + 1); /* the estimate asks whether two steps have been made */
  plan->matrices = RungAlphaDampedSteps(alpha) ? 2 : 1;
  plan->work     = 13;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_up_alpha(RungStepper stepper)
{
  RungAlpha *alpha = RungStepperGetData(stepper);
  PetscInt   n     = 0;
  Vec       *work;

  PetscFunctionBegin;
  PetscCall(RungStepperGetWork(stepper, &work));
  for (PetscInt k = 0; k <= alpha->facts.traits->order; ++k) alpha->base[k] = work[n++];
  alpha->origin  = work[n++];
  alpha->move    = work[n++];
  alpha->z       = work[n++];
  alpha->shifted = work[n++];
  alpha->rate    = work[n++];
  alpha->given   = work[n++];
  alpha->e[0]    = work[n++];
  if (alpha->facts.traits->order == 2) alpha->e[1] = work[n++];
  if (alpha->facts.traits->conserved) {
    alpha->load      = work[n++];
    alpha->shifted_m = work[n++];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view_alpha(RungStepper stepper, PetscViewer viewer)
{
  RungAlpha              *alpha    = RungStepperGetData(stepper);
  char                    beta[64] = "";
  const RungAlphaWeights *w;
  PetscInt                order;

  PetscFunctionBegin;
  PetscCall(renew(stepper));
  order = alpha->facts.ready ? alpha->facts.traits->order : 2;
  w     = &alpha->weights[order];
  if (order == 2) (void)snprintf(beta, sizeof beta, ", beta = %g", (double)w->beta);
  PetscCall(PetscViewerASCIIPrintf(viewer, "%s form, rho_inf = %g, alpha_m = %g, alpha_f = %g, gamma = %g%s\n",
                                   alpha->blended ? "blended" : "endpoint", (double)alpha->rho, (double)w->m,
                                   (double)w->f, (double)w->gamma, beta));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const RungMethodOption options[] = {
  {"-stepper_rho_inf", "alpha, bathe: spectral radius at infinite frequency, 0 to 1"},
  {"-stepper_beta", "newmark, newmark_acceleration: beta"},
  {"-stepper_gamma", "newmark, newmark_acceleration: gamma"},
  {"-stepper_alpha_form", "alpha: the residual vanishes at the endpoint, or blended"},
  {NULL, NULL}};

static const RungMethodSynonym synonyms[] = {
  {"chung_hulbert", NULL, " alpha alpha2 generalizedalpha generalisedalpha genalpha galpha jwh jansenwhitinghulbert "},
  {"hht", NULL, " hhtalpha hilberhughestaylor "},
  {"wbz", NULL, " wbzalpha bossak bossaknewmark woodbossakzienkiewicz "},
  {"newmark", NULL, " newmarkbeta averageacceleration constantaverageacceleration "},
  {"newmark", "newmark with -stepper_beta 0.16666666666666667", " linearacceleration "},
  {NULL, NULL, NULL}};

const RungStepperOps RungAlphaOps = {.methods  = alpha_methods,
                                     .options  = options,
                                     .synonyms = synonyms,
                                     .size     = sizeof(RungAlpha),
                                     .read     = read_alpha,
                                     .plan     = plan_alpha,
                                     .setup    = set_up_alpha,
                                     .attempt  = RungAlphaAttempt,
                                     .view     = view_alpha};
