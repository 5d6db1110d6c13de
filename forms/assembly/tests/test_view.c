/* test_view.c - a form printed: by its view, and at every stage by -form_view. */
#include "kernel_tools.h"
#include <fcntl.h>
#include <unistd.h>

static char shown[200000];

static PetscErrorCode read_back(const char path[])
{
  FILE  *file = fopen(path, "r");
  size_t n    = 0;

  PetscFunctionBegin;
  if (file) n = fread(shown, 1, sizeof shown - 1, file);
  shown[n] = 0;
  if (file) fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a form prints on stdout when it is set up. */
static PetscErrorCode print_view(unsigned view)
{
  Tools     tools;
  RungForm  form;
  const int old = dup(1), file = open("stdout.txt", O_RDWR | O_CREAT | O_TRUNC, 0600);

  PetscFunctionBegin;
  PetscCall(tools_create(PETSC_COMM_SELF, RUNG_TRIANGLE, PETSC_FALSE, "1", NULL, &tools));
  PetscCall(tools_form(&tools, "dt(u)*v*dx + kappa*sin(u)*v*ds(left)", PETSC_FALSE, &form));
  form->view = view;
  fflush(stdout);
  dup2(file, 1);
  PetscCall(RungFormSetUp(form, PETSC_TRUE));
  fflush(stdout);
  dup2(old, 1);
  close(old);
  close(file);
  PetscCall(RungFormDestroy(&form));
  PetscCall(tools_destroy(&tools));
  PetscCall(read_back("stdout.txt"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_nothing_is_shown_unasked(void)
{
  PetscCall(print_view(0));
  CHECK(!shown[0]);
  return PETSC_SUCCESS;
}

static PetscErrorCode test_traits_are_words(void)
{
  PetscCall(print_view(RUNG_VIEW_TRAITS));
  CHECK(strstr(shown, "traits of form \"test\""));
  CHECK(strstr(shown, "unknown u: order 1\n"));
  CHECK(strstr(shown, "linear no, constant jacobian no (by order in time: no yes)"));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_traits_of_each_term_and_each_sigma_are_words(void)
{
  PetscCall(print_view(RUNG_VIEW_TRAITS));
  CHECK(strstr(
    shown, "  term dt(u)*v*dx\n    linear, constant jacobian, definite\n    sigma 1: linear, constant, symmetric\n"));
  CHECK(strstr(shown, "*ds(left)\n    nonlinear\n    sigma 0: nonlinear, varies, symmetric\n"));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_dag_starts_with_the_text(void)
{
  PetscCall(print_view(RUNG_VIEW_DAG));
  CHECK(strstr(shown, "nodes of form \"test\""));
  CHECK(strstr(shown, "kappa*sin(u)") || strstr(shown, "kappa*v*sin(u)") || strstr(shown, "sin(u)"));
  CHECK(strstr(shown, "  SIN ") && strstr(shown, "  UNKNOWN"));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_tape_and_source_come_for_all_integrals(void)
{
  PetscCall(print_view(RUNG_VIEW_TAPE | RUNG_VIEW_SOURCE));
  CHECK(strstr(shown, "rank 1 over dx, degree") && strstr(shown, "rank 2 over ds(left), degree"));
  CHECK(strstr(shown, "typedef double    Real") || strstr(shown, "typedef double Real"));
  CHECK(strstr(shown, "_1: rank 2 over facets left of a mesh of affine triangle cells"));
  return PETSC_SUCCESS;
}

static PetscErrorCode test_view_names_the_back_end(void)
{
  Tools       tools;
  RungForm    form;
  PetscViewer viewer;

  PetscCall(tools_create(PETSC_COMM_SELF, RUNG_TRIANGLE, PETSC_FALSE, "1", NULL, &tools));
  PetscCall(tools_form(&tools, "u*v*dx", PETSC_FALSE, &form));
  PetscCall(RungFormSetUp(form, PETSC_FALSE));
  PetscCall(PetscViewerASCIIOpen(PETSC_COMM_SELF, "view.txt", &viewer));
  PetscCall(RungFormView(form, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(RungFormView(form, NULL)); /* on the standard output */
  PetscCall(read_back("view.txt"));
  CHECK(strstr(shown, "back end interpreter") && strstr(shown, "rank 1 over dx, degree 2 (3 points)"));
  PetscCall(RungFormDestroy(&form));
  PetscCall(tools_destroy(&tools));
  return PETSC_SUCCESS;
}

RUNG_TEST_MAIN(RUNG_TEST(test_nothing_is_shown_unasked), RUNG_TEST(test_traits_are_words),
               RUNG_TEST(test_traits_of_each_term_and_each_sigma_are_words), RUNG_TEST(test_dag_starts_with_the_text),
               RUNG_TEST(test_tape_and_source_come_for_all_integrals), RUNG_TEST(test_view_names_the_back_end))
