/* reader_impl.h - what the files of the reader share. */
#pragma once

#include <rungcoupling_room.h>
#include <rungforms_room.h>
#include <rungmethod.h>
#include <rungreader.h>
#include <rungstep_room.h>
#include <rungversion.h>
#include <ctype.h>
#include <math.h>
#include <string.h>

#define RUNG_MISTAKES     10               /* that are shown                                       */
#define RUNG_MISTAKE_SIZE RUNG_CAUGHT_SIZE /* bytes of one, with its excerpt */
#define RUNG_FILE_BYTES   (16 << 20)
#define RUNG_INCLUDES     32 /* files of one problem                                 */
#define RUNG_STEPS        64 /* of one problem                                       */

/* ---- text and places (source.c, mistake.c) ------------------------------------------------------------------------ */

typedef struct {
  char    *path;   /* owned: as messages show it                                   */
  char    *text;   /* owned                                                        */
  PetscInt size;   /* bytes of text                                                */
  PetscInt parent; /* the file that includes it, -1 for the first                  */
  int64_t  id[2];  /* device and number: two paths may lead to one file            */
} RungSourceFile;

/* Bytes of a statement's text. */
typedef struct {
  PetscInt begin, length;
} RungSourceSpan;

/* When a statement's call is made.  FIRST needs nothing else, OUTCOME looks at what the others made. */
typedef enum {
  RUNG_PHASE_FIRST,
  RUNG_PHASE_MESH,
  RUNG_PHASE_UNKNOWN,
  RUNG_PHASE_SYSTEM,
  RUNG_PHASE_RESIDUAL,
  RUNG_PHASE_STEPPER,
  RUNG_PHASE_OUTCOME,
  RUNG_PHASES
} RungPhase;

typedef struct _RungStatement RungStatement;
typedef PetscErrorCode        RungReadFn(RungProblem problem, RungStatement *statement);

/* A row of statements.def. */
typedef struct {
  const char *word, *usage, *label, *call, *help;
  RungPhase   phase;
  RungReadFn *read;
} RungWord;

typedef struct {
  char          *text; /* owned, without quotes                                          */
  RungSourceSpan span;
} RungArgument;

/* One statement: a line, or several that \ joins. */
struct _RungStatement {
  const RungWord *word;   /* static                                                 */
  PetscInt        file;   /* of the problem's files                                 */
  char           *text;   /* owned: the lines joined, without remarks               */
  PetscInt       *at;     /* owned, [strlen(text) + 1]: byte of the file            */
  PetscInt        number; /* among those of its word that were built, from 1        */
  PetscInt        step;   /* it stands in, from 1; 0: before the first, it holds in all */
  PetscBool       joint;  /* of all systems together, see RungJoinMark()            */
  PetscBool       option; /* it is an option in force, taken back with the problem     */
  PetscBool       alpha;  /* it is a method of type alpha, whose parameters have calls of their own */
  PetscBool       told;   /* there was a warning about it                              */
  PetscInt        args;
  RungArgument   *arg; /* owned, [args]                                          */
};

/* What a statement's call raises is a mistake at the statement. */
#define RungPass(problem, statement, call)                                                                             \
  do {                                                                                                                 \
    RungCaught rung_caught_;                                                                                           \
    RungCatch(&rung_caught_, call);                                                                                    \
    if (rung_caught_.code) PetscCall(RungMistakeCaught((problem), (statement), &rung_caught_));                        \
  } while (0)

/* ---- a problem ---------------------------------------------------------------------------------------------------- */

typedef struct {
  char                 name[64];
  PetscReal            value;
  const RungStatement *said;   /* lent: where it stands                                    */
  PetscInt             length; /* of its arithmetic, without the unit; 0: an option says it */
} RungConstant;

/* A constant that an event changes since its arithmetic names one that the event changes. */
typedef struct {
  const char *name; /* lent  */
  char       *text; /* owned */
} RungFollower;

