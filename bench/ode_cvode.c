/* ode_cvode.c - the twin of ode.c: CVODE (libsundials-dev) with its own dense or banded factors. */
#include "ode.h"
#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <time.h>

#define INNER (ODE_CELLS - 1)

/* ---- Robertson, Van der Pol ---------------------------------------------------------------------------------------- */

static int robertson(realtype t, N_Vector u, N_Vector r, void *ctx)
{
  const double *c = (const double *)ctx, *y = NV_DATA_S(u);
  const double  slow = c[0] * 0.04 * y[0], back = c[1] * 1e4 * y[1] * y[2], fast = c[2] * 3e7 * y[1] * y[1];
  double       *f = NV_DATA_S(r);

  (void)t;
  f[0] = back - slow;
  f[1] = slow - back - fast;
  f[2] = fast;
  return 0;
}

static int robertson_jacobian(realtype t, N_Vector u, N_Vector r, SUNMatrix J, void *ctx, N_Vector a, N_Vector b,
                              N_Vector d)
{
  const double *c = (const double *)ctx, *y = NV_DATA_S(u);

  (void)t, (void)r, (void)a, (void)b, (void)d;
  SM_ELEMENT_D(J, 0, 0) = -c[0] * 0.04;
  SM_ELEMENT_D(J, 0, 1) = c[1] * 1e4 * y[2];
  SM_ELEMENT_D(J, 0, 2) = c[1] * 1e4 * y[1];
  SM_ELEMENT_D(J, 2, 1) = c[2] * 6e7 * y[1];
  SM_ELEMENT_D(J, 1, 0) = -SM_ELEMENT_D(J, 0, 0);
  SM_ELEMENT_D(J, 1, 1) = -SM_ELEMENT_D(J, 0, 1) - SM_ELEMENT_D(J, 2, 1);
  SM_ELEMENT_D(J, 1, 2) = -SM_ELEMENT_D(J, 0, 2);
  return 0;
}

static int van_der_pol(realtype t, N_Vector u, N_Vector r, void *ctx)
{
  const double *y = NV_DATA_S(u);

  (void)t, (void)ctx;
  NV_Ith_S(r, 0) = y[1];
  NV_Ith_S(r, 1) = ODE_STIFFNESS * (1 - y[0] * y[0]) * y[1] - y[0];
  return 0;
}

static int van_der_pol_jacobian(realtype t, N_Vector u, N_Vector r, SUNMatrix J, void *ctx, N_Vector a, N_Vector b,
                                N_Vector d)
{
  const double *y = NV_DATA_S(u);

  (void)t, (void)r, (void)ctx, (void)a, (void)b, (void)d;
  SM_ELEMENT_D(J, 0, 1) = 1;
  SM_ELEMENT_D(J, 1, 0) = -2 * ODE_STIFFNESS * y[0] * y[1] - 1;
  SM_ELEMENT_D(J, 1, 1) = ODE_STIFFNESS * (1 - y[0] * y[0]);
  return 0;
}

/* ---- twelve species (ode.c has the reactions) ---------------------------------------------------------------------- */

static int kinetics(realtype t, N_Vector u, N_Vector r, void *ctx)
{
  const double *c = (const double *)ctx, *y = NV_DATA_S(u), a = c[0], b = c[1], d = c[2];
  const double  r1 = a * 1e3 * y[0] * y[1], r2 = b * 2 * y[2], r3 = d * 1e5 * y[3] * y[4], r4 = a * 10 * y[5];
  const double  r5 = b * 5e2 * y[5] * y[5], r6 = d * 0.1 * y[6], r7 = a * 3e3 * y[7] * y[0], r8 = b * 1e2 * y[8];
  const double  r9 = d * 1e4 * y[9] * y[4], r10 = a * y[10], r11 = b * 2e2 * y[10] * y[7], r12 = d * 0.01 * y[11];
  double       *f = NV_DATA_S(r);

  (void)t;
  f[0]  = r2 + r12 - r1 - r7;
  f[1]  = r5 + r12 - r1;
  f[2]  = r1 + r11 - r2;
  f[3]  = r1 + r4 + r8 - r3;
  f[4]  = r2 + r4 + r10 - r3 - r9;
  f[5]  = r3 - r4 - 2 * r5;
  f[6]  = r5 - r6;
  f[7]  = r6 - r7 - r11;
  f[8]  = r7 - r8;
  f[9]  = r8 + r10 - r9;
  f[10] = r9 - r10 - r11;
  f[11] = r11 - r12;
  return 0;
}

