import threading
from dataclasses import dataclass

from .generated.api.mempool import list_mempool_v3
from .generated.client import Client
from .refusal import Refusal
from .session import POSITION, Session, log_position
from .stream import follow


@dataclass(frozen=True)
class Broadcasted:
    """A transaction that reads show. tx_id begins with 0x; position is one at which reads know the transaction, as pending
    or mined."""

    tx_id: str
    position: str


def broadcast(client: Client, session: Session, transaction: bytes, stop: threading.Event | None = None) -> Broadcasted:
    """Sends a transaction to the node, as SIP-005 encodes it, and waits until the server's tables know it. Every later
    answer to the session reflects that, whichever process or replica gives it."""
    before = _position(client)
    answer = client.get_httpx_client().post("/v2/transactions", content=transaction, headers={"Content-Type": "application/octet-stream"})
    if answer.status_code != 200:
        raise Refusal(answer.status_code, answer.content, answer.headers.get("Retry-After"))
    tx_id = "0x" + answer.json().removeprefix("0x")
    for event in follow(client, "/stream/v1/mempool", before, stop):
        if event.data.get("tx_id") == tx_id:
            reached = max(_position(client), event.position, key=log_position)  # the event may stand before the position that it leads to
            session.reflect(reached)
            return Broadcasted(tx_id, reached)
    raise TimeoutError(f"nobody waits any longer for transaction {tx_id}")


def _position(client: Client) -> str:
    answer = list_mempool_v3.sync_detailed(client=client, limit=1)
    position = answer.headers.get(POSITION)
    if answer.status_code != 200 or not position:
        raise Refusal(answer.status_code, answer.content, answer.headers.get("Retry-After"))
    return position
