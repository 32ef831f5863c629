// Opens the points of the module that is linked with open-points.c, without libtprt.
#ifdef __cplusplus
extern "C"
#endif
    // Opens all static branches, and puts an invalid instruction on each point
    // sled. From then on, each executed statement prints its point's name, its
    // format, and its words according to their letters. Returns the number of
    // static branches. A fault in a table ends the program with status 3.
    __attribute__((visibility("hidden"))) int open_points(void);
