package readapi_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/hash"
	signed "strata/domain/transaction"
	"strata/eventstore"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/replay"
	"strata/migrations"
	"strata/projections"
	"strata/projections/accounts"
	"strata/projections/balances"
	"strata/projections/chain"
	"strata/projections/follow"
	versions "strata/projections/version"
	"strata/readapi"
)

// listedChains are databases with a made-up chain that has forks, folded by all that lists of accounts are read from.
var listedChains = pgtest.Template("lists", func(ctx context.Context, url string) error {
	if err := migrations.Up(ctx, url); err != nil {
		return err
	}
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return err
	}
	defer pool.Close()
	log := eventstore.Open(pool, eventstore.Config{})
	defer log.Close()
	var batch []eventstore.Incoming
	for _, post := range listedPosts(400) {
		batch = append(batch, eventstore.Incoming{
			ReceivedAt: time.Unix(1_700_000_000, 0), Source: "test", Path: post.Path, ContentType: "application/json", Body: eventstore.NewBody(bytes.Clone(post.Body)),
		})
	}
	if _, err := log.AppendBatch(ctx, batch, nil); err != nil {
		return err
	}
	canonical, err := chain.New(chain.Recommended, nil)
	if err != nil {
		return err
	}
	runner := follow.NewRunner(follow.Config{Log: log, Interval: 50 * time.Millisecond}, projections.Chain(canonical, balances.New(nil), accounts.New()))
	if err := runner.Register(ctx); err != nil {
		return err
	}
	running, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		runner.Run(running)
	}()
	err = versions.WaitUntilCaughtUp(ctx, pool, func([]versions.Status) {}, time.Minute)
	stop()
	<-done
	return err
})

// listedPosts are the posts of a chain of few accounts, which have long lists.
func listedPosts(n int) (posts []replay.Post) {
	config := synthchain.Everything(23, synthchain.V30)
	config.SigningSample, config.Accounts, config.BitcoinOpShare = 1000, 10, 0.3
	made := synthchain.New(config)
	for range n {
		posts = append(posts, replay.Post(made.Next()))
	}
	return posts
}

func newListed(t testing.TB) *site {
	t.Helper()
	return newSiteOn(t, listedChains.New(t), readapi.Config{Network: networkOf(listedPosts(1))})
}

// in is the site in a test of its own.
func (s *site) in(t testing.TB) *site {
	inner := *s
	inner.t = t
	return &inner
}

// plainTx is a canonical transaction as the tables of chain have it, for lists that are made of it in the plainest way.
type plainTx struct {
	height             int64
	id                 string
	sequence, index    int32
	kind               string
	sender, sponsor    string
	contract, receiver string // called or deployed; of a token transfer
	fee, nonce         string
	function           string
	burnTime           int64
	block              string // index block hash
	events             []plainEvent
}

type plainEvent struct {
	index                    int32
	kind, sender, recipient  string
	asset, amount, printedBy string
	memo                     []byte
}

