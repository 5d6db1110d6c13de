/* read_mesh.c - statements of the mesh. */
#include "reader_impl.h"
#include <stdio.h>

static PetscErrorCode once(RungProblem problem, RungStatement *s, PetscBool *good)
{
  const PetscInt before = problem->cells;

  PetscFunctionBegin;
  *good = PETSC_TRUE;
  if (before) {
    const RungStatement *other = &problem->statement[before - 1];
    PetscInt             line  = 1;

    for (PetscInt i = 0; i < other->at[0]; ++i) line += problem->file[other->file].text[i] == '\n';
    PetscCall(RungMistake(problem, s, RungSpanOf(s),
                          "line %" PetscInt_FMT
                          " of %s says already what the cells are; one of box, mesh, points, cell",
                          line, problem->file[other->file].path));
    *good = PETSC_FALSE;
  }
  problem->cells = (PetscInt)(s - problem->statement) + 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "box triangle 4 4" has one count, and 4 for a size. */
static PetscErrorCode check_counts(RungProblem problem, const RungStatement *s, PetscInt n, PetscBool *good)
{
  static const char *const example[] = {"", "4", "4,4", "4,4,4"};
  RungCellType             type      = RUNG_POINT;
  RungCaught               caught;
  PetscInt                 dim;

  PetscFunctionBegin;
  RungCatch(&caught, RungCellFind(problem->comm, s->arg[0].text, &type));
  if (caught.code || type == RUNG_POINT) PetscFunctionReturn(PETSC_SUCCESS); /* that is told elsewhere */
  dim = RungCellGet(type)->dim;
  if (n == dim) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungMistake(problem, s, s->arg[1].span,
                        "a box of cells of type %s has %" PetscInt_FMT
                        " axes, and cells are counted along %" PetscInt_FMT
                        "; wanted a count for each, with commas between, as %s",
                        s->arg[0].text, dim, n, example[dim]));
  *good = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_box(RungProblem problem, RungStatement *s)
{
  PetscInt  n, m, count[3];
  PetscReal size[3] = {1, 1, 1};
  PetscBool good;

  PetscFunctionBegin;
  PetscCall(once(problem, s, &good));
  PetscCall(RungGetInts(problem, s, 1, 3, &n, count, &good));
  if (good) PetscCall(check_counts(problem, s, n, &good));
  if (good && s->args > 2) PetscCall(RungGetReals(problem, s, 2, 3, &m, size, &good));
  if (good && s->args > 2 && m != n) {
    PetscCall(RungMistake(problem, s, s->arg[2].span, "%" PetscInt_FMT " sizes of %" PetscInt_FMT " axes", m, n));
    good = PETSC_FALSE;
  }
  if (good) RungPass(problem, s, RungMeshSetBox(problem->mesh, s->arg[0].text, n, count, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_cell(RungProblem problem, RungStatement *s)
{
  const RungCell *cell;
  RungCellType    type = RUNG_POINT;
  RungCaught      caught;
  PetscBool       good;

  PetscFunctionBegin;
  PetscCall(once(problem, s, &good));
  if (!good) PetscFunctionReturn(PETSC_SUCCESS);
  RungCatch(&caught, RungCellFind(problem->comm, s->arg[0].text, &type));
  if (caught.code) {
    PetscCall(RungMistakeCaught(problem, s, &caught));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  cell = RungCellGet(type);
  RungPass(problem, s,
           RungMeshSetBox(problem->mesh, cell->name, cell->dim, (PetscInt[]){2, 2, 2}, (PetscReal[]){1, 1, 1}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "box triangle 2,2", or "triangle 2,2", is what the statement box says, and no file. */
static PetscErrorCode check_box(RungProblem problem, const RungStatement *s, PetscBool *good)
{
  const char  *name = s->arg[0].text;
  RungCellType type;
  RungCaught   caught;
  char         word[32];

  PetscFunctionBegin;
  (void)snprintf(word, sizeof word, "%.*s", (int)strcspn(name, " ,(0123456789"), name);
  RungCatch(&caught, RungCellFind(problem->comm, word, &type));
  if ((caught.code && strcmp(word, "box") != 0) || !strpbrk(name, "0123456789")) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(
    RungMistake(problem, s, s->arg[0].span,
                "`mesh` reads a file; cells that are made are `box CELL N,.. [SIZE,..]`, as box triangle 32,32"));
  *good = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_mesh(RungProblem problem, RungStatement *s)
{
  const size_t n = strlen(s->arg[0].text);
  char         path[PETSC_MAX_PATH_LEN];
  PetscBool    good;

  PetscFunctionBegin;
  PetscCall(once(problem, s, &good));
  if (!good) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RungPathBeside(problem, s, s->arg[0].text, path, sizeof path));
  if (n > 4 && !strcmp(s->arg[0].text + n - 4, ".geo")) {
    PetscCall(RungMistake(
      problem, s, s->arg[0].span,
      "a .geo file describes a shape, not its cells; make the mesh with: gmsh -3 %s (-2 for a plane one)", path));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(check_box(problem, s, &good));
  if (good) RungPass(problem, s, RungMeshSetFile(problem->mesh, path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_points(RungProblem problem, RungStatement *s)
{
  PetscInt  n = 1;
  PetscBool good;

  PetscFunctionBegin;
  PetscCall(once(problem, s, &good));
  if (s->args) PetscCall(RungGetInt(problem, s, 0, &n, &good));
  if (good) RungPass(problem, s, RungMeshSetPoints(problem->mesh, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_refine(RungProblem problem, RungStatement *s)
{
  PetscInt  n;
  PetscBool good = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(RungGetInt(problem, s, 0, &n, &good));
  if (good) RungPass(problem, s, RungMeshSetRefinement(problem->mesh, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_wrap(RungProblem problem, RungStatement *s)
{
  const char *c       = s->arg[0].text;
  PetscBool   flag[3] = {PETSC_FALSE, PETSC_FALSE, PETSC_FALSE}, good = PETSC_TRUE;

  PetscFunctionBegin;
  for (; good; c += 2) {
    good = *c >= 'x' && *c <= 'z' && (!c[1] || c[1] == ',') ? PETSC_TRUE : PETSC_FALSE;
    if (good) flag[*c - 'x'] = PETSC_TRUE;
    if (good && !c[1]) break;
  }
  if (good)
    RungPass(problem, s, RungMeshSetPeriodic(problem->mesh, flag));
  else
    PetscCall(
      RungMistake(problem, s, s->arg[0].span, "\"%s\" are no axes; wanted x, y, z or several, x,y", s->arg[0].text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRead_weight(RungProblem problem, RungStatement *s)
{
  PetscReal factor;
  PetscBool good = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(RungGetReal(problem, s, 1, &factor, &good));
  if (good) RungPass(problem, s, RungMeshSetPartWeight(problem->mesh, s->arg[0].text, factor));
  PetscFunctionReturn(PETSC_SUCCESS);
}
