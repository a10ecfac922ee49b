"""One operator of PyTorch, from a call with CUDA tensors to the CPU's kernel and back."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import torch

from . import _capture, _devices, _memory, _names, _random, _wide, counts

_NUMBERS = (int, float, complex)  # bool is an int


class Operator:
    """The kernel of an operator for CUDA.

    overload: the operator; compute: what it comes to on tensors of the CPU, unless that is the operator itself.
    """

    def __init__(self, overload: torch._ops.OpOverload, compute: Callable[..., Any] | None = None) -> None:
        self.compute: Callable[..., Any] = compute or overload
        self.full = str(overload._schema.name) + (f".{overload._overloadname}" if overload._overloadname != "default" else "")
        self.base = self.full.removeprefix("aten::").partition(".")[0]
        schema = overload._schema
        self.names = [a.name for a in schema.arguments]
        self.positions = {name: i for i, name in enumerate(self.names)}
        self.writes = {a.name for a in schema.arguments if a.alias_info is not None and a.alias_info.is_write}
        self.generator = next((a.name for a in schema.arguments if "Generator" in str(a.type)), None)
        self.rule = _wide.RULES.get(self.base)
        tensors = {a.name for a in schema.arguments if str(a.type) in ("Tensor", "Optional[Tensor]")}
        self.numbers = set() if compute is None and _names.takes_numbers(self.full) else tensors

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True  # of pytest: a kernel's fault, which is told here, is its caller's
        counts[self.full] = counts.get(self.full, 0) + 1
        named = dict(zip(self.names, args)) | kwargs
        device = _devices.common(self.base, _tensors(named)) or _named_device(named)
        # Behind a fault nothing can be switched back, so that nothing is switched where that is not needed.
        with contextlib.nullcontext() if _names.current_device() == device.index else torch.cuda.device(device):
            if _names.capturing():
                return _capture.node(Call(self, device, len(args)), named)
            try:
                torch.cuda.current_stream(device).synchronize()
            except RuntimeError as error:
                raise error.with_traceback(None) from None
            return Call(self, device, len(args)).run(named)


class Call:
    """One call: which tensors of the CPU stand for which of the device. The first `given` arguments came by their positions."""

    def __init__(self, operator: Operator, device: torch.device, given: int) -> None:
        self.operator, self.device, self.given = operator, device, given
        self.pairs: list[tuple[torch.Tensor, torch.Tensor]] = []  # of the CPU, of the device
        self.known: dict[int, torch.Tensor] = {}  # the device's, by the CPU's address of their storage

    def run(self, named: dict[str, Any]) -> Any:
        """The results on the device."""
        result = self.compute(self.inward(named))
        self.resize()
        for name in self.operator.writes:
            for tensor in _tensors({name: named.get(name)}):
                _memory.wrote(tensor)
        return _each(result, self.outward)

    def inward(self, named: dict[str, Any]) -> dict[str, Any]:
        """The arguments for the CPU."""
        inner = {name: _each(value, self._in) for name, value in named.items()}
        for name in self.operator.numbers & inner.keys():
            if isinstance(inner[name], _NUMBERS):
                inner[name] = _scalar(inner[name], inner.values())
        if self.operator.generator:
            inner[self.operator.generator] = _random.drawn(named.get(self.operator.generator), self.device)
        if inner.get("pin_memory"):
            inner["pin_memory"] = False
        return inner

    def _in(self, value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            if not value.is_cuda:
                return value
            same = _memory.alias(value)
            self.pairs.append((same, value))
            if same.untyped_storage().nbytes():
                self.known.setdefault(same.untyped_storage().data_ptr(), value)
            return same
        return torch.device("cpu") if isinstance(value, torch.device) and value.type == "cuda" else value

    def compute(self, inner: dict[str, Any]) -> Any:
        """The results of the CPU's kernel, in wider arithmetic where CUDA's is wider."""
        implicit = _random.default(self.device) if self.operator.base in _random.IMPLICIT else contextlib.nullcontext()
        with implicit:
            rule = self.operator.rule
            wide = rule and _wide.width(rule, _tensors(inner))
            if rule and wide:
                return self._widely(inner, rule, wide)
            try:
                return self._apply(inner)
            except (RuntimeError, NotImplementedError) as error:
                if not _wide.is_absent(error):
                    raise
                return self._widely(inner, _wide.Rule(), torch.float32)

    def _widely(self, inner: dict[str, Any], rule: _wide.Rule, wide: torch.dtype) -> Any:
        types = _wide.types_of(rule, inner)
        wider = {name: _each(value, lambda v: _wide.widened(v, wide)) for name, value in inner.items()}
        if wider.get("half_to_float"):
            wider["half_to_float"] = False
        result = self._apply(wider)
        back: dict[int, torch.Tensor] = {}
        for name in self.operator.writes:
            for old, new in zip(_tensors({name: inner.get(name)}), _tensors({name: wider.get(name)})):
                back[id(new)] = old
                if new is not old:
                    _store(old, new)
        several = isinstance(result, (tuple, list))
        narrow = []
        for i, one in enumerate(result if several else (result,)):
            to = types[min(i, len(types) - 1)]
            narrow.append(_each(one, lambda v: back.get(id(v), _narrowed(v, to))))
        return type(result)(narrow) if several and type(result) in (tuple, list) else tuple(narrow) if several else narrow[0]

    def _apply(self, inner: dict[str, Any]) -> Any:
        values = list(inner.values())
        return self.operator.compute(*values[: self.given], **dict(list(inner.items())[self.given :]))

    def resize(self) -> None:
        """Give tensors of the device the shape of those of the CPU, which a result (out=) may have got in the call."""
        for same, tensor in self.pairs:
            if same.size() == tensor.size() and same.stride() == tensor.stride():
                continue
            if same.untyped_storage().data_ptr() in self.known or not same.numel():
                tensor.resize_(same.size())
                continue
            moved = _memory.fresh(same, tensor.device)
            tensor.set_(moved.untyped_storage(), 0, moved.size(), moved.stride())

    def outward(self, value: Any) -> Any:
        """The device's tensor for one of the CPU's."""
        if not isinstance(value, torch.Tensor):
            return value
        for same, tensor in self.pairs:
            if value is same:
                return tensor
        if value.layout == torch.sparse_coo:
            indices, values = (_memory.fresh(part, self.device) for part in (value._indices(), value._values()))
            return torch.sparse_coo_tensor(indices, values, value.size(), check_invariants=False, is_coalesced=value.is_coalesced())
        if value.layout != torch.strided:
            raise NotImplementedError(f"{self.operator.full} gives a tensor of layout {value.layout}, which ptxvm does not have on the device")
        storage = value.untyped_storage()
        owner = self.known.get(storage.data_ptr()) if storage.nbytes() else None
        if owner is None:
            return _memory.fresh(value, self.device)
        view = torch.empty(0, dtype=value.dtype, device=owner.device)
        return view.set_(owner.untyped_storage(), value.storage_offset(), value.size(), value.stride())


def _store(old: torch.Tensor, new: torch.Tensor) -> None:
    """Write a result in wide arithmetic to where it belongs."""
    if old.size() != new.size():
        old.resize_(new.size())
    old.copy_(new)


def _narrowed(value: Any, to: torch.dtype) -> Any:
    if isinstance(value, torch.Tensor) and value.dtype.is_floating_point:
        return value.to(to)
    return value


def _scalar(number: Any, others: Any) -> torch.Tensor:
    """A number in the place of a tensor: of the type that the call's tensors and the number come to, as PyTorch has it."""
    kind: Any = None
    for other in _tensors(dict(enumerate(others))):
        kind = torch.result_type(other, number) if kind is None else torch.promote_types(kind, torch.result_type(other, number))
    return torch.tensor(number, dtype=kind)


def _each(value: Any, change: Callable[[Any], Any]) -> Any:
    """The same value with each element of tuples and lists changed."""
    if isinstance(value, (tuple, list)):
        return type(value)(_each(v, change) for v in value) if type(value) in (tuple, list) else tuple(_each(v, change) for v in value)
    return change(value)


def _tensors(named: dict[Any, Any]) -> list[torch.Tensor]:
    found: list[torch.Tensor] = []
    for value in named.values():
        if isinstance(value, torch.Tensor):
            found.append(value)
        elif isinstance(value, (tuple, list)):
            found.extend(v for v in value if isinstance(v, torch.Tensor))
    return found


def _named_device(named: dict[str, Any]) -> torch.device:
    device = named.get("device")
    if isinstance(device, torch.device) and device.type == "cuda" and device.index is not None:
        return device
    return torch.device("cuda", torch.cuda.current_device())
