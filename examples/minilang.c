/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The small language of minilang.h. The compiler reads the text once: the
 * parser emits code while it reads. */
#include "minilang.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAME = 31, MAX_LOCALS = 64, MAX_STACK = 1 << 16 };

typedef enum ml_op {
  OP_CONST, /* value */
  OP_LOAD,  /* local */
  OP_STORE, /* local */
  OP_ADD,
  OP_SUB,
  OP_MUL,
  OP_DIV,
  OP_MOD,
  OP_LESS,
  OP_EQUAL,
  OP_JUMP,        /* target */
  OP_JUMP_IF_NOT, /* target */
  OP_CALL,        /* function, number of arguments */
  OP_RETURN
} ml_op;

typedef struct ml_function {
  char name[MAX_NAME + 1];
  int parameters;
  int locals;
  int64_t *code;
  size_t size, room;
} ml_function;

struct ml_program {
  ml_function *functions; /* [0] is the top level */
  size_t count;
};

/* ---- reading ---- */

typedef enum ml_token { T_END, T_NUMBER, T_NAME, T_PUNCT } ml_token;

typedef struct ml_parser {
  const char *next;
  int line;
  ml_token token;
  char text[MAX_NAME + 1];
  int64_t number;
  ml_program *program;
  size_t current; /* function that code goes to */
  char locals[MAX_LOCALS][MAX_NAME + 1];
  char *error;
  size_t error_size;
  jmp_buf failed;
} ml_parser;

__attribute__((format(printf, 2, 3), noreturn)) static void ml_fail(ml_parser *p,
                                                                    const char *format, ...) {
  va_list arguments;
  int length = snprintf(p->error, p->error_size, "line %d: ", p->line);
  va_start(arguments, format);
  if (length >= 0 && (size_t)length < p->error_size)
    vsnprintf(p->error + length, p->error_size - (size_t)length, format, arguments);
  va_end(arguments);
  longjmp(p->failed, 1);
}

static void ml_skip_blanks(ml_parser *p) {
  for (;; p->next++) {
    if (*p->next == '#')
      while (p->next[1] && p->next[1] != '\n')
        p->next++;
    else if (*p->next == '\n')
      p->line++;
    else if (!isspace((unsigned char)*p->next))
      return;
  }
}

static void ml_advance(ml_parser *p) {
  size_t length = 0;
  ml_skip_blanks(p);
  if (!*p->next) {
    p->token = T_END;
  } else if (isdigit((unsigned char)*p->next)) {
    p->token = T_NUMBER;
    for (p->number = 0; isdigit((unsigned char)*p->next); p->next++)
      if (__builtin_mul_overflow(p->number, 10, &p->number) ||
          __builtin_add_overflow(p->number, *p->next - '0', &p->number))
        ml_fail(p, "number too large");
  } else if (isalpha((unsigned char)*p->next) || *p->next == '_') {
    p->token = T_NAME;
    for (; isalnum((unsigned char)*p->next) || *p->next == '_'; p->next++) {
      if (length == MAX_NAME)
        ml_fail(p, "name longer than %d characters", MAX_NAME);
      p->text[length++] = *p->next;
    }
  } else {
    p->token = T_PUNCT;
    p->text[length++] = *p->next++;
    if (p->text[0] == '=' && *p->next == '=')
      p->text[length++] = *p->next++;
  }
  p->text[length] = 0;
}

static int ml_at(ml_parser *p, const char *text) {
  return (p->token == T_NAME || p->token == T_PUNCT) && strcmp(p->text, text) == 0;
}

static int ml_accept(ml_parser *p, const char *text) {
  if (!ml_at(p, text))
    return 0;
  ml_advance(p);
  return 1;
}

static void ml_expect(ml_parser *p, const char *text) {
  if (!ml_accept(p, text))
    ml_fail(p, "expected '%s'", text);
}

/* ---- emitting ---- */

static size_t ml_emit(ml_parser *p, int64_t word) {
  ml_function *f = &p->program->functions[p->current];
  if (f->size == f->room) {
    size_t room = f->room ? 2 * f->room : 64;
    int64_t *code = realloc(f->code, room * sizeof *code);
    if (!code)
      ml_fail(p, "out of memory");
    f->code = code;
    f->room = room;
  }
  f->code[f->size] = word;
  return f->size++;
}

static size_t ml_emit_with(ml_parser *p, ml_op op, int64_t operand) {
  ml_emit(p, op);
  return ml_emit(p, operand);
}

static void ml_patch_here(ml_parser *p, size_t operand) {
  ml_function *f = &p->program->functions[p->current];
  f->code[operand] = (int64_t)f->size;
}

static int ml_find_local(ml_parser *p, const char *name) {
  for (int i = p->program->functions[p->current].locals; i-- > 0;)
    if (strcmp(p->locals[i], name) == 0)
      return i;
  return -1;
}

static int ml_add_local(ml_parser *p, const char *name) {
  ml_function *f = &p->program->functions[p->current];
  if (f->locals == MAX_LOCALS)
    ml_fail(p, "more than %d variables in a function", MAX_LOCALS);
  strcpy(p->locals[f->locals], name);
  return f->locals++;
}

