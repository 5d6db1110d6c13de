/* scope_impl.h - what the front of the room shares: the scope's tables, tokens, places in texts, and the making of
   nodes.

   Two ways to fail.  A function that makes a node returns an error code only when memory runs out; an ill-formed
   expression is a node below zero that stands for a message in the scope, kept until somebody raises it.  The parser
   raises it at once, with the place it is reading; builders hand it on, and RungExprCheck raises it.                 */
#pragma once

#include "forms_impl.h"

#define RUNG_ERROR_NODE  (-3) /* errors are nodes RUNG_ERROR_NODE - i, i the number of the message                   */
#define RUNG_MAX_NESTING 256  /* parentheses, calls, signs, definitions in one another                              */
#define RUNG_MAX_READINGS                                                                                              \
  20000 /* definitions read for one text                                                       */
#define RUNG_MAX_NAME 63
#define RUNG_MESSAGE  1024

/* ---- tokens ---------------------------------------------------------------------------------------------------- */

typedef enum { RUNG_TOKEN_END, RUNG_TOKEN_NUMBER, RUNG_TOKEN_NAME, RUNG_TOKEN_STRING, RUNG_TOKEN_MARK } RungTokenKind;
typedef struct {
  RungTokenKind kind;
  PetscInt      at, length; /* bytes of the text; a string's quotes included                                          */
  PetscReal     number;
  char          mark[3]; /* "+", "<=", ..                                                                          */
} RungToken;

/* Reads the token at or after byte *at of a text and moves *at behind it.  Raises what is no token. */
PetscErrorCode RungLexNext(RungScope scope, PetscInt text, PetscInt *at, RungToken *token);

/* ---- the scope ------------------------------------------------------------------------------------------------- */

typedef enum {
  RUNG_NAME_UNKNOWN,
  RUNG_NAME_TEST,
  RUNG_NAME_CONSTANT,
  RUNG_NAME_FIELD,
  RUNG_NAME_DEFINITION
} RungNameKind;
typedef struct {
  const char  *name; /* arena */
  RungNameKind kind;
  PetscInt     index; /* in the table of its kind */
} RungNameEntry;

/* name = text, read where it is used.  One of a text's own is read up to its semicolon and sees those before it. */
typedef struct _RungDefinition RungDefinition;
struct _RungDefinition {
  const char           *name;
  PetscInt              text, from; /* text of the scope and the byte where the value begins                          */
  PetscBool             local;
  const RungDefinition *before; /* local: the definitions before it in the same text                              */
  PetscInt              node;   /* its value outside of any diff(); -1: not read yet                              */
};

typedef struct {
  const char *label, *text; /* arena */
  PetscInt    length;
} RungScopeText;
typedef struct {
  const char *name, *test; /* arena */
  RungSpace   space;       /* referenced */
  PetscInt    rank, shape[2];
} RungUnknownEntry;
typedef struct {
  const char *name;  /* arena */
  RungField   field; /* lent: the caller keeps it as long as the scope */
  PetscInt    rank, shape[2];
} RungFieldEntry;
typedef struct {
  PetscInt value, ordinal; /* variables of one value differ by ordinal */
} RungVariableEntry;

typedef struct {
  PetscInt  path, column; /* strings; "" the second column */
  PetscBool cubic;
} RungTableEntry;

#define RUNG_CHUNK 256
typedef struct {
  RungNode node;
  size_t   hash;
  PetscInt next; /* in its bucket, -1 ends */
} RungNodeEntry;

#define RUNG_TABLE(type, name)                                                                                         \
  struct {                                                                                                             \
    PetscInt n, room;                                                                                                  \
    type    *entry;                                                                                                    \
  } name
/* Makes room for one more entry of a table. */
#define RUNG_TABLE_GROW(table)                                                                                         \
  do {                                                                                                                 \
    if ((table).n == (table).room) {                                                                                   \
      const PetscInt rung_room_ = PetscMax(8, 2 * (table).room);                                                       \
                                                                                                                       \
      PetscCall(PetscRealloc((size_t)rung_room_ * sizeof *(table).entry, &(table).entry));                             \
      (table).room = rung_room_;                                                                                       \
    }                                                                                                                  \
  } while (0)

