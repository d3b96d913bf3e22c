package apitest

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"strata/domain/c32"
	"strata/domain/hash"
	"strata/readapi"
)

// world is a small archive: blocks 10 to 60, of which the last three are Nakamoto blocks, and a few accounts.
//
//   - Each block h came with event h+100 of the log; canonical since that event.
//   - alice received 1000 in block 10, sent 300 and paid 5 in block 20, locked 400 in block 30 until Bitcoin block 250;
//     she has 70 of coin since block 20 (received 100, sent 30), none of old any more, and one nft of two.
//   - carol's lock is of pox-1, which ends at Bitcoin block 150.
const (
	FirstHeight = 10
	LastHeight  = 60
)

var (
	Alice = Account(1)
	Bob   = Account(2)
	Carol = Account(3)
	Coin  = Alice + ".coin::coin"
	Old   = Alice + ".old::old"
	Art   = Alice + ".art::art"
)

func Account(n byte) string {
	return c32.Address{Version: c32.MainnetSingle, Hash160: [20]byte{19: n}}.String()
}

// id is a hash that shows what it is of.
func ID(kind byte, n int) hash.Hash32 {
	return hash.Hash32{0: kind, 30: byte(n >> 8), 31: byte(n)}
}

const (
	IndexHash = 0x1b
	BlockHash = 0xb1
	BurnHash  = 0xbb
	TxHash    = 0x77
)

func NewWorld(t testing.TB) *Site {
	t.Helper()
	return NewSiteOn(t, Worlds.New(t), readapi.Config{})
}

// worlds are databases with that archive.
var Worlds = filled("world", func(s *Site) {
	s.Projection("chain", "log")
	s.Projection("balances", "chain_v1")
	for h := FirstHeight; h <= LastHeight; h++ {
		s.Block(h)
	}
	s.Tip(LastHeight)
	s.accounts()
	s.events()
})

func (s *Site) Block(h int) {
	s.T.Helper()
	nakamoto := h > LastHeight-3
	var blockTime, tenure any
	if nakamoto {
		blockTime = 1_700_000_000 + int64(h)*600 + 7
		if h == LastHeight {
			tenure = int64(h - 1)
		}
	}
	s.Exec(`
		INSERT INTO chain_v1.block (source_seq, height, size, burn_block_height, burn_block_time, block_time, tenure_height,
			execution_cost_read_count, execution_cost_read_length, execution_cost_runtime, execution_cost_write_count, execution_cost_write_length,
			tx_count, event_count, parent_microblock_sequence, attached, nakamoto,
			index_block_hash, parent_index_block_hash, block_hash, parent_block_hash, burn_block_hash, miner_txid, parent_microblock_hash)
		VALUES ($1, $2, 1000, $3, $4, $5, $6, 1, 2, 3, 4, 5, 2, 3, 0, true, $7, $8, $9, $10, $11, $12, $13, $14)`,
		h+100, h, h+100, 1_700_000_000+int64(h)*600, blockTime, tenure, nakamoto,
		ID(IndexHash, h), ID(IndexHash, h-1), ID(BlockHash, h), ID(BlockHash, h-1), ID(BurnHash, h), ID(TxHash, h), hash.Hash32{})
	s.Exec(`INSERT INTO chain_v1.canonical VALUES ($1, $2, $2)`, h, h+100)
	s.Exec(`INSERT INTO chain_v1.step (step, height, block_seq, block_size, source_seq, kind, index_block_hash) VALUES ($1, $2, $3, 1000, $3, 1, $4)`, max(h-FirstHeight+1, 1), h, h+100, ID(IndexHash, h))
	s.Exec(`INSERT INTO balances_v1.block (height, source_seq, burn_block_height, pox_v1_unlock_height, index_block_hash, block_hash)
		VALUES ($1, $2, $3, 150, $4, $5)`, h, h+100, h+100, ID(IndexHash, h), ID(BlockHash, h))
}

func (s *Site) Tip(h int) {
	s.T.Helper()
	for name, position := range map[string]int{"chain": h + 100, "balances": max(h-FirstHeight+1, 1)} {
		s.Exec(`UPDATE strata.projection SET position = $2, changes_to = $2, log_seq = $3, block_height = $4, index_block_hash = $5, block_hash = $6, burn_block_height = $7
			WHERE name = $1`, name, position, h+100, h, ID(IndexHash, h), ID(BlockHash, h), h+100)
	}
}

