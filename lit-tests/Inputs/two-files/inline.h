// The tests in Link/ link these two files, which have functions of every linkage.
inline int inlined(int X) { return X * 3; }
extern "C" int other(int X);
