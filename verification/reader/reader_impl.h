/* reader_impl.h - what the files of the reader share. */
#pragma once

#include <rungforms_room.h>
#include <rungmethod.h>
#include <rungreader.h>
#include <rungstep_room.h>
#include <rungversion.h>
#include <ctype.h>
#include <math.h>
#include <string.h>

#define RUNG_MISTAKES     10   /* that are shown                                       */
#define RUNG_MISTAKE_SIZE 2048 /* bytes of one, with its excerpt                       */
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
  PetscInt        args;
  RungArgument   *arg; /* owned, [args]                                          */
};

/* An error of a library that was caught on its way. */
typedef struct {
  PetscErrorCode code;
  char           message[RUNG_MISTAKE_SIZE];
} RungCaught;

/* Runs a call and keeps its error instead of showing it: caught->code is 0 if there was none. */
#define RungCatch(caught, call)                                                                                        \
  do {                                                                                                                 \
    PetscErrorCode rung_code_;                                                                                         \
    (caught)->message[0] = 0;                                                                                          \
    PetscCall(PetscPushErrorHandler(RungCatchError, (caught)));                                                        \
    rung_code_ = (call);                                                                                               \
    PetscCall(PetscPopErrorHandler());                                                                                 \
    (caught)->code = rung_code_;                                                                                       \
  } while (0)

/* What a statement's call raises is a mistake at the statement. */
#define RungPass(problem, statement, call)                                                                             \
  do {                                                                                                                 \
    RungCaught rung_caught_;                                                                                           \
    RungCatch(&rung_caught_, call);                                                                                    \
    if (rung_caught_.code) PetscCall(RungMistakeCaught((problem), (statement), &rung_caught_));                        \
  } while (0)

PetscErrorCode RungCatchError(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode n,
                              PetscErrorType type, const char *text, void *ctx);

/* ---- a problem ---------------------------------------------------------------------------------------------------- */

typedef struct {
  char      name[64];
  PetscReal value;
} RungConstant;

/* Values of quantities and numbers at the accepted steps of a run, and at the times of references (series.c). */
typedef struct {
  PetscInt         n;          /* columns: quantities, then numbers                     */
  PetscInt         quantities; /* of the system                                         */
  PetscInt         numbers;
  RungScope        scope;  /* owned: constants and columns by name; NULL: no number */
  char           **alias;  /* owned [n]: names of columns in the scope, of a group; NULL: their own */
  RungPointwise   *number; /* owned [numbers]                                       */
  const char     **name;   /* owned [n]; the names are lent                         */
  const PetscBool *rate;   /* [quantities] lent by the system                       */
  PetscInt         rows, room;
  PetscReal       *t;     /* owned [rows]                                          */
  PetscReal       *value; /* owned [rows][n]                                       */
  PetscBool        keep;  /* all rows, not just the last                           */
  PetscInt         step;  /* of the last row                                       */
} RungSeries;

/* A file that a static step writes: a series, or a table. */
typedef struct {
  char       path[PETSC_MAX_PATH_LEN];
  RungWriter writer;         /* owned; NULL: a table                                        */
  RungDraft  rows;           /* owned: of a table, with its head                            */
  RungDraft  happened;       /* owned: rows of NAME.events.csv, of the table of a group     */
  PetscInt   added, written; /* rows, of them in the file                               */
  PetscReal  every;          /* time between two of a series; 0: all                    */
  PetscInt   next;           /* the time t0 + next every comes next                     */
} RungRecord;

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

/* ---- several systems of one run (group.c, coupled.c) ---------------------------------------------------------------- */

typedef enum { RUNG_SCHEME_EXPLICIT, RUNG_SCHEME_ITERATE, RUNG_SCHEME_LIE, RUNG_SCHEME_STRANG } RungScheme;

/* How the systems of a group go through time. */
typedef struct {
  const RungStatement *said; /* NULL: the file says no `coupling`                          */
  RungScheme           scheme;
  PetscReal            window, tolerance; /* as the file says                                            */
  PetscInt             most;
  PetscReal            t0, t1, length; /* of the run; of a window                                     */
  PetscInt             first, windows; /* the run begins with this window, of so many                 */
  PetscInt             done, sweeps;   /* windows, and solves of all systems                          */
  PetscInt             clock;          /* solves and jumps, see RungMember.age                        */
  PetscBool            signalled;      /* a signal has ended the run                                  */
  PetscBool            stopped;        /* an event has                                                */
} RungGroup;

