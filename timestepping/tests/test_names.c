/* test_names.c - names that other languages would read something into, as paths and as names in files.  read_names.py reads
   what is left here with the readers of others. */
#include "../step_impl.h"
#include "ode.h"
#include <sys/stat.h>
#include <unistd.h>

static const char *const hostile[] = {"it's mine",
                                      "say \"hi\"",
                                      "a  b ",
                                      " a",
                                      "\xc3\xbcn\xc3\xaf"
                                      "c\xc3\xb6"
                                      "d\xc3\xa9",
                                      "%n%n%s",
                                      "%s%s%d",
                                      "$(touch PWNED)",
                                      "`touch PWNED`",
                                      "\";system \"touch PWNED\";\"",
                                      "';system \"touch PWNED\";'",
                                      "\\\";system 'touch PWNED'",
                                      "*{}system(\"touch PWNED\");{}*",
                                      "<&>",
                                      "]]>",
                                      "<!-- x",
                                      "a&amp;b",
                                      "-stepper_end",
                                      "--help",
                                      "-",
                                      "a,b",
                                      "a;b",
                                      "a\\b",
                                      "a\\",
                                      "{Symbol a}",
                                      "a_b^2",
                                      "@x",
                                      "#x",
                                      "*?",
                                      "~",
                                      "~root",
                                      "|touch PWNED",
                                      "&touch PWNED&",
                                      "a=b",
                                      "tip[0,1]",
                                      "=1+1",
                                      "\xe6\x97\xa5\xe6\x9c\xac",
                                      "\xf0\x9f\x98\x80",
                                      "none",
                                      "C:\\x",
                                      ".",
                                      "..",
                                      "\"",
                                      "'",
                                      "${HOME}",
                                      "!touch PWNED",
                                      "{step}",
                                      "a.csv.csv"};
/* Controls of ASCII and of Unicode, the end of a line there, and a turn of the direction. */
static const char *const refused[] = {
  "a\nb",        "a\tb",         "\r",
  "\x1b[2J",     "\x7f",         "a\xc2\2332J", /* an octal escape ends after three digits */
  "\xc2\x85",    "\xe2\x80\xa8", "x\xe2\x80\xaegpj",
  "\xe2\x81\xa6"};
static const char *const no_utf8[] = {"\xff\xfe", "a\xed\xa0\x80", "\xc0\xaf", "\xe2\x82", "\xef\xbf\xbf"};

#define HOSTILE ((PetscInt)(sizeof hostile / sizeof *hostile))

