// Arrays in copies and in views, for both libraries.
#include "front.h"

#include <string.h>

error_t array_place(const struct pvm_array *a, uint64_t x, uint64_t y, uint64_t z, uint64_t *at, uint64_t *pitch, uint64_t *slice) {
	*pitch = a->pitch;
	*slice = a->pitch * a->rows;
	*at = a->address + x + y * *pitch + z * *slice;
	return SUCCESS;
}

error_t array_holds(uint64_t array, uint64_t x, uint64_t y, uint64_t z, const struct pvm_copy *box) {
	struct pvm_array a;
	error_t e = pvm_array_info(array, &a);
	if (e != SUCCESS) return e;
	uint64_t width = a.width * a.element, height = a.height ? a.height : 1, depth = a.depth ? a.depth : 1;
	if (x > width || box->width > width - x || y > height || box->height > height - y || z > depth || box->depth > depth - z) return INVALID_VALUE;
	return x % a.element || box->width % a.element ? INVALID_VALUE : SUCCESS;
}

// The formats of views, each with 1, 2 and 4 channels (cudaResourceViewFormat); behind them come those of blocks.
static const char *const view_formats[] = {"u8", "s8", "u16", "s16", "u32", "s32", "f16", "f32"};
static const uint32_t view_channels[] = {1, 2, 4};
enum { VIEW_FORMATS = 3 * sizeof view_formats / sizeof *view_formats, BLOCK_FORMATS_END = 0x22 };

error_t view_of(const struct view *v, struct pvm_texture *t, const char *name, int *said) {
	if (v->format < 0 || v->format > BLOCK_FORMATS_END) return INVALID_VALUE;
	if (v->format > VIEW_FORMATS) return unsupported(name, said);
	if (v->format) {
		strcpy(t->view_format, view_formats[(v->format - 1) / 3]);
		t->view_channels = view_channels[(v->format - 1) % 3];
	}
	t->viewed = 1, t->view_width = v->width, t->view_height = v->height, t->view_depth = v->depth;
	memcpy(t->view_level, v->level, sizeof v->level);
	memcpy(t->view_layer, v->layer, sizeof v->layer);
	return SUCCESS;
}

error_t view_into(const struct pvm_texture *t, struct view *v) {
	if (!t->viewed) return INVALID_VALUE;
	*v = (struct view){0, t->view_width, t->view_height, t->view_depth, {t->view_level[0], t->view_level[1]}, {t->view_layer[0], t->view_layer[1]}};
	for (int i = 0; i < VIEW_FORMATS; i++)
		if (!strcmp(view_formats[i / 3], t->view_format) && view_channels[i % 3] == t->view_channels) v->format = i + 1;
	return SUCCESS;
}
