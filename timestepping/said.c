/* said.c - what was said to a stepper, a line for each thing, for ranks to compare. */
#include "step_impl.h"
#include <rungown_room.h>

static PetscErrorCode add_method(const RungStepper s, RungDraft *said)
{
  PetscFunctionBegin;
  PetscCall(RungDraftAdd(said, "%s system\n", s->sys ? "a" : "no"));
  PetscCall(RungDraftAdd(said, "type %s\n", s->type ? s->type : "of our choice"));
  if (s->type) PetscCall(RungDraftAdd(said, "method %s\n", s->method[s->chosen]));
  PetscCall(RungDraftAdd(said, "interval from %.17g to %.17g, dt = %.17g\n", (double)s->t0, (double)s->t1,
                         s->choose_first ? 0. : (double)s->dt));
  PetscCall(RungDraftAdd(said, "tolerances rtol = %.17g, atol = %.17g\n", (double)s->rtol, (double)s->atol));
  for (RungToleranceLink link = s->tolerances; link; link = link->link)
    PetscCall(RungDraftAdd(said, "tolerances of %s rtol = %.17g, atol = %.17g\n", link->name, (double)link->rtol,
                           (double)link->atol));
  PetscCall(RungDraftAdd(said, "error norm %d\n", (int)s->norm));
  PetscCall(RungDraftAdd(said, "steps of %.17g to %.17g\n", (double)s->times.least, (double)s->times.most));
  PetscCall(RungDraftAdd(said, "at most %" PetscInt_FMT " steps\n", s->max_steps));
  for (PetscInt i = 0; i < s->times.stops; ++i)
    PetscCall(RungDraftAdd(said, "stop time %.17g\n", (double)s->times.stop[i]));
  PetscCall(RungDraftAdd(said, "%s jump marked\n", s->jumps.marked ? "a" : "no"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_events(const RungStepper s, RungDraft *said)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->events.n; ++i) {
    const RungEventRecord *event = &s->events.event[i];

    PetscCall(RungDraftAdd(said, "event %s %s, direction %d, tol %.17g, stop %" PetscInt_FMT "%s\n", event->name,
                           event->said.text ? event->said.text : "of a function", (int)event->said.direction,
                           (double)event->said.tol, event->said.stop, event->said.act ? ", with a function" : ""));
    for (PetscInt k = 0; k < event->changes; ++k)
      PetscCall(RungDraftAdd(said, ".. %s = %s\n", event->change[k].name, event->change[k].text));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Paths are not told: ranks but 0 need none. */
static PetscErrorCode add_records(const RungStepper s, RungDraft *said)
{
  PetscInt monitors = 0;

  PetscFunctionBegin;
  for (RungOutputRecord output = s->outputs; output; output = output->link)
    PetscCall(RungDraftAdd(said, "an output every %.17g or %" PetscInt_FMT " steps of %s\n", (double)output->every,
                           output->steps, output->fields ? output->fields : "the unknowns"));
  for (RungTableRecord table = s->tables; table; table = table->link) PetscCall(RungDraftAdd(said, "a table\n"));
  for (PetscInt i = 0; i < s->quantities.numbers; ++i)
    PetscCall(RungDraftAdd(said, "number %s = %s\n", s->quantities.number_name[i], s->quantities.number_text[i]));
  for (RungMonitorLink link = s->monitors; link; link = link->link) ++monitors;
  if (monitors) PetscCall(RungDraftAdd(said, "%" PetscInt_FMT " monitors\n", monitors));
  PetscCall(RungDraftAdd(said, "%s every %" PetscInt_FMT " steps or %.17g seconds\n",
                         s->restart.save[0] ? "checkpoints" : "no checkpoints", s->restart.every,
                         (double)s->restart.seconds));
  PetscCall(
    RungDraftAdd(said, "%s%s\n", s->restart.load[0] ? "a restart" : "no restart", s->restart.force ? ", forced" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStepperCheckRanks(RungStepper stepper)
{
  RUNG_OWNED(RungDraftClear) RungDraft said = {0};
  PetscMPIInt                          ranks;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(stepper->comm, &ranks));
  if (ranks == 1) PetscFunctionReturn(PETSC_SUCCESS); /* asked by every Solve */
  PetscCall(add_method(stepper, &said));
  PetscCall(add_events(stepper, &said));
  PetscCall(add_records(stepper, &said));
  PetscCall(RungDraftCheckAlike(stepper->comm, "the stepper", &said));
  PetscFunctionReturn(PETSC_SUCCESS);
}
