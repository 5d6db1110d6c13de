/* assembly_dealii.cc CASE COUNT - the twin of assembly.c in deal.II 9.4: the usual loop with FEValues into a SparseMatrix;
   prints `CASE ns-per-cell`, least CPU time of several repeats. */
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/lac/dynamic_sparsity_pattern.h>
#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/sparse_matrix.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

using namespace dealii;

static double cpu_seconds()
{
  timespec now;

  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void assemble(const DoFHandler<3> &dofs, FEValues<3> &values, SparseMatrix<double> &matrix)
{
  const unsigned                       n = dofs.get_fe().n_dofs_per_cell();
  FullMatrix<double>                   local(n, n);
  std::vector<types::global_dof_index> index(n);
  std::vector<Tensor<1, 3>>            gradient(n);

  matrix = 0;
  for (const auto &cell : dofs.active_cell_iterators()) {
    values.reinit(cell);
    local = 0;
    for (const unsigned q : values.quadrature_point_indices()) {
      for (unsigned i = 0; i < n; ++i) gradient[i] = values.shape_grad(i, q);
      for (unsigned i = 0; i < n; ++i) {
        const Tensor<1, 3> weighted = gradient[i] * values.JxW(q);

        for (unsigned j = 0; j < n; ++j) local(i, j) += weighted * gradient[j];
      }
    }
    cell->get_dof_indices(index);
    matrix.add(index, local);
  }
}

int main(int argc, char **argv)
{
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s case count\n", argv[0]);
    return 2;
  }
  const unsigned degree = (unsigned)(argv[1][1] - '0'), count = (unsigned)std::atoi(argv[2]);
  Triangulation<3> mesh;
  FE_Q<3>          element(degree);
  DoFHandler<3>    dofs(mesh);

  GridGenerator::subdivided_hyper_cube(mesh, count);
  dofs.distribute_dofs(element);
  DynamicSparsityPattern dynamic(dofs.n_dofs());
  DoFTools::make_sparsity_pattern(dofs, dynamic);
  SparsityPattern pattern;
  pattern.copy_from(dynamic);
  SparseMatrix<double> matrix(pattern);
  FEValues<3>          values(element, QGauss<3>(degree + 1), update_gradients | update_JxW_values);
  double               least = 1e30;

  for (int i = 0; i < 10; ++i) {
    const double start = cpu_seconds();

    assemble(dofs, values, matrix);
    least = std::min(least, cpu_seconds() - start);
  }
  std::printf("%s %.6g\n", argv[1], 1e9 * least / ((double)count * count * count));
  return 0;
}
