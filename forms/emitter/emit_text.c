/* emit_text.c - text that grows and lines that wrap. */
#include "emit_impl.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 104 /* 120 when the hash has taken the place of an "@" */

static void append(RungText *text, const char from[], size_t n)
{
  if (text->error) return;
  if (text->n + n + 1 > text->room) {
    text->room  = 2 * (text->n + n + 1);
    text->error = PetscRealloc(text->room, &text->text);
    if (text->error) return;
  }
  memcpy(text->text + text->n, from, n);
  text->n += n;
  text->text[text->n] = 0;
}

/* The formatted text, to be freed; NULL without memory. */
static char *format_text(const char format[], va_list list)
{
  va_list again;
  int     n;
  char   *text;

  va_copy(again, list);
  n    = vsnprintf(NULL, 0, format, again);
  text = (char *)malloc((size_t)n + 1);
  va_end(again);
  if (text) (void)vsnprintf(text, (size_t)n + 1, format, list);
  return text;
}

void RungTextAdd(RungText *text, const char format[], ...)
{
  va_list list;
  char   *formatted;

  va_start(list, format);
  formatted = format_text(format, list);
  va_end(list);
  if (formatted)
    append(text, formatted, strlen(formatted));
  else
    text->error = PETSC_ERR_MEM;
  free(formatted);
}

/* How much of the line fits: up to a space, or to the end of a word that is too long by itself. */
static size_t fitting_length(const char line[], size_t columns)
{
  size_t cut = 0;

  for (size_t i = 0; line[i]; ++i) {
    if (i >= columns && cut) return cut;
    if (i && line[i] == ' ') cut = i;
    if (i >= columns && cut) return cut;
  }
  return strlen(line) <= columns || !cut ? strlen(line) : cut;
}

void RungTextLine(RungText *text, const char format[], ...)
{
  static const char blanks[] = "                                                ";
  va_list           list;
  char             *formatted;
  const char       *rest;
  int               indent = text->indent;

  va_start(list, format);
  formatted = format_text(format, list);
  va_end(list);
  if (!formatted) text->error = PETSC_ERR_MEM;
  rest = formatted ? formatted : "";
  do {
    const size_t n = fitting_length(rest, (size_t)(COLUMNS - indent));

    if (*rest) append(text, blanks, (size_t)indent);
    append(text, rest, n);
    append(text, "\n", 1);
    rest += n;
    while (*rest == ' ') ++rest;
    indent = text->indent + 4;
  } while (*rest);
  free(formatted);
}

void RungTextFree(RungText *text)
{
  (void)PetscFree(text->text);
  text->n = text->room = 0;
}

void RungTextNumber(double value, char literal[32])
{
  for (int digits = 15; digits <= 17; ++digits) {
    (void)snprintf(literal, 32, "%.*g", digits, value);
    if (strtod(literal, NULL) == value) break;
  }
  if (!strpbrk(literal, ".ein")) memcpy(literal + strlen(literal), ".", 2);
}
