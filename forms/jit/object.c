/* object.c - compiled objects in this process: loaded from memory, asked who they are, shared, unloaded. */
#define _GNU_SOURCE
#include "jit_impl.h"
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static RungObject *objects;

RungObject *RungObjectFind(const char identity[])
{
  for (RungObject *object = objects; object; object = object->next) {
    if (!strcmp(object->identity, identity)) return object;
  }
  return NULL;
}

static void unload(RungObject *object)
{
  if (object->handle) (void)dlclose(object->handle);
  if (object->file >= 0) (void)close(object->file);
  free(object);
}

void RungObjectRelease(RungObject *object)
{
  RungObject **at = &objects;

  if (--object->references > 0) return;
  while (*at && *at != object) at = &(*at)->next;
  if (*at) *at = object->next;
  unload(object);
}

static PetscBool write_all(int file, const char bytes[], size_t size)
{
  for (size_t done = 0; done < size;) {
    const ssize_t n = write(file, bytes + done, size - done);

    if (n <= 0) return PETSC_FALSE;
    done += (size_t)n;
  }
  return PETSC_TRUE;
}

/* Where /proc is not mounted: a file of this process alone, gone as soon as it is loaded. */
static void *load_from_disk(const char bytes[], size_t size)
{
  char      path[] = "/tmp/rung-XXXXXX";
  const int file   = mkstemp(path);
  void     *handle = NULL;

  if (file < 0) return NULL;
  if (write_all(file, bytes, size)) handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  (void)unlink(path);
  (void)close(file);
  return handle;
}

/* Are all segments in the file?  A loader maps what is missing, and who touches it there is ended by a signal. */
static PetscBool is_whole(const char bytes[], size_t size)
{
  ElfW(Ehdr) head;
  ElfW(Phdr) segment;

  if (size < sizeof head) return PETSC_FALSE;
  memcpy(&head, bytes, sizeof head);
  if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_phentsize != sizeof segment || head.e_phoff > size ||
      head.e_phnum > (size - head.e_phoff) / sizeof segment)
    return PETSC_FALSE;
  for (size_t i = 0; i < head.e_phnum; ++i) {
    memcpy(&segment, bytes + head.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_offset > size || segment.p_filesz > size - segment.p_offset) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* From a file that exists in memory only. */
static PetscBool load_bytes(RungObject *object, const char bytes[], size_t size)
{
  char path[64];

  object->file = memfd_create("rung", MFD_CLOEXEC);
  if (object->file >= 0 && write_all(object->file, bytes, size)) {
    RungJitPrint(path, sizeof path, "/proc/self/fd/%d", object->file);
    object->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  }
  if (!object->handle && access("/proc/self/fd", F_OK) != 0) object->handle = load_from_disk(bytes, size);
  return object->handle ? PETSC_TRUE : PETSC_FALSE;
}

RungObject *RungObjectCreate(const char identity[], const char bytes[], size_t size)
{
  RungObject *object = (RungObject *)calloc(1, sizeof *object);
  const char *(*ask)(void);
  void *symbol;

  if (!object) return NULL;
  RungJitPrint(object->identity, sizeof object->identity, "%s", identity);
  object->file = -1;
  if (is_whole(bytes, size) && load_bytes(object, bytes, size) && (symbol = dlsym(object->handle, "rung_identity"))) {
    memcpy(&ask, &symbol, sizeof ask);
    if (!strcmp(ask(), identity)) object->kernel = (RungKernelFn *const *)dlsym(object->handle, "rung_kernels");
  }
  if (!object->kernel) {
    unload(object);
    return NULL;
  }
  object->next = objects;
  objects      = object;
  return object;
}
