import re
import threading
from collections import OrderedDict

import httpx

from .generated.client import Client

POSITION = "Strata-Position"
ANSWERS_KEPT = 256
ANSWER_MAX = 1 << 20  # bytes


class Session(httpx.BaseTransport):
    """Sends requests, and remembers answers: it asks with the ETag of the last answer, so that the server sends a body
    only when it has changed. It is safe for use by several threads."""

    def __init__(self, transport: httpx.BaseTransport | None = None):
        self._transport = transport or httpx.HTTPTransport()
        self._lock = threading.Lock()
        self._position = ""
        self._answers: OrderedDict[str, tuple[str, httpx.Headers, bytes]] = OrderedDict()  # the one used last is at the end

    def reflect(self, position: str) -> None:
        """Lets every later answer from the tables reflect at least a position: the Strata-Position of another answer, or
        of an event of a stream. A position that is no later than the one before changes nothing."""
        with self._lock:
            if log_position(position) > log_position(self._position):
                self._position = position

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        url, known = str(request.url), None
        with self._lock:
            if self._position and POSITION not in request.headers:
                request.headers[POSITION] = self._position
            if request.method == "GET" and "If-None-Match" not in request.headers and url in self._answers:
                known = self._answers[url]
                self._answers.move_to_end(url)
                request.headers["If-None-Match"] = known[0]
        response = self._transport.handle_request(request)
        if known and response.status_code == 304:
            response.close()
            headers = httpx.Headers(known[1])
            headers.update(response.headers)
            return httpx.Response(200, headers=headers, content=known[2], request=request)
        tag = response.headers.get("ETag", "")
        if request.method != "GET" or response.status_code != 200 or not tag.startswith('"'):
            return response
        response.request = request
        body = response.read()
        headers = httpx.Headers([(k, v) for k, v in response.headers.items() if k not in ("content-encoding", "content-length", "transfer-encoding")])
        response.close()
        if len(body) <= ANSWER_MAX:
            with self._lock:
                self._answers[url] = (tag, headers, body)
                self._answers.move_to_end(url)
                if len(self._answers) > ANSWERS_KEPT:
                    self._answers.popitem(last=False)
        return httpx.Response(200, headers=headers, content=body, request=request)

    def close(self) -> None:
        self._transport.close()


def connect(base_url: str, session: Session | None = None) -> Client:
    """Returns a client of the server at a URL, such as http://127.0.0.1:3999. Its requests go through the session."""
    return Client(base_url=base_url, httpx_args={"transport": session or Session()}, timeout=httpx.Timeout(30))


def log_position(position: str) -> int:
    """Returns the number of events in a position; -1 when it has none."""
    digits = re.match(r"(?:log=)?([0-9]+)", position)
    return int(digits[1]) if digits else -1
