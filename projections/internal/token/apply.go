package token

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/domain/shard"
	"strata/domain/token"
	"strata/projections"
)

// news is what a run of blocks brings, until it is written.
type news struct {
	contracts    [][]any
	unrecognised [][]any
	minted       []minted
	wants        []raised
}

// minted is a mint or a burn with its place.
type minted struct {
	mint
	height, seq int64
	cause       int64
	due         time.Time
	recognised  bool
	burnt       bool // instead: it matters when the token is there
}

// apply adds blocks.
func (b *batch) apply(steps []projections.Step) error {
	blocks := make([][]any, len(steps))
	facts := make([][]fact, len(steps))
	about := map[string]standingOf{}
	for i, step := range steps {
		if b.tip != nil && step.Block.ParentIndexBlockHash != b.tip.IndexBlockHash {
			return fmt.Errorf("step %d applies block %s, which does not stand on the newest block here, %s", step.Number, step.IndexBlockHash, b.tip.IndexBlockHash)
		}
		b.tip = newBlock(step)
		blocks[i] = []any{step.Height, step.BlockSeq, b.tip.BurnBlockHeight, b.tip.time.Unix(), step.IndexBlockHash[:], step.Block.BlockHash[:]}
		facts[i] = factsOf(b.kind, step.Block)
		for _, f := range facts[i] {
			about[f.about()] = unknown
		}
	}
	if _, err := b.tx.CopyFrom(b.ctx, pgx.Identifier{b.spec.String(), "block"},
		[]string{"height", "source_seq", "burn_block_height", "time", "index_block_hash", "block_hash"}, pgx.CopyFromRows(blocks)); err != nil {
		return fmt.Errorf("write %d blocks: %w", len(blocks), err)
	}
	if len(about) == 0 {
		return nil
	}
	if err := b.lookUp(about); err != nil {
		return err
	}
	var n news
	for i, step := range steps {
		at := newBlock(step)
		for _, f := range facts[i] {
			if err := b.take(&n, step, at.time, f, about); err != nil {
				return err
			}
		}
	}
	return b.flush(&n)
}

func newBlock(step projections.Step) *block {
	seconds := step.Block.BurnBlockTime
	if step.Block.Time != nil {
		seconds = *step.Block.Time
	}
	return &block{
		Tip: projections.Tip{
			Height: step.Height, IndexBlockHash: step.IndexBlockHash, BlockHash: step.Block.BlockHash,
			BurnBlockHeight: int64(step.Block.BurnBlockHeight),
		},
		time: time.Unix(int64(min(seconds, timeMax)), 0).UTC(),
	}
}

// timeMax is the end of the year 9999 in unix seconds: what a database can hold of what a block may claim.
const timeMax = 253402300799

// standingOf says what a contract is here.
type standingOf int

const (
	unknown      standingOf = iota
	unrecognised            // deployed, but its interface is not known yet
	recognised              // one of this kind
)

// lookUp finds what the contracts are.
func (b *batch) lookUp(about map[string]standingOf) error {
	rows, err := b.tx.Query(b.ctx, b.sql(`
		SELECT contract_id, $2::int FROM {schema}.contract WHERE contract_id = ANY ($1)
		UNION ALL SELECT contract_id, $3::int FROM {schema}.unrecognised WHERE contract_id = ANY ($1)`),
		slices.Sorted(maps.Keys(about)), int(recognised), int(unrecognised))
	if err != nil {
		return fmt.Errorf("look up %d contracts: %w", len(about), err)
	}
	var contract string
	var is int
	if _, err := pgx.ForEachRow(rows, []any{&contract, &is}, func() error {
		about[contract] = standingOf(is)
		return nil
	}); err != nil {
		return fmt.Errorf("look up %d contracts: %w", len(about), err)
	}
	return nil
}

