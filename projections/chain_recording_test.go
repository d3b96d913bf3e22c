package projections_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"strata/internal/testkit/must"
	"strata/projections/balances"
	"strata/rig"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// expectation is what another implementation made of a recording.
type expectation struct {
	Tip struct {
		Height         int64  `json:"height"`
		IndexBlockHash string `json:"index_block_hash"`
		BlockHash      string `json:"block_hash"`
	} `json:"tip"`
	ChainBlocks int64             `json:"chain_blocks"`
	FirstHeight int64             `json:"first_height"`
	AllBlocks   int64             `json:"all_blocks"`
	Txs         int64             `json:"txs"`
	Events      int64             `json:"events"`
	Fees        string            `json:"fees"`
	STX         map[string]string `json:"stx"`
	Nonce       map[string]string `json:"nonce"`
}

func TestRecordings(t *testing.T) {
	t.Parallel()
	data := replay.SharedData(t)
	files := must.Get(filepath.Glob(filepath.Join(data, "expected", "*.json")))(t)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := must.Get(os.ReadFile(file))(t)
			var want expectation
			must.Do(t, json.Unmarshal(text, &want))
			log := replay.NewLog(t)
			replay.Append(t, log, replay.Recording(t, name+".tsv.gz")...)
			replay.Run(t, log, rig.Chain(t), balances.New(nil))

			var got expectation
			must.Do(t, log.Pool().QueryRow(t.Context(), schemas.In(`
				SELECT b.height, '0x' || encode(b.index_block_hash, 'hex'), '0x' || encode(b.block_hash, 'hex'),
				       (SELECT count(*) FROM {chain}.canonical), (SELECT min(height) FROM {chain}.canonical),
				       (SELECT count(*) FROM {chain}.block)
				FROM {chain}.canonical c JOIN {chain}.block b ON b.source_seq = c.block_seq
				ORDER BY c.height DESC LIMIT 1`)).
				Scan(&got.Tip.Height, &got.Tip.IndexBlockHash, &got.Tip.BlockHash, &got.ChainBlocks, &got.FirstHeight, &got.AllBlocks))
			must.Do(t, log.Pool().QueryRow(t.Context(), schemas.In(`
				SELECT count(*), coalesce(sum(t.fee), 0)::text, coalesce(sum(t.event_count), 0)
				FROM {chain}.canonical c JOIN {chain}.transaction t ON t.source_seq = c.block_seq`)).
				Scan(&got.Txs, &got.Fees, &got.Events))
			if got.Tip != want.Tip {
				t.Errorf("tip: got %+v, want %+v", got.Tip, want.Tip)
			}
			for _, n := range []struct {
				name      string
				got, want any
			}{
				{"canonical blocks", got.ChainBlocks, want.ChainBlocks},
				{"first height", got.FirstHeight, want.FirstHeight},
				{"blocks", got.AllBlocks, want.AllBlocks},
				{"transactions", got.Txs, want.Txs},
				{"events", got.Events, want.Events},
				{"fees", got.Fees, want.Fees},
			} {
				if n.got != n.want {
					t.Errorf("%s: got %v, want %v", n.name, n.got, n.want)
				}
			}
			rig.Compare(t, "STX balance", want.STX, rig.Pairs(t, log.Pool(), schemas.In(`
				SELECT account, balance::text FROM {balances}.holding WHERE asset = 'stx' AND balance <> 0`)))
			// The other implementation ignored the nonces of tenure changes (7) and Nakamoto coinbases (8). A node
			// counts them like all others: they are consecutive with the rest. Check both ways of counting.
			rig.Compare(t, "next nonce without tenures", want.Nonce, rig.Pairs(t, log.Pool(), fmt.Sprintf(nextNonceSQL, `AND type_id NOT IN (7, 8)`)))
			rig.Compare(t, "next nonce", rig.Pairs(t, log.Pool(), fmt.Sprintf(nextNonceSQL, ``)), rig.Pairs(t, log.Pool(), schemas.In(`
				SELECT DISTINCT ON (account) account, next_nonce::text FROM {balances}.nonce ORDER BY account, height DESC`)))

			rig.Compare(t, "quarantine", foreignIn[name], rig.Pairs(t, log.Pool(), `SELECT seq::text, pointer FROM strata.quarantine`))
		})
	}
}

// foreignIn are events of another network by recordings: microblocks of mainnet were posted beside the blocks of mocknet.
var foreignIn = map[string]map[string]string{"mocknet": {"29": "/transactions/0/raw_tx"}}

// nextNonceSQL counts nonces from the canonical transactions. Nobody signed the boot transactions, so they have none.
var nextNonceSQL = schemas.In(`
	SELECT account, (max(u.nonce) + 1)::text
	FROM {chain}.canonical c JOIN {chain}.transaction t ON t.source_seq = c.block_seq
	CROSS JOIN LATERAL (VALUES (t.sender, t.nonce), (t.sponsor, t.sponsor_nonce)) u (account, nonce)
	WHERE u.nonce IS NOT NULL AND account NOT LIKE '%%000000000000000000002%%' %s
	GROUP BY account`)
