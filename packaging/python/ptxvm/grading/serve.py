"""`python -m ptxvm serve`: verdicts for a program that asks, by lines of JSON on standard input and output, or by HTTP."""

from __future__ import annotations

import argparse
import http.server
import json
import os
import pathlib
import queue
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from typing import IO, Any

from .service import MOST, BadRequest, Service, refusal, request
from .verdict import schema


def main(words: list[str]) -> int:
    """The command, without its verb. Exit status: 0 at the end of its input, 130 and 143 for Ctrl-C and SIGTERM, 2 for bad words."""
    parser = argparse.ArgumentParser("python -m ptxvm serve", description="Answer requests for verdicts (docs/grade.md).")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="warm parents; one for each processor unless given")
    parser.add_argument("--http", metavar="ADDR", help="HOST:PORT, or :PORT of 127.0.0.1: HTTP instead of standard input and output")
    parser.add_argument("--references", metavar="DIR", help="the folder in which references lie; with --http the current one unless given")
    chosen = parser.parse_args(words)
    if chosen.jobs < 1:
        parser.error("--jobs: want 1 or more")
    references = pathlib.Path(chosen.references or ".") if chosen.references or chosen.http else None
    if references is not None and not references.is_dir():
        parser.error(f"--references: {references} is no folder")
    address = _address(parser, chosen.http) if chosen.http else None
    signal.signal(signal.SIGTERM, _ended)
    try:
        service = Service(chosen.jobs, 16 * chosen.jobs if chosen.http else None)
    except FileNotFoundError as error:
        parser.error(str(error))
    try:
        if address:
            _http(parser, service, address, references)
        else:
            _lines(service, references)
            service.finish()
    except KeyboardInterrupt:
        return 130
    finally:
        service.close()
    return 0


def _ended(number: int, frame: Any) -> None:
    sys.exit(128 + number)


def _lines(service: Service, references: pathlib.Path | None) -> None:
    """Take requests from standard input to its end. Answers come when they are there, in any order, each as one line."""
    lock, out = threading.Lock(), sys.stdout.fileno()

    def reply(answer: dict[str, Any]) -> None:
        line = json.dumps(answer).encode() + b"\n"
        with lock:
            try:
                while line:
                    line = line[os.write(out, line) :]
            except BrokenPipeError:
                os.kill(os.getpid(), signal.SIGTERM)  # nobody reads: there is nothing to grade for

    for line in _read(sys.stdin.buffer):
        try:
            if line is None:
                raise BadRequest(f"a request has at most {MOST} bytes")
            asked = request(line, references)
        except BadRequest as error:
            reply(refusal(error))
        else:
            service.submit(asked, reply)


def _read(file: IO[bytes]) -> Iterator[bytes | None]:
    """Lines that are not blank; None for one that is too long, of which nothing is kept."""
    while line := file.readline(MOST + 1):
        if len(line) > MOST:
            while line and not line.endswith(b"\n"):
                line = file.readline(MOST)
            yield None
        elif line.strip():
            yield line


def _address(parser: argparse.ArgumentParser, text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 65535:
        parser.error(f"--http: want HOST:PORT or :PORT, not {text}")
    return host.strip("[]") or "127.0.0.1", int(port)


def _http(parser: argparse.ArgumentParser, service: Service, address: tuple[str, int], references: pathlib.Path | None) -> None:
    try:
        server = _Server(address, service, references)
    except OSError as error:
        parser.error(f"--http: {address[0]}:{address[1]}: {error}")
    with server:
        at = server.server_address
        print(f"http://{at[0]!s}:{at[1]}", file=sys.stderr, flush=True)
        server.serve_forever()


class _Server(http.server.ThreadingHTTPServer):
    """A thread for each connection; the service bounds how many requests wait."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], service: Service, references: pathlib.Path | None) -> None:
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self.service, self.references = service, references
        super().__init__(address, _Handler)


class _Handler(http.server.BaseHTTPRequestHandler):
    """POST / with a request gives its answer; GET /health and /schema."""

    server: _Server
    server_version, timeout = "ptxvm", 30

    def do_GET(self) -> None:
        if self.path == "/health":
            service = self.server.service
            self._send(200, {"parents": len(service.parents), "waiting": service.waiting, "answered": service.answered})
        elif self.path == "/schema":
            self._send(200, schema())
        else:
            self._send(404, {"error": "want POST /, GET /health or GET /schema"})

    def do_POST(self) -> None:
        try:
            asked = request(self._body(), self.server.references, paths=False)
        except BadRequest as error:
            self._send(400, refusal(error))
            return
        answers: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        if not self.server.service.submit(asked, answers.put, block=False):
            self._send(503, {"id": asked.id, "error": "too many requests wait; try again"})
            return
        answer = answers.get()
        self._send(422 if "error" in answer else 200, answer)

    def _body(self) -> bytes:
        """What was posted. A page of a browser cannot post this type to another host than its own without asking, and is not answered."""
        if self.path != "/":
            raise BadRequest("want POST /")
        if self.headers.get_content_type() != "application/json":
            raise BadRequest("want Content-Type: application/json")
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > MOST:
            raise BadRequest(f"want Content-Length, at most {MOST}")
        return self.rfile.read(int(length))

    def _send(self, status: int, answer: dict[str, Any]) -> None:
        body = json.dumps(answer).encode() + b"\n"
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:
            self.close_connection = True  # nobody reads

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the answers say it."""
