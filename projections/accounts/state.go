package accounts

import (
	"context"
	"fmt"
	"math/big"

	"github.com/jackc/pgx/v5"

	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/projections"
)

// state is what the projection keeps in memory between batches. It may be dropped at any time and read again.
type state struct {
	position int64 // number of the last step folded
	tip      *tip  // nil before the first block
	tipRead  bool
	accounts map[string]*account
	// principals finds accounts without formatting their names.
	principals map[clarity.Principal]*account
	printers   map[*account]*printer
	topics     map[topicKey]*topic
	functions  map[functionKey]*sublist
	tokens     map[tokenKey]*sublist
	miners     map[*account]*miner
	marks      int64 // number of marks assigned so far, see account.mark
}

func newState() *state {
	return &state{
		accounts: map[string]*account{}, principals: map[clarity.Principal]*account{},
		printers: map[*account]*printer{}, topics: map[topicKey]*topic{},
		functions: map[functionKey]*sublist{}, tokens: map[tokenKey]*sublist{}, miners: map[*account]*miner{},
	}
}

// cacheMax is the maximum number of accounts and of topics kept in memory between folds.
const cacheMax = 1 << 16

func (s *state) trim(limit int) {
	if len(s.accounts) > limit || len(s.topics) > limit || len(s.functions) > limit || len(s.tokens) > limit {
		s.forgetAccounts()
	}
}

// forgetAccounts drops all accounts and everything that refers to them.
func (s *state) forgetAccounts() {
	clear(s.accounts)
	clear(s.principals)
	clear(s.printers)
	clear(s.topics)
	clear(s.functions)
	clear(s.tokens)
	clear(s.miners)
}

// account is the owner of lists.
type account struct {
	name string
	id   int32 // 0 until it has one
	// Lengths of its lists.
	transactions, calls, events, inbound, stxIn, stxOut int32

	height int64 // of the last block with rows of it, as far as is known; -1 at first
	// place is its index among the members of the transaction with this mark.
	mark  int64
	place int
}

// printer is an account that has printed. Few accounts do.
type printer struct {
	*account
	prints, topics int32 // numbers of its prints and topics
}

// topicKey identifies a topic.
type topicKey struct {
	contract *printer
	name     string
}

// topic is a topic of a contract's prints.
type topic struct {
	topicKey
	number int32 // 0 until it has one
	n      int32 // length of its list
}

// sublist is a part of a list with numbers of its own: the prints of a contract with a function, or the events of an
// account with a token.
type sublist struct{ n int32 }

// functionKey identifies the prints of a contract with a function, by the key of its name.
type functionKey struct {
	contract *printer
	function int32
}

// tokenKey identifies the events of an account with a fungible token, by the key of its asset identifier.
type tokenKey struct {
	account *account
	asset   int64
}

// miner is an account that has received rewards. Few accounts have.
type miner struct {
	*account
	rewards        int32
	coinbase, fees *big.Int // sums of all rewards
}

// tip is the newest block, with the totals up to it.
type tip struct {
	projections.Tip
	lastTx   int64
	types    typeTotals
	accounts int32
	// burnBlocks is the number of Bitcoin blocks with Stacks blocks, and burnBlock the last of them.
	burnBlocks int64
	burnBlock  hash.Hash32
}

func (t *tip) asOutcome() *projections.Tip {
	if t == nil {
		return nil
	}
	tip := t.Tip
	return &tip
}

// readTip reads the tip, unless it is known.
func (b *batch) readTip(ctx context.Context) error {
	if b.state.tipRead {
		return nil
	}
	var t tip
	into := []any{&t.lastTx, &t.accounts, &t.burnBlocks, &t.burnBlock}
	for i := range t.types {
		into = append(into, &t.types[i])
	}
	newest, err := b.spec.ReadTipWith(ctx, b.tx, `, last_tx, accounts, burn_blocks, burn_block_hash,
		token_transfers, smart_contracts, contract_calls, poison_microblocks, coinbases, tenure_changes`, into...)
	if err != nil {
		return err
	}
	b.state.tip = nil
	if newest != nil {
		t.Tip = *newest
		b.state.tip = &t
	}
	b.state.tipRead = true
	return nil
}

// load reads the accounts, printers and topics that were not in memory.
func (b *batch) load(ctx context.Context, g *collector) error {
	read := &pgx.Batch{}
	queue := func(query string, into func(pgx.Rows) error, n int, columns ...any) {
		if n > 0 {
			read.Queue(b.spec.SQL(query), columns...).Query(into)
		}
	}
	queue(loadAccounts, b.readAccounts, len(g.accounts), projections.Column(g.accounts, func(a *account) string { return a.name }))
	queue(loadPrinters, b.readPrinters, len(g.printers), projections.Column(g.printers, func(p *printer) string { return p.name }))
	queue(loadTopics, b.readTopics, len(g.topics),
		projections.Column(g.topics, func(t *topic) string { return t.contract.name }), projections.Column(g.topics, func(t *topic) string { return t.name }))
	queue(loadFunctions, b.readFunctions, len(g.functions),
		projections.Column(g.functions, func(f functionKey) string { return f.contract.name }), projections.Column(g.functions, func(f functionKey) int32 { return f.function }))
	queue(loadTokens, b.readTokens, len(g.tokens),
		projections.Column(g.tokens, func(t tokenKey) string { return t.account.name }), projections.Column(g.tokens, func(t tokenKey) int64 { return t.asset }))
	queue(loadMiners, b.readMiners, len(g.miners), projections.Column(g.miners, func(m *miner) string { return m.name }))
	if read.Len() == 0 {
		return nil
	}
	if err := b.tx.SendBatch(ctx, read).Close(); err != nil {
		return fmt.Errorf("read %d accounts, %d of them as printers and %d as miners, %d topics, %d functions and %d tokens: %w",
			len(g.accounts), len(g.printers), len(g.miners), len(g.topics), len(g.functions), len(g.tokens), err)
	}
	return nil
}

