"""Every operator of PyTorch's own samples (OpInfo) on the device, against the CPU: a table of passed, refused and wrong.

    ptxvm exec python testdata/python/torch_operators.py [--samples N] [--type float16] [PATTERN]

Of float32, or another type where an operator does not have that; of the type that is named alone. Ends with 1 if one is wrong. Operators that draw random numbers are called, and only shape and type are compared.
"""
import argparse
import collections
import re
import sys
import warnings

import torch
from torch.testing._internal.common_methods_invocations import op_db

RANDOM = re.compile(r"rand|bernoulli|normal|dropout|multinomial|exponential|geometric|cauchy|uniform|rrelu|^empty|new_empty|alpha_dropout|scaled_dot_product|fractional_max_pool|_local|svd_lowrank|pca_lowrank|multi_head_attention")


#: What errors say of operators on sparse tensors, which NVIDIA's library computes.
REFUSED = re.compile("cusparse")


#: Operators whose statistics CUDA gives in float32, and the CPU in the operands' type.
STATISTICS = {"native_layer_norm", "native_batch_norm", "_native_batch_norm_legit", "_batch_norm_with_update"}


def moved(value, device):
    if isinstance(value, torch.Tensor):
        return value.detach().clone().to(device)
    if isinstance(value, (tuple, list)):
        return type(value)(moved(v, device) for v in value) if type(value) in (tuple, list) else value
    if isinstance(value, dict):
        return {name: moved(v, device) for name, v in value.items()}
    if isinstance(value, (torch.device, str)) and str(value).startswith("cpu"):
        return torch.device(device)
    return value


def leaves(value):
    if isinstance(value, torch.Tensor):
        return [value]
    return [t for v in value for t in leaves(v)] if isinstance(value, (tuple, list)) else []


def compare(op, sample):
    """"passed", "refused" or "wrong", and why."""
    results = []
    for device in "cpu", "cuda":
        here = "cpu" if op.name == "tensor_split" else device  # its indices lie on the CPU
        input, args, kwargs = moved(sample.input, device), moved(sample.args, here), moved(sample.kwargs, here)
        torch.manual_seed(0)
        try:
            results.append(leaves(op(input, *args, **kwargs)))
        except NotImplementedError as error:
            return "refused", str(error).split("\n")[0]
        except Exception as error:
            if REFUSED.search(str(error)):
                return "refused", str(error).split("\n")[0]
            results.append(error)
    cpu, cuda = results
    if op.name.startswith("jiterator"):  # NVRTC makes it, for the device alone
        return ("wrong", repr(cuda)) if isinstance(cuda, Exception) else ("passed", "")
    if isinstance(cpu, Exception) or isinstance(cuda, Exception):
        return ("passed", "both raise") if isinstance(cpu, Exception) and isinstance(cuda, Exception) else ("wrong", f"{cpu!r:.150} on the CPU, {cuda!r:.150} on the device")
    for c, d in zip(cpu, cuda, strict=True):
        if op.name in STATISTICS and d.dtype == torch.float32:
            d = d.to(c.dtype)
        if c.shape != d.shape or c.dtype != d.dtype or c.layout != d.layout:
            return "wrong", f"{c.dtype} {tuple(c.shape)} on the CPU, {d.dtype} {tuple(d.shape)} on the device"
        if not RANDOM.search(op.name):
            try:
                c, d = (t.float() if t.dtype.itemsize == 1 and t.dtype.is_floating_point else t for t in (c.cpu(), d.cpu()))  # some samples name a device
                near = {"rtol": 1e-4, "atol": 1e-5} if c.dtype not in (torch.float16, torch.bfloat16) else {"rtol": 2e-2, "atol": 2e-2}
                torch.testing.assert_close(d, c, **near, equal_nan=True)
            except AssertionError as error:
                return "wrong", str(error).replace("\n", " ")[:200]
    return "passed", ""


def main():
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser()
    parser.add_argument("pattern", nargs="?", default="")
    parser.add_argument("--samples", type=int, default=1, help="of each operator; -1: all")
    parser.add_argument("--type")
    wanted = parser.parse_args()
    table = collections.defaultdict(list)
    for op in op_db:
        if not re.search(wanted.pattern, op.name):
            continue
        kinds = op.supported_dtypes("cpu") & op.supported_dtypes("cuda")
        wanted_kinds = [getattr(torch, wanted.type)] if wanted.type else [torch.float32, torch.int64, torch.bool, torch.complex64, *kinds]
        kind = next((k for k in wanted_kinds if k in kinds), None)
        if kind is None:
            continue
        verdicts = []
        for i, sample in enumerate(op.sample_inputs("cpu", kind)):
            if i == wanted.samples:
                break
            verdicts.append(compare(op, sample))
        worst = next((v for k in ("wrong", "refused") for v in verdicts if v[0] == k), ("passed", ""))
        table[worst[0]].append(op.formatted_name)
        if worst[0] != "passed":
            print(f"{worst[0]}: {op.formatted_name}: {worst[1]}", flush=True)
    print(", ".join(f"{len(table[k])} {k}" for k in ("passed", "refused", "wrong")), f"of {sum(map(len, table.values()))} operators")
    return 1 if table["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
