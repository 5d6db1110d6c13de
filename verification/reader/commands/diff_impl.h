/* diff_impl.h - what the files of rung diff share.  All of it is rank 0's. */
#pragma once

#include "../reader_impl.h"

/* A column of a table or a field of a series: how far two runs are apart in it, anywhere. */
typedef struct {
  char  *group, *name; /* owned: "heat.csv", "heat content"                */
  double scale;        /* largest finite value of both runs                */
  double worst;        /* largest difference                               */
  double value[2];     /* there                                            */
  char   where[160];   /* there: "in line 3", "at (0, 1) in heat_000001.vtu" */
} RungDiffItem;

typedef struct {
  double        rel, abs;
  PetscInt      differences, files;
  int64_t       numbers;
  size_t        items, room;
  RungDiffItem *item; /* owned */
} RungDiff;

/* A line for something that is no difference of numbers. */
void RungDiffTell(RungDiff *d, const char format[], ...) PETSC_ATTRIBUTE_FORMAT(2, 3);
/* Its place among the items; the addresses of items change. */
size_t RungDiffFind(RungDiff *d, const char group[], const char name[]);
/* |a - b|; 0 for two that are equal, not a number or infinite alike, infinite where one of them is so alone. */
double RungDiffBetween(double a, double b);
/* Two numbers of an item; true where they are the furthest apart so far, and the caller says where. */
PetscBool RungDiffAdd(RungDiff *d, size_t item, double a, double b);
/* Two .vtu files: points and cells are found again by where they are, whatever ranks wrote them. */
void RungDiffPictures(RungDiff *d, const char path[], const char *a, size_t size_a, const char *b, size_t size_b);
