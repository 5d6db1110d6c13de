/* solve_dealii.h - what the two units of the twin of solve.c share: MatrixFree of this machine's vectors, set up where its templates
   are instantiated. */
#pragma once

#include <deal.II/dofs/dof_handler.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/matrix_free/matrix_free.h>

/* Cells of a level, the active ones with numbers::invalid_unsigned_int, and `points` Gauss points on a line. */
template <typename Number>
void set_up(const dealii::DoFHandler<3> &dofs, const dealii::AffineConstraints<double> &fixed, unsigned points,
            unsigned level, dealii::MatrixFree<3, Number> &cells);