/* Values of quantities and numbers at the accepted steps of a run, and at the times of references (series.c). */
typedef struct {
  PetscInt         n;          /* columns: quantities, then numbers                     */
  PetscInt         quantities; /* of the system                                         */
  PetscInt         numbers;
  RungScope        scope;  /* owned: constants and columns by name; NULL: no number */
  RungPointwise   *number; /* owned [numbers]                                       */
  const char     **name;   /* owned [n]; the names are lent                         */
  const PetscBool *rate;   /* [quantities] lent by the system                       */
  PetscInt         rows, room;
  PetscReal       *t;     /* owned [rows]                                          */
  PetscReal       *value; /* owned [rows][n]                                       */
  PetscBool        keep;  /* all rows, not just the last                           */
  PetscInt         step;  /* of the last row                                       */
  PetscReal        begun; /* the time of a checkpoint that the run goes on from, -inf: none */
  PetscBool       *lacks; /* owned [n]: a column that the checkpoint does not hold: nothing is known of it before
                             `begun`; NULL: none */
} RungSeries;

/* A static step: the constant NAME goes from one value to another, no time passes (static.c). */
typedef struct {
  const RungStatement *said;                  /* NULL: the step is no static one                            */
  PetscReal            from, to, step, value; /* value: the constant's, of now                    */
  PetscReal            t;                     /* that stands still                                           */
  PetscBool            moves;                 /* the constant has `value`, not what the file says            */
  PetscInt             solutions;             /* so far                                                      */
  char                 save[PETSC_MAX_PATH_LEN], load[PETSC_MAX_PATH_LEN]; /* checkpoints; "": none */
} RungStatic;

/* What goes from a step to the next. */
typedef struct {
  PetscBool  there;
  PetscReal  t;
  Vec        u[2]; /* owned: values and rates; NULL where there are none                        */
  PetscInt   sums;
  char     **name; /* owned [sums]: rates                                                       */
  PetscReal *sum;  /* owned [sums]                                                              */
} RungCarry;

/* ---- several systems of one run (group.c) ------------------------------------------------------------------------ */

/* How the systems of a group go through time. */
typedef struct {
  const RungStatement *said; /* NULL: the file says no `coupling`                          */
  RungCouplingScheme   scheme;
  PetscReal            window, tolerance; /* as the file says                              */
  PetscInt             most;
  PetscReal            t0, t1, length; /* of the run; of a window                          */
  PetscInt             windows;        /* of the run                                       */
} RungGroup;

/* What was tested: a line of the report. */
typedef struct {
  char      what[320];
  PetscReal value, wanted, allowed;
  PetscBool tested, passed; /* not tested: a summary, for people                          */
  char      why[200];       /* it cannot be told; "": it can                              */
} RungOutcome;

/* A mistake that is shown. */
typedef struct {
  char     *text;     /* owned: message and excerpt */
  PetscInt  file, at; /* byte; -1: of the whole     */
  char      name[64]; /* that nothing declares, with what is said of it; "": another mistake */
  PetscBool more;     /* places behind this one have the name, too                        */
} RungShown;

struct _p_RungProblem {
  MPI_Comm       comm; /* owned, PetscCommDuplicate                                   */
  PetscInt       files;
  RungSourceFile file[RUNG_INCLUDES];
  PetscInt       statements, room;
  RungStatement *statement; /* owned                                                        */
  PetscInt       mistakes, shown;
  PetscBool      lost;                   /* a statement was wrong that may declare a name                */
  PetscBool      listed;                 /* read for a list alone: its constants are no options          */
  RungShown      mistake[RUNG_MISTAKES]; /* in the order of the files                                    */
  char          *mistake_text;           /* owned: all that are shown                                    */
  PetscInt       constants, constants_room;
  RungConstant  *constant;                  /* owned, in the order of the file                              */
  const char    *title, *look;              /* lent from statements                                         */
  PetscInt       steps;                     /* of the run; 0: the file says no `step`                       */
  PetscInt       first;                     /* step that the run begins with, from 1                        */
  PetscBool      chosen;                    /* first: by RungProblemSetStep()                               */
  PetscInt       step;                      /* that is being built or run, from 1; 0: what is before the first */
  const char    *step_name[RUNG_STEPS + 1]; /* lent, [1 ..]                                           */
  PetscBool      systems;                   /* what are called steps are systems, each a member             */
  RungProblem    group;                     /* of a member: the problem; NULL of others                     */
  PetscInt       members;
  RungProblem   *member;   /* owned; a member lends files, statements, mesh from its group */
  RungGroup      plan;     /* of a group                                                 */
  RungCoupling   coupling; /* owned, of a group: made with its steppers                */
  PetscReal      shrink;   /* of a member: its steps are so much of what the file says     */
  RungRows       rows;     /* owned, of a static step; NULL: it writes nothing             */
  RungStatic     fixed;    /* of the step                                                  */
  RungCarry      carry;
  PetscInt       cells;               /* 1 + the statement that says what they are; 0: none           */
  PetscBool      compiling;           /* rung compile: no values are needed                           */
  RungMesh       mesh;                /* owned; NULL before Build                                     */
  RungSystem     sys;                 /* owned                                                        */
  RungStepper    stepper;             /* owned                                                        */
  PetscInt       residuals, energies; /* that were built                                              */
  PetscInt       fields, fields_room;
  RungField     *field;                      /* owned                                                        */
  PetscInt       outputs;                    /* of the stepper                                               */
  PetscBool      interval;                   /* time was said                                                */
  PetscBool      running;                    /* what is built is going to run                                */
  char           folder[PETSC_MAX_PATH_LEN]; /* of results; "": none                                         */
  char           asked[PETSC_MAX_PATH_LEN];  /* by RungProblemSetOutput; "": NAME.out                        */
  char          *command;                    /* owned                                                        */
  char           commit[64];                 /* of the program; ""                                           */
  PetscBool      quiet;
  RungSeries     series;
  PetscInt       times, times_room;
  PetscReal     *time;         /* owned: of references, increasing                             */
  PetscReal      dt, tol;      /* of a study's ladder in place of the file's; 0: as the file says */
  char           changed[128]; /* an option that makes another problem of the file; ""          */
  PetscBool      tol_set;      /* tol has been used                                            */
  char           method[64];   /* of a study in place of the file's; ""                        */
  char           ran[128];     /* the method that ran, "dirk esdirk43"                         */
  PetscInt       order;        /* of convergence, of that method                               */
  PetscInt       outcomes, outcomes_room;
  RungOutcome   *outcome; /* owned                                                        */
};

