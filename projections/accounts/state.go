package accounts

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"strata/domain/clarity"
	"strata/projections"
)

// state is what the projection knows between batches. It may be dropped at any time and read again.
type state struct {
	position int64 // the last step that it reflects
	tip      *tip  // nil while there is no block
	tipRead  bool
	accounts map[string]*account
	// principals finds accounts without writing their names.
	principals map[clarity.Principal]*account
	topics     map[topicKey]*topic
	marks      int64 // given out so far, see account.mark
}

func newState() *state {
	return &state{accounts: map[string]*account{}, principals: map[clarity.Principal]*account{}, topics: map[topicKey]*topic{}}
}

// cacheMax bounds each map of the state between folds.
const cacheMax = 1 << 16

func (s *state) trim(limit int) {
	if len(s.accounts) > limit || len(s.topics) > limit {
		s.forgetAccounts()
	}
}

// forgetAccounts drops accounts together with what points to them.
func (s *state) forgetAccounts() {
	clear(s.accounts)
	clear(s.principals)
	clear(s.topics)
}

// account is somebody in a list.
type account struct {
	name string
	id   int32 // 0 while nothing is known of it
	// How long its lists are.
	transactions, calls, events, inbound, prints, topics int32

	height int64 // of the last block that was found to have rows of it; -1 at first
	// Where it is among the members of the transaction that is looked at: mark is that of the transaction.
	mark  int64
	place int
}

// topicKey names a topic.
type topicKey struct {
	contract *account
	name     string
}

// topic is one of a contract's.
type topic struct {
	topicKey
	number int32 // 0 while nothing is known of it
	n      int32 // how long its list is
}

// tip is the newest block here, with the numbers that the next one goes on from.
type tip struct {
	projections.Tip
	lastTx   int64
	types    typeTotals
	accounts int32
}

func (t *tip) asOutcome() *projections.Tip {
	if t == nil {
		return nil
	}
	tip := t.Tip
	return &tip
}

// readTip reads the newest block, unless it is known.
func (b *batch) readTip(ctx context.Context) error {
	if b.state.tipRead {
		return nil
	}
	var t tip
	rows, err := b.tx.Query(ctx, b.spec.SQL(`
		SELECT height, index_block_hash, block_hash, burn_block_height, last_tx, accounts,
		       token_transfers, smart_contracts, contract_calls, poison_microblocks, coinbases, tenure_changes
		FROM {schema}.block ORDER BY height DESC LIMIT 1`))
	if err != nil {
		return fmt.Errorf("read the tip: %w", err)
	}
	b.state.tip = nil
	into := []any{&t.Height, &t.IndexBlockHash, &t.BlockHash, &t.BurnBlockHeight, &t.lastTx, &t.accounts}
	for i := range t.types {
		into = append(into, &t.types[i])
	}
	if _, err = pgx.ForEachRow(rows, into, func() error { b.state.tip = &t; return nil }); err != nil {
		return fmt.Errorf("read the tip: %w", err)
	}
	b.state.tipRead = true
	return nil
}

// load reads what the tables know of accounts and topics that were not in memory.
func (b *batch) load(ctx context.Context, accounts []*account, topics []*topic) error {
	if len(accounts) == 0 && len(topics) == 0 {
		return nil
	}
	names := make([]string, len(accounts))
	for i, a := range accounts {
		names[i] = a.name
	}
	contracts, topicNames := make([]string, len(topics)), make([]string, len(topics))
	for i, t := range topics {
		contracts[i], topicNames[i] = t.contract.name, t.name
	}
	read := &pgx.Batch{}
	if len(accounts) > 0 {
		read.Queue(b.spec.SQL(loadAccounts), names).Query(func(rows pgx.Rows) error {
			var found account
			_, err := pgx.ForEachRow(rows, []any{
				&found.name, &found.id, &found.transactions, &found.calls, &found.events, &found.inbound, &found.prints, &found.topics,
			}, func() error {
				found.height = -1
				*b.state.accounts[found.name] = found
				return nil
			})
			return err
		})
	}
	if len(topics) > 0 {
		read.Queue(b.spec.SQL(loadTopics), contracts, topicNames).Query(func(rows pgx.Rows) error {
			var contract, name string
			var number, n int32
			_, err := pgx.ForEachRow(rows, []any{&contract, &name, &number, &n}, func() error {
				t := b.state.topics[topicKey{b.state.accounts[contract], name}]
				t.number, t.n = number, n
				return nil
			})
			return err
		})
	}
	if err := b.tx.SendBatch(ctx, read).Close(); err != nil {
		return fmt.Errorf("read %d accounts and %d topics: %w", len(accounts), len(topics), err)
	}
	return nil
}

const (
	loadAccounts = `
		SELECT a.account, a.id, coalesce(t.n, 0), coalesce(t.calls, 0), coalesce(e.n, 0), coalesce(e.inbound, 0),
		       coalesce(p.n, 0), coalesce(s.topic, 0)
		FROM {schema}.account a
		LEFT JOIN LATERAL (
			SELECT r.n, r.calls FROM {schema}.account_transaction r WHERE r.account = a.id ORDER BY r.n DESC LIMIT 1
		) t ON true
		LEFT JOIN LATERAL (
			SELECT r.n, r.inbound FROM {schema}.account_event r WHERE r.account = a.id ORDER BY r.n DESC LIMIT 1
		) e ON true
		LEFT JOIN LATERAL (
			SELECT r.n FROM {schema}.contract_event r WHERE r.contract = a.id AND a.account LIKE '%.%' ORDER BY r.n DESC LIMIT 1
		) p ON true
		LEFT JOIN LATERAL (
			SELECT r.topic FROM {schema}.contract_topic r WHERE r.contract = a.id AND p.n > 0 ORDER BY r.topic DESC LIMIT 1
		) s ON true
		WHERE a.account = ANY ($1)`

	loadTopics = `
		SELECT k.account, k.name, t.topic, last.topic_n
		FROM unnest($1::text[], $2::text[]) AS k (account, name)
		JOIN {schema}.account a ON a.account = k.account
		JOIN {schema}.contract_topic t ON t.contract = a.id AND t.name = k.name
		CROSS JOIN LATERAL (
			SELECT e.topic_n FROM {schema}.contract_event e
			WHERE e.contract = t.contract AND e.topic = t.topic ORDER BY e.topic_n DESC LIMIT 1
		) last`
)