// plain are all canonical transactions, the oldest first.
func (s *site) plain() (all []plainTx) {
	s.t.Helper()
	rows, err := s.pool.Query(s.t.Context(), `
		SELECT b.height, t.txid, coalesce(t.microblock_sequence, 2147483647), t.tx_index, t.raw_tx, coalesce(t.sender, ''), coalesce(t.sponsor, ''),
		       coalesce(t.contract_id, ''), t.fee::text, coalesce(l.type, -1), t.source_seq, coalesce(t.nonce, -1)::text, coalesce(t.function_name, ''), b.burn_block_time, b.index_block_hash
		FROM chain_v3.canonical c
		JOIN chain_v3.block b ON b.source_seq = c.block_seq
		JOIN chain_v3.transaction t ON t.source_seq = b.source_seq
		LEFT JOIN accounts_v3.transaction l ON l.source_seq = t.source_seq AND l.tx_index = t.tx_index
		ORDER BY b.height, t.execution_index`)
	if err != nil {
		s.t.Fatal(err)
	}
	defer rows.Close()
	type key struct {
		seq   int64
		index int32
	}
	at := map[key]int{}
	for rows.Next() {
		var tx plainTx
		var id, block hash.Hash32
		var raw []byte
		var kind int16
		var seq int64
		if err := rows.Scan(&tx.height, &id, &tx.sequence, &tx.index, &raw, &tx.sender, &tx.sponsor, &tx.contract, &tx.fee, &kind, &seq, &tx.nonce, &tx.function, &tx.burnTime, &block); err != nil {
			s.t.Fatal(err)
		}
		tx.id, tx.block = id.String(), block.String()
		tx.kind = map[int16]string{0: "token_transfer", 1: "smart_contract", 2: "contract_call", 3: "poison_microblock", 4: "coinbase", 7: "tenure_change"}[kind]
		if decoded, err := signed.Decode(raw); err == nil {
			if transfer, ok := decoded.Payload.(*signed.TokenTransfer); ok {
				tx.receiver = transfer.Recipient.String()
			}
		}
		if len(raw) == 1 { // what came from Bitcoin says whom it names in events, or beside the transaction
			shown := s.object("/extended/v1/tx/" + tx.id)
			transfer, _ := shown["token_transfer"].(map[string]any)
			call, _ := shown["contract_call"].(map[string]any)
			tx.receiver, _ = transfer["recipient_address"].(string)
			tx.contract, _ = call["contract_id"].(string)
		}
		at[key{seq, tx.index}] = len(all)
		all = append(all, tx)
	}
	if err := rows.Err(); err != nil {
		s.t.Fatal(err)
	}
	rows, err = s.pool.Query(s.t.Context(), `
		SELECT e.source_seq, e.tx_index, e.event_index, e.type, coalesce(e.sender, ''), coalesce(e.recipient, ''), coalesce(e.asset_identifier, 'stx'),
		       coalesce(e.amount, 1)::text, coalesce(e.contract_identifier, ''), e.memo
		FROM chain_v3.canonical c JOIN chain_v3.event e ON e.source_seq = c.block_seq
		ORDER BY e.source_seq, e.tx_index, e.event_index`)
	if err != nil {
		s.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var e plainEvent
		var k key
		if err := rows.Scan(&k.seq, &k.index, &e.index, &e.kind, &e.sender, &e.recipient, &e.asset, &e.amount, &e.printedBy, &e.memo); err != nil {
			s.t.Fatal(err)
		}
		tx := &all[at[k]]
		tx.events = append(tx.events, e)
	}
	if err := rows.Err(); err != nil {
		s.t.Fatal(err)
	}
	return all
}

// moves says that the event moves something of an account.
func (e *plainEvent) moves(account string) bool {
	return e.kind != "contract_event" && e.kind != "stx_lock_event" && (e.sender == account || e.recipient == account)
}

// concerns says that the transaction is in the list of an account.
func (tx *plainTx) concerns(account string) bool {
	for i := range tx.events {
		if tx.events[i].moves(account) {
			return true
		}
	}
	return slices.Contains([]string{tx.sender, tx.sponsor, tx.contract, tx.receiver}, account)
}

// busiest are the accounts and contracts with the longest lists.
func busiest(all []plainTx, n int) (names []string) {
	counts := map[string]int{}
	for i := range all {
		parties := map[string]bool{all[i].sender: true, all[i].sponsor: true, all[i].contract: true}
		for _, e := range all[i].events {
			parties[e.sender], parties[e.recipient] = true, true
		}
		for name := range parties {
			counts[name]++
		}
	}
	delete(counts, "")
	for name := range counts {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return bytes.Compare([]byte(a), []byte(b))
	})
	return names[:min(n, len(names))]
}

// textOf writes a member of a page's row, which a path of names leads to.
func textOf(row any, path ...string) string {
	for _, name := range path {
		object, _ := row.(map[string]any)
		row = object[name]
	}
	return fmt.Sprint(row)
}
