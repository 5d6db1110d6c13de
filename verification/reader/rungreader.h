/* rungreader.h - problems as files: statements in the language of the forms are read, checked, run and studied.

   Life: Create, Read, then Check, Run, Study or Compile, Destroy.  What is wrong in a file is no error of these functions: it is
   collected, with file, line, column and a caret, and RungProblemGetMistakes() counts it. */
#pragma once

#include <rungverify.h>

typedef struct _p_RungProblem *RungProblem;

/* How a program ends that ran a problem. */
typedef enum {
  RUNG_EXIT_DONE       = 0, /* all that the file expects holds                */
  RUNG_EXIT_FAILED     = 1, /* a reference or an expectation does not         */
  RUNG_EXIT_REFUSED    = 2, /* nothing was run                                */
  RUNG_EXIT_GAVE_UP    = 3, /* the run ended before its time                  */
  RUNG_EXIT_INCOMPLETE = 4  /* the run ended, some of its results are missing */
} RungExit;

/* RungProblemCreate - an empty problem.  Collective. */
RUNG_EXTERN PetscErrorCode RungProblemCreate(MPI_Comm comm, RungProblem *problem);
/* RungProblemDestroy - frees a problem and what was built of it; nulls *problem.  Collective. */
RUNG_EXTERN PetscErrorCode RungProblemDestroy(RungProblem *problem);
/* RungProblemRead - reads a file and what it includes on rank 0 and takes its statements apart on all ranks; constants get their
   values, from options -NAME before those of the file.
   Collective.
   In      path  of the file; other ranks need not see it
   Errors  PETSC_ERR_FILE_OPEN  it cannot be read, with the system's reason.  What is wrong inside is a mistake */
RUNG_EXTERN PetscErrorCode RungProblemRead(RungProblem problem, const char path[]);
/* RungProblemGetMistakes - how many there are, and the text that shows at most ten of them, lent until the next call.
   Not collective.  Out  n, text; may be NULL */
RUNG_EXTERN PetscErrorCode RungProblemGetMistakes(RungProblem problem, PetscInt *n, const char **text);
/* RungProblemSetOutput - the folder of results: it must not exist, or be empty.  NULL, the default: NAME.out, or the first of
   NAME.out.2, NAME.out.3, .. that is not there.  "none": nothing is written.  Not collective. */
RUNG_EXTERN PetscErrorCode RungProblemSetOutput(RungProblem problem, const char folder[]);
/* RungProblemSetStep - the step that a run begins with, the first if not said: from its initial values, or from a checkpoint of
   it, -stepper_restart.  After Read; a name that is none is a mistake.  Not collective. */
RUNG_EXTERN PetscErrorCode RungProblemSetStep(RungProblem problem, const char name[]);
/* RungProblemSetQuiet - nothing is printed but what fails.  Not collective. */
RUNG_EXTERN PetscErrorCode RungProblemSetQuiet(RungProblem problem, PetscBool quiet);
/* RungProblemSetCommand - how the program was called and the commit it was made of, "" if nobody knows, for log and summary;
   copied.  Not collective. */
RUNG_EXTERN PetscErrorCode RungProblemSetCommand(RungProblem problem, const char command[], const char commit[]);
/* RungProblemCheck - makes mesh and system without a run and prints them, and which methods fit; what is wrong is a mistake.
   Collective.
   In  picture  also writes, for ParaView, parts, given entries, the state at the start and the shape of the cells, for each step:
                to a folder as RungProblemSetOutput() says, NAME.check where it says nothing */
RUNG_EXTERN PetscErrorCode RungProblemCheck(RungProblem problem, PetscBool picture);
/* RungProblemPrint - the problem on the standard output, as what says: "c", the program that it stands for; "canonical", the file in
   one piece with what it leaves to defaults.  Mistakes as above; -c has some more, for what it does not write.
   Collective.  Errors  PETSC_ERR_ARG_UNKNOWN_TYPE  another word */
RUNG_EXTERN PetscErrorCode RungProblemPrint(RungProblem problem, const char what[]);
/* RungProblemRun - runs the problem, writes its results and tests what it expects.
   Collective.  Out  status  RUNG_EXIT_DONE, _FAILED, or _REFUSED with mistakes
   Errors  those of RungStepperSolve(), with the place in the file where there is one */