/* ---- reading ------------------------------------------------------------------------------------------------------ */

extern const RungWord rung_words[];
PetscInt              RungWordCount(void);
/* Its file's text, then the statements of all lines; includes are followed. */
PetscErrorCode RungSourceOpen(RungProblem problem, const char path[], PetscInt parent, char why[256]);
PetscErrorCode RungSourceRead(RungProblem problem, PetscInt file);
/* The path as messages show it, relative to the folder of a statement's file. */
PetscErrorCode RungPathBeside(RungProblem problem, const RungStatement *s, const char name[], char path[], size_t size);
PetscErrorCode RungStatementCut(RungProblem problem, RungStatement *s, PetscBool *good);
PetscErrorCode RungStatementDestroy(RungStatement *s);
PetscErrorCode RungResidualText(const RungStatement *s, char **text); /* as the system gets it; the caller's */
/* The nearest of the statements' words, NULL if none is near. */
PetscErrorCode RungWordNearest(const char word[], const RungWord **nearest);

/* ---- mistakes ----------------------------------------------------------------------------------------------------- */

PetscErrorCode RungMistake(RungProblem problem, const RungStatement *s, RungSourceSpan span, const char format[], ...)
  PETSC_ATTRIBUTE_FORMAT(4, 5);
/* Of the whole problem, or a file that is still being taken apart. */
PetscErrorCode RungMistakeInFile(RungProblem problem, PetscInt file, PetscInt begin, PetscInt end, const char format[],
                                 ...) PETSC_ATTRIBUTE_FORMAT(5, 6);
/* Something that does not keep a run from being made: a warning, once for each statement. */
PetscErrorCode RungRemark(RungProblem problem, RungStatement *s, RungSourceSpan span, const char format[], ...)
  PETSC_ATTRIBUTE_FORMAT(4, 5);
/* Something that the file does not say, shown at its last statement; text has no arguments. */
PetscErrorCode RungMistakeMissing(RungProblem problem, const char text[]);
PetscBool      RungIsMistaken(RungProblem problem, const RungStatement *s); /* a mistake in it is shown */
PetscErrorCode RungMistakesForget(RungProblem problem);                     /* those so far */
/* s NULL: the statement is found by the message.  An error that other ranks may not have is raised again. */
PetscErrorCode RungMistakeCaught(RungProblem problem, const RungStatement *s, const RungCaught *caught);
/* "file:line:column: message" and its excerpt for an error that ends a run; as it was where no statement is named. */
PetscErrorCode RungPlaceMessage(RungProblem problem, const RungCaught *caught, char message[RUNG_MISTAKE_SIZE]);
/* The statement that a message names and the bytes of it; s NULL if there is none. */
PetscErrorCode RungPlaceFind(RungProblem problem, const char message[], const RungStatement **s, RungSourceSpan *span,
                             char said[RUNG_MISTAKE_SIZE]);
