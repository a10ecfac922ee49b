// Virtual memory: a vector that grows in place, and moves when it cannot.
#include "driver.h"

int cuMemGetAllocationGranularity(size_t *, const void *, int);
int cuMemAddressReserve(ptr *, size_t, size_t, ptr, unsigned long long);
int cuMemAddressFree(ptr, size_t);
int cuMemCreate(uint64_t *, size_t, const void *, unsigned long long);
int cuMemRelease(uint64_t);
int cuMemRetainAllocationHandle(uint64_t *, const void *);
int cuMemGetAllocationPropertiesFromHandle(void *, uint64_t);
int cuMemMap(ptr, size_t, size_t, uint64_t, unsigned long long);
int cuMemUnmap(ptr, size_t);
int cuMemSetAccess(ptr, size_t, const void *, size_t);
int cuMemGetAccess(unsigned long long *, const void *, ptr);

struct place { int type, id; };
struct how { int type, handles; struct place place; void *windows; unsigned char flags[8]; };
struct access { struct place place; int flags; };

int main(void) {
	const struct how device = {1, 0, {1, 0}, NULL, {0}};
	const struct access all = {{1, 0}, 3}, none = {{1, 0}, 0};
	struct how told, other = device;
	size_t grain, free0, free1, total;
	uint64_t handles[3], again;
	unsigned long long flags;
	ptr at, further, start;
	size_t size;
	int supported;
	handle m, f;
	begin();
	OK(cuDeviceGetAttribute(&supported, 102, 0));
	WANT(supported, 1);
	WANT(cuMemGetAllocationGranularity(NULL, &device, 0), 1);
	WANT(cuMemGetAllocationGranularity(&grain, NULL, 0), 1);
	OK(cuMemGetAllocationGranularity(&grain, &device, 0));
	OK(cuModuleLoadData(&m, kernels));
	OK(cuModuleGetFunction(&f, m, "add"));
	ptr middle = 0;
	unsigned by = 3, n = 0;
	void *args[] = {&middle, &by, &n};
	OK(cuLaunchKernel(f, 4, 1, 1, 64, 1, 1, 0, NULL, args, NULL)); // what a kernel needs once is there
	OK(cuCtxSynchronize());
	OK(cuMemGetInfo_v2(&free0, &total));

	// Two pieces, side by side: copies and kernels go across.
	OK(cuMemAddressReserve(&at, 4 * grain, 0, 0, 0));
	for (int i = 0; i < 2; i++) {
		OK(cuMemCreate(&handles[i], grain, &device, 0));
		OK(cuMemMap(at + i * grain, grain, 0, handles[i], 0));
	}
	WANT(cuMemsetD32_v2(at, 5, 4), 1); // nobody may access it yet
	OK(cuMemSetAccess(at, 2 * grain, &all, 1));
	OK(cuMemGetAccess(&flags, &all.place, at + grain));
	WANT(flags, 3);
	OK(cuMemGetInfo_v2(&free1, &total));
	WANT(free0 - free1, 2 * grain);
	OK(cuMemsetD32_v2(at, 5, 2 * grain / 4));
	middle = at + grain - 400;
	n = 200;
	OK(cuLaunchKernel(f, 4, 1, 1, 64, 1, 1, 0, NULL, args, NULL));
	OK(cuMemGetAddressRange_v2(&start, &size, at + 100));
	WANT(start == at && size == 2 * grain, 1);

	// It grows by a piece, and moves: what is in it stays.
	OK(cuMemCreate(&handles[2], grain, &device, 0));
	OK(cuMemAddressReserve(&further, 3 * grain, 0, at + 2 * grain, 0));
	OK(cuMemUnmap(at, 2 * grain));
	OK(cuMemAddressFree(at, 4 * grain));
	for (int i = 0; i < 3; i++) OK(cuMemMap(further + i * grain, grain, 0, handles[i], 0));
	OK(cuMemSetAccess(further, 3 * grain, &all, 1));
	unsigned *back = malloc(3 * grain);
	OK(cuMemcpyDtoH_v2(back, further, 3 * grain));
	for (size_t i = 0; i < 3 * grain / 4; i++) {
		size_t from = (grain - 400) / 4;
		WANT(back[i], i >= 2 * grain / 4 ? 0 : i >= from && i < from + 200 ? 8 : 5);
	}
	free(back);

	OK(cuMemRetainAllocationHandle(&again, (void *)further));
	WANT(again, handles[0]);
	OK(cuMemRelease(again));
	OK(cuMemGetAllocationPropertiesFromHandle(&told, handles[2]));
	WANT(told.type == 1 && told.place.type == 1 && told.place.id == 0, 1);

	// What is wrong.
	again = 77;
	WANT(cuMemCreate(&again, grain + 1, &device, 0), 1);
	other.place.id = 9;
	WANT(cuMemCreate(&again, grain, &other, 0), 101);
	WANT(cuMemCreate(&again, (size_t)1 << 45, &device, 0), 2);
	WANT(again, 77); // what fails writes nothing
	WANT(cuMemMap(further, grain, 0, handles[0], 0), 1);
	WANT(cuMemMap(further, grain, grain, handles[0], 0), 1);
	WANT(cuMemUnmap(further, grain / 2), 1);
	WANT(cuMemFree_v2(further), 1);
	WANT(cuMemAddressFree(further, 3 * grain), 1);
	OK(cuMemSetAccess(further, grain, &none, 1));
	WANT(cuMemsetD32_v2(further, 5, 4), 1);

	for (int i = 0; i < 3; i++) OK(cuMemRelease(handles[i]));
	WANT(cuMemRelease(handles[0]), 1);
	OK(cuMemUnmap(further, 3 * grain));
	OK(cuMemAddressFree(further, 3 * grain));
	OK(cuMemGetInfo_v2(&free1, &total));
	WANT(free1, free0);
	passed();
	return 0;
}
