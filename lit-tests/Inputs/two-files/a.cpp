#include "inline.h"
extern "C" {
__attribute__((visibility("protected"))) int guarded(int X) { return other(X) + 5; }
__attribute__((visibility("hidden"))) int hidden(int X) { return guarded(X) + 7; }
int interposable(int X) { return hidden(X) + inlined(X); }
int unused_a(int X) { return X + 77; }
}
int main(int Count, char **) { return interposable(Count) - interposable(1); }
