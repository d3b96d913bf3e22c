package rosetta_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/coinbase/rosetta-sdk-go/types"

	"strata/domain/clarity"
	"strata/domain/transaction"
	"strata/domain/transaction/key"
	"strata/internal/testkit/replay"
	"strata/readapi/rosetta"
)

// BenchmarkBlock reads a block of 2,000 token transfers.
func BenchmarkBlock(b *testing.B) {
	const transfers = 2000
	log := replay.NewLog(b)
	first := newBlock{name: "1", parent: "none", height: 1, burnHeight: 101}
	second := newBlock{name: "2", parent: "1", height: 2, burnHeight: 102}
	for i := range transfers {
		k := key.FromSeed(fmt.Appendf(nil, "payer %d", i))
		tx, err := draft(0, 180).TokenTransfer(clarity.Principal{Address: bob.Address(false)}, 5, "memo")
		if err == nil {
			tx.Origin.Signer = k.Public().Hash160()
			tx.Origin.Signature[1] = 1 // nobody verifies it here
		}
		if err != nil {
			b.Fatal(err)
		}
		second.transactions = append(second.transactions, mined{raw: tx.Encode(), events: []event{moved(address(k), address(bob), 5)}})
	}
	fold(b, log, first.post(b), second.post(b))
	for _, prefix := range []string{rosetta.MeshPath, rosetta.LegacyPath} {
		b.Run(prefix[1:5], func(b *testing.B) {
			s := newSite(b, log, "testnet", prefix, rosetta.Config{})
			if got := len(ask[types.BlockResponse](s, "/block", at(2)).Block.Transactions); got != transfers {
				b.Fatalf("got %d transactions", got)
			}
			for b.Loop() { // without decoding, which is the client's time
				if status, body := s.post("/block", at(2)); status != http.StatusOK {
					b.Fatalf("got %d %s", status, body)
				}
			}
		})
	}
}

// BenchmarkBalance reads balances at random blocks of an account with a long ledger, of 1,000,000 changes of 10,000
// accounts.
func BenchmarkBalance(b *testing.B) {
	log := replay.NewLog(b)
	fold(b, log, newBlock{name: "1", parent: "none", height: 1, burnHeight: 101, transactions: []mined{{raw: bootBytes(b)}}}.post(b))
	for _, query := range []string{
		`INSERT INTO balances_v3.block (height, source_seq, burn_block_height, index_block_hash, block_hash)
		 SELECT h, 1, 101 + h, sha256(h::text::bytea), sha256(('b' || h)::bytea) FROM generate_series(2, 100000) h`,
		`INSERT INTO balances_v3.ledger (n, height, source_seq, tx_index, delta, balance, sent, received, fees, rewards, account, asset, cause, pointer)
		 SELECT n, n * 1000, 1, 0, 1, n, 0, n, 0, 0, 'ST' || a, 'stx', 'stx_transfer_event', '/events/0' FROM generate_series(1, 100) n, generate_series(1, 10000) a`,
		`ANALYZE balances_v3.ledger`, `ANALYZE balances_v3.block`,
	} {
		if _, err := log.Pool().Exec(context.Background(), query); err != nil {
			b.Fatal(err)
		}
	}
	s := newSite(b, log, "testnet", rosetta.MeshPath, rosetta.Config{})
	i := int64(0)
	for b.Loop() {
		i++
		request := at(1 + i*7919%99_999)
		request["account_identifier"] = map[string]any{"address": address(bob)}
		ask[types.AccountBalanceResponse](s, "/account/balance", request)
	}
}

func bootBytes(b *testing.B) []byte {
	b.Helper()
	tx, err := transaction.Draft{Network: transaction.Testnet}.TokenTransfer(addressOf(alice), 0, "")
	if err != nil {
		b.Fatal(err)
	}
	return tx.Encode()
}
