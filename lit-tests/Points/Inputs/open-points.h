// Opens the points of the module that is linked with open-points.c, without libtprt.
#ifdef __cplusplus
extern "C"
#endif
    // Opens all static branches, and puts an invalid instruction on each point sled. From then on each
    // statement that is run prints its point's name, its format, and its words by their
    // letters. Returns how many static branches there are. A fault in a table ends the program with
    // status 3.
    __attribute__((visibility("hidden"))) int open_points(void);
