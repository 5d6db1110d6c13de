/* parse_impl.h - what the files of the parser share: a text being read, frames of diff(), values of productions. */
#pragma once

#include "scope_impl.h"

typedef struct _RungReading RungReading;
struct _RungReading { /* a definition's value in a frame; arena */
  const RungDefinition *definition;
  PetscInt              node;
  RungReading          *next;
};

typedef struct _RungFrame RungFrame;
struct _RungFrame { /* of one diff(); on the C stack */
  RungFrame            *up;
  const RungDefinition *definition; /* that the variable stands for, or */
  PetscInt              unknown;    /* the node of the unknown; -1      */
  PetscInt              variable;   /* node */
  RungReading          *reading;
};

typedef struct _RungParser RungParser;
struct _RungParser {
  RungScope             scope;
  PetscInt              text, at;   /* at: byte behind the token */
  RungToken             token;      /* the one to be read next */
  PetscInt              end;        /* of the last token read */
  const RungDefinition *local;      /* definitions of this text so far, last first */
  const RungDefinition *definition; /* being read; NULL: a text of its own */
  RungFrame            *frame;
  RungParser           *up; /* reads a text that uses the definition */
  PetscInt              depth;
  PetscInt             *readings; /* definitions read so far, for all parsers of a text */
  PetscBool             rule;     /* a, b, c, r are operands */
};

typedef struct { /* what a production has read */
  PetscInt  node;
  PetscBool measure;
  PetscInt  domain, degree, part;
  PetscInt  at, end; /* bytes */
} RungParsedValue;

/* reader.c */
const char    *RungReadSource(const RungParser *p);
PetscErrorCode RungReadError(RungParser *p, PetscInt at, PetscInt end, const char message[]);
PetscErrorCode RungReadNext(RungParser *p);
PetscBool      RungReadMark(const RungParser *p, const char mark[]);
PetscBool      RungReadIs(const RungParser *p, const RungToken *token, const char word[]);
PetscBool      RungReadWord(const RungParser *p, const char word[]);
PetscErrorCode RungReadUnexpected(RungParser *p, const char wanted[]);
PetscErrorCode RungReadExpect(RungParser *p, const char mark[], const char wanted[]);
PetscErrorCode RungReadEnter(RungParser *p);
PetscErrorCode RungReadNeedValue(RungParser *p, const RungParsedValue *v);
PetscErrorCode RungReadCall(RungParser *p, RungOp op, PetscInt n, const PetscInt arg[], RungParsedValue *v);
PetscErrorCode RungReadCall2(RungParser *p, RungOp op, RungParsedValue *v, const RungParsedValue *b);
PetscErrorCode RungReadTerminal(RungParser *p, RungOp op, PetscInt index, RungParsedValue *v);
PetscErrorCode RungReadNumber(RungParser *p, PetscReal x, RungParsedValue *v);
PetscErrorCode RungReadStart(RungParser *p, PetscInt from);

/* The place of the nodes made next. */
void RungReadPlace(RungParser *p, PetscInt at, PetscInt end);

/* named.c: value(), table(), from behind the parenthesis */
PetscErrorCode RungParseNamed(RungParser *p, RungOp op, RungParsedValue *v);

/* measure.c names.c */
PetscErrorCode RungParseWhole(RungParser *p, const char what[], PetscInt *value);
PetscErrorCode RungParsePart(RungParser *p, RungParsedValue *v);
PetscErrorCode RungParseMeasure(RungParser *p, RungDomain domain, RungParsedValue *v);
PetscErrorCode RungParseDefinition(RungParser *p, const RungToken *name);
PetscErrorCode RungParseUnknown(RungParser *p, const RungToken *name, PetscBool call_);
PetscErrorCode RungParseName(RungParser *p, const RungToken *name, RungParsedValue *v);
PetscErrorCode RungParseFrame(RungParser *p, const RungToken *name, RungFrame *frame);

/* parse.c */
PetscErrorCode RungParseSum(RungParser *p, RungParsedValue *v);
PetscErrorCode RungParseArgument(RungParser *p, RungParsedValue *v);
PetscErrorCode RungParseText(RungParser *p, RungParsedValue *v);
