/* test_register.c - what is in the list of methods: every row of the collections that the tables were made from, under its own name and
   under those of other programs, and nothing twice. */
#include "../step_impl.h"
#include <check.h>

/* Rows that are stepped stage by stage; fully implicit and multistep ones are not among them. */
static const struct {
  const char *type, *names;
} collected[] = {
  {RUNGDIRK,
   "backward_euler_1_1 sdirk_2_1_2 ark2_dirk_3_1_2 implicit_midpoint_1_2 implicit_trapezoidal_2_2 billington_3_3_2 "
   "trbdf2_3_3_2 kvaerno_4_2_3 ark324l2sa_dirk_4_2_3 cash_5_2_4 cash_5_3_4 sdirk_5_3_4 kvaerno_5_3_4 "
   "ark436l2sa_dirk_6_3_4 ark437l2sa_dirk_7_3_4 kvaerno_7_4_5 ark548l2sa_dirk_8_4_5 ark548l2sab_dirk_8_4_5 "
   "esdirk324l2sa_4_2_3 esdirk325l2sa_5_2_3 esdirk32i5l2sa_5_2_3 esdirk436l2sa_6_3_4 esdirk43i6l2sa_6_3_4 "
   "qesdirk436l2sa_6_3_4 esdirk437l2sa_7_3_4 esdirk547l2sa_7_4_5 esdirk547l2sa2_7_4_5 sdirk2_alexander "
   "sdirk2_ssp_symplectic sdirk3_alexander sdirk23_crouzeix sdirk34_crouzeix sdirk3_4stage_half esdirk32_pathsim "
   "esdirk4_kc_gamma14 wso432 wso433 wso643 wso744 esdirk_16_8_5 ak_dirk657a ak_dirkes648sa ak_dirk658a ak_dirks659a "
   "ak_dirk7510sal ak_dirkes7510sa ak_dirk759a ak_dirks7511sal ak_dirk8614a ak_dirk8616sal"},
  {RUNGEXPLICIT,
   "forward_euler_1_1 ralston_3_1_2 heun_euler_2_1_2 ralston_euler_2_1_2 explicit_midpoint_euler_2_1_2 ark2_erk_3_1_2 "
   "bogacki_shampine_4_2_3 ark324l2sa_erk_4_2_3 shu_osher_3_2_3 sofroniou_spaletta_5_3_4 zonneveld_5_3_4 "
   "ark436l2sa_erk_6_3_4 ark437l2sa_erk_7_3_4 sayfy_aburub_6_3_4 tsitouras_7_4_5 cash_karp_6_4_5 fehlberg_6_4_5 "
   "dormand_prince_7_4_5 ark548l2sa_erk_8_4_5 ark548l2sab_erk_8_4_5 verner_8_5_6 verner_9_5_6 verner_10_6_7 "
   "verner_13_7_8 verner_16_8_9 fehlberg_13_7_8 knoth_wolke_3_3"},
  {RUNGIMEX, "ars111 ars121 ars122 ars222 ars232 ars233 ars343 ars443 ssp222 ssp332 ssp433 bpr353 ark2 ark324 ark436 "
             "ark437 ark548 ark548b"},
  {RUNGROSENBROCK,
   "ROS3P Rodas3 Rodas3d Rodas3P RosShamp4 Veldd4 Velds4 GRK4T GRK4A Ros4LStab ROS2 ROS2PR ROS2S ROS3 ROS3PR Scholz4_7 "
   "ROS34PW1a ROS34PW1b ROS34PW2 ROS34PRw ROS3PRL ROS3PRL2 RosenbrockW6S4OS Rodas23W ROS34PW3 ROK4a Rodas5 Rodas4 "
   "Rodas42 Rodas4P Rodas4P2 Rodas4PW Rodas5P Rodas5Pe Rodas6P Rosenbrock23"}};

/* The same and others under the names of other programs. */
static const struct {
  const char *method, *words;
} called[] = {{"forward_euler", "EUF FwEuler"},
              {"heun21", "SSPRK22 MdEuler heun-21 ssprk22_heun21"},
              {"ssp33", "SSPRK33"},
              {"ssp43", "SSPRK34 ssprk43"},
              {"explicit_midpoint21", "Rk2 rk2_midpoint"},
              {"runge3", "Rk3 rk3_runge"},
              {"heun3", "Heun3"},
              {"ralston3", "ralston-33"},
              {"rk4", "RK4 classical-rk4 rk4_classic"},
              {"rk4_38", "Rk4alt rk4_38"},
              {"fehlberg21", "RKF21"},
              {"bs32", "RKBS32 bogacki-shampine-32 rk23 ode23"},
              {"merson43", "Merson4"},
              {"zonneveld43", "Zonneveld4"},
              {"fehlberg45", "Fehlberg4 RKF45 fehlberg-45"},
              {"cash_karp54", "RKCK54 cash-karp-54"},
              {"dopri54", "RKDP54 DoPri5 dormand-prince-54 rk45 ode45"},
              {"tsit54", "Tsit5 tsit5 tsitouras54"},
              {"verner65_robust", "RKV65"},
              {"verner65_1978", "Verner6"},
              {"verner76", "Vern7 vern7 verner76_efficient"},
              {"verner98", "Vern9 vern9"},
              {"fehlberg78", "RKF78 Fehlberg7"},
              {"dopri87", "RKDP87 dormand_prince87_13m"},
              {"dop853", "DoPri8 dormand-prince-853"},
              {"euler", "EUB EulerBackward BwEuler backwards_euler"},
              {"midpoint", "implicit_midpoint"},
              {"trapezoid", "trapezoidal trapezoidal_dirk"},
              {"sdirk2_ssp_symplectic", "DIRK2"},
              {"alexander2", "sdirk_2_2 sdirk22_alexander"},
              {"sdirk3_4stage_half", "DIRK3"},
              {"alexander3", "l_stable_dirk_3 sdirk33_alexander"},
              {"sdirk_5_3_4", "l_stable_sdirk_4 sdirk4_hw"},
              {"esdirk32_pathsim", "ESDIRK32"},
              {"esdirk4_kc_gamma14", "ESDIRK4 esdirk4_pathsim"},
              {"esdirk43i6l2sa_6_3_4", "ESDIRK43 esdirk43_kc2019"},
              {"esdirk54", "ESDIRK54 esdirk54_kc2019"},
              {"esdirk_16_8_5", "ESDIRK85 esdirk85_ak2024"},
              {"kvaerno_4_2_3", "kvaerno3"},
              {"kvaerno_5_3_4", "kvaerno4"},
              {"kvaerno_7_4_5", "kvaerno5"},
              {"rosenbrock23", "ode23s rosenbrock23_sciml"},
              {"rodas4p", "RODASP"},
              {"rosenbrockw6s4os", "rosenbrock_w6s4os"}};

