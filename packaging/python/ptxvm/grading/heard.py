"""What the end of a candidate's process, its words and ptxvm's reports make of a verdict. A candidate can write words and reports, too."""

from __future__ import annotations

from typing import Any

from .verdict import Verdict


def heard(verdict: Verdict, answer: dict[str, Any], sanitize: str) -> None:
    """What the child's end, its words and ptxvm's reports make of a verdict."""
    verdict.sandbox = answer["layers"]
    verdict.reports = [r for r in answer["reports"] if _is_report(r)]
    for report in answer["reports"]:
        tallies = report.get("stats")
        verdict.launches += [_tally(t) for t in tallies if _is_tally(t)] if isinstance(tallies, list) else []
    verdict.instructions = sum(one["lane_ops"] for one in verdict.launches)
    verdict.sectors = None if sanitize == "" else sum(one["sectors"] for one in verdict.launches)
    said: dict[str, Any] = {}
    for one in answer["told"]:
        said |= one
    if said.get("stage") in ("build", "run", "compare"):
        verdict.stage = said["stage"]
    if type(said.get("trial")) is int and said["trial"] >= 0:
        verdict.trial = said["trial"]
    verdict.operators = [{"operator": n, "calls": c} for n, c in sorted(_calls(said.get("operators")))]
    verdict.verdict, verdict.message = _outcome(verdict, answer, said)
    if verdict.verdict in ("crash", "no_build", "invalid", "unsupported") and answer["printed"]:
        verdict.message += "\nit printed: " + answer["printed"][-1000:].strip()


#: The errors behind which every call fails (CUresult), and that of a kernel that ran too long.
_STICKY, _TIMEOUT = range(700, 720), 702

_TALLY = {"kernel": str, "launches": int, "lane_ops": int}


def _is_tally(one: Any) -> bool:
    """Whether this is what ptxvm says of a kernel: a candidate can write to the same pipe."""
    return isinstance(one, dict) and all(type(one.get(n)) is t for n, t in _TALLY.items()) and one["launches"] > 0 <= one["lane_ops"]


def _tally(one: dict[str, Any]) -> dict[str, Any]:
    """The counts of a kernel; ptxvm leaves out sectors where there are none, or where they are not counted."""
    sectors = one.get("sectors", 0)
    return {**{name: one[name] for name in _TALLY}, "sectors": sectors if type(sectors) is int and sectors >= 0 else 0}


def _calls(operators: Any) -> list[tuple[str, int]]:
    return [(n, c) for n, c in operators.items() if type(c) is int and c > 0] if isinstance(operators, dict) else []


def _is_report(one: dict[str, Any]) -> bool:
    found = one.get("sanitizer") or []
    known = type(one.get("schema")) is int and type(one.get("error")) is int and isinstance(one.get("message"), str)
    return known and isinstance(found, list) and all(isinstance(r, dict) and isinstance(r.get("code"), str) for r in found)


def _outcome(verdict: Verdict, answer: dict[str, Any], said: dict[str, Any]) -> tuple[str, str]:
    if answer["why"]:
        limit = "time" if answer["why"] == "timeout" else f"memory ({answer['peak'] >> 20} MiB)"
        return answer["why"], f"it took more {limit} than it may"
    severe = [r for r in verdict.reports if r.get("fault") or r.get("sanitizer") or r["error"] in _STICKY]
    if severe:
        return _reported(severe)
    if "verdict" in said:
        known = said["verdict"] in ("no_build", "invalid", "unsupported", "memory", "cheat")
        return said["verdict"] if known else "crash", str(said.get("message", ""))
    end = answer["status"] or {}
    if end.get("signal"):
        return ("timeout" if end["signal"] == 24 else "crash"), f"signal {end['signal']} ended its process"
    if verdict.stage != "compare":
        return "crash", f"it ended its process with status {end.get('exit')}"
    return "ok", ""


def _reported(reports: list[dict[str, Any]]) -> tuple[str, str]:
    """What reports come to: a fault before a race."""
    first = next((r for r in reports if r.get("fault")), reports[0])
    if first["error"] == _TIMEOUT:
        return "timeout", str(first["message"])
    codes = {one.get("code") for r in reports for one in r.get("sanitizer") or []}
    race = not first.get("fault") and codes == {"P8002"}
    return ("race" if race else "fault"), str(first["message"])
