/* bathe.c - Bathe's method and its form with a chosen spectral radius rho at infinite frequency, as stages of dirk.c.

   A step is a trapezoidal one to t_n + gamma h and one from both to t_n + h,

       v_g = v_n + gamma h (a_n + a_g)/2,      v_n+1 = v_n + h (q_0 a_n + q_1 a_g + q_2 a_n+1),      and u from v by the same weights,

       gamma = (2 - sqrt(2 + 2 rho))/(1 - rho),   1/2 for rho = 1,     q_1 = (rho + 1)/(2 gamma (rho - 1) + 4),
       q_2 = 1/2 - gamma q_1,   q_0 = 1 - q_1 - q_2.

   These are the stages of the tableau  c = (0, gamma, 1), A = (0; gamma/2, gamma/2; q_0, q_1, q_2), b = its last row,  and with this gamma
   q_2 = gamma/2: both solves have one matrix, so A has the same number twice.  bathe is rho = 0, gamma = 2 - sqrt(2), the
   method that is known as TR-BDF2 for systems of order 1.

   Embedded weights of order 3: since all stages have stage order 2, those of the quadrature rule at 0, gamma, 1. */
#include "dirk_impl.h"

enum { BATHE, RHO_BATHE };
static const char *const methods[] = {"bathe", "rho_bathe", NULL};

typedef struct {
  RungDirk    dirk; /* the first member: functions of dirk.c see no more */
  PetscReal   rho;
  PetscBool   given; /* rho was asked for */
  PetscReal   c[3], a[6], b[3], bhat[3];
  RungTableau own;
} Bathe;

static void set_tableau(Bathe *it, PetscReal rho)
{
  const PetscReal gamma = rho == 1 ? 0.5 : (2 - PetscSqrtReal(2 + 2 * rho)) / (1 - rho);
  const PetscReal q = (rho + 1) / (2 * gamma * (rho - 1) + 4), inner = 1 / (6 * gamma * (1 - gamma));
  const PetscReal c[] = {0, gamma, 1}, b[] = {1 - q - gamma / 2, q, gamma / 2};

  for (int i = 0; i < 3; ++i) {
    it->c[i]     = c[i];
    it->b[i]     = b[i];
    it->a[3 + i] = b[i];
  }
  it->a[0]    = 0;
  it->a[1]    = gamma / 2;
  it->a[2]    = gamma / 2;
  it->bhat[1] = inner;
  it->bhat[2] = 0.5 - gamma * inner;
  it->bhat[0] = 1 - it->bhat[1] - it->bhat[2];
  it->own     = (RungTableau){.name             = "bathe",
                              .key              = "bathe",
                              .stages           = 3,
                              .order            = 2,
                              .embedded         = 3,
                              .stage_order      = 2,
                              .limit            = rho,
                              .embedded_limit   = PETSC_INFINITY,
                              .stiffly_accurate = PETSC_TRUE,
                              .c                = it->c,
                              .a                = it->a,
                              .b                = it->b,
                              .bhat             = it->bhat};
}

static PetscErrorCode plan_bathe(RungStepper stepper, const RungTraits *traits, RungMethodPlan *plan)
{
  Bathe           *it = RungStepperGetData(stepper);
  RungStepperFacts facts;

  PetscFunctionBegin;
  PetscCall(RungStepperGetFacts(stepper, &facts));
  if (!it->given) it->rho = facts.method == BATHE ? 0 : 0.5;
  set_tableau(it, it->rho);
  PetscCall(RungDirkPlan(stepper, &it->own, traits, plan));
  plan->citation = facts.method == BATHE ? "Bathe and Baig, Comput. Struct. 83, 2005"
                                         : "Noh and Bathe, Comput. Struct. 212, 2019; order 3 estimate: as TR-BDF2's";
  if (plan->limit >= 0.5)
    plan->caution =
      "hardly damps what is stiff: errors there may be far larger than the estimate, or steps may get ever "
      "smaller; take a smaller -stepper_rho_inf";
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_bathe(RungStepper stepper)
{
  Bathe           *it  = RungStepperGetData(stepper);
  PetscReal        rho = it->given ? it->rho : 0.5;
  PetscBool        has_rho, has_method;
  RungStepperFacts facts;

  PetscFunctionBegin;
  PetscCall(RungStepperGetFacts(stepper, &facts));
  PetscCall(RungStepperReadReal(stepper, "-stepper_rho_inf", "0 to 1", &rho, &has_rho));
  if (!has_rho) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsHasName(NULL, NULL, "-stepper_method", &has_method));
  PetscCheck(!has_method || facts.method == RHO_BATHE, facts.comm, PETSC_ERR_ARG_INCOMP,
             "-stepper_rho_inf is that of method rho_bathe, \"%s\" has 0; leave it or -stepper_method away",
             methods[facts.method]);
  PetscCall(RungStepperSetMethod(stepper, methods[RHO_BATHE]));
  it->rho   = rho;
  it->given = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode view_bathe(RungStepper stepper, PetscViewer viewer)
{
  Bathe         *it   = RungStepperGetData(stepper);
  RungMethodPlan plan = {0};

  PetscFunctionBegin;
  PetscCall(plan_bathe(stepper, NULL, &plan));
  PetscCall(PetscViewerASCIIPrintf(viewer, "rho_inf = %g, first part of a step gamma = %g\n", (double)it->rho,
                                   (double)it->c[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const RungMethodOption options[] = {
  {"-stepper_rho_inf", "alpha, bathe: spectral radius at infinite frequency, 0 to 1"}, {NULL, NULL}};

static const RungMethodSynonym synonyms[] = {{"rho_bathe", NULL, " rhobathe bathewithcontrollablespectralradius "},
                                             {NULL, NULL, NULL}};

const RungStepperOps RungBatheOps = {.methods  = methods,
                                     .options  = options,
                                     .synonyms = synonyms,
                                     .size     = sizeof(Bathe),
                                     .read     = read_bathe,
                                     .plan     = plan_bathe,
                                     .setup    = RungDirkSetUp,
                                     .attempt  = RungDirkAttempt,
                                     .accepted = RungDirkAccepted,
                                     .between  = RungDirkBetween,
                                     .view     = view_bathe,
                                     .reset    = RungDirkReset};
