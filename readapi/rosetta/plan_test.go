package rosetta_test

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"

	"strata/projections/balances"
	"strata/readapi/rosetta"
	"strata/rig/apitest"
)

// TestPlans checks that a balance costs the same at any block, however many changes the account has had, with a plan for
// the request's values as with one for any.
func TestPlans(t *testing.T) {
	t.Parallel()
	const blocks, busy, others = 20_000, 100_000, 500
	s, seen := apitest.NewSeenSite(t)
	account := alice.Address(true).String()
	s.ChainTables(balances.Spec(), blocks, blocks)
	in := func(sql string, args ...any) { s.T.Helper(); s.Exec(balances.Spec().SQL(sql), args...) }
	in(`INSERT INTO {schema}.block (height, source_seq, burn_block_height, index_block_hash, block_hash)
		SELECT h, h, h, sha256(('index ' || h)::bytea), sha256(('block ' || h)::bytea) FROM generate_series(1, $1::int) h`, blocks)
	in(`INSERT INTO {schema}.holding (n, height, source_seq, id, balance, sent, received, fees, rewards, account, asset, kind)
		SELECT 1, 1, 1, a + 1, 1, 0, 1, 0, 0, CASE a WHEN 0 THEN $1 ELSE 'ST' || a END, 'stx', 'stx' FROM generate_series(0, $2::int) a`, account, others)
	in(`INSERT INTO {schema}.entry (height, source_seq, holding, n, tx_index, pointer, cause, delta, balance, received, fees, rewards)
		SELECT 1 + (n - 1) * $1::int / $2::int, 1, 1, n, 0, 0, 1, 1, n, n, 0, 0 FROM generate_series(1, $2::int) n
		UNION ALL
		SELECT n * 100, 1, a + 1, n, 0, 0, 1, 1, n, n, 0, 0 FROM generate_series(1, 200) n, generate_series(1, $3::int) a`, blocks, busy, others)
	in(`INSERT INTO {schema}.signer (height, source_seq, id, account) VALUES (1, 1, 1, $1)`, account)
	in(`INSERT INTO {schema}.signer_nonce (height, source_seq, signer, next_nonce) SELECT h, h, 1, h FROM generate_series(1, $1::int) h`, blocks)
	in(`INSERT INTO {schema}.stx_lock (height, source_seq, position, tx_index, amount, unlock_height, pox_version, account, cause, pointer, txid)
		SELECT h * 100, h, 0, 0, 7, h * 100 + 50, 4, $2, 'stx_lock_event', '/events/0', '\x01' FROM generate_series(1, $1::int / 100) h`, blocks, account)
	s.Exec(`VACUUM ANALYZE`)
	mesh := &site{t, s.API, rosetta.MeshPath, "mainnet"}
	for _, height := range []int{1, 7_919, blocks} {
		for _, id := range []map[string]any{{"index": height}, {"hash": indexHash(strconv.Itoa(height)).String()}} {
			seen.Take()
			request := map[string]any{"block_identifier": id, "account_identifier": map[string]any{"address": account}}
			if status, body := mesh.post("/account/balance", request); status != http.StatusOK {
				t.Fatalf("%v: got %d %s", id, status, body)
			}
			asked := seen.Take("balances")
			if len(asked) == 0 {
				t.Fatal("no query was seen")
			}
			s.CheckTouched(fmt.Sprint(id), asked, 60)
		}
	}
}
