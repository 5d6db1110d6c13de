/* init.c - start and end of the process, options that nobody asked for, or that differ between ranks. */
#include <rungtext_room.h>
#include "base_impl.h"
#include <stdlib.h>

PetscClassId  RUNG_MESH_CLASSID;
PetscLogEvent RUNG_MESH_SETUP;

static struct {
  PetscBool running; /* between RungInitialize and RungFinalize  */
  PetscBool began;   /* MPI was started here, and is ended here  */
} process;

/* ---- start and end ---------------------------------------------------------------------------------------------- */

static PetscErrorCode register_all(void)
{
  PetscFunctionBegin;
  PetscCall(PetscClassIdRegister("Rung mesh", &RUNG_MESH_CLASSID));
  PetscCall(PetscLogEventRegister("RungMeshSetUp", RUNG_MESH_CLASSID, &RUNG_MESH_SETUP));
  PetscCall(RungPartitionerRegister());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All ranks, before PETSc has started, too. */
static MPI_Comm world(void)
{
  return PETSC_COMM_WORLD == MPI_COMM_NULL ? MPI_COMM_WORLD : PETSC_COMM_WORLD;
}

/* Do the command lines differ between ranks?  PetscInitialize would wait for ever.  Before it; collective.
   Out  text  what differs, "" if nothing on this rank */
static PetscBool lines_differ(int argc, char **argv, char text[], size_t size)
{
  const MPI_Comm comm = world();
  char          *line = RungWordsJoin(argc, argv);
  int            mine, any;

  RungTextDiffer(comm, line ? line : "", text, size);
  free(line);
  mine = text[0] ? 1 : 0;
  any  = mine;
  RungTextNeed(comm, (PetscBool)(MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, comm) == MPI_SUCCESS));
  return any ? PETSC_TRUE : PETSC_FALSE;
}

/* Nobody has started this process as one of several, and it does without a daemon.  All such processes of a user share one folder, which one
   that ends takes away while another begins in it: two of 480 starts, twelve at a time, ended in MPI_Init(). */