/* Where a member of a group has come to. */
typedef struct {
  PetscReal  t;
  PetscInt   order;
  Vec        u[RUNG_MAX_ORDER + 1];     /* owned: the newest state                                     */
  Vec        begin[RUNG_MAX_ORDER + 1]; /* owned: at the start of the window in hand                   */
  Vec        last;                      /* owned: the end of the window as the sweep before found it   */
  Vec        seen;                      /* owned: values at the end of the window as the equations saw them */
  PetscReal  size[RUNG_MAX_UNKNOWNS];   /* of each unknown, the largest so far                         */
  PetscReal  dt;                        /* of its steps                                                */
  PetscBool  advanced;                  /* u is of the end of the window, in iterations                */
  PetscInt   age, was;                  /* the latest one has the newest values; when the window began */
  PetscReal *sum;                       /* owned: of rates, when the window began                      */
  PetscInt   steps, newton;
} RungMember;

/* The state of a member that its last checkpoint has. */
typedef struct {
  PetscInt   window;
  Vec        u[RUNG_MAX_ORDER + 1]; /* owned; NULL: none yet */
  PetscReal *sum;                   /* owned, of rates       */
  PetscReal *constant;              /* owned, of consequences */
} RungSaved;

/* An event of several systems. */
typedef struct {
  const RungStatement *said;
  RungEvent            event;  /* its text is lent                                            */
  RungProblem          member; /* whose quantities the text names; NULL: those of all         */
  RungGauge            gauge;  /* owned: of a member                                          */
  RungPointwise        value;  /* owned: of all                                               */
  /* of a run */
  int        side;        /* sign of g at the start of a window; 0: it sleeps            */
  PetscReal  rest, scale; /* while |g| is not above this; the largest |g| so far         */
  PetscReal  g, next;     /* at the start of the window and at its end                   */
  PetscBool  due;         /* it happens                                                  */
  PetscInt   count, room;
  PetscReal *t; /* owned [count]                                                         */
} RungHappening;

/* What an event makes of an unknown or a constant of a member. */
typedef struct {
  const RungStatement *said;
  RungProblem          member;
  RungHappening       *cause;
  RungChange           change; /* owned */
} RungConsequence;

/* What was tested: a line of the report. */
typedef struct {
  char      what[128];
  PetscReal value, wanted, allowed;
  PetscBool tested, passed; /* not tested: a summary, for people                          */
} RungOutcome;

/* A mistake that is shown. */
typedef struct {
  char    *text;     /* owned: message and excerpt */
  PetscInt file, at; /* byte; -1: of the whole     */
} RungShown;

