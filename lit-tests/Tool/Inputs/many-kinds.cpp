// Many kinds of functions, for the tests that compare tp-select's list with the
// table of the object that is compiled from the same source with the same flags.
#include <new>

struct Base {
  virtual ~Base();
  virtual int get(int X) { return X; }
};
struct Other {
  virtual int other() { return 1; }
};
struct Both : Base, Other {
  Both() noexcept;
  int get(int X) override { return X + 1; }
  int other() override { return 2; } // this class has a thunk
};
Base::~Base() {}
Both::Both() noexcept {}

int compute();
int Initialised = compute(); // _GLOBAL__sub_I_, __cxx_global_var_init
thread_local int PerThread = compute();
int compute() { return 3; }

template <class T> T twice(T X) { return X + X; }
template long twice(long);

namespace ns {
[[tp::never]] int never() { return PerThread; }
[[tp::always]] int always() { return 1; }
[[tp::entry(9, 1)]] int nine() { return 9; }
[[tp::exit]] int leaving() { return 8; }
int filtered() { return 2; }
int plain(Base *B) { return B->get(1) + twice(2); }
} // namespace ns

__attribute__((no_instrument_function)) int unseen() { return 0; }
__attribute__((naked)) void naked() { asm("ret"); }
inline int inlined() { return 4; }
static int local() { return inlined(); }
int local_user() { return local(); }
int throwing() noexcept { throw 1; } // __clang_call_terminate

static int one() { return 1; }
static auto resolve() { return &one; }
extern "C" int chosen() __attribute__((ifunc("_ZL7resolvev")));

int lambda() {
  auto Add = [](int X) { return X + 1; };
  int (*Pointer)(int) = Add; // __invoke
  return Pointer(1);
}
__attribute__((target_clones("avx2", "default"))) int cloned() { return 5; }
extern "C" int looping(int N) {
  int Sum = 0;
  for (int I = 0; I < N; ++I)
    Sum += I * N;
  return Sum;
}
