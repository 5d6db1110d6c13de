/* statement.c - the table of statements, and how a line is taken apart by the usage that its row states. */
#include "reader_impl.h"
#include <stdio.h>

#define RUNG_SECTION(title)
#define RUNG_STATEMENT(word, phase, usage, label, call, help) RungReadFn RungRead_##word;
#include "statements.def"
#undef RUNG_STATEMENT

#define RUNG_STATEMENT(word, phase, usage, label, call, help)                                                          \
  {#word, usage, label, call, help, RUNG_PHASE_##phase, RungRead_##word},
const RungWord rung_words[] = {
#include "statements.def"
};
#undef RUNG_STATEMENT
#undef RUNG_SECTION

PetscInt RungWordCount(void)
{
  return (PetscInt)PETSC_STATIC_ARRAY_LENGTH(rung_words);
}

/* What other programs, and people, call a statement. */
static const char *meant(const char word[])
{
  static const char *const list[][2] = {
    {"constant", " const param parameter parameters let set coefficient material variable "},
    {"unknown", " var function field_unknown trial space functionspace dof dofs u "},
    {"residual",
     " equation eq pde weak form weakform solve neumann robin flux load source_term rhs lhs bilinear linear "},
    {"dirichlet", " bc bcs boundary dirichletbc fix fixed clamp essential condition "},
    {"initial", " ic initial_condition start init "},
    {"time", " dt timestep t_end tend duration end stop_time transient "},
    {"method", " stepper integrator scheme timestepper solver_time "},
    {"option", " options solver ksp pc snes petsc set_option "},
    {"output", " save write plot print export vtu vtk pvd xdmf paraview "},
    {"table", " csv history log monitor "},
    {"box", " rectangle square cube interval unitsquare unitcube domain geometry grid "},
    {"mesh", " msh gmsh file load_mesh "},
    {"quantity", " integral functional measure goal "},
    {"probe", " point sensor sample "},
    {"define", " def expression expr "},
    {"step", " stage phase loadstep "},
    {"include", " import use "},
    {"exact", " solution analytical "},
    {"tolerances", " tolerance rtol atol tol "}};
  char key[80];

  (void)snprintf(key, sizeof key, " %.70s ", word);
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(list); ++i) {
    if (strstr(list[i][1], key)) return list[i][0];
  }
  return NULL;
}

