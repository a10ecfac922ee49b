"""The plug-in of a pytest process under `ptxvm exec`."""

from __future__ import annotations

import builtins
import json
import os
import sys
import tempfile
import types
import warnings
from collections.abc import Generator
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from . import reports
from .children import Before, Child, Ended, Here, Order
from .settings import Settings, settings

SECTION = "ptxvm"


class Plugin:
    """Runs tests in children, and looks at what ptxvm has reported behind each."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.mode: str = config.option.ptxvm_reports
        self.isolate: str = "off" if config.option.usepdb else config.option.ptxvm_isolate
        self.folder = tempfile.TemporaryDirectory(prefix="ptxvm-")
        self.child: Child | None = None
        self.before: Before | None = None  # where children come from when CUDA has begun in this process
        self.log: reports.Log | None = None  # of this process, or of the child
        self.began: str | None = None  # the first test that could not be isolated

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> None:
        if self.isolate != "off" and not reports.begun():
            self.before = Before(lambda path: Recollected(self, session, path))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        hook = item.ihook
        hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in self._reports(item, nextitem, self._settings(item)):
            hook.pytest_runtest_logreport(report=report)
        hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def _settings(self, item: pytest.Item) -> Settings:
        return settings(item, self.config.option.ptxvm_timeout)

    def _reports(self, item: pytest.Item, nextitem: pytest.Item | None, wanted: Settings) -> list[pytest.TestReport]:
        if self.isolate != "off" and self.began is None and self.before is None and reports.begun():
            self.began = item.nodeid
        if self.isolate != "off" and self.began is None:
            return self._isolated(item, nextitem, wanted)
        if wanted.environment or wanted.timeout and (self.isolate == "off" or wanted.timeout != self.config.option.ptxvm_timeout):
            return _failed(item, "settings of a test need a process of its own: --ptxvm-isolate=test, and no CUDA while tests are collected", [])
        if self.log is None and not reports.begun():
            self.log = reports.Log(self.folder.name)
            self.log.begin()
        return list(runtestprotocol(item, log=False, nextitem=nextitem))

    def _isolated(self, item: pytest.Item, nextitem: pytest.Item | None, wanted: Settings) -> list[pytest.TestReport]:
        """Run a test in a child: in the one that there is, if that is for the test's file and has its settings."""
        last = self.isolate == "test" or nextitem is None or nextitem.path != item.path or self._settings(nextitem) != wanted
        if self.child is None or self.log is None:
            self.log = reports.Log(self.folder.name)
            self.child = self._begin(item, wanted)
        order = {"index": item.session.items.index(item), "test": item.nodeid, "next": None if last or nextitem is None else nextitem.nodeid, "log": str(self.log.path)}
        try:
            told = self.child.run(order)
        except (Ended, TimeoutError) as error:
            self._drop()
            return _failed(item, str(error), _captured(self.config), self.log.new() if self.mode != "off" else [])
        except BaseException:
            self._drop()
            raise
        if "error" in told:
            self._drop()
            return _failed(item, told["error"], _captured(self.config))
        self.log.read = told["read"]
        if last or not told["whole"]:
            self._drop(kill=False)
        for text, category, file, line in told["warnings"]:
            kind = getattr(builtins, category, UserWarning)
            warnings.warn_explicit(text, kind if issubclass(kind, Warning) else UserWarning, file, line)
        return [self._told(data) for data in told["reports"]]

    def _begin(self, item: pytest.Item, wanted: Settings) -> Child:
        """A child for tests of a file, from this process while CUDA has not begun in it."""
        if self.before and reports.begun():
            return Child(wanted, self.before.start(wanted, str(item.path)))
        _prepare(self.config)
        items = item.session.items
        return Child(wanted, Here(wanted, lambda order: self.answer(items[order["index"]], items[order["index"] + 1] if order["next"] else None)))

    def _told(self, data: dict[str, Any]) -> pytest.TestReport:
        """A report from a child: JSON has made its tuples lists."""
        report: pytest.TestReport = self.config.hook.pytest_report_from_serializable(config=self.config, data=data)
        if isinstance(report.longrepr, list):
            report.longrepr = tuple(report.longrepr)
        file, line, name = report.location
        report.location = (file, line, name)
        report.sections = [(name, text) for name, text in report.sections]
        report.user_properties = [(name, value) for name, value in report.user_properties]
        return report

    def _drop(self, kill: bool = True) -> None:
        if self.child:
            self.child.close(kill)
        self.child = None

    def answer(self, item: pytest.Item, nextitem: pytest.Item | None) -> dict[str, Any]:
        """Run a test in this process, a child, which ends behind its last one."""
        assert self.log is not None
        self.log.begin()
        with warnings.catch_warnings(record=True) as heard:
            done = runtestprotocol(item, log=False, nextitem=nextitem)
        hook = self.config.hook
        return {
            "reports": [hook.pytest_report_to_serializable(config=self.config, report=r) for r in done],
            "warnings": [(str(w.message), w.category.__name__, w.filename, w.lineno) for w in heard],
            "whole": reports.wait(),
            "read": self.log.read,
        }

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if self.log and self.mode != "off":
            reports.wait()
            if found := self.log.new():
                _tell(item, report, found, fail=self.mode == "fail")
        return report

    def pytest_sessionfinish(self) -> None:
        self._drop()
        if self.before:
            self.before.close()
        self.folder.cleanup()

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.began:
            terminalreporter.section(SECTION)
            terminalreporter.line(
                f"CUDA had begun before tests were collected, so that none is isolated from {self.began} on, and neither reports nor --ptxvm-timeout count: "
                "a conftest.py or plug-in makes something on the device while it is imported, which belongs in fixtures"
            )