static size_t ml_find_function(ml_parser *p, const char *name) {
  for (size_t i = 1; i < p->program->count; i++)
    if (strcmp(p->program->functions[i].name, name) == 0)
      return i;
  ml_fail(p, "no function '%s'", name);
}

static size_t ml_add_function(ml_parser *p, const char *name) {
  size_t index = p->program->count;
  ml_function *all = realloc(p->program->functions, (index + 1) * sizeof *all);
  if (!all)
    ml_fail(p, "out of memory");
  p->program->functions = all;
  memset(&all[index], 0, sizeof *all);
  strcpy(all[index].name, name);
  p->program->count++;
  return index;
}

/* ---- parsing ---- */

static void ml_parse_expression(ml_parser *p);
static void ml_parse_block(ml_parser *p);

static void ml_parse_call(ml_parser *p, const char *name) {
  size_t function = ml_find_function(p, name);
  int arguments = 0;
  while (!ml_accept(p, ")")) {
    if (arguments++)
      ml_expect(p, ",");
    ml_parse_expression(p);
  }
  if (arguments != p->program->functions[function].parameters)
    ml_fail(p, "'%s' takes %d arguments, not %d", name,
            p->program->functions[function].parameters, arguments);
  ml_emit_with(p, OP_CALL, (int64_t)function);
  ml_emit(p, arguments);
}

static void ml_parse_primary(ml_parser *p) {
  char name[MAX_NAME + 1];
  if (p->token == T_NUMBER) {
    ml_emit_with(p, OP_CONST, p->number);
    ml_advance(p);
    return;
  }
  if (ml_accept(p, "(")) {
    ml_parse_expression(p);
    ml_expect(p, ")");
    return;
  }
  if (p->token != T_NAME)
    ml_fail(p, "expected a value");
  strcpy(name, p->text);
  ml_advance(p);
  if (ml_accept(p, "(")) {
    ml_parse_call(p, name);
    return;
  }
  int local = ml_find_local(p, name);
  if (local < 0)
    ml_fail(p, "no variable '%s'", name);
  ml_emit_with(p, OP_LOAD, local);
}

static void ml_parse_product(ml_parser *p) {
  ml_parse_primary(p);
  while (ml_at(p, "*") || ml_at(p, "/") || ml_at(p, "%")) {
    ml_op op = p->text[0] == '*' ? OP_MUL : p->text[0] == '/' ? OP_DIV : OP_MOD;
    ml_advance(p);
    ml_parse_primary(p);
    ml_emit(p, op);
  }
}

static void ml_parse_sum(ml_parser *p) {
  ml_parse_product(p);
  while (ml_at(p, "+") || ml_at(p, "-")) {
    ml_op op = p->text[0] == '+' ? OP_ADD : OP_SUB;
    ml_advance(p);
    ml_parse_product(p);
    ml_emit(p, op);
  }
}

static void ml_parse_expression(ml_parser *p) {
  ml_parse_sum(p);
  while (ml_at(p, "<") || ml_at(p, "==")) {
    ml_op op = p->text[0] == '<' ? OP_LESS : OP_EQUAL;
    ml_advance(p);
    ml_parse_sum(p);
    ml_emit(p, op);
  }
}

static void ml_parse_if(ml_parser *p) {
  ml_parse_expression(p);
  size_t to_else = ml_emit_with(p, OP_JUMP_IF_NOT, 0);
  ml_parse_block(p);
  if (!ml_accept(p, "else")) {
    ml_patch_here(p, to_else);
    return;
  }
  size_t to_end = ml_emit_with(p, OP_JUMP, 0);
  ml_patch_here(p, to_else);
  ml_parse_block(p);
  ml_patch_here(p, to_end);
}

static void ml_parse_while(ml_parser *p) {
  size_t begin = p->program->functions[p->current].size;
  ml_parse_expression(p);
  size_t to_end = ml_emit_with(p, OP_JUMP_IF_NOT, 0);
  ml_parse_block(p);
  ml_emit_with(p, OP_JUMP, (int64_t)begin);
  ml_patch_here(p, to_end);
}

static void ml_parse_assignment(ml_parser *p, int declares) {
  char name[MAX_NAME + 1];
  if (p->token != T_NAME)
    ml_fail(p, "expected a statement");
  strcpy(name, p->text);
  ml_advance(p);
  ml_expect(p, "=");
  ml_parse_expression(p);
  int local = declares ? ml_add_local(p, name) : ml_find_local(p, name);
  if (local < 0)
    ml_fail(p, "no variable '%s': declare it with 'let'", name);
  ml_emit_with(p, OP_STORE, local);
  ml_expect(p, ";");
}

static void ml_parse_statement(ml_parser *p) {
  if (ml_accept(p, "if")) {
    ml_parse_if(p);
  } else if (ml_accept(p, "while")) {
    ml_parse_while(p);
  } else if (ml_accept(p, "return")) {
    ml_parse_expression(p);
    ml_emit(p, OP_RETURN);
    ml_expect(p, ";");
  } else {
    ml_parse_assignment(p, ml_accept(p, "let"));
  }
}