static PetscBool is_alone(void)
{
  static const char *const launched[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_NAMESPACE", "PMI_RANK", "SLURM_PROCID"};
  const char              *isolated   = getenv("OMPI_MCA_ess_singleton_isolated");

  for (size_t i = 0; i < sizeof launched / sizeof launched[0]; ++i)
    if (getenv(launched[i])) return PETSC_FALSE;
  return isolated && !strcmp(isolated, "1") ? PETSC_TRUE : PETSC_FALSE;
}

/* A program that runs without mpiexec: Open MPI would start a daemon for it, which takes as long as the rest of the start and which only
   MPI_Comm_spawn() wants.  A program that calls MPI_Comm_spawn() sets the variable to 0. */
static void begin_mpi(int *argc, char ***argv)
{
  int initialized = 0, provided;

  MPI_Initialized(&initialized);
  if (initialized) return;
  (void)setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
  if (is_alone()) (void)setenv("OMPI_MCA_orte_create_session_dirs", "0", 0);
  MPI_Init_thread(argc, argv, PETSC_MPI_THREAD_REQUIRED, &provided);
  process.began = PETSC_TRUE;
}

/* Options of a program that started PETSc itself; of files and of the environment PETSc gives all ranks those of rank 0. */
static PetscErrorCode compare_options(void)
{
  char text[2048], *all;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetAll(NULL, &all));
  RungTextDiffer(PETSC_COMM_WORLD, all, text, sizeof text);
  PetscCall(PetscFree(all));
  RungCheckAll(!text[0], PETSC_COMM_WORLD, PETSC_ERR_ARG_INCOMP, "%s", text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* main() returned an error code instead of passing it through PetscCall, or 0 after a run that did not end well. */
static void at_exit(int found, void *ctx)
{
  (void)ctx;
  if (!RungErrorShowLast() && !process.running) RungStatusExit(found);
}

static PetscErrorCode take_over(void)
{
  static PetscBool once = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(RungErrorsStart(PETSC_FALSE));
  process.running = PETSC_TRUE;
  RungMemoryBegin();
  if (!once) (void)on_exit(at_exit, NULL);
  once = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungInitialize(int *argc, char ***argv, const char help[])
{
  char      text[2048] = "";
  PetscBool differ     = PETSC_FALSE;
  PetscBool traceback  = PETSC_FALSE;
  PetscBool huge       = PETSC_TRUE;

  if (process.running) return PETSC_SUCCESS;
  if (!PetscInitializeCalled) {
    begin_mpi(argc, argv);
    differ = lines_differ(argc ? *argc : 0, argv ? *argv : NULL, text, sizeof text);
    RungHelpBegin(help);
    RungSignalsBefore();
    RungErrorsBefore();
    RungErrorsAfter(world(), PetscInitialize(differ ? NULL : argc, differ ? NULL : argv, NULL, help));
    PetscCall(RungHelpEnd());
  }
  PetscFunctionBegin;
  PetscCall(take_over());
  RungCheckAll(!text[0], PETSC_COMM_WORLD, PETSC_ERR_ARG_INCOMP, "%s", text);
  PetscCall(compare_options());
  PetscCall(
    RungOptionBool(PETSC_COMM_WORLD, "-rung_traceback", "an error shows the way that it took", &traceback, NULL));
  if (traceback) {
    PetscCall(RungErrorsStop());
    PetscCall(RungErrorsStart(PETSC_TRUE));
  }
  PetscCall(RungOptionBool(PETSC_COMM_WORLD, "-rung_huge_pages",
                           "the heap grows by 64 MB at a time, in huge pages where the system has them", &huge, NULL));
  if (huge) RungHeapBegin();
  PetscCall(RungWorkStart());
  if (argc && argv) PetscCall(RungWordsKeep(*argc, *argv));
  PetscCall(register_all());
  RungSignalsStart();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Options that nothing asked for are named once; asking for them keeps PETSc from naming them again. */
static PetscErrorCode name_unused_options(void)
{
  PetscInt n;
  char   **name, **value;

  PetscFunctionBegin;
  PetscCall(PetscOptionsLeftGet(NULL, &n, &name, &value));
  for (PetscInt i = 0; i < n; ++i) {
    char      option[PETSC_MAX_OPTION_NAME], shown[2048];
    PetscBool set;

    (void)snprintf(shown, sizeof shown, "%s%s%s", name[i], value[i] ? " " : "", value[i] ? value[i] : "");
    RungTextShow(shown);
    PetscCall(PetscFPrintf(PETSC_COMM_WORLD, PETSC_STDERR, "warning: option -%s was given and never used\n", shown));
    PetscCall(PetscSNPrintf(option, sizeof option, "-%s", name[i]));
    PetscCall(PetscOptionsHasName(NULL, NULL, option, &set));
  }
  PetscCall(PetscOptionsLeftRestore(NULL, &n, &name, &value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungFinalize(void)
{
  PetscFunctionBegin;
  if (!process.running) PetscFunctionReturn(PETSC_SUCCESS);
  RungWorkStop();
  PetscCall(RungHelpShow());
  PetscCall(name_unused_options());
  RungStatusTell();
  PetscCall(RungWordsForget());
  RungMemoryEnd();
  RungHeapEnd();
  PetscCall(RungErrorsStop());
  process.running = PETSC_FALSE;
  if (!RungErrorsOfMemory())
    PetscCall(PetscFinalize());
  else if (PetscBeganMPI)
    MPI_Finalize(); /* what PETSc had begun when memory ran out may be half made */
  if (process.began) MPI_Finalize();
  process.began = PETSC_FALSE;
  return PETSC_SUCCESS; /* PETSc's stack of function names is gone */
}