/* u' + u = 0 on an interval, with all those names as quantities or with none. */
static PetscErrorCode create(PetscBool quantities, RungMesh mesh, RungSystem *sys, RungStepper *stepper)
{
  RungSpace V;

  PetscFunctionBegin;
  PetscCall(RungSpaceCreate(mesh, "P1", &V));
  PetscCall(RungSystemCreate(PETSC_COMM_WORLD, sys));
  PetscCall(RungSystemAddUnknown(*sys, "u", "v", V));
  PetscCall(RungSystemAddResidual(*sys, "(dt(u) + u)*v*dx"));
  PetscCall(RungSystemSetInitial(*sys, "u", "1"));
  for (PetscInt i = 0; quantities && i < HOSTILE; ++i) PetscCall(RungSystemAddQuantity(*sys, hostile[i], "u*dx"));
  PetscCall(RungStepperCreate(PETSC_COMM_WORLD, stepper));
  PetscCall(RungStepperSetSystem(*stepper, *sys));
  PetscCall(RungStepperSetType(*stepper, RUNGBDF));
  PetscCall(RungStepperSetInterval(*stepper, 0, 1, 0.5));
  PetscCall(RungStepperSetMonitor(*stepper, RUNG_MONITOR_NONE));
  PetscCall(RungSpaceDestroy(&V));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_mesh(RungMesh *mesh)
{
  PetscFunctionBegin;
  PetscCall(RungMeshCreate(PETSC_COMM_WORLD, mesh));
  PetscCall(RungMeshSetBox(*mesh, "interval", 1, (PetscInt[]){2}, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* paths/NAME.csv, .pvd, .h5 and field files, written twice as a user does who runs a program again; read_names.py expects
   nothing else in that folder. */
static PetscErrorCode test_hostile_paths_are_written_again_and_again(void)
{
  RungMesh    mesh;
  RungSystem  sys;
  RungStepper stepper;
  RungSpace   V;
  RungField   field;
  RungOutput  output;
  char        path[512];

  PetscFunctionBegin;
  (void)mkdir("paths", 0777);
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(create_mesh(&mesh));
  PetscCall(RungSpaceCreate(mesh, "P1", &V));
  PetscCall(RungFieldCreate(V, "u", &field));
  for (int again = 0; again < 2; ++again) {
    PetscCall(create(PETSC_FALSE, mesh, &sys, &stepper));
    for (PetscInt i = 0; i < HOSTILE; ++i) {
      PetscCall(PetscSNPrintf(path, sizeof path, "paths/%s", hostile[i]));
      if (!strcmp(hostile[i], ".") || !strcmp(hostile[i], "..")) {
        CHECK_RAISES(RungStepperAddTable(stepper, path), "the file name is missing");
        CHECK_RAISES(RungOutputCreate(PETSC_COMM_WORLD, path, &output), "the file name is missing");
        continue;
      }
      if (!strcmp(hostile[i], "{step}"))
        CHECK_RAISES(RungStepperAddTable(stepper, path), "one file has all steps here");
      else
        PetscCall(RungStepperAddTable(stepper, path));
      PetscCall(RungOutputCreate(PETSC_COMM_WORLD, path, &output));
      PetscCall(RungOutputWrite(output, 0.5, 1, &field));
      PetscCall(RungOutputDestroy(&output));
      if (again == i % 2 || strpbrk(hostile[i], "~$")) continue; /* HDF5 takes its time; viewers replace ~ and ${..} */
      PetscCall(PetscSNPrintf(path, sizeof path, "paths/%s.field", hostile[i]));
      PetscCall(RungFieldSave(field, path));
      PetscCall(RungFieldLoad(field, path));
    }
    PetscCall(RungStepperSetCheckpoint(stepper, "paths/%s'`touch PWNED`{step}.h5", 1));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(RungStepperDestroy(&stepper));
    PetscCall(RungSystemDestroy(&sys));
    PetscCall(create(PETSC_FALSE, mesh, &sys, &stepper));
    PetscCall(RungStepperSetRestart(stepper, "paths/%s'`touch PWNED`1.h5", PETSC_FALSE));
    PetscCall(RungStepperSolve(stepper));
    PetscCall(RungStepperDestroy(&stepper));
    PetscCall(RungSystemDestroy(&sys));
  }
  CHECK(access("PWNED", F_OK) != 0);
  PetscCall(RungFieldDestroy(&field));
  PetscCall(RungSpaceDestroy(&V));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* names.csv with its picture, and names.pvd with a field of each name. */
static PetscErrorCode test_hostile_names_stay_names(void)
{
  RungMesh    mesh;
  RungSystem  sys;
  RungStepper stepper;
  RungSpace   V;
  RungField   field[HOSTILE];
  RungOutput  output;
  PetscReal   value;
  FILE       *file;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(create_mesh(&mesh));
  PetscCall(create(PETSC_TRUE, mesh, &sys, &stepper));
  PetscCall(RungStepperAddTable(stepper, "names"));
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperGetQuantity(stepper, "`touch PWNED`", &value));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceCreate(mesh, "P1", &V));
  for (PetscInt i = 0; i < HOSTILE; ++i) PetscCall(RungFieldCreate(V, hostile[i], &field[i]));
  PetscCall(RungOutputCreate(PETSC_COMM_WORLD, "names", &output));
  PetscCall(RungOutputWrite(output, 0, HOSTILE, field));
  PetscCall(RungOutputDestroy(&output));
  for (PetscInt i = 0; i < HOSTILE; ++i) PetscCall(RungFieldDestroy(&field[i]));
  file = rank ? NULL : fopen("names.txt", "w"); /* for read_names.py */
  for (PetscInt i = 0; file && i < HOSTILE; ++i) fprintf(file, "%s\n", hostile[i]);
  if (file) fclose(file);
  CHECK(access("PWNED", F_OK) != 0);
  PetscCall(RungSpaceDestroy(&V));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_control_characters_and_long_names_are_refused_where_they_are_set(void)
{
  RungMesh    mesh;
  RungSystem  sys;
  RungStepper stepper;
  RungSpace   V;
  RungField   field;
  RungOutput  output;
  char        longest[RUNG_NAME_LENGTH + 2];

  PetscFunctionBegin;
  PetscCall(create_mesh(&mesh));
  PetscCall(create(PETSC_FALSE, mesh, &sys, &stepper));
  PetscCall(RungSpaceCreate(mesh, "P1", &V));
  for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
    CHECK_RAISES(RungSystemAddQuantity(sys, refused[i], "u*dx"), "has a control character");
    CHECK_RAISES(RungSystemAddProbe(sys, refused[i], "u", (PetscReal[]){0.5}), "has a control character");
    CHECK_RAISES(RungFieldCreate(V, refused[i], &field), "has a control character");
    CHECK_RAISES(RungStepperAddTable(stepper, refused[i]), "has a control character");
    CHECK_RAISES(RungStepperAddOutput(stepper, refused[i], 0), "has a control character");
    CHECK_RAISES(RungStepperSetCheckpoint(stepper, refused[i], 1), "has a control character");
    CHECK_RAISES(RungStepperSetRestart(stepper, refused[i], PETSC_FALSE), "has a control character");
  }
  for (size_t i = 0; i < sizeof no_utf8 / sizeof *no_utf8; ++i) {
    CHECK_RAISES(RungSystemAddQuantity(sys, no_utf8[i], "u*dx"), "is no UTF-8");
    CHECK_RAISES(RungOutputCreate(PETSC_COMM_WORLD, no_utf8[i], &output), "is no UTF-8");
  }
  CHECK_RAISES(RungSystemAddQuantity(sys, "t", "u*dx"), "a quantity is called t, which is the first column");
  memset(longest, 'x', sizeof longest - 1);
  longest[RUNG_NAME_LENGTH + 1] = '\0';
  CHECK_RAISES(RungSystemAddQuantity(sys, longest, "u*dx"), "has a name of 256 bytes; wanted at most 255");
  longest[RUNG_NAME_LENGTH] = '\0';
  PetscCall(RungSystemAddQuantity(sys, longest, "u*dx"));
  CHECK_RAISES(RungOutputCreate(PETSC_COMM_WORLD, longest, &output), "has 264 bytes, the folder takes 255");
  longest[240] = '\0';
  CHECK_RAISES(RungOutputCreate(PETSC_COMM_WORLD, longest, &output), "names of pieces would have 259 bytes");
  PetscCall(RungStepperAddTable(stepper, longest)); /* 240, with .csv.part 249 */
  PetscCall(RungStepperSolve(stepper));
  longest[240] = 'x';
  longest[250] = '\0';
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(create(PETSC_FALSE, mesh, &sys, &stepper));
  PetscCall(RungStepperAddTable(stepper, longest));
  CHECK_RAISES(RungStepperSetUp(stepper), "its name with \".part\" has 259 bytes, the folder takes 255");
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(create(PETSC_FALSE, mesh, &sys, &stepper));
  PetscCall(RungSystemAddQuantity(sys, "warm", "u*dx"));
  PetscCall(RungStepperAddEvent(stepper, "warm", &(RungEvent){.text = "warm - 1"}));
  PetscCall(RungStepperAddTable(stepper, "warm"));
  CHECK_RAISES(RungStepperSetUp(stepper), "two columns of a table would be called \"warm\"");
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(RungSpaceDestroy(&V));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_text(const char path[], const char text[])
{
  PetscFunctionBegin;
  PetscCall(RungFileWrite(PETSC_COMM_WORLD, path, strlen(text), text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same bytes are still there. */
static PetscErrorCode check_text(const char path[], const char text[])
{
  PetscMPIInt rank;
  char        found[4096] = "";
  FILE       *file;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  file = rank ? NULL : fopen(path, "rb");
  if (file) found[fread(found, 1, sizeof found - 1, file)] = '\0';
  if (file) fclose(file);
  CHECK(rank || !strcmp(found, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *const foreign[] = {
  "a,b\n1,2\n",       "t,u\n0,high\n",  "t,u\n0,1\n1\n",
  "t,u\n0.10,1.50\n", "t\n#!/bin/sh\n", "\177ELF and more",
  "no table",         "t,u\n,1\n",      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n"};

static PetscErrorCode test_foreign_files_are_never_written_over(void)
{
  RungMesh    mesh;
  RungSystem  sys;
  RungStepper stepper;
  RungOutput  output;
  RungSpace   V;
  RungField   field;

  PetscFunctionBegin;
  PetscCall(create_mesh(&mesh));
  PetscCall(RungSpaceCreate(mesh, "P1", &V));
  PetscCall(RungFieldCreate(V, "u", &field));
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; ++i) {
    PetscCall(write_text("foreign", foreign[i]));
    PetscCall(write_text("foreign.csv", foreign[i]));
    PetscCall(write_text("foreign.pvd", foreign[i]));
    PetscCall(create(PETSC_FALSE, mesh, &sys, &stepper));
    PetscCall(RungStepperAddTable(stepper, "foreign"));
    CHECK_RAISES(RungStepperAddTable(stepper, "foreign.csv"), "there is a table \"foreign.csv\" already");
    CHECK_RAISES(RungStepperSolve(stepper), "cannot be written: a file that is not a table of quantities is there");
    PetscCall(RungStepperDestroy(&stepper));
    PetscCall(RungSystemDestroy(&sys));
    PetscCall(create(PETSC_FALSE, mesh, &sys, &stepper));
    PetscCall(RungStepperSetCheckpoint(stepper, "foreign", 1));
    CHECK_RAISES(RungStepperSolve(stepper), "\"foreign\" cannot be written: a file that is not a checkpoint");
    PetscCall(RungStepperDestroy(&stepper));
    PetscCall(RungSystemDestroy(&sys));
    CHECK_RAISES(RungOutputCreate(PETSC_COMM_WORLD, "foreign", &output), "is not a series of this library");
    CHECK_RAISES(RungFieldSave(field, "foreign"), "is not a checkpoint or field file");
    PetscCall(check_text("foreign", foreign[i]));
    PetscCall(check_text("foreign.csv", foreign[i]));
    PetscCall(check_text("foreign.pvd", foreign[i]));
  }
  PetscCall(write_text("beside.csv.part", "half of a download"));
  PetscCall(write_text("seen.png", "a picture of mine"));
  PetscCall(create(PETSC_TRUE, mesh, &sys, &stepper));
  PetscCall(RungStepperAddTable(stepper, "beside"));
  CHECK_RAISES(RungStepperSolve(stepper), "with \".part\" behind its name");
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(create(PETSC_TRUE, mesh, &sys, &stepper));
  PetscCall(RungStepperAddTable(stepper, "seen")); /* the run goes on, with a notice and without a picture */
  PetscCall(RungStepperSolve(stepper));
  PetscCall(RungStepperDestroy(&stepper));
  PetscCall(RungSystemDestroy(&sys));
  PetscCall(check_text("beside.csv.part", "half of a download"));
  PetscCall(check_text("seen.png", "a picture of mine"));
  PetscCall(RungFieldDestroy(&field));
  PetscCall(RungSpaceDestroy(&V));
  PetscCall(RungMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

RUNG_TEST_MAIN(RUNG_TEST(test_hostile_paths_are_written_again_and_again), RUNG_TEST(test_hostile_names_stay_names),
               RUNG_TEST(test_control_characters_and_long_names_are_refused_where_they_are_set),
               RUNG_TEST(test_foreign_files_are_never_written_over))