// take takes in one fact. What follows it may depend on it.
func (b *batch) take(n *news, step projections.Step, at time.Time, f fact, about map[string]standingOf) error {
	height := step.Height
	want := raised{seq: step.BlockSeq, cause: step.SourceSeq, due: at, height: &height, priority: priorityChain}
	is := about[f.about()]
	switch f := f.(type) {
	case deploy:
		if is != unknown {
			return nil // the chain does not allow it
		}
		if !f.known {
			about[f.contract] = unrecognised
			n.unrecognised = append(n.unrecognised, []any{height, step.BlockSeq, f.txIndex, f.txid, f.contract})
			want.want = interfaceWant(f.contract)
			n.wants = append(n.wants, want)
			b.touch(f.contract)
			return nil
		}
		about[f.contract] = recognised
		n.contracts = append(n.contracts, contractRow(height, step.BlockSeq, nil, f))
		b.touch(f.contract)
		b.begin(n, f.contract, want)
	case mint:
		if is != unknown {
			n.minted = append(n.minted, minted{f, height, step.BlockSeq, step.SourceSeq, at, is == recognised, false})
		}
	case supply:
		if is == recognised && b.kind == token.SFT {
			n.minted = append(n.minted, minted{mint(f), height, step.BlockSeq, step.SourceSeq, at, true, true})
		} else if is == recognised {
			want.want, want.covers = b.supplyWant(f.contract, f.id), b.covering(f.contract, f.id)
			n.wants = append(n.wants, want)
		}
	case notice:
		if is == unknown {
			return nil
		}
		if err := b.flush(n); err != nil { // all of the contract's tokens may be concerned
			return err
		}
		return b.notify(f, want, is == recognised)
	}
	return nil
}

// begin is what follows from a new contract of this kind.
func (b *batch) begin(n *news, contract string, want raised) {
	switch b.kind {
	case token.FT:
		n.minted = append(n.minted, minted{mint{contract, one}, *want.height, want.seq, want.cause, want.due, true, false})
	case token.NFT:
		want.want = lastTokenIDWant(contract)
		n.wants = append(n.wants, want)
	}
}

// contractRow has the order of contractColumns.
func contractRow(height, seq int64, interfaceSeq *int64, d deploy) []any {
	return []any{
		height, seq, d.txIndex, interfaceSeq, 0, d.txid, d.contract,
		projections.NullText(d.recognised.FungibleToken), projections.NullText(d.recognised.NonFungibleToken),
	}
}

var contractColumns = []string{
	"height", "source_seq", "tx_index", "interface_seq", "reason", "txid", "contract_id", "fungible_token", "non_fungible_token",
}

var unrecognisedColumns = []string{"height", "source_seq", "tx_index", "txid", "contract_id"}

// flush writes what has come so far.
func (b *batch) flush(n *news) error {
	for _, table := range []struct {
		name    string
		columns []string
		rows    [][]any
	}{{"contract", contractColumns, n.contracts}, {"unrecognised", unrecognisedColumns, n.unrecognised}} {
		if len(table.rows) == 0 {
			continue
		}
		if _, err := b.tx.CopyFrom(b.ctx, pgx.Identifier{b.spec.String(), table.name}, table.columns, pgx.CopyFromRows(table.rows)); err != nil {
			return fmt.Errorf("write %d rows of %s: %w", len(table.rows), table.name, err)
		}
	}
	wants, err := b.addTokens(n.minted)
	if err != nil {
		return err
	}
	wants = append(n.wants, wants...)
	slices.SortStableFunc(wants, func(a, b raised) int { return cmp.Compare(*a.height, *b.height) })
	if err := b.raise(wants); err != nil {
		return err
	}
	*n = news{}
	return nil
}

