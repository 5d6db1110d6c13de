/* wave_dealii.cc CASE COUNT STEPS DT - the twin of wave.c in deal.II 9.4: the stiffness by FEEvaluation over all cells,
   the mass on the nodes, v at half steps; prints `CASE seconds-per-step unknowns lanes norm`, of the least CPU time;
   norm is that of u behind all steps. */
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/matrix_free/fe_evaluation.h>

#include "matfree_dealii.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

using namespace dealii;

using Values = LinearAlgebra::distributed::Vector<double>;

static double cpu_seconds()
{
  timespec now;

  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void stiffness(const MatrixFree<3, double> &cells, Values &y, const Values &x,
                      const std::pair<unsigned, unsigned> &range)
{
  FEEvaluation<3, 2, 3, 1, double> u(cells);

  for (unsigned cell = range.first; cell < range.second; ++cell) {
    u.reinit(cell);
    u.gather_evaluate(x, EvaluationFlags::gradients);
    for (unsigned q = 0; q < u.n_q_points; ++q) u.submit_gradient(u.get_gradient(q), q);
    u.integrate_scatter(EvaluationFlags::gradients, y);
  }
}

/* As write_bent() of bent.h. */
static Point<3> bend(const Point<3> &x)
{
  const double s = 3 * x[0] + 2 * x[1] - x[2] + 4 * x[0] * x[1] * x[2];
  Point<3>     y = x;

  for (unsigned a = 0; a < 3; ++a) y[a] += 0.03 * std::sin(s + a);
  return y;
}

static void set_wave(const DoFHandler<3> &dofs, Values &x)
{
  std::vector<Point<3>> place(dofs.n_dofs());

  DoFTools::map_dofs_to_support_points(MappingQ1<3>(), dofs, place);
  for (unsigned i = 0; i < place.size(); ++i)
    x.local_element(i) = std::sin(3 * place[i][0] + 2 * place[i][1] - place[i][2]);
}

/* -1/m */
static void set_inverse(const DoFHandler<3> &dofs, Values &inverse)
{
  const MappingQ1<3> mapping; /* which FEValues points to */
  FEValues<3>        nodes(mapping, dofs.get_fe(), QGaussLobatto<3>(3), update_JxW_values | update_values);
  std::vector<types::global_dof_index> dof(dofs.get_fe().n_dofs_per_cell());

  inverse = 0;
  for (const auto &cell : dofs.active_cell_iterators()) {
    nodes.reinit(cell);
    cell->get_dof_indices(dof);
    for (unsigned i = 0; i < dof.size(); ++i)
      for (unsigned q = 0; q < nodes.n_quadrature_points; ++q)
        inverse.local_element(dof[i]) += nodes.shape_value(i, q) * nodes.JxW(q);
  }
  for (unsigned i = 0; i < dofs.n_dofs(); ++i) inverse.local_element(i) = -1 / inverse.local_element(i);
}

int main(int argc, char **argv)
{
  if (argc != 5) {
    std::fprintf(stderr, "usage: %s case count steps dt\n", argv[0]);
    return 2;
  }
  Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);
  const int                        steps = std::atoi(argv[3]);
  const double                     dt    = std::atof(argv[4]);
  Triangulation<3>                 mesh;
  FE_Q<3>                          element(2);
  DoFHandler<3>                    dofs(mesh);
  MatrixFree<3, double>            cells;
  Values                           u, v, a, inverse;
  double                           least = 1e30;
  const auto                       rate  = [&]() {
    cells.cell_loop(std::function<void(const MatrixFree<3, double> &, Values &, const Values &,
                                       const std::pair<unsigned, unsigned> &)>(stiffness),
                                           a, u, true);
    a.scale(inverse);
  };

  GridGenerator::subdivided_hyper_cube(mesh, (unsigned)std::atoi(argv[2]));
  if (std::strstr(argv[1], "deformed")) GridTools::transform(bend, mesh);
  dofs.distribute_dofs(element);
  set_up(dofs, 3, cells);
  for (Values *x : {&u, &v, &a, &inverse}) initialize(cells, *x);
  set_inverse(dofs, inverse);
  for (int repeat = 0; repeat < 3; ++repeat) {
    set_wave(dofs, u);
    rate();
    v.equ(dt / 2, a);
    const double start = cpu_seconds();
    for (int i = 0; i < steps; ++i) {
      u.add(dt, v);
      rate();
      v.add(dt, a);
    }
    least = std::min(least, (cpu_seconds() - start) / steps);
  }
  std::printf("%s %.6g %u %u %.15g\n", argv[1], least, (unsigned)dofs.n_dofs(),
              (unsigned)VectorizedArray<double>::size(), u.l2_norm());
  return 0;
}
