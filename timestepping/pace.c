/* pace.c - how long a run still takes, where its own past allows to say so.

   A run of equal steps goes at one pace, and what is left takes as long per unit of time as what was done.  Adaptive steps
   change their size: in the first half of the seconds that were spent, in the third quarter and in the last one the pace
   must have been the same up to a factor of 1.2, and a quarter of the way must lie behind. */
#include "step_impl.h"

#define ALIKE  1.2
#define BEHIND 0.25

void RungPaceStart(RungPace *pace, PetscReal t)
{
  *pace = (RungPace){.n = 0, .t = {t}};
}

/* Where there is no room left every second point goes. */
void RungPaceAdd(RungPace *pace, PetscLogDouble seconds, PetscReal t)
{
  const PetscInt n = pace->n;

  if (!n || seconds - pace->seconds[n - 1] >= pace->gap) pace->n = n + 1;
  pace->seconds[pace->n] = seconds;
  pace->t[pace->n]       = t;
  if (pace->n < RUNG_PACE) return;
  for (PetscInt i = 0; 2 * i <= RUNG_PACE; ++i) {
    pace->seconds[i] = pace->seconds[2 * i];
    pace->t[i]       = pace->t[2 * i];
  }
  pace->n   = RUNG_PACE / 2;
  pace->gap = pace->seconds[pace->n] / pace->n;
}

/* The problem's time at some seconds, linear between points. */
static PetscReal time_at(const RungPace *pace, PetscLogDouble seconds)
{
  PetscInt i = 1;

  while (i < pace->n && pace->seconds[i] < seconds) ++i;
  if (pace->seconds[i] <= pace->seconds[i - 1]) return pace->t[i];
  return pace->t[i - 1] + (pace->t[i] - pace->t[i - 1]) *
                            (PetscReal)((seconds - pace->seconds[i - 1]) / (pace->seconds[i] - pace->seconds[i - 1]));
}

double RungPaceLeft(const RungPace *pace, PetscReal end, PetscBool adaptive)
{
  static const double  part[4] = {0, 0.5, 0.75, 1}; /* of the seconds */
  const PetscLogDouble spent   = pace->seconds[pace->n];
  const PetscReal      now     = pace->t[pace->n];
  double               left[3], least = INFINITY, most = 0;

  if (now >= end) return 0;
  if (!adaptive) return now > pace->t[0] ? spent * (double)((end - now) / (now - pace->t[0])) : -1;
  if (pace->n < 4 || spent <= 0 || (now - pace->t[0]) < BEHIND * (end - pace->t[0])) return -1;
  for (int i = 0; i < 3; ++i) {
    const PetscReal done = time_at(pace, part[i + 1] * spent) - time_at(pace, part[i] * spent);

    if (done <= 0) return -1;
    left[i] = (part[i + 1] - part[i]) * spent * (double)((end - now) / done);
    least   = PetscMin(least, left[i]);
    most    = PetscMax(most, left[i]);
  }
  return most <= ALIKE * least ? (left[1] + left[2]) / 2 : -1;
}