PetscErrorCode RungWordNearest(const char word[], const RungWord **nearest)
{
  const char *list[PETSC_STATIC_ARRAY_LENGTH(rung_words)], *found;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < RungWordCount(); ++i) list[i] = rung_words[i].word;
  PetscCall(RungSuggest(word, RungWordCount(), list, &found));
  for (PetscInt i = 0; meant(word) && i < RungWordCount(); ++i) {
    if (!strcmp(list[i], meant(word))) found = list[i];
  }
  *nearest = NULL;
  for (PetscInt i = 0; found && i < RungWordCount(); ++i) {
    if (rung_words[i].word == found) *nearest = &rung_words[i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStatementDestroy(RungStatement *s)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->args; ++i) PetscCall(PetscFree(s->arg[i].text));
  PetscCall(PetscFree(s->arg));
  PetscCall(PetscFree(s->text));
  PetscCall(PetscFree(s->at));
  s->args = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- usage -------------------------------------------------------------------------------------------------------- */

typedef struct {
  char      name[32];
  PetscBool optional, rest, many; /* may be left out; takes the rest of the line; takes all words that are left */
} Item;

static PetscBool takes_rest(const char name[])
{
  static const char *const rest[] = {"TEXT", "VALUE", "LIST", "PATH"};

  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(rest); ++i) {
    if (!strcmp(name, rest[i])) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* The next word of a usage; false at its end.  What follows a [ may all be left out; VALUE is the rest of a line only where
   it ends the usage. */
static PetscBool next_item(const char **usage, Item *item)
{
  const char *word = *usage + strspn(*usage, " ");
  size_t      n;

  item->rest = item->many = PETSC_FALSE;
  if (!*word) return PETSC_FALSE;
  if (*word == '[') {
    const char *close = strchr(word, ']');

    item->optional = PETSC_TRUE;
    item->many     = !strncmp(close, "]..", 3) ? PETSC_TRUE : PETSC_FALSE;
    ++word;
  }
  n      = strcspn(word, " ]");
  *usage = word + n;
  if (**usage == ']') *usage += 1;
  (void)snprintf(item->name, sizeof item->name, "%.*s", (int)n, word);
  if (item->many) *usage += strlen(*usage);
  item->rest = !item->many && !**usage && takes_rest(item->name) ? PETSC_TRUE : PETSC_FALSE;
  return PETSC_TRUE;
}

/* ---- words -------------------------------------------------------------------------------------------------------- */

/* The next word of a line, quoted or not; span without the quotes.  False at the end of the line. */
static PetscBool next_word(const char text[], PetscInt *at, RungSourceSpan *span, PetscBool *open)
{
  PetscInt i = *at + (PetscInt)strspn(text + *at, " ");

  *open = PETSC_FALSE;
  if (!text[i]) return PETSC_FALSE;
  if (text[i] == '"') {
    const PetscInt n = (PetscInt)strcspn(text + i + 1, "\"");

    *span = (RungSourceSpan){i + 1, n};
    *open = text[i + 1 + n] ? PETSC_FALSE : PETSC_TRUE;
    *at   = i + 1 + n + (*open ? 0 : 1);
  } else {
    *span = (RungSourceSpan){i, (PetscInt)strcspn(text + i, " ")};
    *at   = i + span->length;
  }
  return PETSC_TRUE;
}

static PetscErrorCode add_argument(RungStatement *s, RungSourceSpan span)
{
  RungArgument *arg;

  PetscFunctionBegin;
  PetscCall(PetscRealloc((size_t)(s->args + 1) * sizeof *s->arg, &s->arg));
  arg       = &s->arg[s->args++];
  arg->text = NULL;
  arg->span = span;
  PetscCall(PetscMalloc1((size_t)span.length + 1, &arg->text));
  (void)snprintf(arg->text, (size_t)span.length + 1, "%.*s", (int)span.length, s->text + span.begin);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rest of the line, without quotes around all of it. */
static RungSourceSpan rest_of(const char text[], PetscInt at)
{
  RungSourceSpan span;

  span.begin  = at + (PetscInt)strspn(text + at, " ");
  span.length = (PetscInt)strlen(text + span.begin);
  if (span.length > 2 && text[span.begin] == '"' &&
      strchr(text + span.begin + 1, '"') == text + span.begin + span.length - 1)
    return (RungSourceSpan){span.begin + 1, span.length - 2};
  return span;
}

static PetscErrorCode missing(RungProblem problem, RungStatement *s, const char name[])
{
  PetscFunctionBegin;
  PetscCall(RungMistake(problem, s, (RungSourceSpan){(PetscInt)strlen(s->text), 1}, "%s is missing; wanted %s %s", name,
                        s->word->word, s->word->usage));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Arguments from byte `at` of the line on. */
static PetscErrorCode cut_arguments(RungProblem problem, RungStatement *s, PetscInt at, PetscBool *good)
{
  const char    *usage = s->word->usage;
  Item           item  = {.optional = PETSC_FALSE};
  RungSourceSpan span;
  PetscBool      open, more = PETSC_TRUE;

  PetscFunctionBegin;
  while (*good && more && next_item(&usage, &item)) {
    if (item.rest) {
      span = rest_of(s->text, at);
      if (span.length) PetscCall(add_argument(s, span));
      more = span.length ? PETSC_TRUE : PETSC_FALSE;
      at   = (PetscInt)strlen(s->text);
    } else {
      do {
        more = next_word(s->text, &at, &span, &open);
        if (more && open) PetscCall(RungMistake(problem, s, span, "the quote in front is not closed on this line"));
        if (more && !open && !span.length)
          PetscCall(RungMistake(problem, s, span, "a name is missing between the quotes"));
        if (more && (open || !span.length)) *good = PETSC_FALSE;
        if (more) PetscCall(add_argument(s, span));
      } while (item.many && more && *good);
    }
    if (!more && !item.optional) {
      PetscCall(missing(problem, s, item.name));
      *good = PETSC_FALSE;
    }
  }
  if (*good && next_word(s->text, &at, &span, &open)) {
    PetscCall(RungMistake(problem, s, span, "\"%.*s\" is too much; wanted %s %s", (int)span.length,
                          s->text + span.begin, s->word->word, s->word->usage));
    *good = PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStatementCut(RungProblem problem, RungStatement *s, PetscBool *good)
{
  const RungWord *nearest;
  RungSourceSpan  span;
  PetscInt        at = 0;
  PetscBool       open;
  char            word[64];

  PetscFunctionBegin;
  *good = next_word(s->text, &at, &span, &open);
  if (!*good) PetscFunctionReturn(PETSC_SUCCESS); /* an empty line */
  (void)snprintf(word, sizeof word, "%.*s", (int)span.length, s->text + span.begin);
  for (PetscInt i = 0; i < RungWordCount() && !s->word; ++i) {
    if (!strcmp(rung_words[i].word, word) && span.length < (PetscInt)sizeof word) s->word = &rung_words[i];
  }
  if (!s->word) {
    PetscCall(RungWordNearest(word, &nearest));
    PetscCall(RungMistake(problem, s, span, "no statement is called \"%s\"%s%s%s; rung help lists them", word,
                          nearest ? "; did you mean \"" : "", nearest ? nearest->word : "", nearest ? "\"?" : ""));
    *good = PETSC_FALSE;
  } else
    PetscCall(cut_arguments(problem, s, at, good));
  if (!*good) problem->lost = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