/* d(rate)/d(y_of) in the rows of what the reaction takes and makes; -1: none */
static inline void add(SUNMatrix J, int of, double slope, int take, int take2, int make, int make2)
{
  double *column = SM_COLUMN_D(J, of);

  column[take] -= slope;
  if (take2 >= 0) column[take2] -= slope;
  column[make] += slope;
  if (make2 >= 0) column[make2] += slope;
}

static int kinetics_jacobian(realtype t, N_Vector u, N_Vector r, SUNMatrix J, void *ctx, N_Vector v, N_Vector w,
                             N_Vector x)
{
  const double *c = (const double *)ctx, *y = NV_DATA_S(u), a = c[0], b = c[1], d = c[2];

  (void)t, (void)r, (void)v, (void)w, (void)x;
  add(J, 0, a * 1e3 * y[1], 0, 1, 2, 3);
  add(J, 1, a * 1e3 * y[0], 0, 1, 2, 3);
  add(J, 2, b * 2, 2, -1, 0, 4);
  add(J, 3, d * 1e5 * y[4], 3, 4, 5, -1);
  add(J, 4, d * 1e5 * y[3], 3, 4, 5, -1);
  add(J, 5, a * 10, 5, -1, 3, 4);
  add(J, 5, b * 1e3 * y[5], 5, 5, 6, 1);
  add(J, 6, d * 0.1, 6, -1, 7, -1);
  add(J, 7, a * 3e3 * y[0], 7, 0, 8, -1);
  add(J, 0, a * 3e3 * y[7], 7, 0, 8, -1);
  add(J, 8, b * 1e2, 8, -1, 9, 3);
  add(J, 9, d * 1e4 * y[4], 9, 4, 10, -1);
  add(J, 4, d * 1e4 * y[9], 9, 4, 10, -1);
  add(J, 10, a, 10, -1, 9, 4);
  add(J, 10, b * 2e2 * y[7], 10, 7, 11, 2);
  add(J, 7, b * 2e2 * y[10], 10, 7, 11, 2);
  add(J, 11, d * 0.01, 11, -1, 0, 1);
  return 0;
}

/* ---- Brusselator: u = y[2 i], v = y[2 i + 1] between ends with u = 1, v = 3 ---------------------------------------- */

static int brusselator(realtype t, N_Vector z, N_Vector r, void *ctx)
{
  const double *y = NV_DATA_S(z), k = (double)ODE_DIFFUSION * ODE_CELLS * ODE_CELLS;
  double       *f = NV_DATA_S(r);

  (void)t, (void)ctx;
  for (int i = 0; i < INNER; ++i) {
    const double u = y[2 * i], v = y[2 * i + 1];
    const double ul = i ? y[2 * i - 2] : 1, vl = i ? y[2 * i - 1] : 3;
    const double ur = i < INNER - 1 ? y[2 * i + 2] : 1, vr = i < INNER - 1 ? y[2 * i + 3] : 3;

    f[2 * i]     = 1 + u * u * v - 4 * u + k * (ul - 2 * u + ur);
    f[2 * i + 1] = 3 * u - u * u * v + k * (vl - 2 * v + vr);
  }
  return 0;
}

