/* mesh_dm_impl.h - what the files that make a DMPlex share. */
#pragma once

#include "fe_impl.h"

#define RUNG_DM_CORNERS 8

/* [vertex of Plex] vertex of Rung: around squares, and three-dimensional cells as a mirror shows them. */
const PetscInt *RungDMVertices(RungCellType type);
/* The point of entity e of dimension d: cells come first, then vertices, faces, edges. */
PetscInt RungDMPoint(const RungMeshData *data, PetscInt d, PetscInt e);

/* Coordinates of vertices, of the cells of periodic meshes, of the nodes of curved ones.  Collective. */
PetscErrorCode RungDMSetCoordinates(RungMesh mesh, DM dm);
/* Parts as labels.  Collective. */
PetscErrorCode RungDMSetLabels(RungMesh mesh, DM dm);
