// An auditor of the dynamic loader (LD_AUDIT): finds NVIDIA's runtime where it is linked into a program or library, nvcc's
// default, and lets its public functions begin with a jump to those of our libcudart, before any constructor runs. What it finds
// them by is the symbol table of the object's file; an object without one (strip) is left as it is.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

// The code that goes to an absolute address.
#if defined __x86_64__
enum { MACHINE = EM_X86_64, JUMP = 14 };
static void jump(unsigned char *at, uintptr_t to) {
	static const unsigned char through_next_word[6] = {0xff, 0x25, 0, 0, 0, 0}; // jmp *0(%rip)
	memcpy(at, through_next_word, sizeof through_next_word);
	memcpy(at + sizeof through_next_word, &to, sizeof to);
}
#elif defined __aarch64__
enum { MACHINE = EM_AARCH64, JUMP = 16 };
static void jump(unsigned char *at, uintptr_t to) {
	static const uint32_t through_next_word[2] = {0x58000050, 0xd61f0200}; // ldr x16, .+8; br x16
	memcpy(at, through_next_word, sizeof through_next_word);
	memcpy(at + sizeof through_next_word, &to, sizeof to);
	__builtin___clear_cache((char *)at, (char *)at + JUMP);
}
#else
#error "a jump for this processor"
#endif

// Functions that each copy of the runtime has: an object without one of them holds something else.
static const char *const essential[] = {"__cudaRegisterFatBinary", "__cudaRegisterFatBinaryEnd", "__cudaUnregisterFatBinary",
	"__cudaRegisterFunction", "__cudaRegisterVar", "__cudaPushCallConfiguration", "__cudaPopCallConfiguration", "cudaLaunchKernel",
	"cudaMalloc", "cudaGetDeviceProperties"};
enum { ESSENTIAL = sizeof essential / sizeof *essential };

// A function that the runtime of CUDA 12 has and that of 13 has not.
static const char only12[] = "cudaGetDeviceProperties_v2";

// Our libraries, by release.
static struct { const char *name; struct link_map *map; } ours[] = {{"libcudart.so.13", NULL}, {"libcudart.so.12", NULL}};
enum { CUDA13, CUDA12 };

// The folder of our libraries, with the slash at its end.
static char folder[PATH_MAX];

// struct file is an object's file, with its symbols.
struct file {
	const unsigned char *data;
	size_t size;
	const Elf64_Sym *symbols;
	size_t n;
	const char *names;
	size_t names_size;
};

// The objects whose files have such functions and that are not yet looked at.
struct waiting { struct link_map *map; struct waiting *next; };
static struct waiting *waiting;

static int within(const struct file *f, uint64_t at, uint64_t size) { return at <= f->size && size <= f->size - at; }

// find_symbols finds a file's symbol table; 0 if it has none.
static int find_symbols(struct file *f) {
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)f->data;
	if (!within(f, 0, sizeof *h) || memcmp(h->e_ident, ELFMAG, SELFMAG) || h->e_ident[EI_CLASS] != ELFCLASS64) return 0;
	if (h->e_machine != MACHINE || h->e_shentsize != sizeof(Elf64_Shdr) || h->e_shoff % 8) return 0;
	if (!within(f, h->e_shoff, h->e_shnum * sizeof(Elf64_Shdr))) return 0;
	const Elf64_Shdr *sections = (const Elf64_Shdr *)(f->data + h->e_shoff);
	for (int i = 0; i < h->e_shnum; i++) {
		const Elf64_Shdr *s = &sections[i], *names;
		if (s->sh_type != SHT_SYMTAB || s->sh_link >= h->e_shnum) continue;
		names = &sections[s->sh_link];
		if (s->sh_offset % 8 || !within(f, s->sh_offset, s->sh_size) || !within(f, names->sh_offset, names->sh_size)) return 0;
		f->symbols = (const Elf64_Sym *)(f->data + s->sh_offset);
		f->n = s->sh_size / sizeof *f->symbols;
		f->names = (const char *)f->data + names->sh_offset;
		f->names_size = names->sh_size;
		return f->names_size && !f->names[f->names_size - 1];
	}
	return 0;
}

static void close_file(struct file *f) {
	if (f->data) munmap((void *)f->data, f->size);
}

