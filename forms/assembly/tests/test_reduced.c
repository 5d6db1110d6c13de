/* test_reduced.c - what points do not see is what the matrix of a cell does not resist: its rank, by its numbers. */
#include "kernel_tools.h"

#define MOST 96 /* rows of a block */

typedef struct {
  PetscInt n, rank;
} Rank;

/* Gauss with the largest pivot of all. */
static PetscInt rank_of(PetscInt n, PetscReal a[MOST][MOST])
{
  PetscReal first = 0;

  for (PetscInt k = 0; k < n; ++k) {
    PetscInt r = k, c = k;

    for (PetscInt i = k; i < n; ++i) {
      for (PetscInt j = k; j < n; ++j) {
        if (PetscAbsReal(a[i][j]) > PetscAbsReal(a[r][c])) r = i, c = j;
      }
    }
    if (!k) first = PetscAbsReal(a[r][c]);
    if (PetscAbsReal(a[r][c]) <= 1e-10 * first) return k;
    for (PetscInt j = 0; j < n; ++j) {
      const PetscReal swap = a[k][j];

      a[k][j] = a[r][j];
      a[r][j] = swap;
    }
    for (PetscInt i = 0; i < n; ++i) {
      const PetscReal swap = a[i][k];

      a[i][k] = a[i][c];
      a[i][c] = swap;
    }
    for (PetscInt i = k + 1; i < n; ++i) {
      const PetscReal by = a[i][k] / a[k][k];

      for (PetscInt j = k; j < n; ++j) a[i][j] -= by * a[k][j];
    }
  }
  return n;
}

