// What the tests of linking link: functions of every linkage in two files.
inline int inlined(int X) { return X * 3; }
extern "C" int other(int X);
