// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See match.h.
#include "names/match.h"
#include "names/glob.h"
#include "names/shorten.h"

#include <string.h>

namespace tprt {
namespace {

constexpr char kTag[] = "[abi:", kClone[] = "[clone ", kLambda[] = "{lambda(",
               kUnnamed[] = "{unnamed type#", kNull[] = "decltype(nullptr)",
               kNullName[] = "std::nullptr_t", kEllipsis[] = "\u2026",
               kSomeArguments[] = "<...>";

template <size_t N> bool begins(const char *at, const char (&with)[N]) {
  return strncmp(at, with, N - 1) == 0;
}

// Rewrites a text from its beginning, and records the new positions of its
// places.
struct Rewriter {
  const char *from;
  char *to;
  char *const begin;
  Rewriter(const char *text, char *out) : from(text), to(out), begin(out) {}

  bool step(bool isPattern, bool dropsTags);
  void put(const char *text) {
    while (*text)
      *to++ = *text++;
  }
  // #N} after a name that other demanglers number from 1: nothing, then 0, 1,
  // 2...
  const char *putNumber(const char *at) {
    unsigned value = 0;
    for (; *at >= '0' && *at <= '9' && value < 100000; ++at)
      value = 10 * value + static_cast<unsigned>(*at - '0');
    if (value < 2)
      return at;
    char digits[8];
    size_t count = 0;
    value -= 2;
    do
      digits[count++] = static_cast<char>('0' + value % 10);
    while (value /= 10);
    while (count)
      *to++ = digits[--count];
    return at;
  }
};

// The position of the parenthesis that closes the one at `at`, or nullptr.
const char *closing(const char *at) {
  int depth = 0;
  for (; *at; ++at) {
    depth += *at == '(';
    if (*at == ')' && !--depth)
      return at;
  }
  return nullptr;
}

// The position after the digits and the brace at `at`, or nullptr.
const char *endOfNumber(const char *at) {
  const char *from = at;
  while (*at >= '0' && *at <= '9')
    ++at;
  return at > from && *at == '}' ? at + 1 : nullptr;
}

bool Rewriter::step(bool isPattern, bool dropsTags) {
  const char c = *from;
  if (!c)
    return false;
  switch (c) {
  case ' ':
    if (from[1] == '>' && to > begin && to[-1] == '>') {
      ++from;
      return true;
    }
    break;
  case ',':
    if (from[1] == ' ') {
      *to++ = ',';
      from += 2;
      return true;
    }
    break;
  case 'd':
    if (begins(from, kNull)) {
      put(kNullName);
      from += sizeof kNull - 1;
      return true;
    }
    break;
  case '[':
    if (dropsTags && begins(from, kTag))
      if (const char *end = strchr(from, ']')) {
        from = end + 1;
        return true;
      }
    if (isPattern && begins(from, kClone))
      if (const char *end = strchr(from, ']')) {
        *to++ = '(';
        for (from += sizeof kClone - 1; from < end;)
          *to++ = *from++;
        *to++ = ')';
        ++from;
        return true;
      }
    break;
  case '{':
    if (isPattern && begins(from, kLambda)) {
      const char *open = from + sizeof kLambda - 2, *close = closing(open);
      if (close && close[1] == '#' && endOfNumber(close + 2)) {
        put("'lambda");
        putNumber(close + 2);
        *to++ = '\'';
        from = open;
        return true;
      }
    }
    if (isPattern && begins(from, kUnnamed) &&
        endOfNumber(from + sizeof kUnnamed - 1)) {
      put("'unnamed");
      from = putNumber(from + sizeof kUnnamed - 1);
      *to++ = '\'';
      ++from;
      return true;
    }
    break;
  case '<':
    if (isPattern && begins(from, kSomeArguments)) {
      put("<*>");
      from += sizeof kSomeArguments - 1;
      return true;
    }
    break;
  case '#':
    if (isPattern && to > begin && to[-1] == ')')
      if (const char *end = endOfNumber(from + 1)) {
        from = end;
        return true;
      }
    break;
  default:
    if (isPattern && begins(from, kEllipsis)) {
      *to++ = '*';
      from += sizeof kEllipsis - 1;
      return true;
    }
  }
  *to++ = *from++;
  return true;
}

// Returns the new length. The places are updated.
size_t rewrite(const char *text, char *out, bool isPattern, bool dropsTags,
               size_t *first, size_t *second) {
  Rewriter r(text, out);
  // The position of each place in the new text. A place inside a replaced part
  // moves to the part's beginning.
  size_t at[2] = {0, 0};
  const size_t was[2] = {first ? *first : 0, second ? *second : 0};
  do {
    auto read = static_cast<size_t>(r.from - text);
    for (size_t i = 0; i < 2; ++i)
      if (read <= was[i])
        at[i] = static_cast<size_t>(r.to - out);
  } while (r.step(isPattern, dropsTags));
  *r.to = 0;
  if (first)
    *first = at[0];
  if (second)
    *second = at[1];
  return static_cast<size_t>(r.to - out);
}

// Rewrites in place a name from this demangler, which does not become longer.
size_t rewrite(NameForms::Form &form, bool dropsTags) {
  return form.length = rewrite(form.text, form.text, false, dropsTags,
                               &form.nameBegin, &form.nameEnd);
}

void copy(NameForms::Form &to, const NameForms::Form &from) {
  to.length = from.length;
  to.nameBegin = from.nameBegin;
  to.nameEnd = from.nameEnd;
  memcpy(to.text, from.text, from.length + 1);
}

void cut(NameForms::Form &form, size_t from, size_t bytes) {
  memmove(form.text + from, form.text + from + bytes,
          form.length - from - bytes + 1);
  form.length -= bytes;
}

// "::h" and 16 digits end a name of Rust.
constexpr size_t kHashBytes = 19;
bool hasHashAt(const char *text, size_t end) {
  if (end < kHashBytes || strncmp(text + end - kHashBytes, "::h", 3) != 0)
    return false;
  for (size_t i = end - kHashBytes + 3; i < end; ++i)
    if (!(text[i] >= '0' && text[i] <= '9') &&
        !(text[i] >= 'a' && text[i] <= 'f'))
      return false;
  return true;
}

void shorten(NameForms &forms) {
  const NameForms::Form &from = forms.plain.length ? forms.plain : forms.full;
  NameForms::Form &to = forms.shortened;
  // Each part is rewritten separately, so that its place is known afterwards.
  const size_t ends[] = {from.nameBegin, from.nameEnd, from.length};
  size_t *places[] = {&to.nameBegin, &to.nameEnd, &to.length};
  size_t begin = 0, end = 0;
  for (unsigned i = 0; i < 3; begin = ends[i++]) {
    memcpy(to.text + end, from.text + begin, ends[i] - begin);
    to.text[end + ends[i] - begin] = 0;
    shortenLibraryNames(to.text + end);
    end += strlen(to.text + end);
    *places[i] = end;
  }
  forms.isShortened = true;
}

} // namespace

void NameForms::set(const char *of) {
  linked = of;
  full.length = plain.length = 0;
  isShortened = false;
  names::Parts parts;
  if (!names::demangle(of, memory, full.text, sizeof full.text, parts, true))
    return;
  full.nameBegin = parts.nameBegin;
  full.nameEnd = parts.nameEnd;
  rewrite(full, false);
  if (strstr(full.text, kTag)) {
    copy(plain, full);
    rewrite(plain, true);
  } else if (hasHashAt(full.text, full.nameEnd)) {
    copy(plain, full);
    plain.nameEnd -= kHashBytes;
    cut(plain, plain.nameEnd, kHashBytes);
  }
}

void NameForms::setReadable(const char *readable) {
  linked = readable;
  isShortened = false;
  plain.length = 0;
  size_t length = strlen(readable);
  if (length >= sizeof full.text) {
    full.length = 0;
    return;
  }
  memcpy(full.text, readable, length + 1);
  const char *open = strchr(readable, '(');
  full.nameBegin = 0;
  full.nameEnd = open ? static_cast<size_t>(open - readable) : length;
  rewrite(full, false);
  if (strstr(full.text, kTag)) {
    copy(plain, full);
    rewrite(plain, true);
  }
}

const char *splitAtModule(const char *text) {
  constexpr size_t kWord = sizeof "operator" - 1;
  int depth = 0;
  for (const char *at = text; *at; ++at) {
    if (static_cast<size_t>(at - text) >= kWord &&
        memcmp(at - kWord, "operator", kWord) == 0) {
      // operator<, operator<=>, operator->, operator!, operator[], operator()
      if (strchr("()[", *at)) {
        at += at[1] == (*at == '(' ? ')' : ']');
        continue;
      }
      while (strchr("<>-!=", at[1]) && at[1] && strchr("<>-!=", *at))
        ++at;
      continue;
    }
    if (*at == '[')
      if (const char *end = strchr(at, ']')) {
        at = end;
        continue;
      }
    depth += *at == '(' || *at == '<';
    depth -= (*at == ')' || *at == '>') && depth;
    if (*at == '!' && !depth)
      return at;
  }
  return nullptr;
}

void writeNormal(const char *text, char *out) {
  rewrite(text, out, true, false, nullptr, nullptr);
}

NamePattern::NamePattern(const char *text, char *room)
    : given(text), normal(room) {
  writeNormal(text, room);
  char *second = room + strlen(text) + 1;
  strcpy(second, room);
  shortenLibraryNames(second);
  shortened = second;
  hasTag = strstr(text, kTag);
  hasHash = false;
  for (const char *at = text; (at = strstr(at, "::h")); ++at)
    hasHash |=
        strnlen(at, kHashBytes) == kHashBytes && hasHashAt(at, kHashBytes);
  // A short name may have no std:: left, if that was only in arguments that are
  // omitted.
  shortenedText = strstr(room, "std::") ? "std::"
                  : strchr(room, '<')   ? ",std::"
                                        : nullptr;
  isGlobText = isGlob(room);
}

NameMatch NamePattern::matchForm(const char *text,
                                 NameForms::Form &form) const {
  const size_t begins[] = {0, form.nameBegin};
  const size_t ends[] = {form.length, form.nameEnd};
  size_t length = strlen(text);
  for (size_t begin : begins)
    for (size_t end : ends)
      if (end - begin == length && memcmp(text, form.text + begin, length) == 0)
        return NameMatch::Whole;
  if (!isGlobText)
    return NameMatch::None;
  bool matches = false;
  for (size_t end : ends) {
    char kept = form.text[end];
    form.text[end] = 0;
    for (size_t begin : begins)
      matches = matches || globMatches(text, form.text + begin);
    form.text[end] = kept;
  }
  return matches ? NameMatch::ByGlob : NameMatch::None;
}

NameMatch NamePattern::matches(NameForms &forms) const {
  if (strcmp(given, forms.linked) == 0)
    return NameMatch::Whole;
  NameMatch best = isGlobText && globMatches(given, forms.linked)
                       ? NameMatch::ByGlob
                       : NameMatch::None;
  if (!forms.full.length)
    return best;
  bool isFull = hasTag || hasHash || !forms.plain.length;
  NameMatch found = matchForm(normal, isFull ? forms.full : forms.plain);
  if (found > best)
    best = found;
  if (best == NameMatch::Whole || !shortenedText ||
      !strstr(forms.full.text, shortenedText))
    return best;
  if (!forms.isShortened)
    shorten(forms);
  found = matchForm(shortened, forms.shortened);
  return found > best ? found : best;
}

} // namespace tprt
