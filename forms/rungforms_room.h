/* rungforms_room.h - what the rooms above need of forms besides what programs do: parts of residuals and Jacobians, expressions
   evaluated at points and in cells.  Not installed, not exported. */
#pragma once

#include <rungfe_room.h>
#include <rungforms.h>

typedef struct _p_RungSwitches  *RungSwitches;  /* times where decisions of t alone change             */
typedef struct _p_RungPointwise *RungPointwise; /* an expression of x and t, evaluated at points     */
typedef struct _p_RungSampler   *RungSampler;   /* an expression of anything, evaluated in cells      */

/* ---- scope: names, and all nodes made of them ----------------------------------------------------------------- */

/* RungScopeTell - adds a line for each constant and each definition, for ranks to compare; TellConstants: of constants alone.  Not
   collective. */
RUNG_INTERN PetscErrorCode RungScopeTell(RungScope scope, RungDraft *said);
RUNG_INTERN PetscErrorCode RungScopeTellConstants(RungScope scope, RungDraft *said);
/* RungScopeReadsField - is the field one of the scope, or the rate of one in a text that was read? */
RUNG_INTERN PetscErrorCode RungScopeReadsField(RungScope scope, RungField field, PetscBool *reads);

/* RungScopeGetTable - table i of the texts that were read, from 0: its file as it was written, lent, and a sum over the bytes of
   its numbers in hexadecimal digits.  Not collective.  False behind the last one */
RUNG_INTERN PetscBool RungScopeGetTable(RungScope scope, PetscInt i, const char **path, char sum[17]);

/* RungOperatorGet - row i of the table of operators, from 0: its name, what it is in one line, an example; all lent for ever.
   Not collective.  False behind the last row */
RUNG_INTERN PetscBool RungOperatorGet(PetscInt i, const char **name, const char **doc, const char **example);

/* ---- questions to expressions; all raise the error that the expression carries ---------------------------------- */

/* RungExprConstantRates - how many dt() are around a constant of an expression, at most: 0 outside of all, -1 where it does not hold it.
   Not collective. */
RUNG_INTERN PetscErrorCode RungExprConstantRates(RungExpr a, const char name[], PetscInt *rates);

/* RungExprSplitConserved - of a residual, the terms dt(q)*v with q nonlinear in the unknowns, and factors free of unknowns,
   fields and t, kept whole:
       residual = rest + d/dt conserved,   conserved = the same terms with q in place of dt(q).
   Out  rest, conserved  RUNG_NO_EXPR where there is nothing */
RUNG_INTERN PetscErrorCode RungExprSplitConserved(RungExpr residual, RungExpr *rest, RungExpr *conserved);

/* RungExprSplitExplicit - of a residual: whole, as it is without the word explicit; the terms outside of it; those inside.
   Out  whole, outside, inside  RUNG_NO_EXPR where there is nothing
   RungExprCheckExplicit - PETSC_ERR_USER_INPUT, with the place and the reason `why`, where a term inside of explicit() has the test
   function of unknown f. */
RUNG_INTERN PetscErrorCode RungExprSplitExplicit(RungExpr residual, RungExpr *whole, RungExpr *outside,
                                                 RungExpr *inside);
RUNG_INTERN PetscErrorCode RungExprCheckExplicit(RungExpr residual, PetscInt f, const char why[]);

/* RungExprKeepTests - of a residual, the terms whose test function is that of an unknown f with keep[f].
   Out  kept  RUNG_NO_EXPR where there is nothing */
RUNG_INTERN PetscErrorCode RungExprKeepTests(RungExpr residual, const PetscBool keep[], RungExpr *kept);

/* ---- forms ---------------------------------------------------------------------------------------------------- */

/* RungFormCheckOptions - the same options and errors before there is a form: all are known, and those that are wrong are
   refused, before anything is made of them.  Collective. */
