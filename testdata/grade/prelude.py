import ctypes
import os
import stat
import sys

import numpy as np

from ptxvm.cuda import array, empty
from ptxvm.grading.natives import Kernel

SCALE = b"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 from, .param .u32 n, .param .u64 to)
{
    .reg .b64 %a, %o, %t; .reg .b32 %i, %n, %c; .reg .f32 %v; .reg .pred %p;
    ld.param.u64 %a, [from]; ld.param.u64 %t, [to]; ld.param.u32 %n, [n];
    mov.u32 %i, %ctaid.x; mov.u32 %c, %ntid.x; mad.lo.u32 %i, %i, %c, 0; mov.u32 %c, %tid.x; add.u32 %i, %i, %c;
    setp.ge.u32 %p, %i, %n; @%p ret;
    mul.wide.u32 %o, %i, 4; add.u64 %a, %a, %o; add.u64 %t, %t, %o;
    ld.global.f32 %v, [%a]; mul.f32 %v, %v, 0f40400000; st.global.f32 [%t], %v; ret;
}
"""

# Every thread writes the same word of shared memory, and nothing orders them.
RACY = SCALE.replace(b".reg .pred %p;", b".reg .pred %p; .shared .f32 s;").replace(b"st.global", b"st.shared.f32 [s], %v; ld.shared.f32 %v, [s]; st.global")


def launch(text, x, n, out):
    Kernel(text, "").launch({"grid": (n + 127) // 128, "block": 128}, [x, n], [out])


def honest(x, n, out):
    launch(SCALE, x, n, out)


def racy(x, n, out):
    launch(RACY, x, n, out)


def everywhere(text):
    """Write to every pipe."""
    for handle in map(int, os.listdir("/proc/self/fd")):
        try:
            if handle > 2 and stat.S_ISFIFO(os.fstat(handle).st_mode):
                os.write(handle, text)
        except OSError:
            pass
