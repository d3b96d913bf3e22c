import os
import threading
import unittest

import httpx

from strata_client import Refusal, Session, broadcast, check_proof, connect, fetch_proof, follow, pages, rows
from strata_client.generated.api.blocks import get_block, list_blocks, list_blocks_v3
from strata_client.generated.api.transactions import get_transaction_v3, list_block_transactions, list_transactions_by_block_height

URL = os.environ.get("STRATA_URL", "")


class Breaking(httpx.BaseTransport):
    """Breaks the first answer off after some bytes, and counts the answers."""

    def __init__(self):
        self.transport, self.statuses = httpx.HTTPTransport(), []

    def handle_request(self, request):
        response = self.transport.handle_request(request)
        self.statuses.append(response.status_code)
        if len(self.statuses) == 1 and "event-stream" in response.headers.get("Content-Type", ""):
            response.stream = Cut(response.stream)
        return response


class Cut(httpx.SyncByteStream):
    def __init__(self, stream):
        self.stream, self.left = stream, 6000

    def __iter__(self):
        for chunk in self.stream:
            yield chunk[: self.left]
            self.left -= len(chunk)
            if self.left <= 0:
                raise httpx.ReadError("broken off")

    def close(self):
        self.stream.close()


@unittest.skipUnless(URL, "STRATA_URL names no server")
class Test(unittest.TestCase):
    """Runs on the server that the environment names. Strata's own tests start one; see docs/clients.md."""

    def setUp(self):
        self.stop = threading.Event()
        late = threading.Timer(15, self.stop.set)
        late.daemon = True
        late.start()
        self.addCleanup(late.cancel)

    def test_rows(self):
        """Each of the ways to page leads to every row once."""
        client = connect(URL)
        heights = [block.height for block in rows(list_blocks_v3, client=client, limit=3)]
        again = [block.height for block in rows(list_blocks, client=client, limit=3)]
        self.assertGreaterEqual(len(heights), 10)
        self.assertEqual(heights, [heights[0] - i for i in range(len(heights))])
        self.assertEqual(again, heights)
        all_pages = list(pages(list_transactions_by_block_height, heights[1], client=client, limit=1))
        self.assertEqual(sum(len(page.results) for page in all_pages), all_pages[-1].total)

    def test_follow(self):
        """A stream that is broken off is resumed, and no block is missed."""
        breaking = Breaking()
        chain = {}
        for event in follow(connect(URL, Session(breaking)), "/stream/v1/blocks", "log=0", self.stop):
            self.assertTrue(event.position.startswith("log="))
            if event.name != "block":
                continue
            height = event.data["height"]
            self.assertTrue(not chain or height - 1 in chain, f"block {height} came after a gap")
            chain[height] = event.data["index_block_hash"]
            if height >= 12 and len(breaking.statuses) > 1:
                break
        self.assertGreaterEqual(len(chain), 10)
        self.assertGreater(len(breaking.statuses), 1)

    def test_session(self):
        """What has not changed is not sent again."""
        transport = Breaking()
        client = connect(URL, Session(transport))
        first, second = (get_block.sync_detailed("2", client=client) for _ in range(2))
        self.assertEqual(transport.statuses, [200, 304])
        self.assertEqual(first.parsed.height, 2)
        self.assertEqual(second.parsed, first.parsed)

    def test_broadcast(self):
        """What was broadcast is found by whoever reads after it."""
        session = Session()
        client = connect(URL, session)
        sent = broadcast(client, session, bytes.fromhex(os.environ["STRATA_TRANSACTION_PYTHON"]), self.stop)
        read = get_transaction_v3.sync(sent.tx_id, client=client)
        self.assertEqual((read.tx_id, str(getattr(read.status, "value", read.status))), (sent.tx_id, "pending"))

    def test_proof(self):
        """A proof is checked with the key alone, and whatever is changed in it is refused."""
        key, file = os.environ["STRATA_LOG_KEY"], fetch_proof(connect(URL), 7)
        proven = check_proof(file, key)
        self.assertEqual(proven.seq, 7)
        self.assertTrue(proven.path.startswith(("/new_", "strata:")))
        for i in range(0, len(file), 7):
            other = chr(ord(file[i]) ^ 1)
            if "\n" in (file[i], other):
                continue
            try:
                got = check_proof(file[:i] + other + file[i + 1 :], key)
            except ValueError:
                continue
            self.assertEqual(got, proven, f"byte {i} is changed")

    def test_refusal(self):
        """A refusal says what the server said."""
        with self.assertRaises(Refusal) as caught:
            next(rows(list_block_transactions, "newest", client=connect(URL)))
        self.assertEqual(caught.exception.status, 400)
        self.assertIn("height_or_hash", caught.exception.said)


if __name__ == "__main__":
    unittest.main()
