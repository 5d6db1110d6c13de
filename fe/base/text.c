/* text.c - texts that grow, and names in them: as the value of an XML attribute, a field of CSV, a string of JSON or of
   gnuplot.  No name is ever read as a part of the language around it. */
#include <rungfe_room.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <rungtext_room.h>

/* ---- texts -------------------------------------------------------------------------------------------------------- */

static PetscErrorCode make_room(RungDraft *t, size_t more)
{
  char  *text;
  size_t room = 2 * (t->room + more + 1);

  PetscFunctionBegin;
  if (t->text && t->length + more + 1 <= t->room) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(room, &text));
  if (t->length) PetscCall(PetscArraycpy(text, t->text, t->length));
  text[t->length] = '\0';
  PetscCall(PetscFree(t->text));
  t->text = text;
  t->room = room;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungTextAppend(char text[], const char more[], size_t room)
{
  size_t used = 0;

  PetscFunctionBegin;
  while (used < room && text[used]) ++used;
  if (used < room) PetscCall(PetscStrncpy(text + used, more, room - used));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDraftAdd(RungDraft *t, const char format[], ...)
{
  va_list arguments;
  int     length;

  PetscFunctionBegin;
  va_start(arguments, format);
  length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  PetscCheck(length >= 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "\"%s\" cannot be printed", format);
  PetscCall(make_room(t, (size_t)length));
  va_start(arguments, format);
  (void)vsnprintf(t->text + t->length, (size_t)length + 1, format, arguments);
  va_end(arguments);
  t->length += (size_t)length;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDraftAddBytes(RungDraft *t, size_t size, const char bytes[])
{
  PetscFunctionBegin;
  PetscCall(make_room(t, size));
  if (size) PetscCall(PetscArraycpy(t->text + t->length, bytes, size));
  t->length += size;
  t->text[t->length] = '\0';
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDraftClear(RungDraft *t)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(t->text));
  *t = (RungDraft){0};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- bytes that may stand in a text ------------------------------------------------------------------------------- */

/* Bytes of the character of UTF-8 that begins here and its number, 0 if there is none: a stray byte, a longer form than it
   needs, half of a pair of UTF-16, U+FFFE and U+FFFF, which no XML may hold, or a place beyond the last one. */
static int read_utf8(const char text[], unsigned long *number)
{
  const unsigned char *const c       = (const unsigned char *)text;
  static const unsigned long least[] = {0, 0, 0x80, 0x800, 0x10000};
  const int                  n       = c[0] < 0x80 ? 1 : c[0] < 0xc0 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;
  unsigned long              code    = n < 2 ? c[0] : c[0] & (0x7fu >> n);

  if (n == 0 || c[0] > 0xf4) return 0;
  for (int i = 1; i < n; ++i) {
    if ((c[i] & 0xc0) != 0x80) return 0;
    code = code << 6 | (c[i] & 0x3fu);
  }
  if (code < least[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return 0;
  *number = code;
  return code == 0xfffe || code == 0xffff ? 0 : n;
}

static PetscBool is_control(char c)
{
  return (unsigned char)c < 0x20 || c == 0x7f ? PETSC_TRUE : PETSC_FALSE;
}

/* Control characters of ASCII and Unicode, ends of lines and paragraphs, and what turns the direction of writing: a
   terminal obeys them and shows another text than there is. */
static PetscBool is_obeyed(unsigned long number)
{
  return number < 0x20 || (number >= 0x7f && number < 0xa0) || (number >= 0x2028 && number <= 0x202e) ||
             (number >= 0x2066 && number <= 0x2069)
           ? PETSC_TRUE
           : PETSC_FALSE;
}

/* A copy that can be shown: question marks for what a terminal obeys or what is no UTF-8, an end to what is long. */
static void show(const char text[], char shown[80])
{
  size_t n = 0;

  while (*text && n < 60) {
    unsigned long number;
    const int     length = read_utf8(text, &number);

    if (length && !is_obeyed(number)) {
      for (int i = 0; i < length; ++i) shown[n++] = text[i];
    } else
      shown[n++] = '?';
    text += length ? length : 1;
  }
  (void)snprintf(shown + n, 80 - n, "%s", *text ? ".." : "");
}

PetscInt RungTextObeyed(const char text[], size_t n, int *number)
{
  for (const char *c = text; c < text + n;) {
    unsigned long code;
    const int     length = read_utf8(c, &code);

    *number = (int)code;
    if (length && is_obeyed(code) && !isspace((unsigned char)*c)) return (PetscInt)(c - text);
    c += length ? length : 1;
  }
  return -1;
}

void RungTextShow(char text[])
{
  const char *from = text;
  char       *to   = text;

  while (*from) {
    unsigned long number;
    const int     length = read_utf8(from, &number);

    if (length && is_obeyed(number) && *from != '\n') {
      *to++ = '?';
      from += length;
    } else
      *to++ = *from++;
  }
  *to = '\0';
}

static PetscErrorCode check_controls(MPI_Comm comm, const char what[], const char text[])
{
  char shown[80];

  PetscFunctionBegin;
  show(text, shown);
  for (const char *c = text; *c;) {
    unsigned long number;
    const int     n = read_utf8(c, &number);

    PetscCheck(!n || !is_obeyed(number), comm, PETSC_ERR_ARG_WRONG,
               "%s \"%s\" has a control character (number %d) in place %d; take one without", what, shown, (int)number,
               (int)(c - text) + 1);
    c += n ? n : 1;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungLabelCheck(MPI_Comm comm, const char what[], const char name[])
{
  char shown[80];

  PetscFunctionBegin;
  PetscCheck(name && name[0], comm, PETSC_ERR_ARG_WRONG, "%s without a name; give it one", what);
  show(name, shown);
  PetscCall(check_controls(comm, what, name));
  for (const char *c = name; *c;) {
    unsigned long number;
    const int     n = read_utf8(c, &number);

    PetscCheck(n, comm, PETSC_ERR_ARG_WRONG, "%s \"%s\" has a name that is no UTF-8 in place %d; write it in UTF-8",
               what, shown, (int)(c - name) + 1);
    c += n;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungColumnCheck(MPI_Comm comm, const char what[], const char name[])
{
  PetscFunctionBegin;
  PetscCall(RungLabelCheck(comm, what, name));
  PetscCheck(strlen(name) <= RUNG_NAME_LENGTH, comm, PETSC_ERR_ARG_SIZ,
             "%s \"%.40s..\" has a name of %d bytes; wanted at most %d", what, name, (int)strlen(name),
             RUNG_NAME_LENGTH);
  PetscCheck(strcmp(name, "t") != 0, comm, PETSC_ERR_ARG_WRONG,
             "%s is called t, which is the first column of each table, the time; take another name", what);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungColumnsCheck(MPI_Comm comm, PetscInt n, const char *const name[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) {
    for (PetscInt k = 0; k < i; ++k)
      PetscCheck(strcmp(name[i], name[k]) != 0, comm, PETSC_ERR_ARG_WRONG,
                 "two columns of a table would be called \"%s\"; give one of them another name", name[i]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungPathCheck(MPI_Comm comm, const char what[], const char path[], const char example[])
{
  const char *slash, *name;

  PetscFunctionBegin;
  PetscCheck(path && path[0], comm, PETSC_ERR_ARG_WRONG, "%s without a path; wanted one like \"%s\"", what, example);
  slash = strrchr(path, '/');
  name  = slash ? slash + 1 : path;
  PetscCheck(name[0] && strcmp(name, ".") != 0 && strcmp(name, "..") != 0, comm, PETSC_ERR_ARG_WRONG,
             "%s \"%s\": the file name is missing; wanted one like \"%s\"", what, path, example);
  PetscCheck(strlen(path) + 64 < PETSC_MAX_PATH_LEN, comm, PETSC_ERR_ARG_SIZ,
             "the path of %s has %d characters; wanted fewer than %d", what, (int)strlen(path),
             PETSC_MAX_PATH_LEN - 64);
  PetscCall(check_controls(comm, what, path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- names in a language ------------------------------------------------------------------------------------------ */

/* What stands for a byte in an XML attribute; NULL: itself. */
static const char *xml_code(char c)
{
  return c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : c == '\'' ? "&apos;" : NULL;
}

static PetscErrorCode add_xml(RungDraft *t, const char name[])
{
  PetscFunctionBegin;
  for (; *name; ++name) {
    const char *code = xml_code(*name);

    PetscCall(RungDraftAddBytes(t, code ? strlen(code) : 1, code ? code : name));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* RFC 4180: a name with a comma or a quote is quoted, its quotes are doubled. */
static PetscErrorCode add_csv(RungDraft *t, const char name[])
{
  const PetscBool quoted = strpbrk(name, ",\"\r\n") || isspace((unsigned char)name[0]) ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  if (quoted) PetscCall(RungDraftAdd(t, "\""));
  for (; *name; ++name) PetscCall(RungDraftAddBytes(t, *name == '"' ? 2 : 1, *name == '"' ? "\"\"" : name));
  if (quoted) PetscCall(RungDraftAdd(t, "\""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* RFC 8259; bytes that are no UTF-8 become U+FFFD. */
static PetscErrorCode add_json(RungDraft *t, const char name[])
{
  PetscFunctionBegin;
  PetscCall(RungDraftAdd(t, "\""));
  while (*name) {
    unsigned long number;
    const int     n = read_utf8(name, &number);

    if (*name == '"' || *name == '\\')
      PetscCall(RungDraftAdd(t, "\\%c", *name));
    else if (is_control(*name))
      PetscCall(RungDraftAdd(t, "\\u%04x", (unsigned)*name));
    else
      PetscCall(RungDraftAddBytes(t, n ? (size_t)n : 3, n ? name : "\xef\xbf\xbd"));
    name += n ? n : 1;
  }
  PetscCall(RungDraftAdd(t, "\""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Latin, Greek, Cyrillic letters, punctuation and mathematics; what a font lacks is drawn over half of the picture. */
static PetscBool is_drawn(unsigned long number)
{
  return (number >= 0x20 && number < 0x7f) || (number >= 0xa0 && number < 0x530) ||
             (number >= 0x2010 && number < 0x2027) || (number >= 0x2030 && number < 0x2400)
           ? PETSC_TRUE
           : PETSC_FALSE;
}

/* Everything but letters and blanks as \ooo, which gnuplot replaces after it has looked for all else; digits too, since one
   behind \ooo would be read with it. */
static PetscErrorCode add_gnuplot(RungDraft *t, const char name[])
{
  PetscFunctionBegin;
  PetscCall(RungDraftAdd(t, "\""));
  while (*name) {
    unsigned long number;
    const int     n = read_utf8(name, &number);

    if (!n || !is_drawn(number))
      PetscCall(RungDraftAdd(t, "?"));
    else if (*name == ' ' || (n == 1 && isalpha((unsigned char)*name)))
      PetscCall(RungDraftAddBytes(t, 1, name));
    else
      for (int i = 0; i < n; ++i) PetscCall(RungDraftAdd(t, "\\%03o", (unsigned)(unsigned char)name[i]));
    name += n ? n : 1;
  }
  PetscCall(RungDraftAdd(t, "\""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RungDraftAddName(RungDraft *t, RungLanguage language, const char name[])
{
  static PetscErrorCode (*const add[])(RungDraft *, const char[]) = {
    [RUNG_XML] = add_xml, [RUNG_CSV] = add_csv, [RUNG_JSON] = add_json, [RUNG_GNUPLOT] = add_gnuplot};

  PetscFunctionBegin;
  PetscCall(add[language](t, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- fields of CSV ------------------------------------------------------------------------------------------------ */

const char *RungCsvField(const char at[], char field[], size_t room)
{
  const PetscBool quoted = *at == '"' ? PETSC_TRUE : PETSC_FALSE;
  PetscBool       closed = PETSC_FALSE;
  size_t          n      = 0;

  if (quoted) ++at;
  for (; *at && !closed; ++at) {
    if (quoted ? *at == '"' && at[1] != '"' : strchr(",\r\n", *at) != NULL) {
      closed = PETSC_TRUE;
      if (!quoted) break;
      continue;
    }
    if (*at == '"' && !(quoted && *++at == '"')) return NULL;
    if (n + 1 >= room) return NULL;
    field[n++] = *at;
  }
  field[n] = '\0';
  if (quoted && !closed) return NULL;
  if (*at == '\r' && at[1] == '\n') ++at;
  return *at == ',' || *at == '\n' || !*at ? at : NULL;
}
