package accounts_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/replay"
	"strata/internal/synthchain"
)

func TestScratchLoad(t *testing.T) {
	made := synthchain.New(synthchain.Config{
		Seed: 1, Generation: synthchain.V40, Nakamoto: true, Accounts: 20000, SigningSample: 1 << 30, Maturity: 10,
		TxPerBlock: synthchain.Range{Min: 150, Max: 150}, ForgetHistory: true,
	})
	posts := make([]replay.Post, 300)
	for i := range posts {
		posts[i] = replay.Post(made.Next())
	}
	pool, err := pgxpool.New(context.Background(), measuredBuild.Fresh(t))
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	testing.Benchmark(func(bb *testing.B) {
		if bb.N == 1 {
			var took [3]time.Duration
			foldAll(bb, pool, posts, 4<<20, &took)
		}
	})
	tx, _ := pool.Begin(t.Context())
	for _, q := range []string{
		`SELECT a.account, a.id FROM accounts_v1.account a WHERE a.account = ANY($1)`,
		`SELECT a.account, a.id, coalesce(t.n, 0), coalesce(t.calls, 0) FROM accounts_v1.account a
		LEFT JOIN LATERAL (
			SELECT r.n, r.calls FROM accounts_v1.account_transaction r WHERE r.account = a.id ORDER BY r.n DESC LIMIT 1
		) t ON true  WHERE a.account = ANY($1)`,
		`SELECT a.account, a.id, coalesce(t.n, 0), coalesce(t.calls, 0), coalesce(e.n, 0), coalesce(e.inbound, 0),
		       coalesce(p.n, 0), coalesce(s.topic, 0)
		FROM accounts_v1.account a
		LEFT JOIN LATERAL (
			SELECT r.n, r.calls FROM accounts_v1.account_transaction r WHERE r.account = a.id ORDER BY r.n DESC LIMIT 1
		) t ON true
		LEFT JOIN LATERAL (
			SELECT r.n, r.inbound FROM accounts_v1.account_event r WHERE r.account = a.id ORDER BY r.n DESC LIMIT 1
		) e ON true
		LEFT JOIN LATERAL (
			SELECT r.n FROM accounts_v1.contract_event r WHERE r.contract = a.id ORDER BY r.n DESC LIMIT 1
		) p ON true
		LEFT JOIN LATERAL (
			SELECT r.topic FROM accounts_v1.contract_topic r WHERE r.contract = a.id ORDER BY r.topic DESC LIMIT 1
		) s ON true
		WHERE a.account = ANY ($1)`,
		`SELECT a.account, a.id, coalesce(t.n, 0), coalesce(t.calls, 0), coalesce(e.n, 0), coalesce(e.inbound, 0),
		       coalesce(p.n, 0), coalesce(s.topic, 0)
		FROM accounts_v1.account a
		LEFT JOIN LATERAL (
			SELECT r.n, r.calls FROM accounts_v1.account_transaction r WHERE r.account = a.id ORDER BY r.n DESC LIMIT 1
		) t ON true
		LEFT JOIN LATERAL (
			SELECT r.n, r.inbound FROM accounts_v1.account_event r WHERE r.account = a.id ORDER BY r.n DESC LIMIT 1
		) e ON true
		LEFT JOIN LATERAL (
			SELECT r.n FROM accounts_v1.contract_event r WHERE r.contract = a.id AND a.account LIKE '%.%' ORDER BY r.n DESC LIMIT 1
		) p ON true
		LEFT JOIN LATERAL (
			SELECT r.topic FROM accounts_v1.contract_topic r WHERE r.contract = a.id AND p.n > 0 ORDER BY r.topic DESC LIMIT 1
		) s ON true
		WHERE a.account = ANY ($1)`,
		`SELECT h.account, h.asset, h.kind, h.n, h.height, h.source_seq,
			       h.balance::text, h.sent::text, h.received::text, h.fees::text, h.rewards::text
			FROM (SELECT unnest($1::text[]), 'stx') AS k (account, asset)
			JOIN balances_v1.holding h USING (account, asset)`,
	} {
		names := texts(t, tx, `SELECT account FROM accounts_v1.account ORDER BY hashtext(account) LIMIT 3000`)
		for range 2 {
			for _, l := range texts(t, tx, `EXPLAIN (ANALYZE, TIMING OFF) `+q, names) {
				t.Log(l[:min(len(l), 150)])
			}
		}
	}
}
