// Arrays in copies, for both libraries.
#include "front.h"

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
