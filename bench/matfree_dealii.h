/* matfree_dealii.h - what the two units of the twin of matfree.c share. */
#pragma once

#include <deal.II/dofs/dof_handler.h>
#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/matrix_free/matrix_free.h>

/* Cells of all degrees of freedom, with `points` Gauss points on a line. */
void set_up(const dealii::DoFHandler<3> &dofs, unsigned points, dealii::MatrixFree<3, double> &cells);
void initialize(const dealii::MatrixFree<3, double> &cells, dealii::LinearAlgebra::distributed::Vector<double> &x);
