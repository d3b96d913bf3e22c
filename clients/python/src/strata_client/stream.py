import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx

from .generated.client import Client
from .refusal import Refusal

SILENCE_MAX = 60.0  # seconds; the server sends a comment every 15
PAUSE_MIN = 2.0
PAUSE_MAX = 30.0


@dataclass(frozen=True)
class Event:
    """An event of a stream. position is where a stream resumes that has seen it."""

    position: str
    name: str
    data: Any


def follow(client: Client, path: str, start: str = "", stop: threading.Event | None = None, **query: str) -> Iterator[Event]:
    """Follows a stream, such as /stream/v1/blocks, from a position, or from now. It connects again whenever a connection
    breaks, and resumes after the last event, so that no event is missed. It ends once stop is set, at the next thing that
    the server sends, and raises Refusal when the server refuses the request."""
    stop = stop or threading.Event()
    position, retry, pause = start, PAUSE_MIN, PAUSE_MIN
    http = client.get_httpx_client()
    while not stop.is_set():
        headers = {"Accept": "text/event-stream"} | ({"Last-Event-ID": position} if position else {})
        try:
            with http.stream("GET", path, params=query, headers=headers, timeout=httpx.Timeout(30, read=SILENCE_MAX)) as answer:
                if answer.status_code != 200:
                    raise Refusal(answer.status_code, answer.read(), answer.headers.get("Retry-After"))
                identity, name, data = "", "", []
                for line in answer.iter_lines():
                    if stop.is_set():
                        return
                    pause = retry
                    if not line:
                        # The position is kept once the event was handled.
                        if name and name != "end":
                            yield Event(identity or position, name, json.loads("\n".join(data)))
                        position = identity or position
                        identity, name, data = "", "", []
                        continue
                    field, _, value = line.partition(":")
                    value = value.removeprefix(" ")
                    if field == "id":
                        identity = value
                    elif field == "event":
                        name = value
                    elif field == "data":
                        data.append(value)
                    elif field == "retry" and value.isdigit():
                        pause = retry = min(int(value) / 1000, PAUSE_MAX)
        except Refusal as refusal:
            if refusal.status < 500 and refusal.status != 429:
                raise
            pause = min(refusal.retry_after or pause, PAUSE_MAX)
        except httpx.TransportError:
            pass
        stop.wait(pause)
        pause = min(2 * pause, PAUSE_MAX)
