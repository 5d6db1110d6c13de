// raises.cc - a program in C++ outside of Rung's tree: errors are exceptions, and the program goes on after them.
#include <rung.h>
#include <rungbinding.h>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

class Error : public std::runtime_error {
public:
  explicit Error(const RungErrorInfo &e)
      : std::runtime_error(e.text), code(e.code), place(std::string(e.function) + "() " + e.file + ":" + std::to_string(e.line))
  {
  }
  PetscErrorCode code;
  std::string    place;
};

static void check(PetscErrorCode code)
{
  RungErrorInfo error;

  if (!code) return;
  RungErrorGet(&error);
  Error thrown(error);
  RungErrorClear();
  throw thrown;
}

// One unknown on one interval.
class Rod {
public:
  explicit Rod(const std::string &residual)
  {
    const PetscInt count = 8;

    check(RungMeshCreate(PETSC_COMM_WORLD, &mesh));
    check(RungMeshSetBox(mesh, "interval", 1, &count, nullptr));
    check(RungSpaceCreate(mesh, "P1", &space));
    check(RungSystemCreate(PETSC_COMM_WORLD, &system));
    check(RungSystemAddUnknown(system, "u", "v", space));
    check(RungSystemAddResidual(system, residual.c_str()));
    check(RungSystemAddQuantity(system, "heat", "u*dx"));
    check(RungStepperCreate(PETSC_COMM_WORLD, &stepper));
    check(RungStepperSetSystem(stepper, system));
    check(RungStepperSetType(stepper, RUNGDIRK));
    check(RungStepperSetInterval(stepper, 0.0, 1.0, 0.25));
  }
  Rod(const Rod &)            = delete;
  Rod &operator=(const Rod &) = delete;
  ~Rod()
  {
    RungStepperDestroy(&stepper);
    RungSystemDestroy(&system);
    RungSpaceDestroy(&space);
    RungMeshDestroy(&mesh);
  }
  double heat()
  {
    PetscReal value;

    check(RungStepperSolve(stepper));
    check(RungStepperGetQuantity(stepper, "heat", &value));
    return value;
  }

private:
  RungMesh    mesh    = nullptr;
  RungSpace   space   = nullptr;
  RungSystem  system  = nullptr;
  RungStepper stepper = nullptr;
};

// What a try of this residual says, "" if nothing.
static std::string complaint(const std::string &residual)
{
  try {
    Rod(residual).heat();
  } catch (const Error &error) {
    if (error.place.find("Rung") == std::string::npos && error.place.find("forms/") == std::string::npos) return "nowhere";
    return error.what();
  }
  return "";
}

// What one rank alone finds comes back on all through Rung's checks of all ranks: here a file that the last one lacks.
static PetscErrorCode only_last_rank_refuses()
{
  PetscMPIInt rank, size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  RungCheckAll(rank < size - 1, PETSC_COMM_WORLD, PETSC_ERR_USER, "rank %d of %d refuses", rank, size);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static bool works()
{
  const std::string heat = "dt(u)*v*dx + inner(grad(u), grad(v))*dx - v*dx";
  const std::string wrong(3000, 'x'); // one name, longer than an error's text
  RungErrorInfo     error;
  int               major, minor, patch;
  const char       *version;

  if (complaint("dt(u)*w*dx").find("w") == std::string::npos) return false;
  if (complaint("dt(u)*v*dx + inner(u, grad(v))*dx").find("inner()") == std::string::npos) return false;
  if (complaint(wrong + "*v*dx").size() > 2047 || complaint(wrong + "*v*dx").empty()) return false;
  RungErrorGet(&error);
  if (error.code || *error.text) return false;
  try {
    check(only_last_rank_refuses());
    return false;
  } catch (const Error &refused) {
    if (refused.code != PETSC_ERR_USER || !std::strstr(refused.what(), " refuses")) return false;
  }
  RungGetVersion(&major, &minor, &patch, &version);
  if (version != std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch)) return false;
  return std::abs(Rod(heat).heat() - 1) < 1e-8; // no flux through the ends: heat = t
}

int main()
{
  PetscMPIInt rank;

  check(RungErrorBegin());
  check(RungInitialize(nullptr, nullptr, nullptr));
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  const bool well = works();
  std::cout << (well ? rank ? "" : "all is well\n" : "not well\n") << std::flush;
  check(RungFinalize());
  check(RungErrorEnd());
  return well ? 0 : 1;
}
