/* rung.h - all that a program needs: meshes, spaces and fields, systems written as text, steppers, evidence.

   Expressions and forms without a system have a header of their own, rungforms.h. */
#pragma once

#include <rungfe.h>
#include <rungstep.h>
#include <rungsystem.h>
#include <rungverify.h>
#include <rungversion.h>