// open_file maps the file of an object; 0 if it has no symbol table.
static int open_file(const struct link_map *map, struct file *f) {
	memset(f, 0, sizeof *f);
	int fd = open(*map->l_name ? map->l_name : "/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat st;
	if (fd < 0) return 0;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0) {
		void *data = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (data != MAP_FAILED) f->data = data, f->size = st.st_size;
	}
	close(fd);
	return f->data && find_symbols(f);
}

static const char *name_of(const struct file *f, const Elf64_Sym *s) { return s->st_name < f->names_size ? f->names + s->st_name : ""; }

static int is_function(const Elf64_Sym *s) { return ELF64_ST_TYPE(s->st_info) == STT_FUNC && s->st_shndx != SHN_UNDEF && s->st_value; }

// has_runtime tells whether a file has all that the runtime must have.
static int has_runtime(const struct file *f) {
	if (!memmem(f->names, f->names_size, essential[0], strlen(essential[0]) + 1)) return 0; // quick, of files that do not
	int found = 0;
	for (int i = 0; i < ESSENTIAL; i++)
		for (size_t k = 0; k < f->n; k++)
			if (is_function(&f->symbols[k]) && !strcmp(name_of(f, &f->symbols[k]), essential[i])) {
				found++;
				break;
			}
	return found == ESSENTIAL;
}

// dynamic is an entry of a loaded object's dynamic section; its addresses have been made absolute by the loader.
static const void *dynamic(const struct link_map *map, Elf64_Sxword tag) {
	for (const Elf64_Dyn *d = map->l_ld; d->d_tag != DT_NULL; d++)
		if (d->d_tag == tag) return (const void *)(d->d_un.d_ptr < map->l_addr ? d->d_un.d_ptr + map->l_addr : d->d_un.d_ptr);
	return NULL;
}

// exported is the address of a function of one of our libraries, by its GNU hash table; 0 if there is none.
static uintptr_t exported(const struct link_map *map, const char *name) {
	const uint32_t *table = dynamic(map, DT_GNU_HASH);
	const Elf64_Sym *symbols = dynamic(map, DT_SYMTAB);
	const char *names = dynamic(map, DT_STRTAB);
	if (!table || !symbols || !names) return 0;
	uint32_t hash = 5381, buckets = table[0], first = table[1], words = table[2];
	for (const unsigned char *p = (const unsigned char *)name; *p; p++) hash = hash * 33 + *p;
	const uint32_t *bucket = table + 4 + words * 2, *chain = bucket + buckets;
	uint32_t i = bucket[hash % buckets];
	if (i < first) return 0;
	for (;; i++) {
		uint32_t h = chain[i - first];
		if ((h | 1) == (hash | 1) && !strcmp(names + symbols[i].st_name, name)) return is_function(&symbols[i]) ? map->l_addr + symbols[i].st_value : 0;
		if (h & 1) return 0;
	}
}

// struct patch is a function of the runtime and what it becomes.
struct patch { const Elf64_Sym *from; uintptr_t to; };

static int by_address(const void *a, const void *b) {
	const struct patch *x = a, *y = b;
	return (x->from->st_value > y->from->st_value) - (x->from->st_value < y->from->st_value);
}

// fits tells whether the jump has room at a function: in it, or in it and the padding behind it.
static int fits(const struct file *f, const Elf64_Sym *s) {
	for (size_t k = 0; s->st_size < JUMP && k < f->n; k++) {
		uint64_t other = f->symbols[k].st_value;
		if (f->symbols[k].st_shndx == s->st_shndx && other > s->st_value && other < s->st_value + JUMP) return 0;
	}
	return 1;
}

// segment is the executable part of the file that has an address; NULL if there is none, or if what is loaded differs.
static const Elf64_Phdr *segment(const struct link_map *map, const struct file *f, uint64_t value) {
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)f->data;
	if (h->e_phentsize != sizeof(Elf64_Phdr) || h->e_phoff % 8 || !within(f, h->e_phoff, h->e_phnum * sizeof(Elf64_Phdr))) return NULL;
	const Elf64_Phdr *p = (const Elf64_Phdr *)(f->data + h->e_phoff);
	for (int i = 0; i < h->e_phnum; i++, p++) {
		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) || value < p->p_vaddr || value + JUMP > p->p_vaddr + p->p_filesz) continue;
		uint64_t offset = p->p_offset + (value - p->p_vaddr);
		if (!within(f, offset, JUMP) || memcmp(f->data + offset, (void *)(map->l_addr + value), JUMP)) return NULL;
		return p;
	}
	return NULL;
}