RUNG_INTERN PetscErrorCode RungFormCheckOptions(MPI_Comm comm);
/* RungFormsSetUp - RungFormSetUp() without Jacobians for n forms of one communicator, back end and options, whose kernels go to the
   compiler together: to start it takes longer than to compile a small kernel.  In the background each form by itself.  Collective. */
RUNG_INTERN PetscErrorCode RungFormsSetUp(PetscInt n, const RungForm form[]);
/* RungFormSplitJacobian - from now on RungFormSetUp() makes what RungFormAssembleConstant() and RungFormAssembleVarying() need,
   not what RungFormAssembleMat() does, which then is made by its first use.  Before the form is set up; not collective.
   In  fields  entries with a field are in the part that varies
   RungFormCountValues - how many values places add to a matrix in one assembly, on all ranks, and those of the part that
   would vary: what a split saves.  Collective. */
RUNG_INTERN PetscErrorCode RungFormSplitJacobian(RungForm form, PetscBool fields);
RUNG_INTERN PetscErrorCode RungFormCountValues(RungForm form, PetscBool fields, PetscReal *all, PetscReal *varying);
/* RungFormGetDataState - a number that another value of any constant or, if asked for, field of the form's scope changes:
   what was computed from them before is stale then.  Collective. */
RUNG_INTERN PetscErrorCode RungFormGetDataState(RungForm form, PetscBool fields, PetscInt64 *state);
/* RungFormGetMatrixState - the same of constants that dF/du may hold: another load leaves it as it is. */
RUNG_INTERN PetscErrorCode RungFormGetMatrixState(RungForm form, PetscBool fields, PetscInt64 *state);

/* RungFormAssembleConstant, RungFormAssembleVarying - the Jacobian in two parts: K of what depends neither on t nor on an
   unknown, the same for all states while constants and fields stay;  J = sum_k c[k] K[k] and the rest of it, see
   RungLayoutInsertBeginFrom(), which cells of a part or a boundary alone may have.
   RungFormAddWeighted - adds diag(weight) dG/du of a form G of order 0 to an open J, weight[f] of the rows of unknown f.
   Collective.  In  also, weight  added to J like that; NULL: nothing is */
RUNG_INTERN PetscErrorCode RungFormAssembleConstant(RungForm form, const PetscReal sigma[], Mat K);
RUNG_INTERN PetscErrorCode RungFormAssembleVarying(RungForm form, PetscReal t, const Vec u[], const PetscReal sigma[],
                                                   PetscInt n, const PetscReal c[], const Mat K[], RungForm also,
                                                   const PetscReal weight[], Mat J);
RUNG_INTERN PetscErrorCode RungFormAddWeighted(RungForm G, PetscReal t, const Vec u[], const PetscReal weight[], Mat J);
/* RungFormAddMat - what AssembleMat does between RungLayoutInsertBegin() and InsertEnd(), which are the caller's: several
   forms may be added into one J.  fn, if any, sees the dense blocks of `count` cells before they are inserted and may change
   them; block[i * stride_i + j * stride_j + l] of cell[l], i, j < cell_dofs.  cell is NULL for interior facets, whose blocks
   have twice as many rows, side 0 first.
   Collective.  In  J  open, or NULL: blocks are shown to fn and inserted nowhere
   Errors  PETSC_ERR_ORDER  J is not open */
typedef PetscErrorCode     RungBlocksFn(PetscInt count, const PetscInt cell[], PetscScalar block[], PetscInt stride_i,
                                        PetscInt stride_j, void *ctx);
RUNG_INTERN PetscErrorCode RungFormAddMat(RungForm form, PetscReal t, const Vec u[], const PetscReal sigma[], Mat J,
                                          RungBlocksFn *fn, void *ctx);
/* RungFormShowSome - shows fn, as above, one of `every` cells and facets: the same ones whenever it is asked.  Collective.
   In  every  the same on all ranks; 1: all are shown */