typedef struct _RungArenaBlock RungArenaBlock;

struct _p_RungScope {
  MPI_Comm        comm; /* duplicated */
  PetscInt        refct;
  PetscInt        dim;    /* 0: not known yet                                                                         */
  PetscBool       points; /* its unknowns live on a mesh of points                                                    */
  RungScope       origin; /* referenced: what this one is a copy of, with the strings of its tables; NULL             */
  RungArenaBlock *arena;  /* all strings and operand lists                                                            */
  PetscInt        nodes, buckets;
  PetscInt       *bucket; /* [buckets] first node of a hash, -1: none                                                 */
  RUNG_TABLE(RungNodeEntry *, chunk); /* RUNG_CHUNK nodes each, so that nodes never move                              */
  RUNG_TABLE(RungNameEntry, name);
  RUNG_TABLE(RungUnknownEntry, unknown);
  RUNG_TABLE(const char *, constant);
  RUNG_TABLE(PetscReal, value); /* [constant] */
  RUNG_TABLE(RungFieldEntry, field);
  RUNG_TABLE(RungDefinition *, definition); /* arena */
  RUNG_TABLE(RungScopeText, text);
  RUNG_TABLE(const char *, string); /* names of mesh parts */
  RUNG_TABLE(RungVariableEntry, variable);
  RUNG_TABLE(RungTableEntry, table);
  RUNG_TABLE(const double *, polynomials); /* [table] arena: what rung_table() reads */
  RUNG_TABLE(const char *, error);
  RUNG_TABLE(PetscBool, reached); /* [node] RungNodeReach(), all false between its calls */
  struct {
    PetscInt text, at, length;
  } place;                             /* of the nodes made now; text -1: by a builder */
  PetscInt last;                       /* the text that RungScopeParse() read last; -1: none              */
  char     folder[PETSC_MAX_PATH_LEN]; /* of tables; "": where the program was started */
};

/* scope.c */
PetscErrorCode       RungArenaGet(RungScope scope, size_t bytes, void *memory);
PetscErrorCode       RungArenaCopy(RungScope scope, const char text[], size_t length, const char **copy);
const RungNameEntry *RungScopeFind(RungScope scope, const char name[], size_t length);
PetscBool            RungNameReserved(const char name[], size_t length);
PetscErrorCode RungNameCheck(RungScope scope, const char name[], char reason[RUNG_MESSAGE]); /* "" where it is free */
PetscErrorCode RungScopeAddText(RungScope scope, const char label[], const char text[], PetscInt *number);
PetscErrorCode RungScopeAddString(RungScope scope, const char string[], size_t length, PetscInt *number);

/* table.c: reads the file, once; collective, communicates.  message "": well */
PetscErrorCode RungScopeAddTable(RungScope scope, const char path[], const char column[], PetscBool cubic,
                                 PetscInt *number, char message[RUNG_MESSAGE]);

/* message.c */
typedef struct {
  char text[64];
} RungShapeText;
RungShapeText  RungNodeShapeText(const RungNode *node); /* "scalar", "vector[2]", "tensor[2][2]", "an integral" */
PetscErrorCode RungScopeRaiseAt(RungScope scope, PetscInt text, PetscInt at, PetscInt length, PetscErrorCode code,
                                const char message[]);
PetscErrorCode RungScopeFail(RungScope scope, PetscInt *node, const char format[], ...) PETSC_ATTRIBUTE_FORMAT(3, 4);
const char    *RungScopeError(RungScope scope, PetscInt node);
/* "; did you mean ..?", from all names or from operators only; "" where nothing is near */
PetscErrorCode RungScopeSuggest(RungScope scope, const char name[], PetscBool operators, const RungDefinition *local,
                                char text[RUNG_MESSAGE]);
void           RungOperatorList(char list[], size_t size);

/* ---- nodes ----------------------------------------------------------------------------------------------------- */

