/* control.c - the size of a step from its error, and the error of a step.

   With e the error (accepted up to 1), k its order in h and safety .9, the first step uses h' = .9 h e^(-1/k), later ones
   the digital filter H211b with b = 4 (Soderlind, Digital filters in adaptive time-stepping, ACM TOMS 29, 2003)

       rho_n = (s/e_n)^(1/(b k)) (s/e_n-1)^(1/(b k)) rho_n-1^(-1/b),    s = .9^k,

   limited by 1 + atan(rho - 1).  After a rejection or a failed solve the memory is gone and the next step does not grow.
   A step that is rejected again has shown the order k' that errors fall with there,

       k' = log(e/e')/log(h/h'),    h' = .9 h e^(-1/k'),    1 <= k' <= k

   (Gustafsson, ACM TOMS 17, 1991, 4); where that is below 1, where stability may bound the steps,
   and from the third time on, a quarter is taken.

   Two rejections with one accepted step between them begin a fall: with e_n = phi_n h_n^k and the growth of phi
   from the step before going on,

       h' = .9 h_n e_n^(-1/k) (phi_n-1/phi_n)^(1/k),    at least h_n/2,

   is taken while it is the shorter one (Gustafsson, ACM TOMS 20, 1994, 5; Hairer and Wanner take it in every step, IV.8).
   Without, every second attempt is refused on the way to a fast change (beside 181 steps of Van der Pol,
   mu = 1000, 1e-4, 80 instead of 10; beside 788 of dopri54 for an orbit of eccentricity 0.9, 225 instead of 20).

   Where matrices are kept, changes within a deadband are left away, in both directions, and others are made at once, by the
   law of the first step (growth times .9, for a size that is to last): the filter would make them in many small ones.  Beside an
   explicit part a constant implicit one has the filter, whose wishes to grow are left away up to the deadband: steps that stay where
   errors are near 1 would be refused as soon as what is explicit moves faster.

   Where stability bounds the steps of explicit methods that filter swings, and one step in six is refused.  With k <= 5 these
   take the law of dopri5,

       .9 e_n^(-.85/k) e_n-1^(.2/k),    e_n-1 that of the last accepted step, at least 1e-4

   (Hairer and Wanner, Solving Ordinary Differential Equations II, 1996, IV.2).  Beyond, where steps are few and long, errors
   follow tolerances better by the filter: by .9 e_n^(-1/k) of its authors one of dop853 was 150 times the tolerance. */
#include "step_impl.h"

#define SAFETY 0.9
#define TINY   1e-10 /* smaller errors teach nothing more */
#define SMALL  1e-4  /* nor do those of the step before in explicit methods */
#define MEMORY 0.2   /* of explicit methods: the power of the error before, times the order */
#define HIGH   5     /* their highest order of errors with it */
#define LEAST  0.5   /* of a step, by what is foreseen */
#define WATCH  2     /* accepted steps until a rejection is forgotten */
#define FALL   3     /* two rejections before that */
#define GROWTH 10    /* of values in a step, as far as their size is believed */

void RungControlStart(RungControl *control, PetscReal h, PetscReal exponent, PetscReal growth, PetscReal deadband,
                      PetscBool unstable)
{
  control->h        = h;
  control->error    = -1;
  control->ratio    = 1;
  control->refused  = 0;
  control->missed   = -1;
  control->tried    = 0;
  control->steep    = 0;
  control->falling  = 0;
  control->order    = 0;
  control->exponent = exponent;
  control->growth   = growth;
  control->deadband = control->shrink = deadband;
  control->unstable                   = unstable && exponent <= HIGH ? PETSC_TRUE : PETSC_FALSE;
  control->why                        = "the first step";
}

PetscReal RungControlElementary(const RungControl *control, PetscReal error)
{
  const PetscReal power = control->unstable ? 1 - 0.75 * MEMORY : 1;

  return SAFETY * PetscPowReal(PetscMax(error, TINY), -power / control->exponent);
}

static PetscReal filter(const RungControl *control, PetscReal error)
{
  const PetscReal b = 4, target = PetscPowReal(SAFETY, control->exponent), power = 1 / (b * control->exponent);
  const PetscReal e1 = PetscMax(error, TINY), e0 = PetscMax(control->error, TINY);
  const PetscReal rho = PetscPowReal(target * target / (e1 * e0), power) * PetscPowReal(control->ratio, -1 / b);

  return 1 + atan(rho - 1);
}

