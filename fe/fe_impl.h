/* fe_impl.h - what the files of this room share and nobody else sees: the process (init.c) and the mesh. */
#pragma once

#include <rungfe.h>

/* Registered by RungInitialize. */
extern PetscClassId  RUNG_MESH_CLASSID;
extern PetscLogEvent RUNG_MESH_SETUP;