/* expr.c: n operands of the kind that nodes have */
RungOp RungOpFind(const char name[], size_t length); /* by a name made of letters; RUNG_OPS where there is none */
PetscErrorCode RungNodeApply(RungScope scope, RungOp op, PetscInt n, const PetscInt arg[], const PetscInt index[],
                             PetscInt *node);
PetscErrorCode RungNodeIntern(RungScope scope, const RungNode *proto, PetscInt *node);
PetscErrorCode RungNodeNumber(RungScope scope, PetscReal value, PetscInt *node);
PetscErrorCode RungNodeZero(RungScope scope, PetscInt rank, const PetscInt shape[], PetscInt test, PetscInt *node);
PetscErrorCode RungNodeTerminal(RungScope scope, RungOp op, PetscInt index, PetscInt *node);
PetscErrorCode RungNodeVariable(RungScope scope, PetscInt value, PetscInt ordinal, PetscInt *node);
PetscBool      RungNodeSameShape(const RungNode *a, const RungNode *b);
PetscBool      RungNodeIsZero(RungScope scope, PetscInt node);
PetscInt       RungNodeFirstTest(RungScope scope, PetscInt node); /* unknown of a test function in it, -1 */
/* All nodes that root holds (variables' values included) in ascending order: operands come before what is made of them.
 */
PetscErrorCode RungNodeReach(RungScope scope, PetscInt root, PetscInt *n, PetscInt **nodes);

/* shape.c: the result's rank, shape, integral and arity; *bad < 0 where the operands do not fit */
PetscErrorCode RungShapeOf(RungScope scope, RungNode *result, PetscInt *bad);

/* rates.c: every field under r, a dt(), has as many rates as are asked for */
PetscErrorCode RungRatesCheck(RungScope scope, const RungNode *r, PetscInt *bad);
/* sides.c: plus and minus; jump(a), jump(a, n), avg(a); the integrand of dS says of all that jumps which side it means */
PetscErrorCode RungShapeSide(RungScope scope, RungNode *r, PetscInt *bad);
PetscErrorCode RungSidesCheck(RungScope scope, RungNode *r, PetscInt *bad);
PetscErrorCode RungSidesJump(RungScope scope, PetscInt n, const PetscInt arg[], PetscInt *node);
PetscErrorCode RungSidesAverage(RungScope scope, PetscInt a, PetscInt *node);

/* fold.c: *node >= 0 where the operator of proto, whose shape is known, amounts to something simpler */
PetscErrorCode RungFold(RungScope scope, const RungNode *proto, PetscInt *node);

/* build.c: arguments as they are written */
PetscErrorCode RungNodeCall(RungScope scope, RungOp op, PetscInt n, const PetscInt arg[], PetscInt *node);
PetscErrorCode RungNodeIndex(RungScope scope, PetscInt a, PetscInt n, const PetscInt index[], PetscInt *node);
PetscErrorCode RungNodeIntegral(RungScope scope, PetscInt integrand, PetscInt domain, PetscInt degree, PetscInt part,
                                PetscInt *node);
PetscErrorCode RungNodeSumIntegrals(RungScope scope, PetscInt n, const PetscInt term[], PetscInt *node);

/* data.c: value(part: a, ..), arg = [part, value, ..]; table(path, argument): its derivative of some order */
PetscErrorCode RungNodePart(RungScope scope, PetscInt string, PetscInt *node); /* string -1: elsewhere */
PetscErrorCode RungNodeTable(RungScope scope, PetscInt table, PetscInt argument, PetscInt derivative, PetscInt *node);

/* gateaux.c: derive(root, unknown, direction) written out; below zero where it would differentiate a diff() */
PetscErrorCode RungNodeGateaux(RungScope scope, PetscInt root, PetscInt unknown, PetscInt direction, PetscInt *node);

/* substitute.c: the same operator on other operands, map[old node], and replacement; pointwise: not under derivatives (diff) */
PetscErrorCode RungNodeRebuild(RungScope scope, PetscInt node, const PetscInt map[], PetscInt *to);
PetscErrorCode RungNodeSubstitute(RungScope scope, PetscInt root, PetscInt from, PetscInt to, PetscBool pointwise,
                                  PetscInt *node);
