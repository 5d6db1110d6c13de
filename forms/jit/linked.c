/* linked.c - kernels made ahead of time: written as one C source by rung-compile, linked into a program, found by hash.

   A kernel is known by the hash of the source that its integral alone has, so it does not matter which other kernels it
   was written with, nor in which order forms are set up.  The source announces its kernels when the program starts
   (RungKernelsLink, called by a constructor). */
#include "jit_impl.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what the program has brought along --------------------------------------------------------------------------- */

static struct rung_linked_unit *units;

void RungKernelsLink(struct rung_linked_unit *unit)
{
  unit->next = units;
  units      = unit;
}

PetscErrorCode RungLinkedHash(RungPlan plan, PetscInt lanes, char hash[40])
{
  uint64_t h[2] = {0xcbf29ce484222325u, 0x84222325cbf29ce4u};
  char    *source;

  PetscFunctionBegin;
  PetscCall(RungEmit(1, &plan, lanes, &source));
  RungHashText(source, strlen(source), h);
  RungJitPrint(hash, 40, "%016llx%016llx", (unsigned long long)h[0], (unsigned long long)h[1]);
  PetscCall(PetscFree(source));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* May it run here?  Else the reason. */
static PetscBool is_usable(const struct rung_linked_unit *unit, RungIsa isa, char reason[RUNG_REASON_SIZE])
{
  if (unit->abi != RUNG_ABI) {
    RungJitPrint(reason, RUNG_REASON_SIZE, "they are of interface %d, this Rung wants %d", unit->abi, RUNG_ABI);
  } else if (unit->isa < RUNG_ISA_SSE2 || unit->isa >= RUNG_ISAS) {
    RungJitPrint(reason, RUNG_REASON_SIZE, "they are of an unknown instruction set");
  } else if (unit->isa > RUNG_ISA_SSE2 && !RungIsaIsHere((RungIsa)unit->isa)) {
    RungJitPrint(reason, RUNG_REASON_SIZE, "they need %s, which this processor has not",
                 RungIsaName((RungIsa)unit->isa));
  } else if (isa != RUNG_ISA_NATIVE && unit->isa > (int)isa) {
    RungJitPrint(reason, RUNG_REASON_SIZE, "they need %s, but %s is all that is asked for or common to all ranks",
                 RungIsaName((RungIsa)unit->isa), RungIsaName(isa));
  } else {
    return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

static RungKernelFn *find_kernel(const char hash[], PetscInt lanes, RungIsa isa)
{
  char reason[RUNG_REASON_SIZE];

  for (const struct rung_linked_unit *unit = units; unit; unit = unit->next) {
    if (unit->lanes != (int)lanes || !is_usable(unit, isa, reason)) continue;
    for (int k = 0; k < unit->kernels; ++k) {
      if (!strcmp(unit->hash[k], hash)) return unit->kernel[k];
    }
  }
  return NULL;
}

/* All of them, for places `lanes` at a time. */
static PetscErrorCode find_all(PetscInt n, const RungPlan plan[], PetscInt lanes, RungIsa isa, RungKernelFn *kernel[],
                               PetscInt *missing)
{
  char hash[40];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) {
    PetscCall(RungLinkedHash(plan[i], lanes, hash));
    kernel[i] = find_kernel(hash, lanes, isa);
    if (kernel[i]) continue;
    *missing = i;
    PetscCall(PetscArrayzero(kernel, n));
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLinkedFind(PetscInt n, const RungPlan plan[], RungIsa isa, RungKernelFn *kernel[], PetscInt *lanes,
                              PetscInt *sources, char reason[RUNG_REASON_SIZE])
{
  PetscInt missing = -1;

  PetscFunctionBegin;
  *sources = 0;
  for (*lanes = 8; *lanes >= 2 && !kernel[0]; *lanes /= 2) {
    PetscBool usable = PETSC_FALSE;

    for (const struct rung_linked_unit *unit = units; unit; unit = unit->next) {
      if (unit->lanes != (int)*lanes) continue;
      ++*sources;
      if (is_usable(unit, isa, reason)) usable = PETSC_TRUE;
    }
    if (usable) PetscCall(find_all(n, plan, *lanes, isa, kernel, &missing));
    if (kernel[0]) PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (missing >= 0) {
    RungJitPrint(reason, RUNG_REASON_SIZE,
                 "none of them is of %.200s; that form, its spaces, its kind of cell or Rung are not what they were "
                 "made of",
                 plan[missing]->integral->text ? plan[missing]->integral->text : "this form");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the record: integrals of forms that are set up ----------------------------------------------------------------- */

static struct {
  PetscBool on;
  PetscInt  n, room;
  RungPlan *plan; /* owned array, lent plans */
} record;

PetscErrorCode RungKernelsRecord(PetscBool on)
{
  PetscFunctionBegin;
  record.on = on;
  if (!on) {
    PetscCall(PetscFree(record.plan));
    record.n = record.room = 0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungRecordAdd(RungPlan plan)
{
  PetscFunctionBegin;
  if (!record.on) PetscFunctionReturn(PETSC_SUCCESS);
  if (record.n == record.room) {
    record.room = 2 * record.room + 16;
    PetscCall(PetscRealloc((size_t)record.room * sizeof *record.plan, &record.plan));
  }
  record.plan[record.n++] = plan;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RungRecordForget(RungPlan plan)
{
  PetscInt kept = 0;

  for (PetscInt i = 0; i < record.n; ++i) {
    if (record.plan[i] != plan) record.plan[kept++] = record.plan[i];
  }
  record.n = kept;
}

/* ---- writing -------------------------------------------------------------------------------------------------------- */

static const char head[] = RUNG_KERNELS_HEAD
  "%s" RUNG_KERNELS_MADE "\n"
  "   Compile   cc -std=gnu11 -O2 -funroll-loops -fno-math-errno %s%s-c FILE\n"
  "   and link the object itself into the program (out of an archive a linker takes only what is asked for). */\n"
  "#if %s\n  #error compile this source with %s\n#endif\n"
  "#pragma GCC diagnostic ignored \"-Wunused-variable\"\n#pragma GCC diagnostic ignored \"-Wunused-function\"\n"
  "#pragma GCC diagnostic ignored \"-Wpsabi\"\n"
  "#define RUNG_KEY      \"linked\"\n#define rung_kernels  rung_kernels_%s\n#define rung_identity rung_identity_%s\n\n";

static const char tail[] =
  "};\n\n/* Read by RungKernelsLink of librungforms. */\n"
  "struct rung_linked_unit {\n"
  "  int                abi, lanes, isa, kernels;\n"
  "  const char        *name;\n"
  "  const char *const *hash;\n"
  "  void (*const *kernel)(const RungKernelArgs *args);\n"
  "  struct rung_linked_unit *next;\n"
  "};\n"
  "void RungKernelsLink(struct rung_linked_unit *unit);\n\n"
  "__attribute__((constructor)) static void announce(void)\n{\n"
  "  static struct rung_linked_unit unit = {%d, LANES, %d, %d, \"%s\", hashes, rung_kernels, 0};\n\n"
  "  RungKernelsLink(&unit);\n}\n";

/* What the compiler must not have defined; "0" where everything will do. */
static const char *const lacks[RUNG_ISAS] = {
  [RUNG_ISA_NATIVE] = "0",
  [RUNG_ISA_SSE2]   = "0",
  [RUNG_ISA_AVX2]   = "!defined(__AVX2__) || !defined(__FMA__)",
  [RUNG_ISA_AVX512] = ("!defined(__AVX512F__) || !defined(__AVX512DQ__) || !defined(__AVX512BW__) || "
                       "!defined(__AVX512VL__)")};

/* The record without what occurs twice, and the hashes; the caller frees both. */
static PetscErrorCode distinct(PetscInt lanes, PetscInt *n, RungPlan **plan, char (**hash)[40])
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(record.n, plan));
  PetscCall(PetscMalloc1(record.n, hash));
  *n = 0;
  for (PetscInt i = 0; i < record.n; ++i) {
    PetscBool known = PETSC_FALSE;

    PetscCall(RungLinkedHash(record.plan[i], lanes, (*hash)[*n]));
    for (PetscInt k = 0; k < *n; ++k) known = known || !strcmp((*hash)[k], (*hash)[*n]) ? PETSC_TRUE : PETSC_FALSE;
    if (!known) (*plan)[(*n)++] = record.plan[i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_source(FILE *file, const char name[], RungIsa isa, PetscInt *n)
{
  const PetscInt lanes = RungIsaLanes(isa);
  RungPlan      *plan;
  char(*hash)[40], *source;
  const char *flags = RungIsaFlags(isa);

  PetscFunctionBegin;
  PetscCall(distinct(lanes, n, &plan, &hash));
  if (*n) {
    PetscCall(RungEmit(*n, plan, lanes, &source));
    fprintf(file, head, name, flags, flags[0] ? " " : "", lacks[isa], flags, name, name);
    fprintf(file, "%s\nstatic const char *const hashes[] = {\n", source);
    for (PetscInt k = 0; k < *n; ++k) fprintf(file, "  \"%s\",\n", hash[k]);
    fprintf(file, tail, RUNG_ABI, (int)isa, (int)*n, name);
    PetscCall(PetscFree(source));
  }
  PetscCall(PetscFree(plan));
  PetscCall(PetscFree(hash));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungKernelsWrite(const char path[], const char name[], const char isa[], PetscInt *kernels)
{
  RungIsa kind = RUNG_ISA_NATIVE;
  FILE   *memory;
  char   *text = NULL;
  size_t  size = 0;
  int     bad;

  PetscFunctionBegin;
  RungNeedArgument(name);
  RungNeedArgument(isa);
  RungNeedArgument(kernels);
  PetscCall(RungPathCheck(PETSC_COMM_SELF, "a C source", path, "heat.c"));
  while (kind < RUNG_ISAS && strcmp(RungIsaName(kind), isa) != 0) ++kind;
  PetscCheck(kind < RUNG_ISAS, PETSC_COMM_SELF, PETSC_ERR_ARG_UNKNOWN_TYPE,
             "no instruction set is called \"%s\"; name native, sse2, avx2 or avx512", isa);
  if (kind == RUNG_ISA_NATIVE) kind = PetscMax(RungIsaBest(), RUNG_ISA_SSE2);
  for (const char *c = name; *c; ++c) {
    PetscCheck((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_',
               PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
               "kernels of \"%s\", which is no name in C; use letters, digits and _", name);
  }
  PetscCall(RungFileCheck(PETSC_COMM_SELF, "the C source", path, RUNG_FILE_KERNELS));
  memory = open_memstream(&text, &size);
  PetscCheck(memory, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for the C source \"%s\"", path);
  PetscCall(write_source(memory, name, kind, kernels));
  bad = ferror(memory);
  bad = fclose(memory) || bad;
  PetscCheck(!bad, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for the C source \"%s\"", path);
  RungCallFinally(RungFileWrite(PETSC_COMM_SELF, path, size, text), free(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}
