/* report.c - a study as table, CSV, JSON and picture. */
#include "verify_impl.h"

#include <rungversion.h>
#include <stddef.h>

/* "null" where a number is not known. */
static PetscErrorCode add_number(RungDraft *text, PetscReal value)
{
  PetscFunctionBegin;
  if (PetscIsInfOrNanReal(value))
    PetscCall(RungDraftAdd(text, "null"));
  else
    PetscCall(RungDraftAdd(text, "%.17g", (double)value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_json(RungDraft *text, RungStudy study)
{
  const char *const name[]  = {"order", "order_low", "order_high"};
  const PetscReal   value[] = {study->order, study->low, study->high};
  const char       *version;

  PetscFunctionBegin;
  PetscCall(RungDraftAdd(text, "{\"case\": "));
  PetscCall(RungDraftAddName(text, RUNG_JSON, study->problem->name));
  PetscCall(RungDraftAdd(text, ", \"method\": "));
  PetscCall(RungDraftAddName(text, RUNG_JSON, study->ran));
  PetscCall(RungDraftAdd(text, ", \"norm\": "));
  PetscCall(RungDraftAddName(text, RUNG_JSON, study->norm));
  PetscCall(RungDraftAdd(text, ", \"levels\": ["));
  for (PetscInt i = 0; i < study->levels; ++i) {
    PetscCall(RungDraftAdd(text, "%s{\"dt\": ", i ? ", " : ""));
    PetscCall(add_number(text, study->dt[i]));
    PetscCall(RungDraftAdd(text, ", \"error\": "));
    PetscCall(add_number(text, study->error[i]));
    PetscCall(RungDraftAdd(text, "}"));
  }
  PetscCall(RungDraftAdd(text, "]"));
  for (int i = 0; i < 3; ++i) {
    PetscCall(RungDraftAdd(text, ", \"%s\": ", name[i]));
    PetscCall(add_number(text, value[i]));
  }
  PetscCall(RungGetVersion(NULL, NULL, NULL, &version));
  PetscCall(RungDraftAdd(text, ", \"version\": "));
  PetscCall(RungDraftAddName(text, RUNG_JSON, version));
  PetscCall(RungDraftAdd(text, "}\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_csv(RungDraft *text, RungStudy study)
{
  PetscFunctionBegin;
  PetscCall(RungDraftAdd(text, RUNG_ERRORS_HEAD));
  for (PetscInt i = 0; i < study->levels; ++i)
    PetscCall(RungDraftAdd(text, "%.17g,%.17g\n", (double)study->dt[i], (double)study->error[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Errors over steps in logarithmic axes, with the fitted line. */
static PetscErrorCode add_plot(RungDraft *text, RungStudy study)
{
  char      title[256];
  PetscReal x = 0, y = 0;

  PetscFunctionBegin;
  PetscCall(
    RungDraftAdd(text, "set logscale xy\nset format xy '%%g'\nset grid\nset key left top\nset xlabel 'step'\n"));
  PetscCall(PetscSNPrintf(title, sizeof title, "relative error, %s", study->norm));
  PetscCall(RungDraftAdd(text, "set ylabel "));
  PetscCall(RungDraftAddName(text, RUNG_GNUPLOT, title));
  PetscCall(PetscSNPrintf(title, sizeof title, "%s: %s", study->problem->name, study->ran));
  PetscCall(RungDraftAdd(text, " noenhanced\nset title "));
  PetscCall(RungDraftAddName(text, RUNG_GNUPLOT, title));
  PetscCall(RungDraftAdd(text, " noenhanced\n$data << EOD\n"));
  for (PetscInt i = 0; i < study->levels; ++i) {
    PetscCall(RungDraftAdd(text, "%.17g %.17g\n", (double)study->dt[i], (double)study->error[i]));
    x += PetscLogReal(study->dt[i]) / (PetscReal)study->levels;
    y += PetscLogReal(study->error[i]) / (PetscReal)study->levels;
  }
  PetscCall(RungDraftAdd(text, "EOD\nplot $data using 1:2 with points pointtype 7 pointsize 1.5 title 'measured'"));
  if (!PetscIsInfOrNanReal(study->order)) {
    PetscCall(RungDraftAdd(text, ", exp(%.9g)*(x/exp(%.9g))**%.9g with lines title 'order %.3f'", (double)y, (double)x,
                           (double)study->order, (double)study->order));
  }
  PetscCall(RungDraftAdd(text, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a study leaves, and where; nothing where no path is set. */
static const struct {
  const char  *what, *extension;
  RungFileKind kind;
  size_t       path; /* offset of char[PETSC_MAX_PATH_LEN] in a study */
  PetscErrorCode (*add)(RungDraft *, RungStudy);
} files[] = {
  {"-study_json", ".json", RUNG_FILE_STUDY, offsetof(struct _p_RungStudy, json), add_json},
  {"-study_csv", ".csv", RUNG_FILE_ERRORS, offsetof(struct _p_RungStudy, csv), add_csv},
  {"-study_plot", ".png", RUNG_FILE_PICTURE, offsetof(struct _p_RungStudy, plot), add_plot},
};
#define FILES 3

PetscErrorCode RungStudyCheckFiles(RungStudy study)
{
  char full[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  for (int i = 0; i < FILES; ++i) {
    char *path = (char *)study + files[i].path;

    if (!path[0]) continue;
    PetscCall(RungPathCheck(study->comm, files[i].what, path, "order.png"));
    PetscCall(RungFileComplete(path, files[i].extension, full));
    PetscCall(PetscStrncpy(path, full, PETSC_MAX_PATH_LEN));
    PetscCall(RungFileCheck(study->comm, files[i].what, path, files[i].kind));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_file(RungStudy study, int i, RungDraft *text)
{
  const char *path = (const char *)study + files[i].path;

  PetscFunctionBegin;
  PetscCall(files[i].add(text, study));
  if (files[i].kind == RUNG_FILE_PICTURE)
    PetscCall(RungPlot(study->comm, path, NULL, 900, 600, text->text, NULL));
  else
    PetscCall(RungFileWrite(study->comm, path, text->length, text->text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_table(RungStudy study, PetscViewer viewer)
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
  PetscCall(print_table(study, viewer));
  for (int i = 0; i < FILES; ++i) {
    RungDraft text = {0};

    if (((const char *)study + files[i].path)[0])
      RungCallFinally(write_file(study, i, &text), PetscCall(RungDraftClear(&text)));
  }
  PetscCall(RungStudyGetPassed(study, &passed));
  if (!passed) PetscCall(PetscViewerASCIIPrintf(viewer, "FAILED: a stated expectation does not hold\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
