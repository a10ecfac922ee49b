// What the sources of the fronts share.
#ifndef FRONT_H
#define FRONT_H

#ifndef EXPORTS
#include "ztraced.h"
#endif
#include "pvm.h"
#include "structs.h"

#define PUBLIC __attribute__((visibility("default")))

// CUDA's types by their size.
typedef int32_t error_t;
typedef struct dim dim3;
typedef uint64_t stream_t, event_t;

enum {
	SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INITIALIZATION = 3, INVALID_CONFIGURATION = 9, INVALID_PITCH = 12,
	INVALID_SYMBOL = 13, INVALID_DIRECTION = 21, MISSING_CONFIGURATION = 52, INVALID_DEVICE_FUNCTION = 98, NO_DEVICE = 100,
	INVALID_DEVICE = 101, INVALID_IMAGE = 200, NO_BINARY = 209, SYMBOL_NOT_FOUND = 500, NOT_READY = 600, NOT_SUPPORTED = 801,
	UNKNOWN = 999,
};

enum { HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, COPY_DEFAULT };
enum { MEMORY_PINNED = 1, MEMORY_DEVICE = 2, MEMORY_MANAGED = 3 };
enum { STREAM_LEGACY = 1, STREAM_PER_THREAD = 2 };
#define STREAM_OF_THREAD (1u << 31) // a flag of streams: the default stream of a thread
enum { MAX_DEVICES = PVM_DEVICES, PUSHED = 16 };
enum { VERSION = 13050 }; // of the runtime and of the driver

// struct launch_shape is what <<<>>> says.
struct launch_shape { dim3 grid, block; size_t shared; stream_t stream; };

// struct thread is the state of a thread of the program.
struct thread {
	error_t last;
	int device;                 // that both->device says: engine keeps it so
	struct pvm_thread *both;    // what the other library has in common; NULL before the first call
	void *caller;               // of the call that is traced, in the program
	int per_thread;             // depth of calls whose default stream is the thread's own
	int popped;                 // <<<>>> is about to launch
	int failed;                 // it has, in vain, and nobody has asked
	int pushed;                 // entries of shapes
	struct launch_shape shapes[PUSHED];
};

extern __thread struct thread T;

// engine loads the engine, the first time, and gives the error that every call then returns.
error_t engine(void);
int engine_loaded(void);

// choose makes a device the one that the thread means, in both libraries.
void choose(int device);

// done notes an error as the thread's last one.
static inline error_t done(error_t e) {
	if (e != SUCCESS && e != NOT_READY) T.last = e;
	return e;
}

// stream_of puts the thread's own stream in the place of the name for it.
stream_t stream_of(stream_t s);

// stream_ok tells whether a stream is one: default streams always are.
error_t stream_ok(stream_t s);

// stream_id is a number that no other stream has: the default stream of each device has one of the first, whatever it is called.
static inline uint64_t stream_id(stream_t s) { return (s = stream_of(s)) <= STREAM_LEGACY ? 1 + (uint64_t)T.device : s; }

// forget_hints ends what is known of a stream's attributes.
void forget_hints(stream_t s);

// unsupported says, once for each name, that a function is not there.
error_t unsupported(const char *name, int *said);

// The two structures of nodes that the APIs have each their own of. into reads one, out_of writes one.
error_t into_kernel(const void *params, struct pvm_node *n);
error_t out_of_kernel(const struct pvm_node *n, void *params);
error_t into_copy(const void *params, struct pvm_node *n);
error_t out_of_copy(const struct pvm_node *n, void *params);

// with_attributes puts what a launch's attributes ask for into it; the others are hints.
void with_attributes(const struct config *c, struct pvm_launch *l);

// extra_arguments reads the parameter block of a launch: pairs of a name and an address, up to an end.
error_t extra_arguments(void *const *list, struct pvm_launch *l);

// array_place finds a place in an array: x in bytes, y and z in rows and slices. array_holds says whether a box at a
// place lies in an array (array.c).
error_t array_place(const struct pvm_array *a, uint64_t x, uint64_t y, uint64_t z, uint64_t *at, uint64_t *pitch, uint64_t *slice);
error_t array_holds(uint64_t array, uint64_t x, uint64_t y, uint64_t z, const struct pvm_copy *box);

// view_of reads how much of its array a texture shows, and as what; view_into tells it. Block formats are not there.
struct view;
error_t view_of(const struct view *v, struct pvm_texture *t, const char *name, int *said);
error_t view_into(const struct pvm_texture *t, struct view *v);

// note_block remembers what a call has allocated for the device alone, and forget_block that it is free: the program's own
// accesses to it fault, and are explained (host_access.c). watch_host_access begins that. origin_of tells the engine.
void note_block(uint64_t address, uint64_t size, const char *by, void *caller);
void forget_block(uint64_t address);
void watch_host_access(void);
int origin_of(uint64_t address, struct pvm_origin *out);

// What the engine would change of the program's signals is noted before it begins, and put back behind (signals.c); first: it is loaded
// now. entering is a thread's first call of the engine. answer_usr1 has SIGUSR1 ask what runs; it returns what pvm_host.asks says.
void keep_signals(int first);
void give_back_signals(int first);
error_t entering(struct pvm_thread **out);
int answer_usr1(void);

// CALLER is where the program calls the function that stands there.
#define CALLER (T.caller ? T.caller : __builtin_return_address(0))

// kernel_name is the name of a kernel that a program means by an address, or NULL; error_name that of an error. Each library has its own.
const char *kernel_name(const void *host);
const char *error_name(error_t e);

// open_beside loads a library from the folder of this one, or from PTXVM_LIB, how dlopen is told; NULL: dlerror says why it cannot.
void *open_beside(const char *library, int how);

void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define X(name, parameters) extern error_t(*name) parameters;
PVM_FUNCTIONS(X)
#undef X

// CALL returns what an expression gives, if there is an engine.
#define CALL(expr) do { error_t e_ = engine(); return done(e_ ? e_ : (expr)); } while (0)

// closed_library says of one of NVIDIA's closed libraries that its machine code does not run, and what a program can do without
// it; 0 if the file is none of them.
enum { CLOSED_TEXT = 1024 };
int closed_library(const char *file, char *text, size_t room);

// holder_of says which file an image lies in, and what there is to say if it is a closed library's; text has room for that.
struct pvm_holder holder_of(const void *image, char text[CLOSED_TEXT]);

// BOTH defines a function and its double for a default stream that is the thread's own.
#define BOTH(name, suffix, parameters, arguments) \
	PUBLIC error_t name parameters; \
	PUBLIC error_t name##suffix parameters; \
	PUBLIC error_t name##suffix parameters { T.per_thread++; error_t e_ = name arguments; T.per_thread--; return e_; } \
	PUBLIC error_t name parameters

#endif
