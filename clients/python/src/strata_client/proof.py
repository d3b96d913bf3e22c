import base64
import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from .generated.api.audit import get_log_inclusion_proof
from .generated.client import Client
from .refusal import Refusal

HEADER = "c2sp.org/tlog-proof@v1"


@dataclass(frozen=True)
class Proven:
    """An event that a proof shows to be in the log. log_size is the number of events that the checkpoint covers."""

    seq: int
    received_at: datetime
    body_size: int
    body_sha256: bytes
    source: str
    path: str
    content_type: str
    origin: str
    log_size: int


def fetch_proof(client: Client, seq: int) -> str:
    """Fetches the proof that an event is in the log, in the format of https://c2sp.org/tlog-proof. It proves something only
    once check_proof has checked it."""
    answer = get_log_inclusion_proof.sync_detailed(client=client, seq=seq)
    if answer.status_code != 200:
        raise Refusal(answer.status_code, answer.content, answer.headers.get("Retry-After"))
    p = answer.parsed
    hashes = "".join(f"{h}\n" for h in p.hashes)
    return f"{HEADER}\nextra {p.leaf}\nindex {p.index}\n{hashes}\n{p.checkpoint or ''}"


def check_proof(file: str, key: str) -> Proven:
    """Checks a proof, without the server: that key, the verifier key of the log, has signed its checkpoint, and that the tree
    of the checkpoint has the event at its place. It raises ValueError when the file proves nothing. Get the key from the
    operator by another way than the proof."""
    head, found, note = file.partition("\n\n")
    header, *lines = head.split("\n")
    if not found or header != HEADER or len(lines) < 2 or not lines[0].startswith("extra ") or not lines[1].startswith("index "):
        raise ValueError("the file is no proof with a leaf record")
    leaf, index = _bytes(lines[0][6:]), _whole(lines[1][6:])
    size, root = _open_checkpoint(note, key)
    proven = _parse_leaf(leaf, size)
    if proven.seq != index + 1:
        raise ValueError(f"the record is that of event {proven.seq}, and the proof that of event {index + 1}")
    if index >= size:
        raise ValueError(f"event {proven.seq} is not among the {size} events of the checkpoint")
    if _root(hashlib.sha256(b"\0" + leaf).digest(), index, size, [_bytes(line) for line in lines[2:]]) != root:
        raise ValueError(f"event {proven.seq} is not in the tree of the checkpoint")
    return proven


def _open_checkpoint(note: str, key: str) -> tuple[int, bytes]:
    """Reads a signed note (https://c2sp.org/signed-note) that holds a checkpoint."""
    name, key_id, encoded = (key.strip().split("+", 2) + ["", ""])[:3]
    material = _bytes(encoded)
    if len(material) != 33 or material[0] != 1:
        raise ValueError("the verifier key is not one of Ed25519")
    identity = hashlib.sha256(name.encode() + b"\n" + material).digest()[:4]
    if identity.hex() != key_id:
        raise ValueError("the verifier key is damaged")
    text, found, signatures = note.rpartition("\n\n")
    if not found:
        raise ValueError("the checkpoint has no signature")
    text += "\n"
    signed = False
    for line in signatures.split("\n"):
        dash, _, rest = line.partition(" ")
        by, _, signature = rest.partition(" ")
        if dash != "—" or by != name:
            continue
        raw = _bytes(signature)
        if len(raw) != 4 + 64 or raw[:4] != identity:
            continue
        try:
            Ed25519PublicKey.from_public_bytes(material[1:]).verify(raw[4:], text.encode())
        except InvalidSignature:
            raise ValueError("the signature of the checkpoint is wrong") from None
        signed = True
    if not signed:
        raise ValueError("the checkpoint is not signed with this key")
    origin, size, root = (text.split("\n") + ["", ""])[:3]
    if origin != name:
        raise ValueError(f"the checkpoint is of the log {origin}, and the key of {name}")
    return _whole(size), _bytes(root)


def _root(digest: bytes, index: int, size: int, path: list[bytes]) -> bytes:
    """Returns the root that an audit path leads to: RFC 9162, section 2.1.3.2."""
    node, last = index, size - 1
    for sibling in path:
        if len(sibling) != 32 or last == 0:
            raise ValueError("the proof has too many hashes, or one that does not have 32 bytes")
        if node & 1 or node == last:
            digest = hashlib.sha256(b"\1" + sibling + digest).digest()
            while node and not node & 1:
                node, last = node >> 1, last >> 1
        else:
            digest = hashlib.sha256(b"\1" + digest + sibling).digest()
        node, last = node >> 1, last >> 1
    if last:
        raise ValueError("the proof has too few hashes")
    return digest


def _parse_leaf(leaf: bytes, size: int) -> Proven:
    """Reads a leaf record; the server's docs/log-format.md describes it."""
    fixed = 57
    if len(leaf) < fixed or leaf[0] != 1:
        raise ValueError("the leaf record is cut off, or of another version")
    texts, at = [], fixed
    for _ in range(4):
        end = at + 4 + int.from_bytes(leaf[at : at + 4])
        if at + 4 > len(leaf) or end > len(leaf):
            raise ValueError("the leaf record is cut off")
        texts.append(leaf[at + 4 : end].decode(errors="replace"))
        at = end
    if at != len(leaf):
        raise ValueError("something follows the leaf record")
    number = [int.from_bytes(leaf[i : i + 8], signed=True) for i in (1, 9, 17)]
    received = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=number[1])
    return Proven(number[0], received, number[2], leaf[25:fixed], *texts, size)


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit() and (text == "0" or text[0] != "0") and len(text) < 20):
        raise ValueError(f"{text!r} is no number")
    return int(text)


def _bytes(text: str) -> bytes:
    return base64.b64decode(text, validate=True)