RungSourceSpan RungSpanOf(const RungStatement *s);     /* all of it      */
RungSourceSpan RungSpanOfText(const RungStatement *s); /* its last one   */
PetscErrorCode RungPlaceText(const RungStatement *s, RungSourceSpan text, const char message[], RungSourceSpan *span,
                             char said[RUNG_MISTAKE_SIZE]);
void           RungMistakeFormat(RungProblem problem, PetscInt file, PetscInt begin, PetscInt end, const char said[],
                                 char out[RUNG_MISTAKE_SIZE]);

/* ---- arguments: what is wrong is a mistake at the argument and makes *good false -------------------------------------- */

PetscErrorCode RungGetReal(RungProblem problem, const RungStatement *s, PetscInt i, PetscReal *value, PetscBool *good);
PetscErrorCode RungGetInt(RungProblem problem, const RungStatement *s, PetscInt i, PetscInt *value, PetscBool *good);
PetscErrorCode RungGetReals(RungProblem problem, const RungStatement *s, PetscInt i, PetscInt most, PetscInt *n,
                            PetscReal value[], PetscBool *good);
PetscErrorCode RungGetInts(RungProblem problem, const RungStatement *s, PetscInt i, PetscInt most, PetscInt *n,
                           PetscInt value[], PetscBool *good);
/* A plain file name: no folder, no ending but the one that is given, which is added. */
PetscErrorCode RungGetFile(RungProblem problem, const RungStatement *s, PetscInt i, const char ending[], char path[],
                           size_t size, PetscBool *good);
/* The fields of an output as RungStepperSetOutputFields() reads them, without quotes, points of a line as numbers; NULL where
   nothing is said; the caller's. */
PetscErrorCode RungGetOutput(RungProblem problem, const RungStatement *s, char **list, PetscBool *good);
PetscErrorCode RungOutputsCheck(RungProblem problem); /* series of too many times are mistakes */
PetscErrorCode RungStopsCheck(RungProblem problem);   /* stops that no step lands on are told                 */
PetscErrorCode RungBoundsCheck(RungProblem problem);  /* bounds that are no intervals at the start are mistakes */
#define RUNG_SUM_TERMS 64                             /* of a constraint */

/* A constraint: the sum of coefficient[i] name[i](x[i]) is `right`. */
typedef struct {
  PetscInt    n;
  char        name[RUNG_SUM_TERMS][96];
  PetscReal   x[3 * RUNG_SUM_TERMS], coefficient[RUNG_SUM_TERMS];
  const char *right; /* lent from the statement */
} RungNodeSum;

/* What an event statement says; its text is lent. */
PetscErrorCode RungGetEvent(RungProblem problem, const RungStatement *s, RungEvent *event, PetscBool *good);
/* What follows the constants that an event changes, told at the last `change` of it that holds; n = 0 at all other statements.  `list`
   is the caller's until RungFollowersDestroy(). */
PetscErrorCode RungFollowersCreate(RungProblem problem, const RungStatement *s, PetscInt *n, RungFollower **list);
PetscErrorCode RungFollowersDestroy(PetscInt n, RungFollower **list);
PetscErrorCode RungGetSum(RungProblem problem, const RungStatement *s, RungNodeSum *sum, PetscBool *good);
/* Arithmetic of the constants so far; text is a part of the statement's. */
PetscErrorCode RungArithmetic(RungProblem problem, const RungStatement *s, RungSourceSpan span, PetscReal *value,
                              PetscBool *good);
/* The same of any text; why is "" if all is well, else bad are the bytes that are wrong. */
void RungArithmeticText(RungProblem problem, const char text[], PetscReal *value, char why[256], RungSourceSpan *bad);
PetscErrorCode RungConstantsApply(RungProblem problem); /* to the system                      */

PetscBool RungHas(RungProblem problem, const char word[]);            /* such a statement that holds in the step */
PetscBool RungHolds(RungProblem problem, const RungStatement *s);     /* in the step that is built               */
PetscBool RungIs(RungProblem problem, PetscInt i, const char word[]); /* statement i holds and has this word     */

/* ---- steps (step.c, static.c) ------------------------------------------------------------------------------------- */