class Recollected:
    """What a child does that has not collected any tests: it collects those of a file."""

    def __init__(self, plugin: Plugin, session: pytest.Session, path: str) -> None:
        self.plugin, self.session, self.path = plugin, session, path
        self.items: dict[str, pytest.Item] = {}

    def __call__(self, order: Order) -> dict[str, Any]:
        if self.plugin.log is None:
            self.plugin.log = reports.Log(self.plugin.folder.name, order["log"])
            self.plugin.log.begin()  # what is imported may begin CUDA
            self.items = {item.nodeid: item for item in self._collected()}
        if item := self.items.get(order["test"]):
            return self.plugin.answer(item, self.items.get(order["next"]))
        return {"error": f"{self.path} has not this test when it is collected again, which it is since CUDA began in the first collection"}

    def _collected(self) -> list[pytest.Item]:
        from .. import torch

        torch.forks = None
        manager = self.plugin.config.pluginmanager
        for one in self.plugin.config.hook.pytest_collection_finish.get_hookimpls():
            if not isinstance(one.plugin, types.ModuleType) and manager.is_registered(one.plugin):
                manager.unregister(one.plugin)  # they tell people, and xdist's controller, what has been collected
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they were told by the first collection
            self.session.perform_collect([self.path])
        return self.session.items


class Summary:
    """Lists the tests that ptxvm has reported something of, where that does not fail them; also of xdist's workers."""

    def __init__(self) -> None:
        self.tests: dict[str, None] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.failed and any(name == SECTION for name, _ in report.sections):
            self.tests[report.nodeid] = None

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.tests:
            terminalreporter.section(f"{SECTION} has reports of tests that passed (-rP shows them)")
            for name in self.tests:
                terminalreporter.line(name)


def _tell(item: pytest.Item, report: pytest.TestReport, found: list[dict[str, Any]], fail: bool) -> None:
    """Give a test's report what ptxvm has reported: a section, properties (JUnit, --report-log), and the outcome."""
    text = reports.text(found)
    report.sections.append((SECTION, text))
    item.user_properties += _properties(found)
    report.user_properties = list(item.user_properties)
    if fail and report.passed and reports.severe(found) and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"ptxvm reports of this test's kernels:\n{text}"


def _properties(found: list[dict[str, Any]]) -> list[tuple[str, object]]:
    return [(SECTION, json.dumps(one)) for one in found]


def _prepare(config: pytest.Config) -> None:
    """What children need not do again: the place of temporary folders, and PyTorch's operators."""
    if factory := getattr(config, "_tmp_path_factory", None):
        factory.getbasetemp()
    if "torch" in sys.modules:
        from .. import torch

        torch.install()


def _failed(item: pytest.Item, text: str, sections: list[tuple[str, str]], found: list[dict[str, Any]] | None = None) -> list[pytest.TestReport]:
    """The reports of a test that has made none itself."""
    sections = sections + ([(SECTION, reports.text(found))] if found else [])
    properties = _properties(found or [])

    def phase(when: Any, outcome: Any, why: str | None) -> pytest.TestReport:
        return pytest.TestReport(item.nodeid, item.location, dict.fromkeys(item.keywords, 1), outcome, why, when, sections, 0, 0, 0, properties)

    return [phase("setup", "passed", None), phase("call", "failed", text), phase("teardown", "passed", None)]


def _captured(config: pytest.Config) -> list[tuple[str, str]]:
    """What a child had written to standard output and error that pytest captures, and had not told of."""
    capture = config.pluginmanager.getplugin("capturemanager")
    if capture is None or not capture.is_globally_capturing():
        return []
    out, err = capture.read_global_capture()
    return [(f"Captured {name}", text) for name, text in (("stdout", out), ("stderr", err)) if text]