RUNG_INTERN PetscErrorCode RungFormShowSome(RungForm form, PetscReal t, const Vec u[], const PetscReal sigma[],
                                            PetscInt every, RungBlocksFn *fn, void *ctx);
/* RungFormShowBlocks - the dense blocks of AssembleMat at cells and interior facets that have a marked dof; batches without
   one are not computed.  Collective.
   In  marked[local dof] of the layout
       fn  sees block[i * stride_i + j * stride_j], i, j < n, of the local dofs dof[n]; of an interior facet the dofs of side 0,
           then of side 1 */
typedef PetscErrorCode     RungBlockFn(PetscInt n, const PetscInt dof[], const PetscScalar block[], PetscInt stride_i,
                                       PetscInt stride_j, void *ctx);
RUNG_INTERN PetscErrorCode RungFormShowBlocks(RungForm form, PetscReal t, const Vec u[], const PetscReal sigma[],
                                              const PetscBool marked[], RungBlockFn *fn, void *ctx);

/* RungFormAssembleRate - dF/dt while unknowns and their rates stay, by the quadrature rules of F: of t itself, of tables, and
   of fields by their rates; a field without a rate stays, too.  Collective.  In  t, u  as of RungFormAssembleVec(). */
RUNG_INTERN PetscErrorCode RungFormAssembleRate(RungForm form, PetscReal t, const Vec u[], Vec r);

/* RungFormUnseen - what the vector does not see of its unknowns, as its kernels' inputs tell; nothing is evaluated.  Collective: sets
   the vector up.
   Out  vanishes            it is 0 where all unknowns and their rates are, but where coefficients are not finite
        values[k][unknown]  it reads values of the k-th rate: else constants do nothing, as derivatives in space are read alone */
RUNG_INTERN PetscErrorCode RungFormUnseen(RungForm form, PetscBool *vanishes, PetscBool values[]);
/* RungFormHoldsSlope - does its text hold a derivative in space, grad, div or curl, of unknown f?  Not collective. */
RUNG_INTERN PetscErrorCode RungFormHoldsSlope(RungForm form, PetscInt f, PetscBool *yes);

/* RungFormMarkRated - marks the local dofs of the layout whose rates the form holds, as far as its text and its parts tell: the
   columns of the others in dF/du' and dF/du'' are zero whatever constants, fields and unknowns are.  Places of this rank only:
   a dof is marked where one of them sees it.  Collective.
   In/Out  mark[local dof]  those not found stay */
RUNG_INTERN PetscErrorCode RungFormMarkRated(RungForm form, PetscBool mark[]);

/* RungFormFindReduced - reduced integration: do the quadrature rules of the integrals over cells that a text, an option or values at
   points (Quad) have chosen leave the block dF/du_f^(k) of a cell at a lower rank than exact rules?  Blocks of values alone below the order of
   the unknown are not asked, nor blocks that interior facets have a part in.  Collective.
   Out  message  what is not seen, and the least degree that sees it; "" where nothing is missing.  The same on all ranks, as is size */
RUNG_INTERN PetscErrorCode RungFormFindReduced(RungForm form, PetscInt f, PetscInt k, char message[], size_t size);

/* RungFormClock - how long the kernels alone take: those of the first batch of places run again and again, with their data
   in the cache; nothing is gathered or scattered.  Collective.
   In   t, u     as above; sigma: of the Jacobian, NULL: of the vector or number
        repeats  runs of each kernel, 1 or more
   Out  seconds  CPU time of this process for one place, summed over the form's integrals; 0 on a rank without places */
RUNG_INTERN PetscErrorCode RungFormClock(RungForm form, PetscReal t, const Vec u[], const PetscReal sigma[],
                                         PetscInt repeats, PetscReal *seconds);

/* RungFormFindNonFinite - why a result is not finite: form, cell (its centre), rank, and the innermost expression that has no
   finite value there (of a Jacobian: or no finite derivative) with its operands, unless the unknowns themselves are not
   finite.  Evaluates the form again; for messages, not for hot paths.  Collective.
   In   t, u    as above; sigma: of the Jacobian, NULL: of the vector or number
   Out  message the same on all ranks, "" if everything is finite; size, the same on all ranks, of the array */
