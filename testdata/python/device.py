"""Memory of the device for the clients here, by the driver half of cuda.bindings."""
import numpy as np
from cuda.bindings import driver


def ok(answer):
    """The results of a call, which must have succeeded."""
    code, *rest = answer
    if code:
        text = driver.cuGetErrorString(code)[1].decode() if isinstance(code, driver.CUresult) else str(code)
        raise RuntimeError(text)
    return rest[0] if len(rest) == 1 else rest


def begin():
    """Makes the primary context of device 0 current; returns the device."""
    ok(driver.cuInit(0))
    device = ok(driver.cuDeviceGet(0))
    ok(driver.cuCtxSetCurrent(ok(driver.cuDevicePrimaryCtxRetain(device))))
    return device


class Array:
    """An array in device memory. Triton takes what has data_ptr and dtype."""

    def __init__(self, values):
        values = np.ascontiguousarray(values)
        self.shape, self.dtype, self.nbytes = values.shape, values.dtype, values.nbytes
        self.at = int(ok(driver.cuMemAlloc(self.nbytes)))
        ok(driver.cuMemcpyHtoD(self.at, values.ctypes.data, self.nbytes))

    def data_ptr(self):
        return self.at

    def numpy(self):
        out = np.empty(self.shape, self.dtype)
        ok(driver.cuMemcpyDtoH(out.ctypes.data, self.at, self.nbytes))
        return out

    def free(self):
        ok(driver.cuMemFree(self.at))