static void ml_parse_block(ml_parser *p) {
  ml_expect(p, "{");
  while (!ml_accept(p, "}")) {
    if (p->token == T_END)
      ml_fail(p, "expected '}'");
    ml_parse_statement(p);
  }
}

static void ml_finish_function(ml_parser *p) {
  ml_emit_with(p, OP_CONST, 0);
  ml_emit(p, OP_RETURN);
}

/* Functions come before the top level and cannot use its variables. */
static void ml_parse_function(ml_parser *p) {
  if (p->token != T_NAME)
    ml_fail(p, "expected a function's name");
  p->current = ml_add_function(p, p->text);
  ml_advance(p);
  ml_expect(p, "(");
  while (!ml_accept(p, ")")) {
    if (p->program->functions[p->current].parameters++)
      ml_expect(p, ",");
    if (p->token != T_NAME)
      ml_fail(p, "expected a parameter's name");
    ml_add_local(p, p->text);
    ml_advance(p);
  }
  ml_parse_block(p);
  ml_finish_function(p);
  p->current = 0;
}

ml_program *ml_compile(const char *text, char *error, size_t error_size) {
  ml_parser p = {.next = text, .line = 1, .error = error, .error_size = error_size};
  p.program = calloc(1, sizeof *p.program);
  if (!p.program)
    return NULL;
  if (setjmp(p.failed)) {
    ml_free(p.program);
    return NULL;
  }
  ml_add_function(&p, "");
  ml_advance(&p);
  while (ml_accept(&p, "fn"))
    ml_parse_function(&p);
  while (p.token != T_END)
    ml_parse_statement(&p);
  ml_finish_function(&p);
  return p.program;
}

void ml_free(ml_program *program) {
  for (size_t i = 0; i < program->count; i++)
    free(program->functions[i].code);
  free(program->functions);
  free(program);
}

/* ---- running ---- */

typedef struct ml_machine {
  const ml_program *program;
  int64_t *stack;
  const char *problem;
} ml_machine;

/* Not inlined, so that each call and each division of the program is a call
 * here. */
__attribute__((noinline)) static int64_t ml_divide(ml_machine *m, int op, int64_t a, int64_t b) {
  if (b == 0 || (a == INT64_MIN && b == -1)) {
    m->problem = b ? "overflow in a division" : "division by zero";
    return 0;
  }
  return op == OP_DIV ? a / b : a % b;
}

static int64_t ml_compute(ml_machine *m, int64_t op, int64_t a, int64_t b) {
  /* Wraps around as the machine does; signed overflow would be undefined. */
  switch (op) {
  case OP_ADD:
    return (int64_t)((uint64_t)a + (uint64_t)b);
  case OP_SUB:
    return (int64_t)((uint64_t)a - (uint64_t)b);
  case OP_MUL:
    return (int64_t)((uint64_t)a * (uint64_t)b);
  case OP_LESS:
    return a < b;
  case OP_EQUAL:
    return a == b;
  default:
    return ml_divide(m, (int)op, a, b);
  }
}

/* The arguments are the first local variables, and are at `base` already. */
static int64_t ml_call(ml_machine *m, const ml_function *f, size_t base) {
  int64_t *local = m->stack + base;
  int64_t *top = local + f->locals;
  if (base + (size_t)f->locals + 64 + MAX_LOCALS > MAX_STACK) {
    m->problem = "stack overflow";
    return 0;
  }
  memset(local + f->parameters, 0, (size_t)(f->locals - f->parameters) * sizeof *local);
  for (const int64_t *code = f->code, *next = code; !m->problem;) {
    int64_t op = *next++;
    switch (op) {
    case OP_CONST:
      *top++ = *next++;
      break;
    case OP_LOAD:
      *top++ = local[*next++];
      break;
    case OP_STORE:
      local[*next++] = *--top;
      break;
    case OP_JUMP:
      next = code + *next;
      break;
    case OP_JUMP_IF_NOT:
      next = *--top ? next + 1 : code + *next;
      break;
    case OP_CALL:
      top -= next[1];
      *top = ml_call(m, &m->program->functions[next[0]], (size_t)(top - m->stack));
      top++;
      next += 2;
      break;
    case OP_RETURN:
      return top[-1];
    default:
      top--;
      top[-1] = ml_compute(m, op, top[-1], top[0]);
      break;
    }
    if (top > m->stack + MAX_STACK - MAX_LOCALS)
      m->problem = "stack overflow";
  }
  return 0;
}

int ml_run(const ml_program *program, int64_t *result, char *error, size_t error_size) {
  ml_machine m = {program, calloc(MAX_STACK, sizeof *m.stack), NULL};
  if (!m.stack)
    m.problem = "out of memory";
  else
    *result = ml_call(&m, &program->functions[0], 0);
  free(m.stack);
  if (m.problem)
    snprintf(error, error_size, "%s", m.problem);
  return m.problem ? -1 : 0;
}
