/* norm.c - integrals and norms of expressions over cells. */
#include "sample_impl.h"

typedef enum { SUM, SQUARES, MOST } Kind;

/* One pass over the cells of a part.  Out: value[component] integrals, or value[0] the integral of |e|^2, or the greatest
   |component| at the points. */
static PetscErrorCode pass(RungSampler s, PetscReal t, const Vec u[], const char part[], PetscInt degree, Kind kind,
                           PetscReal value[])
{
  const PetscInt        n = s->tape.outputs, wanted = kind == SUM ? n : 1;
  const RungQuadrature *rule;
  const RungPlaces     *cells;
  RungSampleTables      tables;
  PetscScalar          *e;
  PetscReal            *mine;

  PetscFunctionBegin;
  PetscCall(RungMeshGetPlaces(s->mesh, RUNG_CELLS, part, &cells));
  PetscCall(RungQuadratureGet(s->data->type, s->quadrature >= 0 ? s->quadrature : degree, &rule));
  PetscCall(RungSamplerBegin(s, t, u));
  PetscCall(RungSampleTablesCreate(s, rule->points, rule->x, &tables));
  PetscCall(PetscMalloc1(rule->points * n, &e));
  PetscCall(PetscCalloc1(wanted, &mine));
  for (PetscInt i = 0; i < cells->count; ++i) {
    RungSamplerRun(s, cells->cell[0][i], &tables, e);
    for (PetscInt q = 0; q < rule->points; ++q) {
      RungSamplePlace place;
      PetscReal       weight;

      RungSamplerPlace(s, cells->cell[0][i], &tables, q, &place);
      weight = rule->weight[q] * PetscAbsReal(place.det);
      for (PetscInt a = 0; a < n; ++a) {
        const PetscReal v = PetscRealPart(e[q * n + a]);

        if (kind == SUM) mine[a] += weight * v;
        if (kind == SQUARES) mine[0] += weight * v * v;
        if (kind == MOST) mine[0] = v != v ? v : PetscMax(mine[0], PetscAbsReal(v));
      }
    }
  }
  PetscCall(RungSamplerEnd(s, u));
  PetscCallMPI(MPI_Allreduce(mine, value, (PetscMPIInt)wanted, MPIU_REAL, kind == MOST ? MPIU_MAX : MPIU_SUM, s->comm));
  PetscCall(PetscFree(mine));
  PetscCall(PetscFree(e));
  PetscCall(RungSampleTablesDestroy(&tables));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungSamplerIntegrate(RungSampler s, PetscReal t, const Vec u[], const char part[], PetscInt degree,
                                    PetscReal values[])
{
  PetscFunctionBegin;
  RungNeed(s);
  PetscCall(pass(s, t, u, part, degree, SUM, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungExprNorm(RungExpr expr, RungMesh mesh, RungLayout layout, PetscReal t, const Vec u[],
                            const char part[], RungNormType type, PetscInt degree, PetscReal *value)
{
  RungSampler s;
  PetscReal   square[2] = {0, 0};

  PetscFunctionBegin;
  RungNeed(value);
  PetscCheck(type == RUNG_NORM_L2 || type == RUNG_NORM_H1 || type == RUNG_NORM_H1_SEMI || type == RUNG_NORM_MAX,
             RungMeshComm(mesh), PETSC_ERR_ARG_OUTOFRANGE,
             "a norm of type %d, wanted RUNG_NORM_L2, RUNG_NORM_H1, RUNG_NORM_H1_SEMI or RUNG_NORM_MAX", (int)type);
  if (type != RUNG_NORM_H1_SEMI) {
    const PetscBool most = (PetscBool)(type == RUNG_NORM_MAX);

    PetscCall(RungSamplerCreate(expr, mesh, layout, &s));
    RungCallFinally(pass(s, t, u, part, degree, most ? MOST : SQUARES, most ? value : &square[0]),
                    PetscCall(RungSamplerDestroy(&s)));
    if (most) PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (type != RUNG_NORM_L2) {
    PetscCall(RungSamplerCreate(RungGrad(expr), mesh, layout, &s));
    RungCallFinally(pass(s, t, u, part, degree, SQUARES, &square[1]), PetscCall(RungSamplerDestroy(&s)));
  }
  *value = PetscSqrtReal(square[0] + square[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}
