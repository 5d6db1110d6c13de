/* matfree_dealii.cc CASE COUNT - the twin of matfree.c in deal.II 9.4: Laplace + mass by FEEvaluation over all cells;
   CASE = dealii_qK_cartesian or dealii_qK_deformed; prints `CASE dofs-per-second dofs`, of the least CPU time.

   Debian's library has no SIMD: config.h is a copy with the width of this machine's vectors (bench/CMakeLists.txt), and
   the templates of MatrixFree are instantiated here. */
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/matrix_free/evaluation_template_factory.templates.h>
#include <deal.II/matrix_free/fe_evaluation.h>
#include <deal.II/matrix_free/mapping_info.templates.h>
#include <deal.II/matrix_free/matrix_free.templates.h>
#include <deal.II/matrix_free/shape_info.templates.h>

/* These files of templates share one include guard with the first. */
#undef dealii_matrix_free_evaluation_template_factory_templates_h
#include <deal.II/matrix_free/evaluation_template_face_factory.templates.h>
#include <deal.II/matrix_free/evaluation_template_factory_hanging_nodes.templates.h>

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

static Point<3> bend(const Point<3> &x)
{
  Point<3> y = x;

  for (unsigned a = 0; a < 3; ++a) y[a] += 0.03 * std::sin(3 * x[0] + 2 * x[1] - x[2] + a);
  return y;
}

template <int k> static void measure(const char *name, unsigned count, bool deformed)
{
  Triangulation<3>                               mesh;
  FE_Q<3>                                        element(k);
  DoFHandler<3>                                  dofs(mesh);
  AffineConstraints<double>                      none;
  MatrixFree<3, double>                          cells;
  typename MatrixFree<3, double>::AdditionalData data;
  Values                                         x, y;
  double                                         least = 1e30;

  GridGenerator::subdivided_hyper_cube(mesh, count);
  if (deformed) GridTools::transform(bend, mesh);
  dofs.distribute_dofs(element);
  none.close();
  data.tasks_parallel_scheme = MatrixFree<3, double>::AdditionalData::none;
  data.mapping_update_flags  = update_gradients | update_JxW_values;
  cells.reinit(MappingQ1<3>(), dofs, none, QGauss<1>(k + 1), data);
  cells.initialize_dof_vector(x);
  cells.initialize_dof_vector(y);
  for (unsigned i = 0; i < x.locally_owned_size(); ++i) x.local_element(i) = std::sin(0.01 * i);
  for (int i = 0; i < 20; ++i) {
    const double start = cpu_seconds();

    cells.cell_loop(std::function<void(const MatrixFree<3, double> &, Values &, const Values &,
                                       const std::pair<unsigned, unsigned> &)>(apply<k>),
                    y, x, true);
    least = std::min(least, cpu_seconds() - start);
  }
  std::printf("%s %.6g %u %u\n", name, dofs.n_dofs() / least, (unsigned)dofs.n_dofs(),
              (unsigned)VectorizedArray<double>::size());
}

int main(int argc, char **argv)
{
  if (argc != 3 || std::strlen(argv[1]) < 9) {
    std::fprintf(stderr, "usage: %s case count\n", argv[0]);
    return 2;
  }
  const int                        degree   = argv[1][8] - '0';
  const unsigned                   count    = (unsigned)std::atoi(argv[2]);
  const bool                       deformed = std::strstr(argv[1], "deformed") != nullptr;
  Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);

  switch (degree) {
  case 2: measure<2>(argv[1], count, deformed); break;
  case 3: measure<3>(argv[1], count, deformed); break;
  case 4: measure<4>(argv[1], count, deformed); break;
  case 6: measure<6>(argv[1], count, deformed); break;
  default: return 2;
  }
  return 0;
}