// change adds a row to the ledger and makes it what the account holds.
func (s *Site) Change(n, height int, account, asset, kind string, delta, balance, sent, received, fees, rewards int) {
	s.T.Helper()
	s.Exec(`INSERT INTO balances_v1.holding (n, height, source_seq, id, balance, sent, received, fees, rewards, account, asset, kind)
		VALUES ($1, $2, $3, (SELECT count(*) + 1 FROM balances_v1.holding), $4, $5, $6, $7, $8, $9, $10, $11)
		ON CONFLICT (account, asset) DO UPDATE SET n = $1, height = $2, source_seq = $3, balance = $4, sent = $5, received = $6, fees = $7, rewards = $8`,
		n, height, height+100, balance, sent, received, fees, rewards, account, asset, kind)
	s.Exec(`INSERT INTO balances_v1.entry (height, source_seq, holding, n, tx_index, pointer, cause, delta, balance, received, fees, rewards)
		SELECT $2, $3, id, $1, 0, 0, 1, $4, $5, $6, $7, $8 FROM balances_v1.holding WHERE account = $9 AND asset = $10`,
		n, height, height+100, delta, balance, received, fees, rewards, account, asset)
}

func (s *Site) Lock(height, unlock, version, amount int, account string) {
	s.T.Helper()
	s.Exec(`INSERT INTO balances_v1.stx_lock (height, source_seq, unlock_height, position, tx_index, pox_version, amount, account, cause, pointer, txid)
		VALUES ($1, $2, $3, 0, 0, $4, $5, $6, 'stx_lock_event', '/events/1', $7)`,
		height, height+100, unlock, version, amount, account, ID(TxHash, height))
}

func (s *Site) accounts() {
	s.Change(1, 10, Alice, "stx", "stx", 1000, 1000, 0, 1000, 0, 0)
	s.Change(2, 20, Alice, "stx", "stx", -300, 700, 300, 1000, 0, 0)
	s.Change(3, 20, Alice, "stx", "stx", -5, 695, 300, 1000, 5, 0)
	s.Change(4, 40, Alice, "stx", "stx", 50, 745, 300, 1000, 5, 50)
	s.Change(1, 20, Alice, Coin, "ft", 100, 100, 0, 100, 0, 0)
	s.Change(2, 25, Alice, Coin, "ft", -30, 70, 30, 100, 0, 0)
	s.Change(1, 15, Alice, Old, "ft", 9, 9, 0, 9, 0, 0)
	s.Change(2, 50, Alice, Old, "ft", -9, 0, 9, 9, 0, 0)
	s.Change(1, 15, Alice, Art, "nft", 1, 1, 0, 1, 0, 0)
	s.Change(2, 15, Alice, Art, "nft", 1, 2, 0, 2, 0, 0)
	s.Change(3, 45, Alice, Art, "nft", -1, 1, 1, 2, 0, 0)
	s.Lock(30, 250, 4, 400, Alice)
	s.Change(1, 20, Bob, "stx", "stx", 300, 300, 0, 300, 0, 0)
	s.Lock(21, 140, 4, 100, Bob)
	s.Change(1, 12, Carol, "stx", "stx", 300, 300, 0, 300, 0, 0)
	s.Lock(22, 300, 1, 200, Carol)
	s.Exec(`INSERT INTO balances_v1.negative_balance VALUES (20, 120, -5, $1, 'stx', 'fee', '/transactions/0'), (30, 130, -7, $1, 'stx', 'fee', '/transactions/1'), (15, 115, -1, $2, $3, 'ft_burn_event', '/events/4')`,
		Bob, Alice, Coin)
}

// events fills the log up to 160. Event 3 repeats event 2, event 4 is binary, event 5 is large.
func (s *Site) events() {
	s.T.Helper()
	for seq := 1; seq <= LastHeight+100; seq++ {
		body, contentType := fmt.Appendf(nil, `{"n":%d,"text":"<a>\u0000"}`, seq), "application/json"
		var bodySeq any
		switch seq {
		case 3:
			body, bodySeq = fmt.Appendf(nil, `{"n":%d,"text":"<a>\u0000"}`, 2), 2
		case 4:
			body, contentType = []byte{0, 1, 2, 0xff}, "text/html"
		case 5:
			body = LargeBody()
		}
		digest := sha256.Sum256(body)
		stored := body
		if bodySeq != nil {
			stored = nil
		}
		s.Exec(`INSERT INTO log.event (seq, received_at, size, body_seq, sha256, source, path, content_type, origin, body)
			VALUES ($1::bigint, timestamptz '2024-01-02 03:04:05.123456+00' + $1::bigint * interval '1 s', $2, $3, $4, 'observer:test', '/new_block', $5, NULL, $6)`,
			seq, len(body), bodySeq, digest[:], contentType, stored)
	}
	s.Exec(`UPDATE log.head SET size = $1`, LastHeight+100)
}

func LargeBody() []byte {
	body := make([]byte, 9<<20+17)
	for i := range body {
		body[i] = byte(i*i>>7) ^ byte(i)
	}
	return body
}