// collect lists the functions that are redirected, by address; none if one of them cannot be.
static size_t collect(const struct link_map *map, const struct file *f, const struct link_map *to, struct patch *list) {
	const Elf64_Phdr *in = NULL;
	size_t n = 0;
	for (size_t k = 0; k < f->n; k++) {
		const Elf64_Sym *s = &f->symbols[k];
		const char *name = name_of(f, s);
		if (!is_function(s) || (strncmp(name, "cuda", 4) && strncmp(name, "__cuda", 6))) continue;
		uintptr_t target = exported(to, name);
		if (!target) continue;
		const Elf64_Phdr *p = segment(map, f, s->st_value);
		if (!p || (in && p != in) || !fits(f, s)) return 0;
		in = p;
		list[n++] = (struct patch){s, target};
	}
	qsort(list, n, sizeof *list, by_address);
	return n;
}

// redirect writes the jumps. Memory is never writable and executable at once; nobody runs it yet.
static void redirect(const struct link_map *map, const struct file *f, const struct link_map *to) {
	struct patch *list = malloc(f->n * sizeof *list);
	size_t n = list ? collect(map, f, to, list) : 0;
	if (n) {
		uintptr_t page = sysconf(_SC_PAGESIZE), from = (map->l_addr + list[0].from->st_value) & -page;
		size_t size = ((map->l_addr + list[n - 1].from->st_value + JUMP + page - 1) & -page) - from;
		if (!mprotect((void *)from, size, PROT_READ | PROT_WRITE)) {
			for (size_t i = 0; i < n; i++) jump((unsigned char *)map->l_addr + list[i].from->st_value, list[i].to);
			mprotect((void *)from, size, PROT_READ | PROT_EXEC);
		}
	}
	free(list);
}

static int release_of(const struct file *f) {
	for (size_t k = 0; k < f->n; k++)
		if (is_function(&f->symbols[k]) && !strcmp(name_of(f, &f->symbols[k]), only12)) return CUDA12;
	return CUDA13;
}

EXPORT unsigned la_version(unsigned version) {
	Dl_info self;
	if (dladdr((void *)la_version, &self) && self.dli_fname && strlen(self.dli_fname) < sizeof folder) {
		strcpy(folder, self.dli_fname);
		char *slash = strrchr(folder, '/');
		if (slash) slash[1] = 0;
	}
	return version < LAV_CURRENT ? version : LAV_CURRENT;
}

// An object has been mapped. Those of our folder are ours.
EXPORT unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie) {
	*cookie = (uintptr_t)map;
	if (space != LM_ID_BASE) return 0;
	size_t n = strlen(folder);
	if (n && !strncmp(map->l_name, folder, n)) {
		for (int i = CUDA13; i <= CUDA12; i++)
			if (!strcmp(map->l_name + n, ours[i].name)) ours[i].map = map;
		return 0;
	}
	struct file f;
	struct waiting *w;
	if (open_file(map, &f) && has_runtime(&f) && (w = malloc(sizeof *w))) *w = (struct waiting){map, waiting}, waiting = w;
	close_file(&f);
	return 0;
}

// Objects have been added, and what they need; none has run.
EXPORT void la_activity(uintptr_t *cookie, unsigned flag) {
	(void)cookie;
	while (flag == LA_ACT_CONSISTENT && waiting) {
		struct waiting *w = waiting;
		waiting = w->next;
		struct file f;
		struct link_map *to = open_file(w->map, &f) ? ours[release_of(&f)].map : NULL;
		if (to) redirect(w->map, &f, to);
		close_file(&f);
		free(w);
	}
}

EXPORT unsigned la_objclose(uintptr_t *cookie) {
	for (int i = CUDA13; i <= CUDA12; i++)
		if ((uintptr_t)ours[i].map == *cookie) ours[i].map = NULL;
	for (struct waiting **p = &waiting; *p; p = &(*p)->next)
		if ((uintptr_t)(*p)->map == *cookie) {
			struct waiting *w = *p;
			*p = w->next;
			free(w);
			break;
		}
	return 0;
}