struct _p_RungProblem {
  MPI_Comm         comm; /* owned, PetscCommDuplicate                                   */
  PetscInt         files;
  RungSourceFile   file[RUNG_INCLUDES];
  PetscInt         statements, room;
  RungStatement   *statement; /* owned                                                        */
  PetscInt         mistakes, shown;
  PetscBool        lost;                   /* a statement was wrong that may declare a name                */
  PetscBool        listed;                 /* read for a list alone: its constants are no options          */
  RungShown        mistake[RUNG_MISTAKES]; /* in the order of the files                                    */
  char            *mistake_text;           /* owned: all that are shown                                    */
  PetscInt         constants, constants_room;
  RungConstant    *constant;                  /* owned, in the order of the file                              */
  const char      *title, *look;              /* lent from statements                                         */
  PetscInt         steps;                     /* of the run; 0: the file says no `step`                       */
  PetscInt         first;                     /* step that the run begins with, from 1                        */
  PetscBool        chosen;                    /* first: by RungProblemSetStep()                               */
  PetscInt         step;                      /* that is being built or run, from 1; 0: what is before the first */
  const char      *step_name[RUNG_STEPS + 1]; /* lent, [1 ..]                                           */
  PetscBool        systems;                   /* what are called steps are systems, each a member             */
  RungProblem      group;                     /* of a member: the problem; NULL of others                     */
  PetscInt         members;
  RungProblem     *member; /* owned; a member lends files, statements, mesh from its group */
  RungGroup        plan;   /* of a group                                                   */
  RungMember       state;  /* of a member                                                  */
  RungSaved        saved;  /* of a member                                                  */
  PetscInt         happenings, consequences;
  RungHappening   *happening;   /* owned, of a group                                     */
  RungConsequence *consequence; /* owned, of a group                                     */
  PetscReal        shrink;      /* of a member: its steps are so much of what the file says     */
  PetscInt         records;
  RungRecord      *record; /* owned, of a static step or of a member                       */
  RungStatic       fixed;  /* of the step                                                  */
  RungCarry        carry;
  PetscInt         cells;               /* 1 + the statement that says what they are; 0: none           */
  PetscBool        compiling;           /* rung compile: no values are needed                           */
  RungMesh         mesh;                /* owned; NULL before Build                                     */
  RungSystem       sys;                 /* owned                                                        */
  RungStepper      stepper;             /* owned                                                        */
  PetscInt         residuals, energies; /* that were built                                              */
  PetscInt         fields, fields_room;
  RungField       *field;                      /* owned                                                        */
  PetscInt         outputs;                    /* of the stepper                                               */
  PetscBool        interval;                   /* time was said                                                */
  PetscBool        running;                    /* what is built is going to run                                */
  char             folder[PETSC_MAX_PATH_LEN]; /* of results; "": none                                         */
  char             asked[PETSC_MAX_PATH_LEN];  /* by RungProblemSetOutput; "": NAME.out                        */
  char            *command;                    /* owned                                                        */
  char             commit[64];                 /* of the program; ""                                           */
  PetscBool        quiet;
  RungSeries       series;
  PetscInt         times, times_room;
  PetscReal       *time;         /* owned: of references, increasing                             */
  PetscReal        dt, tol;      /* of a study's ladder in place of the file's; 0: as the file says */
  char             changed[128]; /* an option that makes another problem of the file; ""          */
  PetscBool        tol_set;      /* tol has been used                                            */
  char             method[64];   /* of a study in place of the file's; ""                        */
  char             ran[128];     /* the method that ran, "dirk esdirk43"                         */
  PetscInt         order;        /* of convergence, of that method                               */
  PetscInt         outcomes, outcomes_room;
  RungOutcome     *outcome; /* owned                                                        */
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
#define RUNG_SUM_TERMS 64 /* of a constraint */

/* A constraint: the sum of coefficient[i] name[i](x[i]) is `right`. */
typedef struct {
  PetscInt    n;
  char        name[RUNG_SUM_TERMS][96];
  PetscReal   x[3 * RUNG_SUM_TERMS], coefficient[RUNG_SUM_TERMS];
  const char *right; /* lent from the statement */
} RungNodeSum;

/* What an event statement says; its text is lent. */
PetscErrorCode RungGetEvent(RungProblem problem, const RungStatement *s, RungEvent *event, PetscBool *good);
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

/* ---- records of what has no stepper's (rows.c) ----------------------------------------------------------------------- */

PetscBool      RungHasRows(RungProblem problem); /* it is a static step or a member of a group */
PetscErrorCode RungRowsAdd(RungProblem problem, const char path[], const char list[], PetscReal every, PetscBool table);
/* A row of tables and a time of series: t, or column and value.  A state of the last row of the series; last: nothing follows. */
PetscErrorCode RungRowsWrite(RungProblem problem, const char column[], PetscReal value, const RungState *state,
                             PetscBool last);
/* The row of tables alone: a second one of the same time. */
PetscErrorCode RungRowsAgain(RungProblem problem, PetscReal t);
/* A row of NAME.events.csv beside the tables of a group: what is due and has been counted, values before it. */
PetscErrorCode RungRowsHappened(RungProblem group, PetscReal t, const PetscReal value[]);
PetscErrorCode RungRowsReset(RungProblem problem);

/* ---- groups --------------------------------------------------------------------------------------------------------- */

/* Members are made anew, all of them set up; writes as RungBuild(); window > 0: in place of the file's, steps shrink with it. */
PetscErrorCode RungGroupBuild(RungProblem group, PetscReal window, PetscBool writes);
PetscErrorCode RungGroupReset(RungProblem group);
PetscInt       RungGroupOrder(RungProblem group); /* of convergence, as windows get shorter */
PetscErrorCode RungGroupSolve(RungProblem group);
PetscErrorCode RungGroupRun(RungProblem group); /* what RungGroupBuild() has made */
/* coupled.c: all systems from a to b.  Coefficients of a member from others: for its way from a to b; as these are now. */
PetscErrorCode RungGroupWindow(RungProblem group, PetscReal a, PetscReal b);
PetscErrorCode RungMemberCouple(RungProblem member, PetscReal a, PetscReal b);
PetscErrorCode RungMemberSee(RungProblem member);
PetscErrorCode RungGroupRewind(RungProblem group);              /* states, sums: those at the start of the window  */
PetscErrorCode RungGroupSettle(RungProblem group, PetscReal t); /* rates and algebraic unknowns that fit the values */
/* join.c: what is said of all systems together.  Mark: which statements; names of quantities are SYSTEM.NAME there. */
PetscErrorCode RungJoinMark(RungProblem problem);
PetscBool      RungTellsOfValues(const RungStatement *s); /* a statement that names quantities */
PetscErrorCode RungJoinBuild(RungProblem group); /* columns, numbers, events, outcomes, when the members are built */
/* Values of all columns of a group: those of the members one after the other, then its numbers. */
PetscErrorCode RungJoinEvaluate(RungProblem group, PetscReal t, PetscReal value[]);
PetscInt       RungJoinFirst(RungProblem member); /* column of the group that is the member's first one */
/* A text as the scope of the group has it, SYSTEM_NAME; the caller's. */
PetscErrorCode RungJoinText(RungProblem group, const char text[], char **out);
void           RungJoinMend(RungProblem group, char message[]); /* "SYSTEM_NAME" is "SYSTEM.NAME" again */
/* group_event.c: events of a member, or of the group, and what they change; Check: they belong together. */
PetscErrorCode RungHappeningAdd(RungProblem problem, const RungStatement *s, const RungEvent *event);
PetscErrorCode RungConsequenceAdd(RungProblem member, const RungStatement *s);
PetscErrorCode RungHappeningsReset(RungProblem group);
PetscErrorCode RungHappeningsCheck(RungProblem group);
PetscErrorCode RungHappeningTimes(RungProblem group, const char name[], PetscInt *n, const PetscReal *t[]);
/* From the state of t0, or of a checkpoint; value[] as RungJoinEvaluate() gives them.  anew: none has happened yet. */
PetscErrorCode RungHappeningsStart(RungProblem group, PetscReal t, const PetscReal value[], PetscBool anew);
/* The window from a to b, or to the first event in it; value[]: at its end. */
PetscErrorCode RungGroupAdvance(RungProblem group, PetscReal a, PetscReal b, PetscReal value[], PetscReal *reached);
/* What is due: changed, the state is another one and value[] is of that. */
PetscErrorCode RungHappeningsHappen(RungProblem group, PetscReal t, PetscReal value[], PetscBool *changed);
/* group_file.c: a checkpoint where one is due, at the end of a window; states and number of the window of `restart`. */
PetscErrorCode RungGroupSave(RungProblem group, PetscBool last);
PetscErrorCode RungGroupLoad(RungProblem group);
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
PetscErrorCode RungSeriesAdd(RungProblem problem, const RungState *state); /* a row of a static step */
PetscErrorCode RungSeriesEvaluate(RungProblem problem, const RungState *state, PetscReal value[]); /* without a row */
PetscErrorCode RungSeriesPut(RungProblem problem, PetscReal t, const PetscReal value[]);           /* a row */
PetscErrorCode RungSeriesScope(RungProblem problem);                               /* constants and columns by name */
PetscErrorCode RungSeriesSet(RungProblem problem, PetscReal t, PetscReal value[]); /* numbers from quantities       */
PetscErrorCode RungSeriesDestroy(RungProblem problem);
PetscErrorCode RungSeriesFind(RungProblem problem, const char name[], PetscInt *column);
PetscErrorCode RungSeriesAt(RungProblem problem, PetscInt column, PetscReal t, PetscReal *value, PetscBool *there);

/* As C writes it; PETSc's own functions put a point behind whole numbers. */
const char    *RungNumberText(PetscReal value, int digits, char text[32]);
PetscErrorCode RungProblemSolve(RungProblem problem); /* errors have their place in the file */
PetscErrorCode RungOutcomeAdd(RungProblem problem, const char what[], PetscReal value, PetscReal wanted,
                              PetscReal allowed);
PetscErrorCode RungExactError(RungProblem problem, PetscReal *error); /* largest of the exact unknowns, relative, L2 */
PetscErrorCode RungHappensTest(RungProblem problem, const RungStatement *s); /* a happens statement */
PetscErrorCode RungTimeInRun(RungProblem problem, const RungStatement *s, PetscInt arg,
                             PetscReal t); /* else a mistake */
PetscErrorCode RungOutcomesTest(RungProblem problem);
PetscErrorCode RungOutcomesPrint(RungProblem problem, RungExit *status);
PetscErrorCode RungSummarize(RungProblem problem, const RungStatement *s, PetscReal *value);