/* The next word of a list, "" at its end. */
static const char *next_word(const char **list, char word[64])
{
  const size_t n = strcspn(*list, " ");

  (void)snprintf(word, 64, "%.*s", (int)n, *list);
  *list += n + strspn(*list + n, " ");
  return word;
}

static PetscErrorCode test_every_row_of_the_collections_is_a_method(void)
{
  char word[64];

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(collected); ++i) {
    const char *list = collected[i].names, *type, *method;

    while (next_word(&list, word)[0]) {
      PetscCall(RungStepperTypeOf(word, &type, &method));
      if (!type || strcmp(type, collected[i].type) != 0)
        fprintf(stderr, "%s is no method of %s\n", word, collected[i].type);
      CHECK(type && !strcmp(type, collected[i].type));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_names_of_other_programs_choose_the_method(void)
{
  char word[64];

  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(called); ++i) {
    const char *list = called[i].words, *type, *method;

    while (next_word(&list, word)[0]) {
      PetscCall(RungStepperTypeOf(word, &type, &method));
      if (!type || strcmp(method, called[i].method) != 0)
        fprintf(stderr, "%s is %s\n", word, type ? method : "nothing");
      CHECK(type && !strcmp(method, called[i].method));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An alias is one method's, as a name is, and its method is there. */
static PetscErrorCode test_no_alias_means_two_methods(void)
{
  const char *const *types;
  PetscInt           n;
  char               word[64];

  PetscFunctionBegin;
  PetscCall(RungStepperGetTypes(&n, &types));
  for (PetscInt i = 0; i < n; ++i) {
    const RungStepperOps *ops;

    PetscCall(RungStepperOpsOf(types[i], &ops));
    for (const RungMethodAlias *alias = ops->aliases; alias && alias->method; ++alias) {
      const char *list = alias->names + 1, *type, *method;

      while (next_word(&list, word)[0]) {
        PetscCall(RungStepperTypeOf(word, &type, &method));
        if (!type || !method || strcmp(method, alias->method) != 0) fprintf(stderr, "%s of %s\n", word, alias->method);
        CHECK(type == types[i] && method && !strcmp(method, alias->method));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_an_alias_of_somebody_else_is_refused(void)
{
  static const char *const     methods[] = {"alias_test", NULL};
  static const RungMethodAlias taken[]   = {{"alias_test", " DoPri8 "}, {NULL, NULL}},
                               lost[]    = {{"nobody", " Nobody "}, {NULL, NULL}};
  const RungStepperOps *explicit;
  RungStepperOps ops;

  PetscFunctionBegin;
  PetscCall(RungStepperOpsOf(RUNGEXPLICIT, &explicit));
  ops         = *explicit;
  ops.methods = methods;
  ops.first   = NULL;
  ops.keys    = NULL;
  ops.options = NULL;
  ops.aliases = taken;
  CHECK_RAISES(RungStepperRegister("alias_type", &ops),
               "\"DoPri8\" would be method \"alias_test\" of stepper type alias_type and \"dop853\" of type explicit");
  ops.aliases = lost;
  CHECK_RAISES(RungStepperRegister("alias_type", &ops), "aliases of \"nobody\", which is none of its methods");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Names and keys, since both choose a method. */
static PetscErrorCode test_no_name_means_two_methods(void)
{
  const char *const *types, *const *methods;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(RungStepperGetMethods(&n, &types, &methods));
  for (PetscInt i = 0; i < n; ++i) {
    const char *type, *method;

    PetscCall(RungStepperTypeOf(methods[i], &type, &method));
    CHECK(type == types[i] && method == methods[i]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_every_row_of_the_collections_is_a_method),
               RUNG_TEST(test_names_of_other_programs_choose_the_method), RUNG_TEST(test_no_alias_means_two_methods),
               RUNG_TEST(test_an_alias_of_somebody_else_is_refused), RUNG_TEST(test_no_name_means_two_methods))