RUNG_EXTERN PetscErrorCode RungProblemRun(RungProblem problem, RungExit *status);
/* RungProblemStudy - runs the ladders of the file, or the one of -ladder dt=0.1,0.05 or tol=1e-4,1e-6, with its method, or those
   of -method a,b*, prints errors and orders, and tests what it expects.  Errors are those of `exact`; without, of the
   references at the end.  Collective.  Out  as RungProblemRun() */
RUNG_EXTERN PetscErrorCode RungProblemStudy(RungProblem problem, RungExit *status);
/* RungProblemTaylor - RungTaylorTest() of the residual at the start of the problem, printed.  Collective.  Out  as above */
RUNG_EXTERN PetscErrorCode RungProblemTaylor(RungProblem problem, RungExit *status);
/* RungProblemCompile - kernels ahead of time, see RungKernelsWrite(): one C source of all forms of the problem.
   One rank.  In  output  of the source; name  in C; isa  as -form_isa */
RUNG_EXTERN PetscErrorCode RungProblemCompile(RungProblem problem, const char output[], const char name[],
                                              const char isa[]);

/* RungProblemGetRefusal - does the file say `refuse TEXT`, and do its mistakes hold all these texts?  Not collective. */
RUNG_EXTERN PetscErrorCode RungProblemGetRefusal(RungProblem problem, PetscBool *wanted, PetscBool *met);
/* RungGalleryCopy - copies folder/NAME.rung here, where no such file may be.  Collective.
   Errors  PETSC_ERR_ARG_UNKNOWN_TYPE  no such problem, with the list;  PETSC_ERR_FILE_OPEN  the file is there */
RUNG_EXTERN PetscErrorCode RungGalleryCopy(MPI_Comm comm, const char folder[], const char name[]);

/* RungCaseReadFiles - problem files of a folder that say an exact solution or a ladder of steps become reference problems of studies,
   named as the files are; those whose names are registered already stay as they are.  Options of a file are those of its own run and
   study: studies of the registry choose their solvers anew.  Collective.
   In      folder  NULL: share/rung/problems of the installation, or build tree, that the library is of: the shared one, or the program
                   that a static one is part of.  Programs elsewhere name the folder, rung_PROBLEMS_DIR of find_package(rung)
   Errors  PETSC_ERR_FILE_OPEN  the folder cannot be read */
RUNG_EXTERN PetscErrorCode RungCaseReadFiles(MPI_Comm comm, const char folder[]);

/* RungResultsDiff - compares two folders of results on rank 0 and prints where they differ: tables (.csv) row by row, times of
   series (.pvd), their points and cells (.vtu) by where they are, so that the ranks that wrote them do not matter;
   |a - b| <= abs + rel s, s the largest value of the column, or of the field in all pictures; files that one folder alone has.
   Collective.  Errors  PETSC_ERR_FILE_OPEN  a folder cannot be read */
RUNG_EXTERN PetscErrorCode RungResultsDiff(MPI_Comm comm, const char one[], const char other[], PetscReal rel,
                                           PetscReal abs, PetscBool *same);

/* ---- help: all made from the tables that the code is made of; rank 0 prints ----------------------------------------- */

/* RungGalleryPrint - names and titles of the problems in a folder.  Collective. */
RUNG_EXTERN PetscErrorCode RungGalleryPrint(MPI_Comm comm, const char folder[]);
/* RungHelpPrint - of a statement, a method, an operator or an option without its hyphen; NULL: a list of the statements.
   Collective.  Errors  PETSC_ERR_ARG_UNKNOWN_TYPE  no such word, with the nearest */
RUNG_EXTERN PetscErrorCode RungHelpPrint(MPI_Comm comm, const char word[]);
/* RungListPrint - what: methods, problems (of the gallery, in folder), elements, operators, options, statements.
   Collective.  Errors  PETSC_ERR_ARG_UNKNOWN_TYPE  no such list */
RUNG_EXTERN PetscErrorCode RungListPrint(MPI_Comm comm, const char what[], const char folder[]);
/* RungStatementsPrint - the table of statements: "page", docs/problems.md, "vim", an editor's grammar, "manual",
   the page rung(5).  Not collective. */
RUNG_EXTERN PetscErrorCode RungStatementsPrint(FILE *file, const char what[]);
