/* solve_dealii.cc CASE COUNT - the twin of solve.c in deal.II 9.4: CG with geometric multigrid, everything by FEEvaluation, levels in
   double or in float; CASE = dealii_{q1,q2,q4}_{step,poisson}_{double,float}, COUNT cells on a line.

   Prints `CASE solve all unknowns iterations lanes`: CPU seconds of the least of three solves; of all from the mesh to the first
   solution.  Smoother and coarsest level are those of deal.II's step-37 (Chebyshev of degree 5 on (1/15, 1) of the largest
   eigenvalue, Chebyshev to 1e-3), with the iteration fused with the product (operations before and after ranges of cells).  The
   transfer is that of Debian's library, without SIMD.  step: 15 M + K, u = 0 on one side; poisson: K, u = 0 on the boundary. */
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/lac/diagonal_matrix.h>
#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/lac/precondition.h>
#include <deal.II/lac/solver_cg.h>
#include <deal.II/matrix_free/fe_evaluation.h>
#include <deal.II/matrix_free/tools.h>
#include <deal.II/multigrid/mg_coarse.h>
#include <deal.II/multigrid/mg_constrained_dofs.h>
#include <deal.II/multigrid/mg_matrix.h>
#include <deal.II/multigrid/mg_smoother.h>
#include <deal.II/multigrid/mg_transfer_matrix_free.h>
#include <deal.II/multigrid/multigrid.h>
#include <deal.II/numerics/vector_tools.h>

#include "solve_dealii.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

using namespace dealii;

template <typename Number> using Values = LinearAlgebra::distributed::Vector<Number>;

