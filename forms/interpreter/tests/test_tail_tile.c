/* test_tail_tile.c - matrices in tiles of registers, which the copies for instruction sets have, against the plain copy,
   which has none. */
#include "kernel_tools.h"

/* u with u is symmetric, p with p is not, u with p is a rectangle; the second integral is added to the first */
#define TEXT                                                                                                           \
  "exp(p)*(inner(grad(u), grad(v)) + u*v)*dx(degree: 4) + exp(u)*(1 + p^2)*inner(grad(p), grad(q))*dx(degree: 4)"      \
  " + exp(p + u)*(u*v + p*q)*dx(degree: 3) + exp(u*p)*(v + q)*dx(degree: 3)"

/* polynomials that a few of the points know, with what is constant; of affine simplices */
#define FEW "(p*u*v + dot(grad(u), grad(v)))*dx(degree: 8) + (1 + p)*(u*q + p*q)*dx(degree: 7)"

static const char *const PAIR[] = {"2", "1"};

typedef enum { EQUAL, BENT, GRADED } Shape;

/* Boxes of many sizes: nodes are moved along each axis by itself, so that cells stay straight. */
static PetscErrorCode grade(RungCellType type, RungMesh *mesh)
{
  const PetscInt      count[3] = {20, 3, 2};
  const RungMeshData *data;
  PetscReal          *x;
  PetscInt           *like;

  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_SELF, mesh));
  PetscCall(RungMeshSetBox(*mesh, tools_cell[type], tools_dim[type], count, NULL));
  PetscCall(RungMeshSetUp(*mesh));
  PetscCall(RungMeshGetData(*mesh, &data));
  memcpy(&x, &data->x, sizeof x);
  memcpy(&like, &data->cell_like, sizeof like);
  for (PetscInt i = 0; i < data->nodes * data->dim; ++i) x[i] += 0.1 * sin(3 * x[i]);
  for (PetscInt c = 0; like && c < data->cells; ++c) like[c] = c; /* no cell is a translate any more */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode assemble(RungCellType type, Shape shape, const char *const degree[2], const char text[],
                               RungIsa isa, PetscBool compile, Mat *J)
{
  RungMesh        mesh;
  const PetscReal sigma[6]  = {1, 1.2, 0.7, 0.9, 1.1, 0.8};
  const PetscBool couple[4] = {PETSC_TRUE, PETSC_TRUE, PETSC_TRUE, PETSC_TRUE};
  Tools           tools;
  RungForm        form;

  PetscFunctionBegin;
  if (shape == GRADED)
    PetscCall(grade(type, &mesh));
  else
    PetscCall(tools_mesh(PETSC_COMM_SELF, type, shape == BENT ? PETSC_TRUE : PETSC_FALSE, &mesh));
  PetscCall(tools_create_on(PETSC_COMM_SELF, mesh, type, degree[0], degree[1], &tools));
  PetscCall(tools_form(&tools, text, compile, &form));
  PetscCall(tools_quick_compiler(form));
  form->options.isa = isa;
  PetscCall(RungLayoutCreateMat(tools.layout, couple, NULL, J));
  PetscCall(RungFormAssembleMat(form, 0, tools.u, sigma, *J));
  PetscCall(RungFormDestroy(&form));
  PetscCall(tools_destroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_tiles(RungCellType type, Shape shape, const char u[], const char p[])
{
  const char *const degree[2] = {u, p};
  Mat               plain, tiles;
  PetscReal         norm, error;

  PetscFunctionBegin;
  PetscCall(assemble(type, shape, degree, TEXT, RUNG_ISA_NATIVE, PETSC_FALSE, &plain));
  PetscCall(MatNorm(plain, NORM_FROBENIUS, &norm));
  CHECK(norm > 0);
  for (int isa = RUNG_ISA_SSE2; isa < RUNG_ISAS; ++isa) {
    if (!RungIsaIsHere((RungIsa)isa)) continue;
    PetscCall(assemble(type, shape, degree, TEXT, (RungIsa)isa, PETSC_FALSE, &tiles));
    PetscCall(MatAXPY(tiles, -1, plain, SAME_NONZERO_PATTERN));
    PetscCall(MatNorm(tiles, NORM_FROBENIUS, &error));
    CHECK_NEAR(error, 0, 1e-14 * norm);
    PetscCall(MatDestroy(&tiles));
  }
  PetscCall(MatDestroy(&plain));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_tiles_of_every_small_element_agree(void)
{
  for (int type = RUNG_INTERVAL; type <= RUNG_HEXAHEDRON; ++type) {
    PetscCall(check_tiles((RungCellType)type, BENT, "1", "1"));
    PetscCall(check_tiles((RungCellType)type, EQUAL, "1", "2"));
    if (type < RUNG_TETRAHEDRON) PetscCall(check_tiles((RungCellType)type, BENT, "2", "2"));
    if (type < RUNG_HEXAHEDRON) PetscCall(check_tiles((RungCellType)type, EQUAL, "2", "1"));
  }
  return PETSC_SUCCESS;
}

static PetscErrorCode test_tiles_of_high_degree_agree(void)
{
  PetscCall(check_tiles(RUNG_INTERVAL, BENT, "3", "7"));
  PetscCall(check_tiles(RUNG_TRIANGLE, BENT, "3", "2"));
  PetscCall(check_tiles(RUNG_TETRAHEDRON, BENT, "2", "2"));
  return PETSC_SUCCESS;
}

static PetscErrorCode check_compiled(RungCellType type, const char *const degree[2], const char text[])
{
  PetscReal norm, error;
  Mat       both[2];

  PetscFunctionBegin;
  for (int c = 0; c < 2; ++c)
    PetscCall(assemble(type, GRADED, degree, text, RUNG_ISA_NATIVE, c ? PETSC_TRUE : PETSC_FALSE, &both[c]));
  PetscCall(MatNorm(both[1], NORM_FROBENIUS, &norm));
  PetscCall(MatAXPY(both[1], -1, both[0], SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(both[1], NORM_FROBENIUS, &error));
  CHECK_NEAR(error, 0, 1e-14 * norm);
  for (int c = 0; c < 2; ++c) PetscCall(MatDestroy(&both[c]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_tiles_of_a_few_points_agree_with_compiled_code(void)
{
  PetscCall(check_compiled(RUNG_INTERVAL, PAIR, FEW));
  PetscCall(check_compiled(RUNG_TRIANGLE, PAIR, FEW));
  PetscCall(check_compiled(RUNG_TETRAHEDRON, PAIR, FEW));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_tiles_of_straight_cells_agree_with_compiled_code(void)
{
  PetscCall(check_compiled(RUNG_QUADRILATERAL, PAIR, TEXT));
  PetscCall(check_compiled(RUNG_HEXAHEDRON, PAIR, TEXT));
  return PETSC_SUCCESS;
}

/* Small matrices are contracted several batches at once: a few points with what is constant, and straight cells. */
static PetscErrorCode test_several_batches_at_once_agree_with_compiled_code(void)
{
  static const char *const quadratic[] = {"2", NULL}, *const linear[] = {"1", NULL};

  PetscCall(check_compiled(RUNG_INTERVAL, quadratic, "(u^2*v + dot(grad(u), grad(v)))*dx(degree: 12)"));
  PetscCall(check_compiled(RUNG_QUADRILATERAL, linear, "(exp(u)*v + (1 + u^2)*dot(grad(u), grad(v)))*dx(degree: 4)"));
  PetscCall(check_compiled(RUNG_HEXAHEDRON, linear, "(exp(u)*v + (1 + u^2)*dot(grad(u), grad(v)))*dx(degree: 4)"));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_tiles_of_a_few_points_agree_with_compiled_code),
               RUNG_TEST(test_tiles_of_straight_cells_agree_with_compiled_code),
               RUNG_TEST(test_several_batches_at_once_agree_with_compiled_code),
               RUNG_TEST(test_tiles_of_every_small_element_agree), RUNG_TEST(test_tiles_of_high_degree_agree))
