// What libraries of ours need that stand in front of NVIDIA's of the same name.
#ifndef FORWARD_H
#define FORWARD_H

// real_library loads NVIDIA's library of a name, such as libnvrtc.so.13, from where programs find it: Python's packages
// beside the caller, beside anything that is loaded or in the interpreter's own folder, LD_LIBRARY_PATH, the toolkit, the system.
// NULL: there is none.
void *real_library(const char *name, const void *caller);

#endif
