// For sources that are compiled into both libraries, since the functions have the same parameters in both: libcuda's
// with DRIVER defined, libcudart's without.
#ifndef API_H
#define API_H

#ifdef DRIVER
#include "cu.h"
#define API(name) cu##name
#define API2(name) cu##name##_v2
#define DO(expr) WITH(expr)
#define ANYTIME(expr) READY(expr)
#define anytime() ready()
#define noted(e) (e)
#else
#include "cudart.h"
#define API(name) cuda##name
#define API2(name) cuda##name
#define DO(expr) CALL(expr)
#define ANYTIME(expr) CALL(expr)
#define anytime() engine()
#define noted(e) done(e)
#endif

// DO answers with an expression where the call needs a context, ANYTIME where it does not; anytime is the error before
// either, noted what an error is to the thread.

// SHARED begins a function; SHARED2 one whose symbol ends in _v2 in libcuda. The others have a double (see BOTH).
#define SHARED(name) PUBLIC error_t API(name)
#define SHARED2(name) PUBLIC error_t API2(name)
#define SHARED_BOTH(name, suffix, parameters, arguments) DOUBLED(API(name), suffix, parameters, arguments)
#define SHARED2_BOTH(name, suffix, parameters, arguments) DOUBLED(API2(name), suffix, parameters, arguments)
#define DOUBLED(name, suffix, parameters, arguments) BOTH(name, suffix, parameters, arguments)

// Where the driver API has a context as its last parameter: ours have one device each, which the call's context says.
#ifdef DRIVER
#define AND_CONTEXT , __attribute__((unused)) void *context
#else
#define AND_CONTEXT
#endif

#endif