RUNG_INTERN PetscErrorCode RungFormFindNonFinite(RungForm form, PetscReal t, const Vec u[], const PetscReal sigma[],
                                                 char message[], size_t size);

/* ---- data: expressions of x, t and constants at points (initial values, Dirichlet data, exact solutions) ---------- */

/* `dt` of the expression is exact: create it of RungDt(expr). */
RUNG_INTERN PetscErrorCode RungPointwiseCreate(RungExpr expr, RungPointwise *function);
/* Not collective.  x[point][dim], out[point][component]; components = product of the expression's shape */
RUNG_INTERN PetscErrorCode RungPointwiseEvaluate(RungPointwise function, PetscReal t, PetscInt points,
                                                 const PetscReal x[], PetscScalar out[]);
/* RungPointwiseRounding - how far rounding may have taken the values at each of the points: every input and every result on the
   way is moved by a unit in its last place, up or down, a few times over, and the values are compared; coordinates by a
   unit of the largest of them.  |value| below this says no more than 0.  (M. Pichat, J. Vignes: CESTAC, 1974.)
   Where a condition of if() is at its switch the values on both sides are compared.  Not collective.
   Out  error[point]  the largest over components */
RUNG_INTERN PetscErrorCode RungPointwiseRounding(RungPointwise function, PetscReal t, PetscInt points,
                                                 const PetscReal x[], PetscReal error[]);
RUNG_INTERN PetscErrorCode RungPointwiseIsTimeDependent(RungPointwise function, PetscBool *flag);
RUNG_INTERN PetscErrorCode RungPointwiseIsPlaceDependent(RungPointwise function, PetscBool *flag); /* holds x */
RUNG_INTERN PetscErrorCode RungPointwiseDestroy(RungPointwise *function);

/* RungDensityCreate - the density q(u, x, t) of conserved terms dt(q)*v (RungExprSplitConserved), times their factors, where it
   depends on the unknown u alone, which has one component, and is in no other term; density NULL: it is not so.
   RungDensityEvaluate - not collective.  In  u[point];  out[point][3]  q, dq/du, dq/dt at fixed u */
RUNG_INTERN PetscErrorCode RungDensityCreate(RungExpr conserved, PetscInt unknown, RungPointwise *density);
RUNG_INTERN PetscErrorCode RungDensityEvaluate(RungPointwise density, PetscReal t, PetscInt points, const PetscReal x[],
                                               const PetscScalar u[], PetscScalar out[]);

/* ---- switches: times where a decision of t alone changes (t < 5, a row of a table, the sign in abs(t - 5)) ----------- */

/* RungSwitchesCreate - without decisions, in whose scope the hidden constants of a step are.  Not collective. */
RUNG_INTERN PetscErrorCode RungSwitchesCreate(RungScope scope, RungSwitches *switches);
RUNG_INTERN PetscErrorCode RungSwitchesDestroy(RungSwitches *switches);
/* RungSwitchesTake - adds the decisions of an expression, which becomes one whose decisions are those of the step of
   RungScopeSetStep(), and as they are written while no step is set. */
RUNG_INTERN PetscErrorCode RungSwitchesTake(RungSwitches switches, RungExpr *expr);
RUNG_INTERN PetscErrorCode RungSwitchesGetCount(RungSwitches switches, PetscInt *n); /* of decisions */
/* RungSwitchesNext - the first switch in (t0, t1), t1 where there is none.  Decisions are looked at at 64 times of the
   interval: what comes and goes between two of them is not seen.  Not collective, the same on all ranks. */