static double cpu_seconds()
{
  timespec now;

  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* mass M + K on a level; rows of fixed entries are those of the identity. */
template <int k, typename Number> class Operator : public Subscriptor
{
public:
  using value_type = Number;
  using Range      = std::pair<unsigned, unsigned>;
  using Hook       = std::function<void(const unsigned, const unsigned)>;

  void reinit(const DoFHandler<3> &dofs, const AffineConstraints<double> &fixed, unsigned level, double mass_)
  {
    mass = (Number)mass_;
    size = level == numbers::invalid_unsigned_int ? dofs.n_dofs() : dofs.n_dofs(level);
    set_up(dofs, fixed, k + 1, level, cells);
  }

  types::global_dof_index m() const
  {
    return size;
  }
  Number el(unsigned, unsigned) const
  {
    return 0;
  }
  void initialize_dof_vector(Values<Number> &x) const
  {
    cells.initialize_dof_vector(x);
  }

  void vmult(Values<Number> &y, const Values<Number> &x) const
  {
    cells.cell_loop(&Operator::apply, this, y, x, true);
    for (const unsigned i : cells.get_constrained_dofs()) y.local_element(i) = x.local_element(i);
  }
  void Tvmult(Values<Number> &y, const Values<Number> &x) const
  {
    vmult(y, x);
  }

  void vmult(Values<Number> &y, const Values<Number> &x, const Hook &before, const Hook &after) const
  {
    const std::vector<unsigned> &fixed = cells.get_constrained_dofs();

    cells.cell_loop(&Operator::apply, this, y, x, before, [&](const unsigned from, const unsigned to) {
      for (auto i = std::lower_bound(fixed.begin(), fixed.end(), from); i != fixed.end() && *i < to; ++i)
        y.local_element(*i) = x.local_element(*i);
      after(from, to);
    });
  }

  void inverse_diagonal(Values<Number> &d) const
  {
    cells.initialize_dof_vector(d);
    MatrixFreeTools::compute_diagonal<3, k, k + 1, 1, Number>(
      cells, d, std::function<void(FEEvaluation<3, k, k + 1, 1, Number> &)>([this](auto &u) { evaluate(u); }));
    for (const unsigned i : cells.get_constrained_dofs()) d.local_element(i) = 1;
    for (unsigned i = 0; i < d.locally_owned_size(); ++i) d.local_element(i) = 1 / d.local_element(i);
  }

private:
  MatrixFree<3, Number>   cells;
  Number                  mass = 0;
  types::global_dof_index size = 0;

  void evaluate(FEEvaluation<3, k, k + 1, 1, Number> &u) const
  {
    const auto flags = mass > 0 ? EvaluationFlags::values | EvaluationFlags::gradients : EvaluationFlags::gradients;

    u.evaluate(flags);
    at_points(u);
    u.integrate(flags);
  }

  void at_points(FEEvaluation<3, k, k + 1, 1, Number> &u) const
  {
    for (unsigned q = 0; q < u.n_q_points; ++q) {
      if (mass > 0) u.submit_value(mass * u.get_value(q), q);
      u.submit_gradient(u.get_gradient(q), q);
    }
  }

  void apply(const MatrixFree<3, Number> &, Values<Number> &y, const Values<Number> &x, const Range &range) const
  {
    const auto flags = mass > 0 ? EvaluationFlags::values | EvaluationFlags::gradients : EvaluationFlags::gradients;
    FEEvaluation<3, k, k + 1, 1, Number> u(cells);

    for (unsigned cell = range.first; cell < range.second; ++cell) {
      u.reinit(cell);
      u.gather_evaluate(x, flags);
      at_points(u);
      u.integrate_scatter(flags, y);
    }
  }
};

/* As set_all_frequencies() of solve.c. */
static void set_all_frequencies(const AffineConstraints<double> &fixed, Values<double> &b)
{
  for (unsigned i = 0; i < b.size(); ++i)
    b.local_element(i) = fixed.is_constrained(i) ? 0 : (double)(i * 2654435761u >> 16) / 65536 - 0.4;
}

template <int k, typename Level> static void measure(const char *name, unsigned count)
{
  using Smoothers = PreconditionChebyshev<Operator<k, Level>, Values<Level>, DiagonalMatrix<Values<Level>>>;

  const bool                         step  = std::strstr(name, "step");
  const std::set<types::boundary_id> sides = step ? std::set<types::boundary_id>{0}
                                                  : std::set<types::boundary_id>{0, 1, 2, 3, 4, 5};
  const double                       start = cpu_seconds(), mass = step ? 15 : 0;
  unsigned                           coarse = count, levels = 1;

  for (; coarse % 2 == 0; coarse /= 2) ++levels;
  Triangulation<3> mesh(Triangulation<3>::limit_level_difference_at_vertices);
  GridGenerator::subdivided_hyper_rectangle(mesh, {coarse, coarse, coarse}, Point<3>(), Point<3>(1, 1, 1), true);
  mesh.refine_global(levels - 1);
  FE_Q<3>       element(k);
  DoFHandler<3> dofs(mesh);
  dofs.distribute_dofs(element);
  dofs.distribute_mg_dofs();

  AffineConstraints<double> fixed;
  for (const auto side : sides) DoFTools::make_zero_boundary_constraints(dofs, side, fixed);
  fixed.close();
  Operator<k, double> A;
  A.reinit(dofs, fixed, numbers::invalid_unsigned_int, mass);

  MGConstrainedDoFs constrained;
  constrained.initialize(dofs);
  constrained.make_zero_boundary_constraints(dofs, sides);
  MGLevelObject<Operator<k, Level>>                 on(0, levels - 1);
  MGLevelObject<typename Smoothers::AdditionalData> data(0, levels - 1);
  for (unsigned l = 0; l < levels; ++l) {
    AffineConstraints<double> none;
    Values<Level>             d;

    none.add_lines(constrained.get_boundary_indices(l));
    none.close();
    on[l].reinit(dofs, none, l, mass);
    data[l].smoothing_range     = l ? 15 : 1e-3;
    data[l].degree              = l ? 5 : numbers::invalid_unsigned_int;
    data[l].eig_cg_n_iterations = l ? 10 : (unsigned)on[0].m();
    data[l].preconditioner      = std::make_shared<DiagonalMatrix<Values<Level>>>();
    on[l].inverse_diagonal(data[l].preconditioner->get_vector());
  }
  MGTransferMatrixFree<3, Level> transfer(constrained);
  transfer.build(dofs);
  MGSmootherPrecondition<Operator<k, Level>, Smoothers, Values<Level>> smoother;
  smoother.initialize(on, data);
  MGCoarseGridApplySmoother<Values<Level>> coarsest;
  coarsest.initialize(smoother);
  mg::Matrix<Values<Level>> matrices(on);
  Multigrid<Values<Level>>  multigrid(matrices, coarsest, transfer, smoother, smoother);
  PreconditionMG<3, Values<Level>, MGTransferMatrixFree<3, Level>> precondition(dofs, multigrid, transfer);

  Values<double> x, b;
  A.initialize_dof_vector(x);
  A.initialize_dof_vector(b);
  set_all_frequencies(fixed, b);
  double   least = 1e30, all = 0;
  unsigned iterations = 0;
  for (int again = 0; again < 3; ++again) {
    const double             from = cpu_seconds();
    SolverControl            control(100, 1e-8 * b.l2_norm());
    SolverCG<Values<double>> cg(control);

    x = 0;
    cg.solve(A, x, b, precondition);
    least      = std::min(least, cpu_seconds() - from);
    all        = again ? all : cpu_seconds() - start;
    iterations = control.last_step();
  }
  std::printf("%s %.6g %.6g %u %u %u\n", name, least, all, (unsigned)dofs.n_dofs(), iterations,
              (unsigned)VectorizedArray<Level>::size());
}

int main(int argc, char **argv)
{
  if (argc != 3 || std::strlen(argv[1]) < 9) {
    std::fprintf(stderr, "usage: %s case count\n", argv[0]);
    return 2;
  }
  const bool                       single = std::strstr(argv[1], "float");
  const unsigned                   count  = (unsigned)std::atoi(argv[2]);
  Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);

  switch (argv[1][8]) {
  case '1': single ? measure<1, float>(argv[1], count) : measure<1, double>(argv[1], count); break;
  case '2': single ? measure<2, float>(argv[1], count) : measure<2, double>(argv[1], count); break;
  case '4': single ? measure<4, float>(argv[1], count) : measure<4, double>(argv[1], count); break;
  default: return 2;
  }
  return 0;
}
