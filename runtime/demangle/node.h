// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tree that represents a parsed linked name. Its nodes are in the caller's
// memory, and refer to each other and to the linked name. The functions have no
// state, acquire no lock and allocate nothing: async-signal-safe.
#ifndef TPRT_DEMANGLE_NODE_H
#define TPRT_DEMANGLE_NODE_H

#include <stddef.h>
#include <stdint.h>

namespace tprt::names {

// The limits for a name. If a name exceeds them, it has no readable form. So a
// hostile or broken name cannot use much time, memory or stack.
constexpr unsigned kMostNodes = 6000, kMostSubstitutions = 1500,
                   kMostParameters = 1000, kMostDepth = 160;
// The limit of printing steps: without it, some trees would print nothing for
// an exponential time.
constexpr unsigned kMostSteps = 200000;

enum class Kind : uint8_t {
  Text,         // text
  Nested,       // a::b
  Friend,       // a::friend b
  Local,        // the function a, and b inside it
  Template,     // a<list b>
  Module,       // a, and the text; extra: a partition
  InModule,     // a@b
  Tagged,       // a[abi:text]
  Constructor,  // the class a; extra: destructor
  Conversion,   // operator a
  Literal,      // operator"" text
  Numbered,     // 'text extra': an unnamed type
  Lambda,       // the template parameters list a, the parameters list b; number
  Bindings,     // [list a]
  Special,      // text a
  Construction, // text a-in-b
  Suffixed,     // a (text)
  Encoding,     // name a, parameters list b, result c; requires d
  Requires,     // a requires b: after template arguments

  Qualified,   // a const volatile restrict
  Vendor,      // a text<list b>
  Pointer,     // a*
  Reference,   // a&; extra: a&&
  Member,      // b a::*
  Array,       // a[b]
  Function,    // result a, parameters list b; exception specification c
  Postfix,     // a text
  Vector,      // a vector[b]
  Elaborated,  // text a
  Transformed, // text(a)
  Constrained, // a auto; extra: decltype(auto)
  Spec,        // text(a), as in noexcept(a)
  SpecTypes,   // throw(list a)

  Parameter,         // a declared template parameter; text, number
  ParameterType,     // typename a
  ParameterValue,    // b a
  ParameterTemplate, // template<list b> typename a
  ParameterOf,       // b a: constrained
  ParameterPack,     // ...a
  Forward,           // the template argument number `extra`, which comes later

  List,      // a, and then the list b
  Pack,      // the template arguments list a, as one argument
  Elements,  // the list a of a pack that is being expanded
  Expansion, // a...

  Number,            // text, of the type a; extra: negative. Suffix in b
  Cast,              // (a)text
  String,            // "<a>"
  LambdaValue,       // []a
  Binary,            // a text b
  Prefix,            // text a
  PostfixOf,         // a text
  MemberOf,          // a text b
  Subscript,         // a[b]
  Conditional,       // a ? b : c
  Call,              // a(list b)
  NamedCast,         // text<a>(b)
  Convert,           // (a)(list b)
  Enclosed,          // text(a)
  Braced,            // a{list b}
  New,               // new (list a) b(list c)
  Delete,            // delete a
  Throw,             // throw a
  SizeofPack,        // sizeof...(a)
  Fold,              // a text ...
  FunctionParameter, // fp text
  Global,            // ::a
  Dtor,              // ~a
  RequiresExpr,      // requires (list a) { list b }
  Requirement,       // a; c
  TypeRequirement,   // typename a;
  NestedRequirement, // requires a;
  SubObject
};

// Bits of Node::quals.
constexpr uint8_t kConst = 1, kVolatile = 2, kRestrict = 4, kLRef = 8,
                  kRRef = 16;

// Precedence of expressions: a larger value binds more loosely.
enum Prec : uint8_t {
  kPrimary,
  kPostfixPrec,
  kUnary,
  kCastPrec,
  kPtrMem,
  kMultiplicative,
  kAdditive,
  kShift,
  kSpaceship,
  kRelational,
  kEquality,
  kAnd,
  kXor,
  kIor,
  kAndIf,
  kOrIf,
  kConditionalPrec,
  kAssign,
  kComma,
  kDefaultPrec
};

// The index of a node; 0 means none.
using Ref = uint16_t;
struct Node {
  Kind kind;
  uint8_t extra, quals, prec;
  Ref a, b, c, d;
  uint32_t length;
  const char *text;
};

struct Memory {
  Node nodes[kMostNodes];
  Ref substitutions[kMostSubstitutions];
  Ref parameters[kMostParameters];
};

// The positions of the parts of a printed name.
struct Parts {
  size_t length;
  // The function's name, without the result before it and the parameters after
  // it.
  size_t nameBegin, nameEnd;
};

// Prints the tree. Returns false if there is no room for it.
bool print(const Node *nodes, Ref root, char *out, size_t size, Parts &parts);

} // namespace tprt::names

#endif
