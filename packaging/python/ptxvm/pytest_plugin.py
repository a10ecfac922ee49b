"""The plug-in of pytest, which finds it by its entry point: reports of ptxvm fail the test that caused them, and end no other.

Outside `ptxvm exec` it has its options and mark, and does nothing.
"""

from __future__ import annotations

import os

import sys

import pytest

MARK = (
    "ptxvm(sanitize=None, timeout=None, arch=None, seed=None): settings of ptxvm for one test: checks as for `exec --sanitize`, seconds, "
    "an architecture such as 'sm_100', a number that permutes schedules"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    _keep_forkable()
    group = parser.getgroup("ptxvm", "GPU kernels on the CPU (under `ptxvm exec`, or by `ptxvm pytest`)")
    group.addoption("--ptxvm-reports", choices=("fail", "warn", "off"), default="fail", help="what reports of sanitizers and faults do to the test that caused them; default fail")
    group.addoption("--ptxvm-isolate", choices=("test", "file", "off"), default="test", help="what runs in a process of its own; default test")
    group.addoption("--ptxvm-timeout", type=float, default=0, metavar="SECONDS", help="end a test that runs longer; default 0, never")


def _keep_forkable() -> None:
    """Have what conftests and test modules ask of the device begin no CUDA in this process. Options come first, conftests then."""
    if os.environ.get("PTXVM_EXEC"):
        from . import torch
        from .testing import reports

        torch.forks = reports.begun
        if "torch" in sys.modules:
            torch.autoload()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", MARK)
    if not os.environ.get("PTXVM_EXEC") or config.option.collectonly:
        return
    from .testing.plugin import Plugin, Summary

    worker = hasattr(config, "workerinput")  # of xdist, whose controller runs no test
    if worker or getattr(config.option, "dist", "no") == "no":
        config.pluginmanager.register(Plugin(config), "ptxvm-tests")
    if not worker:
        config.pluginmanager.register(Summary(), "ptxvm-summary")