func (b *batch) readAccounts(rows pgx.Rows) error {
	a := account{height: -1}
	_, err := pgx.ForEachRow(rows, []any{&a.name, &a.id, &a.transactions, &a.calls, &a.events, &a.inbound, &a.stxIn, &a.stxOut}, func() error {
		*b.state.accounts[a.name] = a
		return nil
	})
	return err
}

func (b *batch) readPrinters(rows pgx.Rows) error {
	var name string
	var prints, topics int32
	_, err := pgx.ForEachRow(rows, []any{&name, &prints, &topics}, func() error {
		p := b.state.printers[b.state.accounts[name]]
		p.prints, p.topics = prints, topics
		return nil
	})
	return err
}

func (b *batch) readTopics(rows pgx.Rows) error {
	var contract, name string
	var number, n int32
	_, err := pgx.ForEachRow(rows, []any{&contract, &name, &number, &n}, func() error {
		t := b.state.topics[topicKey{b.state.printers[b.state.accounts[contract]], name}]
		t.number, t.n = number, n
		return nil
	})
	return err
}

func (b *batch) readFunctions(rows pgx.Rows) error {
	var contract string
	var function, n int32
	_, err := pgx.ForEachRow(rows, []any{&contract, &function, &n}, func() error {
		b.state.functions[functionKey{b.state.printers[b.state.accounts[contract]], function}].n = n
		return nil
	})
	return err
}

func (b *batch) readTokens(rows pgx.Rows) error {
	var name string
	var asset int64
	var n int32
	_, err := pgx.ForEachRow(rows, []any{&name, &asset, &n}, func() error {
		b.state.tokens[tokenKey{b.state.accounts[name], asset}].n = n
		return nil
	})
	return err
}

func (b *batch) readMiners(rows pgx.Rows) error {
	var name, coinbase, fees string
	var n int32
	_, err := pgx.ForEachRow(rows, []any{&name, &n, &coinbase, &fees}, func() error {
		m := b.state.miners[b.state.accounts[name]]
		m.rewards = n
		for _, sum := range []struct {
			text string
			into **big.Int
		}{{coinbase, &m.coinbase}, {fees, &m.fees}} {
			number, ok := new(big.Int).SetString(sum.text, 10)
			if !ok {
				return fmt.Errorf("sum of rewards %q is no whole number", sum.text)
			}
			*sum.into = number
		}
		return nil
	})
	return err
}

const (
	loadAccounts = `
		SELECT a.account, a.id, coalesce(t.n, 0), coalesce(t.calls, 0), coalesce(e.n, 0), coalesce(e.inbound, 0), coalesce(e.stx_in, 0), coalesce(e.stx_out, 0)
		FROM {schema}.account a
		LEFT JOIN LATERAL (
			SELECT r.n, r.calls FROM {schema}.account_transaction r WHERE r.account = a.id ORDER BY r.n DESC LIMIT 1
		) t ON true
		LEFT JOIN LATERAL (
			SELECT r.n, r.inbound, r.stx_in, r.stx_out FROM {schema}.account_event r WHERE r.account = a.id ORDER BY r.n DESC LIMIT 1
		) e ON true
		WHERE a.account = ANY ($1)`

	loadPrinters = `
		SELECT a.account, coalesce(p.n, 0), coalesce(t.topic, 0)
		FROM {schema}.account a
		LEFT JOIN LATERAL (
			SELECT r.n FROM {schema}.contract_event r WHERE r.contract = a.id ORDER BY r.n DESC LIMIT 1
		) p ON true
		LEFT JOIN LATERAL (
			SELECT r.topic FROM {schema}.contract_topic r WHERE r.contract = a.id ORDER BY r.topic DESC LIMIT 1
		) t ON true
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

	loadFunctions = `
		SELECT k.account, k.function, last.function_n
		FROM unnest($1::text[], $2::int[]) AS k (account, function)
		JOIN {schema}.account a ON a.account = k.account
		CROSS JOIN LATERAL (
			SELECT e.function_n FROM {schema}.contract_event e
			WHERE e.contract = a.id AND e.function = k.function ORDER BY e.function_n DESC LIMIT 1
		) last`

	loadTokens = `
		SELECT k.account, k.asset, last.asset_n
		FROM unnest($1::text[], $2::bigint[]) AS k (account, asset)
		JOIN {schema}.account a ON a.account = k.account
		CROSS JOIN LATERAL (
			SELECT e.asset_n FROM {schema}.account_event e
			WHERE e.account = a.id AND e.asset = k.asset ORDER BY e.asset_n DESC LIMIT 1
		) last`

	loadMiners = `
		SELECT a.account, last.n, last.coinbase_sum::text, last.fees_sum::text
		FROM {schema}.account a
		CROSS JOIN LATERAL (
			SELECT r.n, r.coinbase_sum, r.fees_sum FROM {schema}.miner_reward r WHERE r.account = a.id ORDER BY r.n DESC LIMIT 1
		) last
		WHERE a.account = ANY ($1)`
)
