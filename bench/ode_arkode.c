/* ode_arkode.c - the twin of ode.c where nothing is stiff: ARKODE (libsundials-dev), Dormand and Prince's method of
   orders 5 and 4. */
#include "ode.h"
#include <arkode/arkode_erkstep.h>
#include <nvector/nvector_serial.h>
#include <time.h>

static int lorenz(realtype t, N_Vector u, N_Vector r, void *ctx)
{
  const double *c = (const double *)ctx, *y = NV_DATA_S(u);
  double       *f = NV_DATA_S(r);

  (void)t;
  f[0] = c[0] * 10 * (y[1] - y[0]);
  f[1] = y[0] * (c[1] * 28 - y[2]) - y[1];
  f[2] = y[0] * y[1] - c[2] * 8 / 3 * y[2];
  return 0;
}

static double now(void)
{
  struct timespec clock;

  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &clock);
  return (double)clock.tv_sec + 1e-9 * (double)clock.tv_nsec;
}

int ode_arkode(double end, double rtol, double atol, const double factor[3], double y[], double *seconds)
{
  double     own[3] = {factor[0], factor[1], factor[2]};
  realtype   t      = 0;
  SUNContext context;
  N_Vector   u;
  void      *arkode;
  int        status;

  (void)SUNContext_Create(NULL, &context);
  u    = N_VMake_Serial(3, y, context);
  y[0] = y[1] = y[2] = 1;
  arkode             = ERKStepCreate(lorenz, 0, u, context);
  (void)ERKStepSStolerances(arkode, rtol, atol);
  (void)ERKStepSetTableNum(arkode, ARKODE_DORMAND_PRINCE_7_4_5);
  (void)ERKStepSetUserData(arkode, own);
  (void)ERKStepSetMaxNumSteps(arkode, 1000000);
  (void)ERKStepSetStopTime(arkode, end);
  *seconds = now();
  status   = ERKStepEvolve(arkode, end, u, &t, ARK_NORMAL);
  *seconds = now() - *seconds;
  ERKStepFree(&arkode);
  N_VDestroy(u);
  (void)SUNContext_Free(&context);
  return status >= 0 ? 3 : 0;
}
