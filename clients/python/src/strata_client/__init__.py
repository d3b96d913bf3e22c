"""Reads the API of a Strata server.

The operations are generated from the description of the API: strata_client.generated.api has a module for each, such
as generated.api.blocks.list_blocks_v3. The rest does what a description can't say.
"""

from .broadcast import Broadcasted, broadcast
from .pages import pages, rows
from .proof import Proven, check_proof, fetch_proof
from .refusal import Refusal
from .session import Session, connect
from .stream import Event, follow

__all__ = [
    "Broadcasted", "Event", "Proven", "Refusal", "Session", "broadcast", "check_proof", "connect", "fetch_proof", "follow", "pages", "rows",
]
