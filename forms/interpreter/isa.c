/* isa.c - instruction sets: their names, what this machine has, and the copy of the interpreter made for each.

   The library is compiled for every machine of its kind; the interpreter's sources besides for SSE2, AVX2 with FMA and
   AVX-512 (RUNG_ISA_COPIES, see CMakeLists.txt), and a kernel takes the copy that its plan asks for. */
#include "kernel_impl.h"
#include <string.h>

#ifdef RUNG_ISA_COPIES
PetscErrorCode RungInterpreterCreate_sse2(RungPlan plan, PetscInt ahead, RungKernel *kernel);
PetscErrorCode RungInterpreterCreate_avx2(RungPlan plan, PetscInt ahead, RungKernel *kernel);
PetscErrorCode RungInterpreterCreate_avx512(RungPlan plan, PetscInt ahead, RungKernel *kernel);
#endif

/* Flags that every compiler of the last ten years knows; lanes: numbers in a vector. */
static const struct {
  const char *name, *flags;
  PetscInt    lanes;
} known[RUNG_ISAS] = {
  [RUNG_ISA_NATIVE] = {"native", "-march=native", 0},
  [RUNG_ISA_SSE2]   = {"sse2", "", 2},
  [RUNG_ISA_AVX2]   = {"avx2", "-mavx2 -mfma", 4},
  [RUNG_ISA_AVX512] = {"avx512", "-mavx2 -mfma -mavx512f -mavx512cd -mavx512dq -mavx512bw -mavx512vl", 8},
};

const char *RungIsaName(RungIsa isa)
{
  return known[isa].name;
}

PetscInt RungMachineLanes(void)
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f")) return 8;
  if (__builtin_cpu_supports("avx")) return 4;
#endif
  return 2;
}

/* What the process sees decides: a compiler asks the processor, which may have more than a memory checker or a virtual
   machine around us lets through. */
const char *RungIsaFlags(RungIsa isa)
{
#if defined(__x86_64__)
  if (isa == RUNG_ISA_NATIVE && RungMachineLanes() == 4) return "-march=native -mno-avx512f";
  if (isa == RUNG_ISA_NATIVE && RungMachineLanes() == 2) return "-march=native -mno-avx";
#endif
  return known[isa].flags;
}

PetscInt RungIsaLanes(RungIsa isa)
{
  return isa == RUNG_ISA_NATIVE ? RungMachineLanes() : known[isa].lanes;
}

PetscBool RungIsaIsHere(RungIsa isa)
{
  PetscBool here = isa == RUNG_ISA_NATIVE ? PETSC_TRUE : PETSC_FALSE;

#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_cpu_init();
  if (isa == RUNG_ISA_SSE2) here = PETSC_TRUE;
  if (isa >= RUNG_ISA_AVX2) {
    here = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? PETSC_TRUE : PETSC_FALSE;
  }
  if (isa == RUNG_ISA_AVX512) {
    here = here && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512vl")
             ? PETSC_TRUE
             : PETSC_FALSE;
  }
#endif
  return here;
}

RungIsa RungIsaBest(void)
{
  int isa = RUNG_ISAS - 1;

  while (isa > RUNG_ISA_NATIVE && !RungIsaIsHere((RungIsa)isa)) --isa;
  return (RungIsa)isa;
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

PetscErrorCode RungKernelCreateInterpreter(RungPlan plan, PetscInt ahead, RungKernel *kernel)
{
  PetscFunctionBegin;
#ifdef RUNG_ISA_COPIES
  switch (plan->isa == RUNG_ISA_NATIVE ? RungIsaBest() : plan->isa) {
  case RUNG_ISA_AVX512: PetscCall(RungInterpreterCreate_avx512(plan, ahead, kernel)); break;
  case RUNG_ISA_AVX2: PetscCall(RungInterpreterCreate_avx2(plan, ahead, kernel)); break;
  default: PetscCall(RungInterpreterCreate_sse2(plan, ahead, kernel));
  }
#else
  PetscCall(RungInterpreterCreate(plan, ahead, kernel));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungKernelDestroy(RungKernel *kernel)
{
  PetscFunctionBegin;
  if (!*kernel) PetscFunctionReturn(PETSC_SUCCESS);
  if ((*kernel)->destroy) PetscCall((*kernel)->destroy(*kernel));
  PetscCall(PetscFree(*kernel));
  PetscFunctionReturn(PETSC_SUCCESS);
}