RUNG_INTERN PetscErrorCode RungSwitchesNext(RungSwitches switches, PetscReal t0, PetscReal t1, PetscReal *t);
/* Is there a decision that is another one at t1 than at t0? */
RUNG_INTERN PetscErrorCode RungSwitchesDiffer(RungSwitches switches, PetscReal t0, PetscReal t1, PetscBool *differ);
/* RungScopeSetStep - decisions of what RungSwitchesTake() made are those of from <= t <= to: before it those of from, after it
   those of to.  -PETSC_MAX_REAL, PETSC_MAX_REAL, as at first: all as they are written.  No kernel is compiled again. */
RUNG_INTERN PetscErrorCode RungScopeSetStep(RungScope scope, PetscReal from, PetscReal to);

/* ---- expressions of unknowns and fields at points of cells ---------------------------------------------------------- */

/* RungSamplerCreate - an expression of unknowns, fields, their derivatives in space and time, x, t, h and values of parts,
   without an integral around it.  Collective.
   In   mesh    where it is evaluated, that of its unknowns and fields; referenced
        layout  of the scope's unknowns; NULL where the expression holds none
   Errors  PETSC_ERR_ARG_WRONG   n, facet_area, test functions: they have no value inside of cells
           PETSC_ERR_ARG_INCOMP  a function on another mesh */
RUNG_INTERN PetscErrorCode RungSamplerCreate(RungExpr expr, RungMesh mesh, RungLayout layout, RungSampler *sampler);
RUNG_INTERN PetscErrorCode RungSamplerDestroy(RungSampler *sampler);
/* RungSamplerGetRule - q where the expression reads values of a space Quad(q), else -1.  Not collective. */
RUNG_INTERN PetscErrorCode RungSamplerGetRule(RungSampler sampler, PetscInt *degree);
/* RungSamplerProbe - values at points, u[k] as in RungFormIntegrate (NULL without unknowns).  Collective.
   Out  values[point of this rank][component]
   Errors  PETSC_ERR_SUP  a space Quad(q) is read */
RUNG_INTERN PetscErrorCode RungSamplerProbe(RungSampler sampler, PetscReal t, const Vec u[], RungProbes probes,
                                            PetscScalar values[]);
/* RungSamplerIntegrate - values[component], integrals over a part of the cells (NULL: all) by a rule of this degree (of
   Quad(q) where the expression reads one).  Collective. */
RUNG_INTERN PetscErrorCode RungSamplerIntegrate(RungSampler sampler, PetscReal t, const Vec u[], const char part[],
                                                PetscInt degree, PetscReal values[]);
/* RungFieldInterpolate - the expression at the field's nodes (at its points, Quad), in the cells of a part (NULL: all);
   nodes elsewhere keep their values.  Where it jumps between cells a shared node takes the mean.  Collective.
   Errors  PETSC_ERR_ARG_INCOMP  another mesh or number of components;  PETSC_ERR_SUP  Quad(q) values at other points */
RUNG_INTERN PetscErrorCode RungFieldInterpolate(RungField field, RungSampler sampler, PetscReal t, const Vec u[],
                                                const char part[]);
/* RungFieldProject - the field nearest to the expression in L2, by a mass solve (options -project_ksp_..).
   Collective.
   In   degree  of quadrature; -1: 2 k + 2 for a space of degree k, more in curved cells; of Quad(q) where one is read
   Errors  PETSC_ERR_ARG_INCOMP  as above;  PETSC_ERR_NOT_CONVERGED */
RUNG_INTERN PetscErrorCode RungFieldProject(RungField field, RungSampler sampler, PetscReal t, const Vec u[],
                                            PetscInt degree);
/* RungExprNorm - over a part of the cells: sqrt int |e|^2, sqrt int |grad e|^2, the root of both, or the greatest |e_i| at
   the points of the rule; every component counts.  Collective.  In  degree of quadrature */
RUNG_INTERN PetscErrorCode RungExprNorm(RungExpr expr, RungMesh mesh, RungLayout layout, PetscReal t, const Vec u[],
                                        const char part[], RungNormType type, PetscInt degree, PetscReal *value);