/* The wanted change, within its limits. */
static PetscReal choose_by_errors(RungControl *control, PetscReal error, PetscBool calm)
{
  const PetscReal most   = calm ? control->growth : 1;
  const PetscBool smooth = control->error >= 0 && (control->deadband == 0 || control->shrink < control->deadband)
                             ? PETSC_TRUE
                             : PETSC_FALSE;
  PetscReal       ratio;

  control->why = smooth ? "as the last two errors ask" : "as this error asks";
  ratio        = RungControlElementary(control, error);
  if (smooth && control->unstable)
    ratio *= PetscPowReal(PetscMax(control->error, SMALL), MEMORY / control->exponent);
  else if (smooth)
    ratio = filter(control, error);
  if (ratio > most) control->why = calm ? "the largest growth" : "no growth after a refusal";
  ratio = PetscMin(PetscMax(ratio, 0.1), most);
  if (ratio >= 1 - control->shrink && ratio <= 1 + control->deadband && ratio != 1) {
    control->why = "kept, so little is to be changed";
    return 1;
  }
  return control->deadband > 0 && ratio > 1 ? SAFETY * ratio : ratio; /* a size that is to last */
}

/* The same, shorter where a rejection has begun a fall that goes on. */
static PetscReal choose_ratio(RungControl *control, PetscReal h, PetscReal error, PetscBool calm)
{
  const PetscReal ratio = choose_by_errors(control, error, calm);
  const PetscReal steep = PetscPowReal(PetscMax(error, TINY), 1 / control->exponent) / h;
  const PetscReal ahead = RungControlElementary(control, error) * control->steep / steep;

  if (control->falling == FALL && !(control->steep > 0 && ahead < ratio)) control->falling = 0;
  if (control->falling && control->falling < FALL) --control->falling;
  control->steep = steep;
  if (control->falling < FALL || ahead >= 1 - control->shrink) return ratio;
  control->why = "as errors go on to grow behind a refusal";
  return PetscMax(ahead, PetscMin(ratio, LEAST));
}

/* A step that was cut short tells how much longer one may be, never that the size before it was too large. */
static void learn_from_cut(RungControl *control, PetscReal h, PetscReal error, PetscBool calm)
{
  const PetscReal longer = h * PetscMin(calm ? control->growth : 1, RungControlElementary(control, error));

  control->why = "kept, this step was cut short";
  if (longer <= control->h) return;
  control->h   = longer;
  control->why = "the error of a step that was cut short allows it";
}

void RungControlAccept(RungControl *control, PetscReal h, PetscReal error, PetscBool truncated)
{
  const PetscBool calm = control->refused ? PETSC_FALSE : PETSC_TRUE;

  control->refused = 0;
  if (error < 0) return;
  if (truncated) {
    learn_from_cut(control, h, error, calm);
    return;
  }
  control->ratio = choose_ratio(control, h, error, calm);
  control->h     = control->ratio == 1 ? h : h * control->ratio;
  control->error = error;
}

/* A second rejection: by the order that the two errors show. */
static PetscReal choose_again(const RungControl *control, PetscReal h, PetscReal error)
{
  const PetscReal order = control->missed > error && control->tried > h
                            ? PetscLogReal(control->missed / error) / PetscLogReal(control->tried / h)
                            : 0;

  if (control->refused > 1 || control->unstable || control->missed < 0 || order < 1) return 0.25;
  return PetscMax(0.25, SAFETY * PetscPowReal(error, -1 / PetscMin(order, control->exponent)));
}

void RungControlReject(RungControl *control, PetscReal h, PetscReal error)
{
  const PetscBool first  = control->refused ? PETSC_FALSE : PETSC_TRUE;
  const PetscReal most   = control->refused ? choose_again(control, h, error) : SAFETY;
  const PetscReal wanted = RungControlElementary(control, error);

  control->why = wanted <= 0.1 ? "a tenth, not less at once" : wanted < most ? "as this error asks" : "refused again";
  ++control->refused;
  control->tried  = h;
  control->missed = error;
  control->h      = h * PetscMin(PetscMax(wanted, 0.1), most);
  control->ratio  = 1;
  if (!control->unstable) control->error = -1;
  control->falling = first && control->falling ? FALL : PetscMax(control->falling, WATCH);
}

