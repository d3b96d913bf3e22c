package readapi_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/hash"
	signed "strata/domain/transaction"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/check"
	"strata/internal/testkit/must"
	"strata/projections/balances"
	"strata/projections/mempool"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// newWaiting returns an API on a short chain and what nodes have announced and dropped on top of it.
func newWaiting(t *testing.T, posts ...replay.Post) *apitest.Site {
	t.Helper()
	log := replay.NewLog(t)
	stop := replay.Start(t, log, apitest.NewChain(t), balances.New(nil), mempool.New())
	made := synthchain.New(synthchain.Config{Seed: 3, SigningSample: 1000})
	replay.Append(t, log, replay.Take(5, made.Next)...)
	replay.Append(t, log, posts...)
	replay.Wait(t, log)
	stop()
	return apitest.NewSiteOn(t, log.Pool(), readapi.Config{})
}

// pay returns a transfer of an account, or one that another account sponsors.
func pay(t *testing.T, from byte, nonce uint64, to string, amount, fee uint64, sponsor ...signed.SpendingCondition) *signed.Transaction {
	t.Helper()
	tx := apitest.From(t, from, nonce, &signed.TokenTransfer{Recipient: apitest.Principal(t, to), Amount: amount})
	if tx.Origin.Fee = fee; len(sponsor) > 0 {
		tx.Sponsor = &sponsor[0]
	}
	return tx
}

