import json
from collections.abc import Iterator
from typing import Any

from .generated.client import Client
from .refusal import Refusal


def pages(operation: Any, *path: Any, client: Client, **query: Any) -> Iterator[Any]:
    """Goes through the pages of a list, from the first that is asked for to the last. operation is the module of the
    operation, such as generated.api.blocks.list_blocks_v3. It follows the cursors of lists that have them, and counts rows
    in others."""
    while True:
        answer = operation.sync_detailed(*path, client=client, **query)
        if answer.status_code != 200:
            raise Refusal(answer.status_code, answer.content, answer.headers.get("Retry-After"))
        yield answer.parsed
        place = _after(json.loads(answer.content), "cursor" in query)
        if place is None:
            return
        if "cursor" in place:
            query.pop("offset", None)  # the first page skipped these rows
        query |= place


def rows(operation: Any, *path: Any, client: Client, **query: Any) -> Iterator[Any]:
    """Goes through the rows of a list whose pages have them in the member results."""
    for page in pages(operation, *path, client=client, **query):
        yield from page.results


def _after(page: dict[str, Any], at_cursor: bool) -> dict[str, Any] | None:
    """Returns where the next page begins; None after the last. Lists of blocks and accounts call the page of older rows the
    previous one."""
    if isinstance(page.get("cursor"), dict):
        return _following(page["cursor"].get("next"))
    for name in ("prev_cursor", "next_cursor"):
        if name in page:
            return _following(page[name])
    if at_cursor:
        return None  # the last page of such a list has no cursor
    count = next((len(member) for member in page.values() if isinstance(member, list)), 0)
    offset = (page.get("offset") or 0) + count
    return {"offset": offset} if count and ("total" not in page or offset < page["total"]) else None


def _following(cursor: str | None) -> dict[str, Any] | None:
    return {"cursor": cursor} if cursor else None
