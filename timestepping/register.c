/* register.c - the list of stepper types, and of the methods that each has: those of types.def, and what programs register. */
#include "step_impl.h"
#include <rungtext_room.h>

typedef struct {
  const char           *name;
  const RungStepperOps *ops;
} Builtin;

#define RUNG_STEPPER_TYPE(name, ops) {name, &(ops)},
static const Builtin builtin[] = {
#include "types.def"
};
#undef RUNG_STEPPER_TYPE

static struct {
  PetscInt               n, room;
  char                 **name;         /* owned, [n]                       */
  const RungStepperOps **ops;          /* owned, [n]                       */
  PetscInt               methods;      /* pairs below                      */
  const char           **of, **method; /* owned, [methods]                */
} registry;

static PetscErrorCode forget(void)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(registry.of));
  PetscCall(PetscFree(registry.method));
  for (PetscInt i = 0; i < registry.n; ++i) PetscCall(PetscFree(registry.name[i]));
  PetscCall(PetscFree(registry.name));
  PetscCall(PetscFree(registry.ops));
  registry.n = registry.room = registry.methods = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt count_methods(const RungStepperOps *ops)
{
  PetscInt n = 0;

  while (ops->methods[n]) ++n;
  return n;
}

static PetscErrorCode append(RungStepperType type, const RungStepperOps *ops)
{
  const PetscInt more = count_methods(ops);

  PetscFunctionBegin;
  if (registry.n == registry.room) {
    registry.room += 8;
    PetscCall(PetscRealloc((size_t)registry.room * sizeof *registry.name, &registry.name));
    PetscCall(PetscRealloc((size_t)registry.room * sizeof *registry.ops, &registry.ops));
  }
  PetscCall(PetscRealloc((size_t)(registry.methods + more) * sizeof *registry.of, &registry.of));
  PetscCall(PetscRealloc((size_t)(registry.methods + more) * sizeof *registry.method, &registry.method));
  PetscCall(PetscStrallocpy(type, &registry.name[registry.n]));
  registry.ops[registry.n] = ops;
  for (PetscInt i = 0; i < more; ++i) {
    registry.of[registry.methods]       = registry.name[registry.n];
    registry.method[registry.methods++] = ops->methods[i];
  }
  ++registry.n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode need_registry(void)
{
  PetscFunctionBegin;
  if (registry.n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscRegisterFinalize(forget));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(builtin); ++i) PetscCall(append(builtin[i].name, builtin[i].ops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- programs' own ------------------------------------------------------------------------------------------------ */

static PetscErrorCode check_ops(RungStepperType type, const RungStepperOps *ops)
{
  PetscFunctionBegin;
  PetscCheck(ops, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL, "stepper type \"%s\" without functions", type);
  PetscCheck(ops->methods && ops->methods[0], PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
             "stepper type \"%s\" has no methods; name at least one", type);
  PetscCheck(ops->plan && ops->attempt, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
             "stepper type \"%s\" has no %s, which a step needs", type, ops->plan ? "attempt" : "plan");
  for (const RungMethodOption *option = ops->options; option && option->name; ++option) {
    PetscCheck(!strncmp(option->name, "-stepper_", strlen("-stepper_")), PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
               "option \"%s\" of stepper type \"%s\", wanted one that begins with -stepper_", option->name, type);
  }
  PetscCall(RungDutiesCheckNames(type, ops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperRegister(RungStepperType type, const RungStepperOps *ops)
{
  PetscFunctionBegin;
  PetscCheck(type && type[0], PETSC_COMM_SELF, type ? PETSC_ERR_ARG_WRONG : PETSC_ERR_ARG_NULL,
             "a stepper type without a name; wanted one like \"dirk\"");
  PetscCall(need_registry());
  for (PetscInt i = 0; i < registry.n; ++i) {
    PetscCheck(strcmp(registry.name[i], type) != 0, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
               "a stepper type \"%s\" is registered already; take another name", type);
  }
  PetscCall(check_ops(type, ops));
  PetscCall(append(type, ops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what there is ------------------------------------------------------------------------------------------------ */

PetscErrorCode RungStepperGetTypes(PetscInt *n, const char *const **names)
{
  PetscFunctionBegin;
  PetscCall(need_registry());
  *n     = registry.n;
  *names = (const char *const *)registry.name;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperGetMethods(PetscInt *n, const char *const **types, const char *const **methods)
{
  PetscFunctionBegin;
  RungNeedArgument(n);
  RungNeedArgument(types);
  RungNeedArgument(methods);
  PetscCall(need_registry());
  *n       = registry.methods;
  *types   = registry.of;
  *methods = registry.method;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperOpsOf(const char type[], const RungStepperOps **ops)
{
  PetscFunctionBegin;
  PetscCall(need_registry());
  *ops = NULL;
  for (PetscInt i = 0; i < registry.n && !*ops; ++i) {
    if (!strcmp(registry.name[i], type)) *ops = registry.ops[i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool owns(const RungStepperOps *ops, const char option[])
{
  for (const RungMethodOption *own = ops->options; own && own->name; ++own) {
    if (!strcmp(own->name, option)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

PetscErrorCode RungStepperListTypes(const char option[], char text[], size_t size)
{
  PetscInt n = 0, written = 0;

  PetscFunctionBegin;
  PetscCall(need_registry());
  text[0] = '\0';
  for (PetscInt i = 0; i < registry.n; ++i) n += !option || owns(registry.ops[i], option);
  for (PetscInt i = 0; i < registry.n; ++i) {
    if (option && !owns(registry.ops[i], option)) continue;
    if (written++) PetscCall(RungTextAppend(text, written == n ? " or " : ", ", size));
    PetscCall(RungTextAppend(text, registry.name[i], size));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperFindType(MPI_Comm comm, RungStepperType type, const char **name, const RungStepperOps **ops)
{
  const char *nearest, *const *names;
  char     list[256] = "", hint[256];
  PetscInt n;

  PetscFunctionBegin;
  PetscCheck(type, comm, PETSC_ERR_ARG_NULL, "a stepper type without a name; wanted one like \"dirk\"");
  PetscCall(RungStepperGetTypes(&n, &names));
  for (PetscInt i = 0; i < n; ++i) {
    if (!strcmp(names[i], type)) {
      *name = names[i];
      *ops  = registry.ops[i];
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(RungTextAppend(list, i ? ", " : "", sizeof list));
    PetscCall(RungTextAppend(list, names[i], sizeof list));
  }
  PetscCall(RungSuggest(type, n, names, &nearest));
  if (nearest)
    PetscCall(PetscSNPrintf(hint, sizeof hint, "; did you mean \"%s\"", nearest));
  else
    PetscCall(RungStepperHint(NULL, type, hint, sizeof hint));
  SETERRQ(comm, PETSC_ERR_ARG_UNKNOWN_TYPE, "no stepper type \"%s\"%s%s; there are %s", type, hint,
          nearest || !hint[0] ? "" : " (-stepper_method)", list);
}

static void find_alias(const char word[], const char **type, const char **name)
{
  char key[66];

  (void)snprintf(key, sizeof key, " %s ", word);
  if (strlen(word) + 2 >= sizeof key || strchr(word, ' ')) return;
  for (PetscInt i = 0; i < registry.n && !*type; ++i) {
    const RungStepperOps *ops = registry.ops[i];

    for (const RungMethodAlias *alias = ops->aliases; alias && alias->method && !*type; ++alias) {
      if (!strstr(alias->names, key)) continue;
      *type = registry.name[i];
      for (PetscInt j = 0; ops->methods[j]; ++j)
        if (!strcmp(ops->methods[j], alias->method)) *name = ops->methods[j];
    }
  }
}

PetscErrorCode RungStepperTypeOf(const char method[], const char **type, const char **name)
{
  PetscFunctionBegin;
  PetscCall(need_registry());
  *type = NULL;
  for (PetscInt i = 0; i < registry.methods && !*type; ++i) {
    if (strcmp(registry.method[i], method) != 0) continue;
    *type = registry.of[i];
    *name = registry.method[i];
  }
  for (PetscInt i = 0; i < registry.n && !*type; ++i) {
    const RungStepperOps *ops = registry.ops[i];

    for (PetscInt j = 0; ops->keys && ops->methods[j] && !*type; ++j) {
      if (strcmp(ops->keys[j], method) != 0) continue;
      *type = registry.name[i];
      *name = ops->methods[j];
    }
  }
  if (!*type) find_alias(method, type, name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- plans -------------------------------------------------------------------------------------------------------- */

PetscErrorCode RungStepperOwnPlan(RungStepper stepper, RungMethodPlan *plan)
{
  PetscFunctionBegin;
  memset(plan, 0, sizeof *plan);
  PetscCall(stepper->ops->plan(stepper, NULL, plan));
  PetscCall(RungDutiesCheckPlan(stepper, plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ask(RungStepper stepper, RungStepperType type, const char method[], RungMethodPlan *plan)
{
  PetscFunctionBegin;
  PetscCall(RungStepperSetType(stepper, type));
  PetscCall(RungStepperSetMethod(stepper, method));
  PetscCall(RungStepperOwnPlan(stepper, plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperGetPlan(RungStepperType type, const char method[], RungMethodPlan *plan)
{
  RungStepper stepper;

  PetscFunctionBegin;
  RungNeedArgument(plan);
  PetscCall(RungStepperCreate(PETSC_COMM_SELF, &stepper));
  RungCallFinally(ask(stepper, type, method, plan), PetscCall(RungStepperDestroy(&stepper)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
