/* rungverify.h - evidence: observed orders, errors against exact solutions, studies and their reports. */
#pragma once

#include <rungstep.h>
