/* regroup_impl.h - values as sums of products of atoms: shared by what reads them (regroup_read.c) and what makes nodes of
   them again (regroup.c). */
#pragma once

#include "scalar_impl.h"

#define RUNG_PRODUCT_MOST    24 /* factors of a product; more are an atom of their own    */
#define RUNG_REGROUP_BUCKETS 4096

/* A leaf is a node of the old dag, also one that is uniform, which costs nothing. */
typedef enum { RUNG_ATOM_LEAF, RUNG_ATOM_SUM, RUNG_ATOM_PAIR } RungAtomKind;

/* When common factors are taken out: always may cost products that other sums share, so also only where of no term more than
   one factor is left.  All are tried. */
typedef enum { RUNG_FACTOR_NEVER, RUNG_FACTOR_TO_THE_LAST, RUNG_FACTOR_ALWAYS, RUNG_FACTORINGS } RungFactoring;

typedef struct {
  RungAtomKind  kind;
  PetscInt      a, b; /* node of the old dag | first of the terms and their number | two atoms */
  RungValueRate rate;
  PetscInt      next; /* in its bucket, -1 ends */
} RungAtom;

/* A sorted multiset of atoms. */
typedef struct {
  PetscInt n, at[RUNG_PRODUCT_MOST];
  PetscInt next;
} RungProduct;

typedef struct {
  int      sign;
  PetscInt product;
} RungSummand;

/* Owned, but for the dags. */
typedef struct {
  RungDag       from, to;
  RungFactoring factor;
  PetscInt      n; /* reached nodes of `from` */
  RungScalar    last, *node;
  PetscInt     *uses;  /* [node]                                               */
  PetscBool    *inner; /* [node] a sum or sign that only a sum reads           */
  RungSummand  *value; /* [node]                                               */
  PetscInt      atoms, atom_room, products, product_room, terms, term_room;
  RungAtom     *atom;
  RungProduct  *product;
  RungSummand  *term; /* of sums */
  PetscInt      atom_bucket[RUNG_REGROUP_BUCKETS], product_bucket[RUNG_REGROUP_BUCKETS];
  RungScalar   *atom_image, *product_image; /* nodes of `to`, -1 */
} RungRegroup;

/* regroup_read.c: the values of all nodes that are reached. */
PetscErrorCode RungRegroupRead(RungRegroup *g, PetscInt roots, const RungScalar root[]);
/* an atom that is no sum, each once */
PetscErrorCode RungRegroupAtom(RungRegroup *g, RungAtomKind kind, PetscInt a, PetscInt b, RungValueRate rate,
                               PetscInt *atom);