PetscErrorCode RungStepsMark(RungProblem problem);                /* which statement stands in which             */
PetscErrorCode RungStepEnter(RungProblem problem, PetscInt step); /* constants get the values that hold there    */
PetscErrorCode RungStepTime(RungProblem problem, PetscInt step, PetscReal *t); /* of a static one                 */
PetscErrorCode RungStepsBuild(RungProblem problem);    /* each for itself, for its mistakes           */
PetscErrorCode RungConstantsRead(RungProblem problem); /* values that hold in the step                */
PetscErrorCode RungCarryKeep(RungProblem problem);     /* the end of the step that was run            */
PetscErrorCode RungCarryGive(RungProblem problem);     /* to the step that was built                  */
PetscErrorCode RungCarryDestroy(RungProblem problem);
PetscErrorCode RungStaticReset(RungProblem problem);
PetscErrorCode RungStaticSolve(RungProblem problem);
PetscErrorCode RungCarryPutSum(RungCarry *carry, const char name[], PetscReal value); /* of a rate */

/* ---- groups --------------------------------------------------------------------------------------------------------- */

/* Members are made anew, all of them set up; writes as RungBuild(); window > 0: in place of the file's, steps shrink with it. */
PetscErrorCode RungGroupBuild(RungProblem group, PetscReal window, PetscBool writes);
PetscErrorCode RungGroupReset(RungProblem group);
PetscInt       RungGroupOrder(RungProblem group); /* of convergence, as windows get shorter */
PetscErrorCode RungGroupSolve(RungProblem group);
PetscErrorCode RungGroupRun(RungProblem group); /* what RungGroupBuild() has made */
PetscBool
RungHasRows(RungProblem problem); /* it is a static step or a member of a group: its records are not a stepper's */
/* The coupling that a group or a member belongs to, and the member's name in it, NULL of all; coupling NULL: not made yet. */
RungCoupling RungGroupCoupling(RungProblem problem, const char **system);
/* join.c: what is said of all systems together.  Mark: which statements; names of quantities are SYSTEM.NAME there. */
PetscErrorCode RungJoinMark(RungProblem problem);
PetscBool      RungTellsOfValues(const RungStatement *s); /* a statement that names quantities */
PetscErrorCode RungJoinBuild(RungProblem group); /* columns, numbers, events, outcomes, when the members are built */
/* The problem or member that i stands for, i < RungMembers(): the problem itself where it is no group. */
PetscInt    RungMembers(RungProblem problem);
RungProblem RungMemberAt(RungProblem problem, PetscInt i);
/* The newest state of what was built and run. */
PetscErrorCode RungProblemGetState(RungProblem problem, PetscReal *t, const Vec **u);

/* ---- building and running ----------------------------------------------------------------------------------------- */

PetscErrorCode RungMethodsFit(RungProblem problem); /* prints which methods fit what was built, and why others do not */
PetscErrorCode RungPhaseRead(RungProblem problem, RungPhase phase);
/* Mesh, system and stepper, set up; mistakes say what is wrong.  BuildForms: without a stepper. */
PetscErrorCode RungBuildForms(RungProblem problem);
/* writes: into a folder that is made before the stepper, and is gone again if something is refused. */
PetscErrorCode RungBuild(RungProblem problem, PetscBool writes);
PetscErrorCode RungBuildStepper(RungProblem problem);
/* What BuildForms and Build are made of: the mesh; a system with its unknowns; all else of it; stepper, fields, outcomes. */
PetscErrorCode RungBuildMesh(RungProblem problem, PetscBool *good);
PetscErrorCode RungBuildUnknowns(RungProblem problem);
PetscErrorCode RungBuildEquations(RungProblem problem);
PetscErrorCode RungBuildRest(RungProblem problem);
PetscErrorCode RungBuildReset(RungProblem problem);
PetscErrorCode RungSystemReset(RungProblem problem); /* all but the mesh */
/* field NAME SPACE ..: are spaces of its rates behind the first one, instead of its values? */
PetscBool      RungFieldHasSpaces(const RungStatement *s);
PetscErrorCode RungFieldsFill(RungProblem problem);
PetscErrorCode RungInitialsFill(RungProblem problem); /* those that come from other data */
PetscBool      RungIsFrom(const RungStatement *s);    /* initial NAME from .. */