void RungControlFail(RungControl *control, PetscReal h)
{
  ++control->refused;
  control->missed = -1;
  control->h      = h / 4;
  control->error  = -1;
  control->ratio  = 1;
  control->why    = "a quarter";
}

void RungControlFollow(RungControl *control, PetscReal h, PetscReal ratio, PetscReal error, PetscBool truncated)
{
  control->refused = 0;
  control->why     = "as the method asks";
  if (truncated && h * ratio <= control->h) return;
  control->h     = h * ratio;
  control->ratio = ratio;
  control->error = error;
  control->steep = 0;
}

void RungControlBound(RungControl *control, PetscReal h)
{
  if (control->h <= h) return;
  control->h   = h;
  control->why = "as long as the method is stable";
}

/* ---- the error ---------------------------------------------------------------------------------------------------- */

/* The entries whose errors are tested: free ones with a rate, and without where the method has an estimate of these. */
static PetscErrorCode find_mask(RungStepper stepper, Vec *mask)
{
  PetscFunctionBegin;
  PetscCall(RungSystemGetErrorMask(stepper->sys, mask));
  if (!stepper->plan.algebraic || !stepper->algebraic) PetscFunctionReturn(PETSC_SUCCESS);
  if (!stepper->free) {
    PetscCall(VecDuplicate(*mask, &stepper->free));
    PetscCall(VecSet(stepper->free, 1));
    PetscCall(RungSystemZeroDirichlet(stepper->sys, stepper->free));
  }
  *mask = stepper->free;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperMeasure(RungStepper stepper, const Vec e[2], const Vec d[2], const RungState *from,
                                  const RungState *to, PetscReal *norm)
{
  RungNeedArgument(from);
  RungNeedArgument(to);
  RungNeed(stepper);
  RungMeasured measured = {.h = to->t - from->t};

  PetscFunctionBegin;
  RungNeedArgument(norm);
  PetscCheck(
    stepper->adaptive, stepper->comm, PETSC_ERR_ORDER,
    "RungStepperMeasure of %s method \"%s\" in a run without tolerances; ask for RungStepperFacts.adaptive before",
    stepper->type, stepper->method[stepper->chosen]);
  PetscCheck(e && e[0], stepper->comm, PETSC_ERR_ARG_NULL,
             "RungStepperMeasure of %s method \"%s\" without an error of u, e[0]", stepper->type,
             stepper->method[stepper->chosen]);
  measured.error[0] = e[0];
  measured.error[1] = e[1];
  PetscCall(find_mask(stepper, &measured.mask));
  for (PetscInt k = 0; k < PetscMin(2, stepper->traits.order); ++k) {
    measured.from[k] = from->u[k];
    measured.to[k]   = to->u[k];
    if (d) measured.defect[k] = d[k];
    measured.rate[k] = from->u[k + 1];
  }
  measured.stable = stepper->plan.solves && stepper->plan.limit >= 0 && stepper->plan.limit <= 1 ? PETSC_TRUE
                                                                                                 : PETSC_FALSE;
  /* explicit stages and linear solves may lead anywhere, and equations without a rate have more than one solution */
  measured.rated = stepper->plan.solves > 0 && !stepper->plan.linear && !(stepper->plan.can & RUNG_CAN_SPLIT)
                     ? PETSC_TRUE
                     : PETSC_FALSE;
  if (!measured.rated || stepper->algebraic) measured.growth = GROWTH;
  if (from->late) {
    PetscBool want;

    PetscCall(RungWeightsWantRates(stepper->weights, &measured, &want));
    if (want) PetscCall(RungTransientSystemFindLate(stepper->ts));
  }
  PetscCall(RungWeightsMeasure(stepper->weights, &measured, norm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperSize(RungStepper stepper, const Vec x[2], PetscReal *size)
{
  PetscFunctionBegin;
  RungNeed(stepper);
  RungNeedArgument(x);
  RungNeedArgument(size);
  PetscCheck(
    stepper->adaptive, stepper->comm, PETSC_ERR_ORDER,
    "RungStepperSize of %s method \"%s\" in a run without tolerances; ask for RungStepperFacts.adaptive before",
    stepper->type, stepper->method[stepper->chosen]);
  PetscCall(RungWeightsSize(stepper->weights, x, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}
