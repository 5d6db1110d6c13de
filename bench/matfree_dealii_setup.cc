/* matfree_dealii_setup.cc - what the twin of matfree.c needs of deal.II before its loop: MatrixFree with vectors of this
   machine, which Debian's library has not; its templates are instantiated here, where their speed does not count.

   The factories choose kernels by a degree that is known at run time: only the geometry takes one, of degree 1. */
#define FE_EVAL_FACTORY_DEGREE_MAX 1
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/matrix_free/evaluation_template_factory.templates.h>
#include <deal.II/matrix_free/mapping_info.templates.h>
#include <deal.II/matrix_free/matrix_free.templates.h>
#include <deal.II/matrix_free/shape_info.templates.h>

/* These files of templates share one include guard with the first. */
#undef dealii_matrix_free_evaluation_template_factory_templates_h
#include <deal.II/matrix_free/evaluation_template_face_factory.templates.h>
#include <deal.II/matrix_free/evaluation_template_factory_hanging_nodes.templates.h>

#include "matfree_dealii.h"

/* What the loop calls of them. */
template dealii::MatrixFree<3, double>::MatrixFree();
template std::pair<unsigned, unsigned>
dealii::MatrixFree<3, double>::create_cell_subrange_hp_by_index(const std::pair<unsigned, unsigned> &, const unsigned,
                                                                const unsigned) const;
template struct dealii::internal::FEEvaluationHangingNodesFactory<3, double, dealii::VectorizedArray<double>>;

using namespace dealii;

void set_up(const DoFHandler<3> &dofs, unsigned points, MatrixFree<3, double> &cells)
{
  AffineConstraints<double>             none;
  MatrixFree<3, double>::AdditionalData data;

  none.close();
  data.tasks_parallel_scheme = MatrixFree<3, double>::AdditionalData::none;
  data.mapping_update_flags  = update_gradients | update_JxW_values;
  cells.reinit(MappingQ1<3>(), dofs, none, QGauss<1>(points), data);
}

void initialize(const MatrixFree<3, double> &cells, LinearAlgebra::distributed::Vector<double> &x)
{
  cells.initialize_dof_vector(x);
}
