/* rungscope_room.h - a scope with the names and nodes of another one; words that are no names.  Not installed, not exported. */
#pragma once

#include <rungforms_room.h>

/* RungScopeCopy - the same names, constants and nodes with space[unknown], of the same shape, all on one mesh; node i of an expression
   is the same expression in the copy.  What is declared or read later in one of the two is not in the other; fields are the
   same ones, so that a scope that has any is not copied to another mesh.  Collective.  Errors  PETSC_ERR_ARG_INCOMP
   RungScopeHasFields - is one declared?
   RungScopeFollow - the copy's constants get the values of the scope that it was made of.  Out  changed  one was another */
RUNG_INTERN PetscErrorCode RungScopeCopy(RungScope scope, const RungSpace space[], RungScope *copy);
RUNG_INTERN PetscBool      RungScopeHasFields(RungScope scope);
RUNG_INTERN PetscErrorCode RungScopeFollow(RungScope copy, PetscBool *changed);

/* RungNameIsLeaf - does the word have a value of its own in every text: x, t, n, h, d, I, pi, volume and the like?  Whatever else
   is called so is not meant by it.  Not collective. */
RUNG_INTERN PetscBool RungNameIsLeaf(const char name[]);
