/* register.c - the list of stepper types, and of the methods that each has. */
#include "step_impl.h"

typedef struct {
  char *name; /* owned */
  PetscErrorCode (*create)(RungStepper stepper);
} Type;

static struct {
  PetscInt     n, room;
  Type        *type;         /* owned, [n]                                             */
  const char **names;        /* owned, [n] the same names                              */
  PetscInt     methods;      /* pairs below; 0 when a type has been added since        */
  const char **of, **method; /* owned, [methods]                                       */
} registry;

static PetscErrorCode forget_methods(void)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(registry.of));
  PetscCall(PetscFree(registry.method));
  registry.methods = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode forget(void)
{
  PetscFunctionBegin;
  PetscCall(forget_methods());
  for (PetscInt i = 0; i < registry.n; ++i) PetscCall(PetscFree(registry.type[i].name));
  PetscCall(PetscFree(registry.type));
  PetscCall(PetscFree(registry.names));
  registry.n = registry.room = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode append(RungStepperType type, PetscErrorCode (*create)(RungStepper stepper))
{
  PetscFunctionBegin;
  if (registry.n == registry.room) {
    registry.room += 8;
    PetscCall(PetscRealloc((size_t)registry.room * sizeof *registry.type, &registry.type));
    PetscCall(PetscRealloc((size_t)registry.room * sizeof *registry.names, &registry.names));
  }
  PetscCall(PetscStrallocpy(type, &registry.type[registry.n].name));
  registry.type[registry.n].create = create;
  registry.names[registry.n]       = registry.type[registry.n].name;
  ++registry.n;
  PetscCall(forget_methods());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode need_registry(void)
{
  PetscFunctionBegin;
  if (registry.n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscRegisterFinalize(forget));
  PetscCall(append(RUNGDIRK, RungStepperCreate_Dirk));
  PetscCall(append(RUNGBDF, RungStepperCreate_BDF));
  PetscCall(append(RUNGALPHA, RungStepperCreate_Alpha));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The last one, which was refused. */
static PetscErrorCode drop_last(void)
{
  PetscFunctionBegin;
  --registry.n;
  PetscCall(PetscFree(registry.type[registry.n].name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_type(RungStepper stepper, PetscInt i)
{
  PetscFunctionBegin;
  PetscCall(RungStepperSetType(stepper, registry.names[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes a stepper of the type and destroys it. */
static PetscErrorCode try_type(PetscInt i)
{
  RungStepper stepper;

  PetscFunctionBegin;
  PetscCall(RungStepperCreate(PETSC_COMM_SELF, &stepper));
  RungCallFinally(set_type(stepper, i), PetscCall(RungStepperDestroy(&stepper)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperRegister(RungStepperType type, PetscErrorCode (*create)(RungStepper stepper))
{
  PetscFunctionBegin;
  PetscCheck(type && type[0], PETSC_COMM_SELF, type ? PETSC_ERR_ARG_WRONG : PETSC_ERR_ARG_NULL,
             "a stepper type without a name; wanted one like \"dirk\"");
  PetscCheck(create, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL, "stepper type \"%s\" without a create()", type);
  PetscCall(need_registry());
  for (PetscInt i = 0; i < registry.n; ++i) {
    PetscCheck(strcmp(registry.names[i], type) != 0, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
               "a stepper type \"%s\" is registered already; take another name", type);
  }
  PetscCall(append(type, create));
  RungCallOrUndo(try_type(registry.n - 1), PetscCall(drop_last()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperFindType(MPI_Comm comm, RungStepperType type, const char **name,
                                   PetscErrorCode (**create)(RungStepper))
{
  const char *nearest;
  char        list[256] = "", hint[256];

  PetscFunctionBegin;
  PetscCheck(type, comm, PETSC_ERR_ARG_NULL, "a stepper type without a name; wanted one like \"dirk\"");
  PetscCall(need_registry());
  for (PetscInt i = 0; i < registry.n; ++i) {
    if (!strcmp(registry.names[i], type)) {
      *name   = registry.names[i];
      *create = registry.type[i].create;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(PetscStrlcat(list, i ? ", " : "", sizeof list));
    PetscCall(PetscStrlcat(list, registry.names[i], sizeof list));
  }
  PetscCall(RungSuggest(type, registry.n, registry.names, &nearest));
  if (nearest)
    PetscCall(PetscSNPrintf(hint, sizeof hint, "; did you mean \"%s\"", nearest));
  else
    PetscCall(RungStepperHint(NULL, type, hint, sizeof hint));
  SETERRQ(comm, PETSC_ERR_ARG_UNKNOWN_TYPE, "no stepper type \"%s\"%s%s; there are %s", type, hint,
          nearest || !hint[0] ? "" : " (-stepper_method)", list);
}

/* Asks each type for its methods by making a stepper of it. */
static PetscErrorCode collect(void)
{
  PetscInt room = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < registry.n; ++i) {
    RungStepper stepper;

    PetscCall(RungStepperCreate(PETSC_COMM_SELF, &stepper));
    PetscCall(RungStepperSetType(stepper, registry.names[i]));
    room += stepper->methods;
    PetscCall(PetscRealloc((size_t)room * sizeof *registry.of, &registry.of));
    PetscCall(PetscRealloc((size_t)room * sizeof *registry.method, &registry.method));
    for (PetscInt j = 0; j < stepper->methods; ++j) {
      registry.of[registry.methods]       = registry.names[i];
      registry.method[registry.methods++] = stepper->method[j];
    }
    PetscCall(RungStepperDestroy(&stepper));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperGetMethods(PetscInt *n, const char *const **types, const char *const **methods)
{
  PetscFunctionBegin;
  PetscCall(need_registry());
  if (!registry.methods) PetscCall(collect());
  *n       = registry.methods;
  *types   = registry.of;
  *methods = registry.method;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperTypeOf(const char method[], const char **type)
{
  const RungTableau *tableau;
  const char *const *types, *const *methods;
  PetscInt n;

  PetscFunctionBegin;
  *type = NULL;
  PetscCall(RungStepperGetMethods(&n, &types, &methods));
  for (PetscInt i = 0; i < n && !*type; ++i) {
    if (!strcmp(methods[i], method)) *type = types[i];
  }
  PetscCall(RungTableauFind(method, &tableau)); /* a key that has a shorter name */
  if (!*type && tableau) PetscCall(RungStepperTypeOf(tableau->name, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}
