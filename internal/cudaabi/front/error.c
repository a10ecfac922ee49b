// Error codes: their names and texts, and a thread's last error.
#include "cudart.h"

static const struct { error_t code; const char *name, *text; } errors[] = {
	{0, "cudaSuccess", "no error"},
	{1, "cudaErrorInvalidValue", "invalid argument"},
	{2, "cudaErrorMemoryAllocation", "out of memory"},
	{3, "cudaErrorInitializationError", "initialization error"},
	{4, "cudaErrorCudartUnloading", "driver shutting down"},
	{9, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
	{12, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
	{13, "cudaErrorInvalidSymbol", "invalid device symbol"},
	{16, "cudaErrorInvalidHostPointer", "invalid host pointer"},
	{17, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
	{18, "cudaErrorInvalidTexture", "invalid texture reference"},
	{20, "cudaErrorInvalidChannelDescriptor", "invalid channel descriptor"},
	{21, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
	{35, "cudaErrorInsufficientDriver", "CUDA driver version is insufficient for CUDA runtime version"},
	{36, "cudaErrorCallRequiresNewerDriver", "API call is not supported in the installed CUDA driver"},
	{46, "cudaErrorDevicesUnavailable", "CUDA-capable device(s) is/are busy or unavailable"},
	{52, "cudaErrorMissingConfiguration", "__global__ function call is not configured"},
	{98, "cudaErrorInvalidDeviceFunction", "invalid device function"},
	{100, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
	{101, "cudaErrorInvalidDevice", "invalid device ordinal"},
	{200, "cudaErrorInvalidKernelImage", "device kernel image is invalid"},
	{201, "cudaErrorDeviceUninitialized", "invalid device context"},
	{209, "cudaErrorNoKernelImageForDevice", "no kernel image is available for execution on the device"},
	{214, "cudaErrorECCUncorrectable", "uncorrectable ECC error encountered"},
	{217, "cudaErrorPeerAccessUnsupported", "peer access is not supported between these two devices"},
	{218, "cudaErrorInvalidPtx", "a PTX JIT compilation failed"},
	{222, "cudaErrorUnsupportedPtxVersion", "the provided PTX was compiled with an unsupported toolchain."},
	{300, "cudaErrorInvalidSource", "device kernel image is invalid"},
	{301, "cudaErrorFileNotFound", "file not found"},
	{302, "cudaErrorSharedObjectSymbolNotFound", "shared object symbol not found"},
	{303, "cudaErrorSharedObjectInitFailed", "shared object initialization failed"},
	{304, "cudaErrorOperatingSystem", "OS call failed or operation not supported on this OS"},
	{400, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
	{401, "cudaErrorIllegalState", "the operation cannot be performed in the present state"},
	{402, "cudaErrorLossyQuery", "attempted introspection would be semantically lossy"},
	{500, "cudaErrorSymbolNotFound", "named symbol not found"},
	{600, "cudaErrorNotReady", "device not ready"},
	{700, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
	{701, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
	{702, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
	{704, "cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"},
	{705, "cudaErrorPeerAccessNotEnabled", "peer access has not been enabled"},
	{710, "cudaErrorAssert", "device-side assert triggered"},
	{712, "cudaErrorHostMemoryAlreadyRegistered", "part or all of the requested memory range is already mapped"},
	{713, "cudaErrorHostMemoryNotRegistered", "pointer does not correspond to a registered memory region"},
	{714, "cudaErrorHardwareStackError", "hardware stack error"},
	{715, "cudaErrorIllegalInstruction", "an illegal instruction was encountered"},
	{716, "cudaErrorMisalignedAddress", "misaligned address"},
	{717, "cudaErrorInvalidAddressSpace", "operation not supported on global/shared address space"},
	{718, "cudaErrorInvalidPc", "invalid program counter"},
	{719, "cudaErrorLaunchFailure", "unspecified launch failure"},
	{720, "cudaErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"},
	{800, "cudaErrorNotPermitted", "operation not permitted"},
	{801, "cudaErrorNotSupported", "operation not supported"},
	{802, "cudaErrorSystemNotReady", "system not yet initialized"},
	{900, "cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"},
	{901, "cudaErrorStreamCaptureInvalidated", "operation failed due to a previous error during capture"},
	{902, "cudaErrorStreamCaptureMerge", "operation would result in a merge of separate capture sequences"},
	{903, "cudaErrorStreamCaptureUnmatched", "capture was not ended in the same stream as it began"},
	{904, "cudaErrorStreamCaptureUnjoined", "capturing stream has unjoined work"},
	{905, "cudaErrorStreamCaptureIsolation", "dependency created on uncaptured work in another stream"},
	{906, "cudaErrorStreamCaptureImplicit", "operation would make the legacy stream depend on a capturing blocking stream"},
	{907, "cudaErrorCapturedEvent", "operation not permitted on an event last recorded in a capturing stream"},
	{908, "cudaErrorStreamCaptureWrongThread", "attempt to terminate a thread-local capture sequence from another thread"},
	{910, "cudaErrorGraphExecUpdateFailure", "the graph update was not performed because it included changes which violated constraints specific to instantiated graph update"},
	{912, "cudaErrorInvalidClusterSize", "cluster misconfiguration"},
	{999, "cudaErrorUnknown", "unknown error"},
};

enum { ERRORS = sizeof errors / sizeof *errors };

PUBLIC const char *cudaGetErrorName(error_t e) {
	for (int i = 0; i < ERRORS; i++)
		if (errors[i].code == e) return errors[i].name;
	return "unrecognized error code";
}

const char *error_name(error_t e) { return cudaGetErrorName(e); }

PUBLIC const char *cudaGetErrorString(error_t e) {
	for (int i = 0; i < ERRORS; i++)
		if (errors[i].code == e) return errors[i].text;
	return "unrecognized error code";
}

// A sticky error shows in every thread.
static error_t last(void) {
	if (T.last == SUCCESS && engine_loaded()) return pvm_sticky();
	return T.last;
}

// asked tells the engine that the thread asks: a launch that has failed is no secret any more.
static void asked(void) {
	if (T.failed && engine_loaded()) pvm_asked((uintptr_t)&T);
	T.failed = 0;
}

PUBLIC error_t cudaPeekAtLastError(void) {
	asked();
	return last();
}

PUBLIC error_t cudaGetLastError(void) {
	error_t e = last();
	asked();
	T.last = SUCCESS;
	return e;
}