static PetscErrorCode look(PetscInt count, const PetscInt cell[], PetscScalar block[], PetscInt stride_i,
                           PetscInt stride_j, void *ctx)
{
  Rank            *rank = ctx;
  static PetscReal a[MOST][MOST];

  PetscFunctionBegin;
  if (rank->rank >= 0) PetscFunctionReturn(PETSC_SUCCESS); /* one cell is enough */
  PetscCheck(count > 0 && cell && rank->n <= MOST, PETSC_COMM_SELF, PETSC_ERR_PLIB, "another block");
  for (PetscInt i = 0; i < rank->n; ++i) {
    for (PetscInt j = 0; j < rank->n; ++j) a[i][j] = block[i * stride_i + j * stride_j];
  }
  rank->rank = rank_of(rank->n, a);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rank of the first cell's matrix of dF/du^(k), and what is said of it. */
static PetscErrorCode find(Tools *tools, const char text[], PetscInt k, PetscInt *rank, char message[], size_t size)
{
  PetscReal            sigma[3] = {0, 0, 0};
  Rank                 found    = {.rank = -1};
  const RungSpaceData *space;
  RungForm             form;

  PetscFunctionBegin;
  sigma[k] = 1;
  PetscCall(RungSpaceGetData(tools->space[0], &space));
  found.n = space->cell_nodes * space->components;
  PetscCall(tools_form(tools, text, PETSC_FALSE, &form));
  PetscCall(RungFormAddMat(form, 0, tools->u, sigma, NULL, look, &found));
  *rank = found.rank;
  PetscCall(RungFormFindReduced(form, 0, k, message, size));
  PetscCall(RungFormDestroy(&form));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All degrees of a rule: a warning is said where the rank is lower than that of the exact rule, and the degree that it names is the first
   with that rank.  text has one %d. */
static PetscErrorCode compare(RungCellType type, PetscBool bent, const char spec[], const char text[], PetscInt k,
                              PetscInt degree)
{
  Tools    tools;
  char     whole[256], message[64][1024];
  PetscInt rank[64];

  PetscFunctionBegin;
  PetscCall(tools_create(PETSC_COMM_SELF, type, bent, spec, NULL, &tools));
  for (int d = 0; d <= 2 * degree; ++d) {
    PetscCall(PetscSNPrintf(whole, sizeof whole, text, d));
    PetscCall(find(&tools, whole, k, &rank[d], message[d], sizeof message[d]));
  }
  for (int d = 0; d <= 2 * degree; ++d) {
    const char *named = strstr(message[d], "dx(degree: ");
    PetscInt    least = d;

    while (rank[least] < rank[2 * degree]) ++least;
    if ((rank[d] < rank[2 * degree]) != (message[d][0] != 0))
      printf("%s %s %s degree %d: rank %d of %d, \"%s\"\n", tools_cell[type], spec, text, d, (int)rank[d],
             (int)rank[2 * degree], message[d]);
    CHECK((rank[d] < rank[2 * degree]) == (message[d][0] != 0));
    CHECK(!message[d][0] || (named && atoi(named + 11) == least));
  }
  PetscCall(tools_destroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_a_warning_is_a_lower_rank(void)
{
  PetscFunctionBegin;
  if (!check_alone()) PetscFunctionReturn(PETSC_SUCCESS);
  for (int type = RUNG_INTERVAL; type <= RUNG_HEXAHEDRON; ++type) {
    for (PetscInt degree = 1; degree <= (tools_dim[type] > 2 ? 2 : 3); ++degree) {
      char scalar[16], vector[16];

      PetscCall(PetscSNPrintf(scalar, sizeof scalar, "%" PetscInt_FMT, degree));
      PetscCall(PetscSNPrintf(vector, sizeof vector, "%" PetscInt_FMT "^d", degree));
      PetscCall(compare((RungCellType)type, PETSC_FALSE, scalar, "inner(grad(u), grad(v))*dx(degree: %d)", 0, degree));
      PetscCall(compare((RungCellType)type, PETSC_FALSE, scalar, "dt(u)*v*dx(degree: %d)", 1, degree));
      PetscCall(compare((RungCellType)type, PETSC_FALSE, vector,
                        "(2*mu*inner(sym(grad(u)), grad(v)) + kappa*div(u)*div(v))*dx(degree: %d)", 0, degree));
    }
  }
  PetscCall(compare(RUNG_QUADRILATERAL, PETSC_TRUE, "2", "inner(grad(u), grad(v))*dx(degree: %d)", 0, 2));
  PetscCall(compare(RUNG_QUADRILATERAL, PETSC_TRUE, "1", "inner(dt(grad(u), 2), grad(v))*dx(degree: %d)", 2, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Parts of the mesh that have one rule each, and what is said where all of them are seen. */
static PetscErrorCode check_said(RungCellType type, const char spec[], const char p[], const char text[], PetscInt k,
                                 const char said[])
{
  Tools    tools;
  RungForm form;
  char     message[1024];

  PetscFunctionBegin;
  PetscCall(tools_create(PETSC_COMM_WORLD, type, PETSC_FALSE, spec, p, &tools));
  PetscCall(tools_form(&tools, text, PETSC_FALSE, &form));
  PetscCall(RungFormFindReduced(form, 0, k, message, sizeof message));
  if (said ? !strstr(message, said) : message[0] != 0) printf("%s: \"%s\"\n", text, message);
  CHECK(said ? strstr(message, said) != NULL : !message[0]);
  PetscCall(RungFormDestroy(&form));
  PetscCall(tools_destroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Integrals over a cell are seen together; a reaction needs not see all, a mass has to; facets and nodes see enough. */
static PetscErrorCode test_what_is_seen_elsewhere_is_not_missed(void)
{
  static const struct {
    const char *spec, *text;
    PetscInt    k;
    const char *said;
  } of[] = {
    {"1^d", "kappa*div(u)*div(v)*dx(degree: 1) + 2*mu*inner(sym(grad(u)), grad(v))*dx", 0, NULL},
    {"1^d", "kappa*div(u)*div(v)*dx + 2*mu*inner(sym(grad(u)), grad(v))*dx(degree: 1)", 0, NULL},
    {"1^d", "(kappa*div(u)*div(v) + 2*mu*inner(sym(grad(u)), grad(v)))*dx(degree: 1)", 0, "sees 3 of 5 ways"},
    {"1^d", "2*mu*inner(sym(grad(u)), grad(v))*dx(degree: 1) + 0.01*inner(grad(u), grad(v))*dx", 0, NULL},
    {"2^d", "2*mu*inner(sym(grad(u)), grad(v))*dx(degree: 3)", 0, "sees 12 of 15 ways"},
    {"1", "dt(u)*v*dx + inner(grad(u), grad(v))*dx + u*v*dx(degree: 1)", 0, NULL},
    {"1", "dt(u)*v*dx + u*v*dx(degree: 1)", 0, NULL},
    {"1", "u*v*dx(degree: 1)", 0, "sees 1 of 4 ways"},
    {"1", "dt(u)*v*dx(degree: 1) + inner(grad(u), grad(v))*dx", 1, "the terms with dt(u) see 1 of 4 ways"},
    {"1", "dt(u, 2)*v*dx(degree: 1) + inner(grad(u), grad(v))*dx", 2, "dt(u, 2)"},
    {"2", "dt(u)*v*dx(rule: nodes) + inner(grad(u), grad(v))*dx(rule: nodes)", 0, NULL},
    {"2", "dt(u)*v*dx(rule: nodes) + inner(grad(u), grad(v))*dx(rule: nodes)", 1, NULL},
    {"2", "inner(grad(u), grad(v))*dx + u*v*ds(degree: 1)", 0, NULL},
    {"2", "inner(grad(u), grad(v))*dx(degree: 3) + inner(jump(grad(u)), jump(grad(v)))*dS", 0, NULL},
    {"2", "(1 + u^2)*inner(grad(u), grad(v))*dx(degree: 3)", 0, "sees 8 of 9 ways"}, /* u itself is read, too */
    {"2", "exp(x[0])*inner(grad(u), grad(v))*dx(degree: 3)", 0, "of degree 3: "},
  };

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(of); ++i)
    PetscCall(check_said(RUNG_QUADRILATERAL, of[i].spec, NULL, of[i].text, of[i].k, of[i].said));
  PetscCall(check_said(RUNG_TRIANGLE, "1", NULL, "inner(grad(u), grad(v))*dx(degree: 0)", 0, NULL));
  PetscCall(check_said(RUNG_TRIANGLE, "1+B", NULL, "inner(grad(u), grad(v))*dx(degree: 1)", 0, "sees 2 of 3 ways"));
  PetscCall(check_said(RUNG_POINT, "0", NULL, "u*v*dx(degree: 0)", 0, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -form_degree is a degree of all integrals. */
static PetscErrorCode test_the_option_of_degrees_is_one(void)
{
  Tools    tools;
  RungForm form;
  char     message[1024];

  PetscFunctionBegin;
  PetscCall(tools_create(PETSC_COMM_WORLD, RUNG_HEXAHEDRON, PETSC_FALSE, "1", NULL, &tools));
  PetscCall(tools_form(&tools, "inner(grad(u), grad(v))*dx", PETSC_FALSE, &form));
  form->degree = 0;
  PetscCall(RungFormFindReduced(form, 0, 0, message, sizeof message));
  CHECK(strstr(message, "sees 3 of 7 ways in which \"u\" can vary in a cell, at 1 point of a rule of degree 0") !=
        NULL);
  CHECK(strstr(message, "take degree 2, as dx(degree: 2)") != NULL);
  PetscCall(RungFormDestroy(&form));
  PetscCall(tools_destroy(&tools));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cells of a part whose rule has too few points, where there are some; on three ranks few have them. */
static PetscErrorCode test_parts_have_rules_of_their_own(void)
{
  static const char *const gmsh =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 1 \"west\"\n2 2 \"east\"\n$EndPhysicalNames\n"
    "$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 2 0 0\n4 0 1 0\n5 1 1 0\n6 2 1 0\n$EndNodes\n"
    "$Elements\n2\n1 3 2 1 1 1 2 5 4\n2 3 2 2 2 2 3 6 5\n$EndElements\n";
  static const struct {
    const char *text, *said;
  } of[] = {
    {"inner(grad(u), grad(v))*dx(west, 1) + inner(grad(u), grad(v))*dx(east)",
     "in a cell in part \"west\", at 1 point"},
    {"inner(grad(u), grad(v))*dx(west, 1) + 0.1*inner(grad(u), grad(v))*dx", NULL},
    {"inner(grad(u), grad(v))*dx(degree: 1) + 0.1*inner(grad(u), grad(v))*dx(west)", "sees 2 of 3 ways"},
  };

  PetscFunctionBegin;
  PetscCall(RungFileWrite(PETSC_COMM_WORLD, "reduced.msh", strlen(gmsh), gmsh));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(of); ++i) {
    Tools    tools;
    RungMesh mesh;
    RungForm form;
    char     message[1024];

    PetscCall(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
    PetscCall(RungMeshSetFile(mesh, "reduced.msh"));
    PetscCall(tools_create_on(PETSC_COMM_WORLD, mesh, RUNG_QUADRILATERAL, "1", NULL, &tools));
    PetscCall(tools_form(&tools, of[i].text, PETSC_FALSE, &form));
    PetscCall(RungFormFindReduced(form, 0, 0, message, sizeof message));
    CHECK(of[i].said ? strstr(message, of[i].said) != NULL : !message[0]);
    PetscCall(RungFormDestroy(&form));
    PetscCall(tools_destroy(&tools));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_a_warning_is_a_lower_rank), RUNG_TEST(test_what_is_seen_elsewhere_is_not_missed),
               RUNG_TEST(test_the_option_of_degrees_is_one), RUNG_TEST(test_parts_have_rules_of_their_own))