static int brusselator_jacobian(realtype t, N_Vector z, N_Vector r, SUNMatrix J, void *ctx, N_Vector a, N_Vector b,
                                N_Vector d)
{
  const double *y = NV_DATA_S(z), k = (double)ODE_DIFFUSION * ODE_CELLS * ODE_CELLS;

  (void)t, (void)r, (void)ctx, (void)a, (void)b, (void)d;
  for (int i = 0; i < INNER; ++i) {
    const double u = y[2 * i], v = y[2 * i + 1];

    SM_ELEMENT_B(J, 2 * i, 2 * i)         = 2 * u * v - 4 - 2 * k;
    SM_ELEMENT_B(J, 2 * i, 2 * i + 1)     = u * u;
    SM_ELEMENT_B(J, 2 * i + 1, 2 * i)     = 3 - 2 * u * v;
    SM_ELEMENT_B(J, 2 * i + 1, 2 * i + 1) = -u * u - 2 * k;
    for (int j = 0; j < 2 && i < INNER - 1; ++j) {
      SM_ELEMENT_B(J, 2 * i + j, 2 * i + 2 + j) = k;
      SM_ELEMENT_B(J, 2 * i + 2 + j, 2 * i + j) = k;
    }
  }
  return 0;
}

/* ---- the run -------------------------------------------------------------------------------------------------------- */

static const struct {
  int       n;
  CVRhsFn   f;
  CVLsJacFn jacobian;
} model[] = {{3, robertson, robertson_jacobian},
             {2, van_der_pol, van_der_pol_jacobian},
             {12, kinetics, kinetics_jacobian},
             {2 * INNER, brusselator, brusselator_jacobian}};

static void start(OdeKind kind, double y[])
{
  memset(y, 0, (size_t)model[kind].n * sizeof *y);
  y[0] = kind == ODE_VAN_DER_POL ? 2 : 1;
  if (kind == ODE_KINETICS) y[1] = 0.7;
  for (int i = 0; i < INNER && kind == ODE_BRUSSELATOR; ++i) {
    y[2 * i]     = 1 + sin(2 * M_PI * (i + 1) / ODE_CELLS);
    y[2 * i + 1] = 3;
  }
}

static double now(void)
{
  struct timespec clock;

  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &clock);
  return (double)clock.tv_sec + 1e-9 * (double)clock.tv_nsec;
}

int ode_cvode(OdeKind kind, double end, double rtol, double atol, const double factor[3], double y[], double *seconds)
{
  const int       n      = model[kind].n;
  const int       banded = kind == ODE_BRUSSELATOR;
  double          own[3] = {factor[0], factor[1], factor[2]};
  realtype        t      = 0;
  SUNContext      context;
  N_Vector        u;
  SUNMatrix       J;
  SUNLinearSolver solver;
  void           *cvode;
  int             status;

  (void)SUNContext_Create(NULL, &context);
  u      = N_VMake_Serial(n, y, context);
  J      = banded ? SUNBandMatrix(n, 2, 2, context) : SUNDenseMatrix(n, n, context);
  solver = banded ? SUNLinSol_Band(u, J, context) : SUNLinSol_Dense(u, J, context);
  cvode  = CVodeCreate(CV_BDF, context);
  start(kind, y);
  (void)CVodeInit(cvode, model[kind].f, 0, u);
  (void)CVodeSStolerances(cvode, rtol, atol);
  (void)CVodeSetLinearSolver(cvode, solver, J);
  (void)CVodeSetJacFn(cvode, model[kind].jacobian);
  (void)CVodeSetUserData(cvode, own);
  (void)CVodeSetMaxNumSteps(cvode, 1000000);
  (void)CVodeSetStopTime(cvode, end);
  *seconds = now();
  status   = CVode(cvode, end, u, &t, CV_NORMAL);
  *seconds = now() - *seconds;
  CVodeFree(&cvode);
  (void)SUNLinSolFree(solver);
  SUNMatDestroy(J);
  N_VDestroy(u);
  (void)SUNContext_Free(&context);
  return status >= 0 ? n : 0;
}
