/* solve_dealii_setup.cc - what the twin of solve.c needs of deal.II before it solves: MatrixFree with vectors of this machine, in
   double and in float, which Debian's library has not (see matfree_dealii_setup.cc). */
#define FE_EVAL_FACTORY_DEGREE_MAX 1
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/matrix_free/evaluation_template_factory.templates.h>
#include <deal.II/matrix_free/mapping_info.templates.h>
#include <deal.II/matrix_free/matrix_free.templates.h>
#include <deal.II/matrix_free/shape_info.templates.h>

/* These files of templates share one include guard with the first. */
#undef dealii_matrix_free_evaluation_template_factory_templates_h
#include <deal.II/matrix_free/evaluation_template_face_factory.templates.h>
#include <deal.II/matrix_free/evaluation_template_factory_hanging_nodes.templates.h>

#include "solve_dealii.h"

using namespace dealii;

template <typename Number>
void set_up(const DoFHandler<3> &dofs, const AffineConstraints<double> &fixed, unsigned points, unsigned level,
            MatrixFree<3, Number> &cells)
{
  typename MatrixFree<3, Number>::AdditionalData data;

  data.tasks_parallel_scheme = MatrixFree<3, Number>::AdditionalData::none;
  data.mapping_update_flags  = update_gradients | update_JxW_values;
  data.mg_level              = level;
  cells.reinit(MappingQ1<3>(), dofs, fixed, QGauss<1>(points), data);
}

#define INSTANTIATE(Number)                                                                                            \
  template dealii::MatrixFree<3, Number>::MatrixFree();                                                                \
  template std::pair<unsigned, unsigned> dealii::MatrixFree<3, Number>::create_cell_subrange_hp_by_index(              \
    const std::pair<unsigned, unsigned> &, const unsigned, const unsigned) const;                                      \
  template struct dealii::internal::FEEvaluationHangingNodesFactory<3, Number, dealii::VectorizedArray<Number>>;       \
  template void set_up(const DoFHandler<3> &, const AffineConstraints<double> &, unsigned, unsigned,                   \
                       MatrixFree<3, Number> &)

INSTANTIATE(double);
INSTANTIATE(float);
