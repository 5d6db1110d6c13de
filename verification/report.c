/* report.c - a study as table, CSV, JSON and picture. */
#include "verify_impl.h"

#define ROOM 16384

/* "null" where a number is not known. */
static PetscErrorCode Number(PetscReal value, char text[], size_t size)
{
  PetscFunctionBegin;
  if (PetscIsInfOrNanReal(value))
    PetscCall(PetscStrncpy(text, "null", size));
  else
    PetscCall(PetscSNPrintf(text, size, "%.17g", (double)value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Append(char text[], const char format[], ...) PETSC_ATTRIBUTE_FORMAT(2, 3);
static PetscErrorCode Append(char text[], const char format[], ...)
{
  va_list args;
  size_t  used = strlen(text);

  PetscFunctionBegin;
  va_start(args, format);
  PetscCall(PetscVSNPrintf(text + used, ROOM - used, format, NULL, args));
  va_end(args);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WriteJson(RungStudy study)
{
  char *text, number[3][40];

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(ROOM, &text));
  PetscCall(Append(text, "{\"case\": \"%s\", \"method\": \"%s\", \"norm\": \"%s\", \"levels\": [", study->problem->name,
                   study->ran, study->norm));
  for (PetscInt i = 0; i < study->levels; ++i) {
    PetscCall(Number(study->dt[i], number[0], sizeof number[0]));
    PetscCall(Number(study->error[i], number[1], sizeof number[1]));
    PetscCall(Append(text, "%s{\"dt\": %s, \"error\": %s}", i ? ", " : "", number[0], number[1]));
  }
  PetscCall(Number(study->order, number[0], sizeof number[0]));
  PetscCall(Number(study->low, number[1], sizeof number[1]));
  PetscCall(Number(study->high, number[2], sizeof number[2]));
  PetscCall(
    Append(text, "], \"order\": %s, \"order_low\": %s, \"order_high\": %s}\n", number[0], number[1], number[2]));
  PetscCall(RungFileWrite(study->comm, study->json, strlen(text), text));
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WriteCsv(RungStudy study)
{
  char *text;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(ROOM, &text));
  PetscCall(Append(text, "dt,error\n"));
  for (PetscInt i = 0; i < study->levels; ++i)
    PetscCall(Append(text, "%.17g,%.17g\n", (double)study->dt[i], (double)study->error[i]));
  PetscCall(RungFileWrite(study->comm, study->csv, strlen(text), text));
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Errors over steps in logarithmic axes, with the fitted line. */
static PetscErrorCode DrawPlot(RungStudy study)
{
  char     *text;
  PetscReal x = 0, y = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(ROOM, &text));
  PetscCall(
    Append(text,
           "set logscale xy\nset format xy '%%g'\nset grid\nset key left top\nset xlabel 'step'\nset ylabel 'relative "
           "error, %s'\nset title '%s: %s' noenhanced\n$data << EOD\n",
           study->norm, study->problem->name, study->ran));
  for (PetscInt i = 0; i < study->levels; ++i) {
    PetscCall(Append(text, "%.17g %.17g\n", (double)study->dt[i], (double)study->error[i]));
    x += PetscLogReal(study->dt[i]) / (PetscReal)study->levels;
    y += PetscLogReal(study->error[i]) / (PetscReal)study->levels;
  }
  PetscCall(Append(text, "EOD\nplot $data using 1:2 with points pointtype 7 pointsize 1.5 title 'measured'"));
  if (!PetscIsInfOrNanReal(study->order)) {
    PetscCall(Append(text, ", exp(%.9g)*(x/exp(%.9g))**%.9g with lines title 'order %.3f'", (double)y, (double)x,
                     (double)study->order, (double)study->order));
  }
  PetscCall(Append(text, "\n"));
  PetscCall(RungPlot(study->comm, study->plot, text));
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PrintTable(RungStudy study, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "%s, %s: relative error in %s at the end\n", study->problem->name,
                                   study->ran, study->norm));
  PetscCall(PetscViewerASCIIPrintf(viewer, "%12s  %12s  %8s\n", "step", "error", "slope"));
  for (PetscInt i = 0; i < study->levels; ++i) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "%12.6g  %12.4e", (double)study->dt[i], (double)study->error[i]));
    if (i) {
      PetscReal slope, low, high;

      PetscCall(RungRate(2, &study->dt[i - 1], &study->error[i - 1], &slope, &low, &high));
      if (!PetscIsNanReal(slope)) PetscCall(PetscViewerASCIIPrintf(viewer, "  %8.3f", (double)slope));
    }
    PetscCall(PetscViewerASCIIPrintf(viewer, "\n"));
  }
  if (!PetscIsNanReal(study->low)) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "order %.3f, 95 %% interval [%.3f, %.3f]\n", (double)study->order,
                                     (double)study->low, (double)study->high));
  } else if (!PetscIsNanReal(study->order)) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "order %.3f (two levels, no interval)\n", (double)study->order));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungStudyView(RungStudy study, PetscViewer viewer)
{
  PetscBool passed;

  PetscFunctionBegin;
  RungNeed(study);
  PetscCheck(study->ran_all, study->comm, PETSC_ERR_ORDER, "a study has results after RungStudyRun()");
  if (!viewer) PetscCall(PetscViewerASCIIGetStdout(study->comm, &viewer));
  PetscCall(PrintTable(study, viewer));
  if (study->json[0]) PetscCall(WriteJson(study));
  if (study->csv[0]) PetscCall(WriteCsv(study));
  if (study->plot[0]) PetscCall(DrawPlot(study));
  PetscCall(RungStudyGetPassed(study, &passed));
  if (!passed) PetscCall(PetscViewerASCIIPrintf(viewer, "FAILED: a stated expectation does not hold\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
