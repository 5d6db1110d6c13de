/* header.c - headers of objects in a file, looked at before HDF5 reads them (its file format, "Version 1 Object Header").

   HDF5 1.10 goes by the lengths that parts of a header say: it reads names and types behind their end, and divides by the
   sizes of pieces.  So parts are as this program writes them, or the file is refused.  A header of version 2, "OHDR", has a sum
   of its own. */
#include "header_impl.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNKS 4096 /* of one header: at most one for each vector that was written between two numbers */

/* Kinds of parts, and a mark of those that lie elsewhere. */
enum { SHAPE = 0x01, TYPE = 0x03, LAYOUT = 0x08, FILTERS = 0x0b, ATTRIBUTE = 0x0c, GOES_ON = 0x10, SHARED = 0x02 };

typedef struct {
  FILE    *file;
  uint64_t left;   /* bytes that chunks may still have: no more than the file has */
  int      chunks; /* .. and how many                                             */
  int (*is_good)(int kind, size_t n, const unsigned char part[]);
} Header;

static uint64_t number_at(const unsigned char bytes[], int n)
{
  uint64_t number = 0;

  while (n) number = number << 8 | bytes[--n];
  return number;
}

static size_t padded(size_t n)
{
  return (n + 7) / 8 * 8;
}

/* Parts: kind 2 bytes, length 2, marks 1, 3 of no meaning, and what they say. */
static int is_good_chunk(Header *h, uint64_t at, uint64_t n)
{
  unsigned char *bytes;
  int            good;

  if (n > h->left || --h->chunks < 0) return 0;
  h->left -= n;
  bytes = (unsigned char *)malloc((size_t)n + 1);
  good  = bytes && !fseeko(h->file, (off_t)at, SEEK_SET) && fread(bytes, 1, (size_t)n, h->file) == n;
  for (size_t i = 0, size; good && i + 8 <= n; i += 8 + size) {
    const int            kind = (int)number_at(bytes + i, 2);
    const unsigned char *part = bytes + i + 8;

    size = (size_t)number_at(bytes + i + 2, 2);
    good = size <= n - i - 8 && !(bytes[i + 4] & SHARED) && h->is_good(kind, size, part);
    if (good && kind == GOES_ON) good = size >= 16 && is_good_chunk(h, number_at(part, 8), number_at(part + 8, 8));
  }
  free(bytes);
  return good;
}

/* A header: version 1, 0, number of parts 2, of links 4, length of the first chunk 4, 4 of no meaning. */
static int is_good_header(const char path[], uint64_t at, int (*is_good)(int, size_t, const unsigned char[]))
{
  Header        h = {.file = fopen(path, "rb"), .chunks = CHUNKS, .is_good = is_good};
  unsigned char head[16];
  int           good;

  if (!h.file) return 0;
  good = !fseeko(h.file, 0, SEEK_END);
  if (good) h.left = (uint64_t)ftello(h.file);
  good = good && !fseeko(h.file, (off_t)at, SEEK_SET) && fread(head, 1, sizeof head, h.file) == sizeof head;
  if (good && memcmp(head, "OHDR", 4) != 0) good = head[0] == 1 && is_good_chunk(&h, at + 16, number_at(head + 8, 4));
  (void)fclose(h.file);
  return good;
}

/* A number of IEEE with its length and masks, or a text of a fixed length; 0: neither. */
static size_t type_length(const unsigned char type[])
{
  return type[0] == 0x11 ? 20 : type[0] == 0x13 ? 8 : 0;
}

/* Of an attribute: version 1, 0, lengths of name, type and shape, each 2; these, each padded, the shape that of one value; the value. */
static int is_good_attribute(size_t n, const unsigned char part[])
{
  size_t name, type;

  if (n < 8 || part[0] != 1) return 0;
  name = padded((size_t)number_at(part + 2, 2));
  type = (size_t)number_at(part + 4, 2);
  if (!name || number_at(part + 6, 2) != 8 || 8 + name + padded(type) + 8 > n) return 0;
  part += 8 + name;
  n -= 8 + name + padded(type) + 8;
  if (type < 8 || type != type_length(part) || number_at(part + 4, 4) > n) return 0;
  return part[padded(type)] == 1 && part[padded(type) + 1] == 0;
}

static int is_good_in_group(int kind, size_t n, const unsigned char part[])
{
  return kind != ATTRIBUTE || is_good_attribute(n, part);
}

/* Shape: version 1, dimensions, whether largest ones follow, 5 of no meaning, dimensions of 8 bytes.  Layout: version 3, in one piece.
   A set that goes on elsewhere, or that filters have changed, is none of ours. */
static int is_good_in_set(int kind, size_t n, const unsigned char part[])
{
  if (kind == SHAPE) return n >= 8 && part[0] == 1 && part[2] < 2 && 8 + 8 * (size_t)part[1] * (1 + part[2]) <= n;
  if (kind == TYPE) return n >= 20 && type_length(part) == 20;
  if (kind == LAYOUT) return n >= 18 && part[0] == 3 && part[1] == 1;
  return kind != FILTERS && kind != GOES_ON;
}

int RungHeaderIsGroup(const char path[], uint64_t at)
{
  return is_good_header(path, at, is_good_in_group);
}

int RungHeaderIsSet(const char path[], uint64_t at)
{
  return is_good_header(path, at, is_good_in_set);
}