/* program.c: calls of the statements that hold; word NULL: of the whole phase.  Has: there are some, or none are needed. */
PetscErrorCode RungProgramCalls(RungProblem problem, RungPhase phase, const char word[], FILE *out);
PetscErrorCode RungProgramFieldValues(RungProblem problem, FILE *out);
PetscErrorCode RungProgramEvent(RungProblem problem, const RungStatement *s, FILE *out); /* NAME, &(RungEvent){..})); */
PetscBool      RungProgramHas(const RungStatement *s);
void           RungProgramString(FILE *out, const char text[]); /* quoted, or NULL */
/* rung check -c, -canonical; after RungBuild() */
PetscErrorCode RungProgramPrint(RungProblem problem, FILE *out);
PetscErrorCode RungCanonicalPrint(RungProblem problem, FILE *out);

/* Of results, NAME.out if nothing else is asked for, or "check": NAME.check. */
PetscErrorCode RungFolderMake(RungProblem problem, const char ending[]);
/* check -picture: of the step that was built. */
PetscErrorCode RungPictureWrite(RungProblem problem, const char folder[]);
PetscErrorCode RungFolderDrop(RungProblem problem); /* if there is one, and nothing in it */
PetscErrorCode RungFolderPath(RungProblem problem, const char name[], char path[], size_t size);
PetscErrorCode RungLogWrite(RungProblem problem);     /* mesh, system, stepper, command             */
PetscErrorCode RungSummaryWrite(RungProblem problem); /* summary.json                               */
PetscErrorCode RungProblemName(RungProblem problem, char name[], size_t size); /* heat of dir/heat.rung */

PetscErrorCode RungSeriesStart(RungProblem problem); /* columns, when the system is set up */
PetscErrorCode RungSeriesWatch(RungProblem problem); /* rows of the stepper's run          */
PetscErrorCode RungSeriesEnd(RungProblem problem);
PetscErrorCode RungSeriesAdd(RungProblem problem, const RungState *state);               /* a row of a static step */
PetscErrorCode RungSeriesPut(RungProblem problem, PetscReal t, const PetscReal value[]); /* a row */
/* The same; of several systems to those of each as well. */
PetscErrorCode RungSeriesPutAll(RungProblem problem, PetscReal t, const PetscReal value[]);
/* The run goes on at t from a checkpoint, which lacks columns of which from[] is negative; [columns]. */
PetscErrorCode RungSeriesBegin(RungProblem problem, PetscReal t, const PetscInt from[]);
/* series_kept.c: rows in the checkpoints of the run; empty where nothing is asked of them. */
RungKeeper     RungSeriesKeeper(RungProblem problem);
PetscErrorCode RungSeriesDestroy(RungProblem problem);
PetscBool      RungHoldsWord(const char text[], const char word[]);
PetscErrorCode RungSeriesFind(RungProblem problem, const char name[], PetscInt *column);
/* Why the values of a column before a checkpoint are not known, "" if they are. */
PetscErrorCode RungSeriesLacks(RungProblem problem, PetscInt column, char why[200]);
PetscErrorCode RungSeriesAt(RungProblem problem, PetscInt column, PetscReal t, PetscReal *value, PetscBool *there);

/* As C writes it; PETSc's own functions put a point behind whole numbers. */
const char *RungNumberText(PetscReal value, int digits, char text[32]);
/* An error before the first step whose code says that what the run was given cannot be: the program ends with RUNG_EXIT_REFUSED. */
PetscErrorCode RungStatusOfSolve(RungProblem problem, PetscErrorCode code);
PetscErrorCode RungProblemSolve(RungProblem problem); /* errors have their place in the file */
PetscErrorCode RungOutcomeAdd(RungProblem problem, const char what[], PetscReal value, PetscReal wanted,
                              PetscReal allowed);
PetscErrorCode RungExactError(RungProblem problem, PetscReal *error); /* largest of the exact unknowns, relative, L2 */
PetscErrorCode RungHappensTest(RungProblem problem, const RungStatement *s); /* a happens statement */
PetscErrorCode RungTimeInRun(RungProblem problem, const RungStatement *s, PetscInt arg,
                             PetscReal t);          /* else a mistake */
PetscErrorCode RungChangeFind(RungProblem problem); /* problem->changed, if an option changes it */
PetscErrorCode RungOutcomesTest(RungProblem problem);
PetscErrorCode RungOutcomesPrint(RungProblem problem, RungExit *status);
/* why: the value cannot be told, NAN; "": it can. */
PetscErrorCode RungSummarize(RungProblem problem, const RungStatement *s, PetscReal *value, char why[200]);