// addTokens writes tokens that were not there, and returns what is wanted because of the mints and burns.
func (b *batch) addTokens(all []minted) ([]raised, error) {
	if len(all) == 0 {
		return nil, nil
	}
	first := map[tokenKey]int{}
	var (
		heights, seqs []int64
		ids           []string
		contracts     []string
		burnt         []tokenKey
	)
	for i, m := range all {
		key := tokenKey{m.contract, m.id.String()}
		if m.burnt {
			burnt = append(burnt, key)
			continue
		}
		if _, ok := first[key]; ok {
			continue
		}
		first[key] = i
		heights, seqs = append(heights, m.height), append(seqs, m.seq)
		ids, contracts = append(ids, key.id), append(contracts, key.contract)
	}
	added, err := b.insertTokens(heights, seqs, ids, contracts)
	if err != nil {
		return nil, err
	}
	there, err := b.existing(burnt)
	if err != nil {
		return nil, err
	}
	var wants []raised
	for i, m := range all {
		key := tokenKey{m.contract, m.id.String()}
		if !m.recognised {
			continue // when it is, its tokens are asked for
		}
		if m.burnt && (!there[key] || added[key] && first[key] > i) {
			continue
		}
		want := raised{seq: m.seq, cause: m.cause, due: m.due, height: &all[i].height, priority: priorityChain}
		// By the block, not by the run of blocks: what is wanted is not to depend on how many are folded at once.
		fresh := added[key] && all[first[key]].height == m.height
		if b.kind == token.SFT && (m.burnt || !fresh) {
			// There is more or less of it; the rest is as it was.
			want.want, want.covers = b.supplyWant(m.contract, m.id), b.covering(m.contract, m.id)
		} else {
			want.want = b.readWant(m.contract, m.id)
			b.touchToken(key)
		}
		wants = append(wants, want)
	}
	return wants, nil
}

// tokenKey names a token; id is decimal.
type tokenKey struct{ contract, id string }

// insertTokens writes tokens that are not there yet, and says which.
func (b *batch) insertTokens(heights, seqs []int64, ids, contracts []string) (map[tokenKey]bool, error) {
	keys := ""
	if b.kind == token.FT {
		keys = keyOfNothing
	}
	rows, err := b.tx.Query(b.ctx, b.sql(`
		INSERT INTO {schema}.token (height, source_seq, reason, token_id, contract_id, name_key, symbol_key)
		SELECT height, seq, 0, id, contract, nullif($5, ''), nullif($5, '')
		FROM unnest($1::bigint[], $2::bigint[], $3::numeric[], $4::text[]) AS minted (height, seq, id, contract)
		ON CONFLICT (contract_id, token_id) DO NOTHING
		RETURNING contract_id, token_id::text`), heights, seqs, ids, contracts, keys)
	if err != nil {
		return nil, fmt.Errorf("write %d tokens: %w", len(ids), err)
	}
	added := map[tokenKey]bool{}
	var key tokenKey
	if _, err := pgx.ForEachRow(rows, []any{&key.contract, &key.id}, func() error {
		added[key] = true
		return nil
	}); err != nil {
		return nil, fmt.Errorf("write %d tokens: %w", len(ids), err)
	}
	var places []listPlace
	for i := range ids {
		key := tokenKey{contracts[i], ids[i]}
		if !added[key] {
			continue
		}
		b.touchToken(key)
		if b.kind == token.FT {
			places = append(places, listPlace{keyOfNothing, key.contract})
		}
	}
	for _, list := range lists {
		if err := b.enlist(list, places...); err != nil {
			return nil, err
		}
	}
	return added, nil
}

// existing are those of the keys that are tokens here.
func (b *batch) existing(keys []tokenKey) (map[tokenKey]bool, error) {
	there := map[tokenKey]bool{}
	if len(keys) == 0 {
		return there, nil
	}
	contracts, ids := columnsOf(keys)
	rows, err := b.tx.Query(b.ctx, b.sql(`
		SELECT contract_id, token_id::text FROM {schema}.token
		WHERE (contract_id, token_id) IN (SELECT * FROM unnest($1::text[], $2::numeric[]))`), contracts, ids)
	if err != nil {
		return nil, fmt.Errorf("look up %d tokens: %w", len(keys), err)
	}
	found, err := pgx.CollectRows(rows, scanTokenKey)
	if err != nil {
		return nil, fmt.Errorf("look up %d tokens: %w", len(keys), err)
	}
	for _, key := range found {
		there[key] = true
	}
	return there, nil
}

// touch notes that answers about a contract are not what they were.
func (b *batch) touch(contract string) {
	b.touched.Add(shard.Account(contract), shard.Tokens)
}

// touchToken notes that answers about a token are not what they were.
func (b *batch) touchToken(key tokenKey) {
	b.touched.Add(shard.Token(key.contract, key.id), shard.Tokens)
}

func bigOf(decimal string) *big.Int {
	i, _ := new(big.Int).SetString(decimal, 10)
	return i
}
