/* test_names.c - what names stand for: definitions, local and of the scope, variables of diff(), nearest spellings. */
#include "front_tools.h"

static PetscErrorCode test_definitions_stand_for_their_values(void)
{
  PetscFunctionBegin;
  PetscCall(front_begin(2));
  CHECK_SAME("inner(sigma, grad(W))*dx", "inner(tr(sym(grad(U)))*I + 2*mu*sym(grad(U)), grad(W))*dx");
  CHECK_SAME("F = I + grad(U); C = dot(transpose(F), F); tr(C)", "tr(dot(transpose(I + grad(U)), I + grad(U)))");
  PetscCall(RungScopeDefine(scope, "early", "late + 1"));
  CHECK_REFUSED("early", "definition \"early\", column 1: unknown name \"late\"\n    late + 1\n    ^~~~");
  PetscCall(RungScopeDefine(scope, "late", "E = u^2; E + 2"));
  CHECK_SAME("early", "u^2 + 2 + 1");
  PetscCall(RungScopeDefine(scope, "energy", "u^2/2*dx"));
  CHECK_SAME("derive(energy, u)", "derive(u^2/2*dx, u)");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_local_definitions_stay_in_their_text(void)
{
  PetscInt node;

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  PetscCall(front_read("E = u; E + p", &node));
  CHECK_REFUSED("E + p", "unknown name \"E\"");
  CHECK_REFUSED(
    "E = u; E = p; E",
    "text, column 8: \"E\" is defined twice in this text; choose another name\n    E = u; E = p; E\n           ^");
  CHECK_REFUSED("E = F; F = u; E", "unknown name \"F\"; it is defined further on, definitions are read in order");
  CHECK_REFUSED("E = p + 1; E2 = p*E2; E2", "unknown name \"E2\"; a definition cannot use itself");
  CHECK_REFUSED("u = p; u", "\"u\" is already an unknown; choose another name");
  CHECK_REFUSED("t = p; t", "text, column 1: \"t\" is reserved (time); choose another name\n    t = p; t\n    ^");
  CHECK_REFUSED("E = dx; u*E", "a measure without its integrand");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_cycles_are_shown(void)
{
  PetscFunctionBegin;
  PetscCall(front_begin(2));
  PetscCall(RungScopeDefine(scope, "a1", "2*b1"));
  PetscCall(RungScopeDefine(scope, "b1", "c1 + 1"));
  PetscCall(RungScopeDefine(scope, "c1", "sin(a1)"));
  PetscCall(RungScopeDefine(scope, "self", "self^2"));
  CHECK_REFUSED(
    "a1*v*dx",
    "definition \"c1\", column 5: definition \"a1\" depends on itself: a1 -> b1 -> c1 -> a1\n    sin(a1)\n        ^~");
  CHECK_REFUSED("a1*v*dx", "a1 -> b1 -> c1 -> a1"); /* no trace of the first error */
  CHECK_REFUSED("self", "definition \"self\" depends on itself: self -> self");
  CHECK_REFUSED("diff(self, u)", "definition \"self\" depends on itself: self -> self");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_diff_goes_through_names(void)
{
  PetscFunctionBegin;
  PetscCall(front_begin(2));
  PetscCall(RungScopeDefine(scope, "F", "I + grad(U)"));
  PetscCall(RungScopeDefine(scope, "C", "dot(transpose(F), F)"));
  PetscCall(RungScopeDefine(scope, "psi", "tr(C)/2 - log(det(F))"));
  CHECK_SAME("diff(psi, F)", "G = I + grad(U); diff(tr(dot(transpose(G), G))/2 - log(det(G)), G)");
  CHECK_OTHER("diff(psi, F)", "diff(psi, C)");
  CHECK_SHAPE("diff(psi, F)", "tensor[2][2] 0");
  CHECK_SHAPE("diff(diff(psi, F), F)", "tensor[2][2][2][2] 0");
  CHECK_SHAPE("diff(psi, F)[0, 1]*v", "scalar 1");
  CHECK_SAME("diff(inner(grad(u), grad(u)) + u^2, u)",
             "E = u; diff(inner(grad(u), grad(u)) + E^2, E)"); /* grad(u) is another variable */
  CHECK_SAME("diff(dt(u) + u, u)", "E = u; diff(dt(u) + E, E)");
  CHECK_REFUSED("diff(psi, t)",
                "text, column 11: diff() wants the name of an unknown or of a definition as second argument");
  CHECK_REFUSED("diff(psi, U[0])", "give the expression a name first, F = ..;");
  CHECK_REFUSED("diff(psi, kappa)", "second argument; define one, c = ..;, and use it in the first");
  CHECK_REFUSED("diff(psi)", "diff() wants 2 arguments");
  CHECK_REFUSED("E = v; diff(u*E, E)", "diff() differentiates by point values without test functions");
  CHECK_REFUSED("diff(derive(u^2, u, p), u)", "derive() inside diff(); write one of the two out");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_definitions_that_explode_under_diff_are_refused(void)
{
  char name[8], text[40];

  PetscFunctionBegin;
  PetscCall(front_begin(2));
  PetscCall(RungScopeDefine(scope, "d0", "u^3"));
  for (int i = 1; i < 40; ++i) {
    snprintf(name, sizeof name, "d%d", i);
    snprintf(text, sizeof text, "d%d + diff(d%d, u)", i - 1, i - 1);
    PetscCall(RungScopeDefine(scope, name, text));
  }
  CHECK_REFUSED("d39", "definitions that unfold too often inside diff(); take derivatives of fewer of them");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_unknown_names_get_the_nearest_spelling(void)
{
  PetscFunctionBegin;
  PetscCall(front_begin(2));
  CHECK_REFUSED("sigam*v", "text, column 1: unknown name \"sigam\"; did you mean \"sigma\"?\n    sigam*v\n    ^~~~~");
  CHECK_REFUSED("kapa*v", "did you mean \"kappa\"?");
  CHECK_REFUSED("Energy = u; Enrgy*v", "did you mean \"Energy\"?");
  CHECK_REFUSED("iner(u, v)",
                "text, column 1: \"iner\" is not an operator; did you mean \"inner\"?\n    iner(u, v)\n    ^~~~");
  CHECK_REFUSED("zzzzz(u)", "\"zzzzz\" is not an operator; known are sqrt, exp, log");
  CHECK_REFUSED("kappa(u)", "\"kappa\" is a constant, not an operator; a product is written kappa*(..)");
  CHECK_REFUSED("sin", "\"sin\" is an operator; it wants arguments in parentheses");
  PetscCall(front_end());
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_definitions_stand_for_their_values), RUNG_TEST(test_local_definitions_stay_in_their_text),
               RUNG_TEST(test_cycles_are_shown), RUNG_TEST(test_diff_goes_through_names),
               RUNG_TEST(test_definitions_that_explode_under_diff_are_refused),
               RUNG_TEST(test_unknown_names_get_the_nearest_spelling))