// Of several transactions that use one nonce, in whatever role of the account, one can be mined. Estimates take the one that
// pays the greatest fee, or the first of those.
func TestEstimateOfContenders(t *testing.T) {
	t.Parallel()
	// The accounts are 1 (alice), 2 (bob), 3 (carol) and 4.
	by := func(n byte, nonce, fee uint64) signed.SpendingCondition {
		return signed.SpendingCondition{Signer: hash.Hash20{19: n}, Nonce: nonce, Fee: fee}
	}
	fourth, _ := pay(t, 1, 0, apitest.Bob, 1, 1, by(4, 0, 1)).SponsorAddress()
	type estimate struct{ inbound, outbound string }
	for name, c := range map[string]struct {
		waiting []*signed.Transaction
		want    map[string]estimate
	}{
		"the greater fee": {
			[]*signed.Transaction{pay(t, 1, 5, apitest.Bob, 1000, 10), pay(t, 1, 5, apitest.Carol, 70, 20), pay(t, 1, 6, apitest.Bob, 3, 1)},
			map[string]estimate{apitest.Alice: {"0", "94"}, apitest.Bob: {"3", "0"}, apitest.Carol: {"70", "0"}},
		},
		"the first of equals": {
			[]*signed.Transaction{pay(t, 1, 5, apitest.Bob, 1000, 10), pay(t, 1, 5, apitest.Carol, 70, 10), pay(t, 1, 5, apitest.Carol, 80, 10)},
			map[string]estimate{apitest.Alice: {"0", "1010"}, apitest.Bob: {"1000", "0"}, apitest.Carol: {"0", "0"}},
		},
		"a sponsor's nonce": {
			[]*signed.Transaction{pay(t, 1, 5, apitest.Bob, 100, 0, by(4, 9, 30)), pay(t, 3, 5, apitest.Bob, 200, 0, by(4, 9, 40))},
			map[string]estimate{apitest.Alice: {"0", "0"}, apitest.Carol: {"0", "200"}, apitest.Bob: {"200", "0"}, fourth.String(): {"0", "40"}},
		},
		"the nonce of a sponsor that also sends": {
			[]*signed.Transaction{pay(t, 1, 5, apitest.Bob, 100, 0, by(3, 9, 30)), pay(t, 3, 9, apitest.Bob, 200, 10)},
			map[string]estimate{apitest.Alice: {"0", "100"}, apitest.Carol: {"0", "30"}, apitest.Bob: {"100", "0"}},
		},
		"its own sponsor": {
			[]*signed.Transaction{pay(t, 1, 5, apitest.Bob, 100, 0, by(1, 5, 30))},
			map[string]estimate{apitest.Alice: {"0", "130"}, apitest.Bob: {"100", "0"}},
		},
		"to itself": {
			[]*signed.Transaction{pay(t, 1, 5, apitest.Alice, 100, 7)},
			map[string]estimate{apitest.Alice: {"100", "107"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newWaiting(t, apitest.Announce(c.waiting...))
			for account, want := range c.want {
				got := s.Object("/extended/v2/addresses/" + account + "/balances/stx?include_mempool=true")
				if got["pending_balance_inbound"] != want.inbound || got["pending_balance_outbound"] != want.outbound {
					t.Errorf("%s: got %v, want %+v", account, got, want)
				}
			}
		})
	}
}

// Whoever pays for a waiting transaction finds it in the lists, each time by a range of an index, with a plan for its arguments
// as with one for any.
func TestSponsoredIsListed(t *testing.T) {
	t.Parallel()
	paid := pay(t, 1, 5, apitest.Bob, 100, 0, signed.SpendingCondition{Signer: hash.Hash20{19: 4}, Nonce: 9, Fee: 30})
	own := pay(t, 4, 8, apitest.Bob, 100, 20)
	s := newWaiting(t, apitest.Announce(paid, own, pay(t, 1, 6, apitest.Bob, 1, 1)))
	s.Exec(schemas.In(`
		INSERT INTO {mempool}.transaction (source_seq, receipt_time, receipt_height, changed_seq, pointer, size, type_id, fee, nonce, sponsor_nonce, amount, status, sender, sponsor, recipient, txid, raw_tx)
		SELECT t.source_seq, t.receipt_time + n, t.receipt_height, t.changed_seq, t.pointer, t.size, t.type_id, t.fee, t.nonce, t.sponsor_nonce, t.amount, t.status,
		       t.sender || n, t.sponsor || n, t.recipient || n, sha256(n::text::bytea), t.raw_tx
		FROM {mempool}.transaction t CROSS JOIN generate_series(1, 20000) n WHERE t.sponsor IS NOT NULL`))
	s.Exec(schemas.In(`ANALYZE {mempool}.transaction`))
	// What that did is reported when its sessions end.
	s.Pool.Reset()
	apitest.WaitForSessions(t, s.Pool)
	config := must.Get(pgxpool.ParseConfig(s.Pool.Config().ConnString()))(t)
	config.MaxConns = 1
	pool := must.Get(pgxpool.NewWithConfig(t.Context(), config))(t)
	stats := func(sql string) (n int64) {
		t.Helper()
		must.Do(t, s.Pool.QueryRow(t.Context(), sql).Scan(&n))
		return n
	}
	const scansSQL = `SELECT seq_scan FROM pg_catalog.pg_stat_user_tables WHERE relname = 'transaction' AND schemaname LIKE 'mempool%'`
	scans := stats(scansSQL)
	reader := apitest.NewSiteOn(t, pool, readapi.Config{})
	sponsor, _ := paid.SponsorAddress()
	want := []string{own.TxID().String(), paid.TxID().String()}
	slices.Sort(want)
	for range 8 { // the server chooses a generic plan from the sixth time on
		for _, target := range []string{
			"/extended/v1/tx/mempool?address=" + sponsor.String(), "/extended/v1/address/" + sponsor.String() + "/mempool",
			"/extended/v3/principals/" + sponsor.String() + "/mempool/transactions",
		} {
			var p mempoolPage
			got := reader.Get(target)
			if err := json.Unmarshal([]byte(got.Body), &p); err != nil || got.Status != 200 || p.Total != 2 || len(p.Results) != 2 {
				t.Fatalf("%s: got %d %s", target, got.Status, got.Body)
			}
			check.EqualSlices(t, target, []string{p.Results[1].ID, p.Results[0].ID}, want)
		}
		if got := reader.Object("/extended/v2/addresses/" + sponsor.String() + "/balances/stx?include_mempool=true"); got["pending_balance_outbound"] != "150" {
			t.Errorf("got %v", got)
		}
	}
	pool.Close()
	apitest.WaitForSessions(t, s.Pool)
	if n := stats(scansSQL) - scans; n > 0 {
		t.Errorf("the mempool was scanned %d times", n)
	}
	read := stats(`SELECT sum(idx_tup_read)::bigint FROM pg_catalog.pg_stat_user_indexes WHERE indexrelname = 'transaction_sponsor_idx' AND schemaname LIKE 'mempool%'`)
	if read == 0 || read > 200 {
		t.Errorf("%d entries of the index of sponsors were read, want a few for each answer", read)
	}
}

// A drop for a reason that has no status is a drop, and answers have the node's word.
func TestUnknownDropReason(t *testing.T) {
	t.Parallel()
	gone, known := apitest.Transfer(t, 3), apitest.Transfer(t, 4)
	s := newWaiting(t, apitest.Announce(gone, known), apitest.Dropped("Blocklisted", nil, gone), apitest.Dropped("Problematic", nil, known))
	if got := s.Get("/extended/v1/tx/mempool"); !strings.Contains(got.Body, `"total":0`) {
		t.Errorf("got %d %s, want nothing that waits", got.Status, got.Body)
	}
	for target, want := range map[string]string{
		"/extended/v1/tx/" + gone.TxID().String():           `"tx_status":"dropped","dropped_reason":"Blocklisted",`,
		"/extended/v3/transactions/" + gone.TxID().String(): `"status":"dropped","dropped_reason":"Blocklisted",`,
		"/extended/v1/tx/mempool/dropped":                   `"tx_status":"dropped","dropped_reason":"Blocklisted",`,
		"/extended/v1/tx/" + known.TxID().String():          `"tx_status":"dropped_problematic","replaced_by_tx_id":`,
	} {
		if got := s.Get(target); !strings.Contains(got.Body, want) {
			t.Errorf("%s: got %d %s, want %s", target, got.Status, got.Body, want)
		}
	}
}
