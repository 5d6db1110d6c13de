/* matfree_dealii.cc CASE COUNT - the twin of matfree.c in deal.II 9.4: Laplace + mass by FEEvaluation over all cells;
   CASE = dealii_qK_cartesian, _deformed or _repeating; prints `CASE dofs-per-second dofs lanes norm`, of the least CPU
   time; norm is that of y = J x, x the nodal values of sin(3 x + 2 y - z).

   Debian's library has no SIMD: config.h is a copy with the width of this machine's vectors (bench/CMakeLists.txt). */
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_q.h>
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

template <int k>
static void apply(const MatrixFree<3, double> &cells, Values &y, const Values &x,
                  const std::pair<unsigned, unsigned> &range)
{
  FEEvaluation<3, k, k + 1, 1, double> u(cells);

  for (unsigned cell = range.first; cell < range.second; ++cell) {
    u.reinit(cell);
    u.gather_evaluate(x, EvaluationFlags::values | EvaluationFlags::gradients);
    for (unsigned q = 0; q < u.n_q_points; ++q) {
      u.submit_value(u.get_value(q), q);
      u.submit_gradient(u.get_gradient(q), q);
    }
    u.integrate_scatter(EvaluationFlags::values | EvaluationFlags::gradients, y);
  }
}

/* As write_bent() of bent.h. */
static Point<3> bend(const Point<3> &x, bool repeating)
{
  const double s = 3 * x[0] + 2 * x[1] - x[2] + (repeating ? 0 : 4 * x[0] * x[1] * x[2]);
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

template <int k> static void measure(const char *name, unsigned count)
{
  const bool            repeating = std::strstr(name, "repeating"), bent = repeating || std::strstr(name, "deformed");
  Triangulation<3>      mesh;
  FE_Q<3>               element(k);
  DoFHandler<3>         dofs(mesh);
  MatrixFree<3, double> cells;
  Values                x, y;
  double                least = 1e30;

  GridGenerator::subdivided_hyper_cube(mesh, count);
  if (bent) GridTools::transform([=](const Point<3> &at) { return bend(at, repeating); }, mesh);
  dofs.distribute_dofs(element);
  set_up(dofs, k + 1, cells);
  initialize(cells, x);
  initialize(cells, y);
  set_wave(dofs, x);
  for (int i = 0; i < 20; ++i) {
    const double start = cpu_seconds();

    cells.cell_loop(std::function<void(const MatrixFree<3, double> &, Values &, const Values &,
                                       const std::pair<unsigned, unsigned> &)>(apply<k>),
                    y, x, true);
    least = std::min(least, cpu_seconds() - start);
  }
  std::printf("%s %.6g %u %u %.15g\n", name, dofs.n_dofs() / least, (unsigned)dofs.n_dofs(),
              (unsigned)VectorizedArray<double>::size(), y.l2_norm());
}

int main(int argc, char **argv)
{
  if (argc != 3 || std::strlen(argv[1]) < 9) {
    std::fprintf(stderr, "usage: %s case count\n", argv[0]);
    return 2;
  }
  const int                        degree = argv[1][8] - '0';
  const unsigned                   count  = (unsigned)std::atoi(argv[2]);
  Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);

  switch (degree) {
  case 2: measure<2>(argv[1], count); break;
  case 3: measure<3>(argv[1], count); break;
  case 4: measure<4>(argv[1], count); break;
  case 6: measure<6>(argv[1], count); break;
  default: return 2;
  }
  return 0;
}
