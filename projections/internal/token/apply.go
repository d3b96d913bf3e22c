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
	"strata/projections/internal/token/internal/fact"
)

// findings collects the rows and wants that a run of blocks brings, until flush writes them.
type findings struct {
	contracts    [][]any
	unrecognised [][]any
	tokenEvents  []tokenEvent
	wants        []raisedWant
}

// tokenEvent is a mint or a burn with its position in the chain and in the log.
type tokenEvent struct {
	fact.Mint
	height, seq int64
	cause       int64
	due         time.Time
	recognised  bool
	burnt       bool // it is a burn, which matters only if the token has a row
}

// apply adds a run of blocks, each of which must stand on the one before it.
func (b *batch) apply(steps []projections.Step) error {
	blocks := make([][]any, len(steps))
	facts := make([][]fact.Fact, len(steps))
	about := map[string]recognition{}
	for i, step := range steps {
		if b.tip != nil && step.Block.ParentIndexBlockHash != b.tip.IndexBlockHash {
			return fmt.Errorf("step %d applies block %s, which does not stand on the newest block here, %s", step.Number, step.IndexBlockHash, b.tip.IndexBlockHash)
		}
		b.tip = newBlock(step)
		blocks[i] = []any{step.Height, step.BlockSeq, b.tip.BurnBlockHeight, b.tip.time.Unix(), step.IndexBlockHash[:], step.Block.BlockHash[:]}
		facts[i] = fact.Of(b.kind, step.Block)
		for _, f := range facts[i] {
			about[f.About()] = unknown
		}
	}
	if err := b.spec.Copy(b.ctx, b.tx, "block", []string{"height", "source_seq", "burn_block_height", "time", "index_block_hash", "block_hash"}, blocks); err != nil {
		return err
	}
	if len(about) == 0 {
		return nil
	}
	if err := b.lookUp(about); err != nil {
		return err
	}
	var n findings
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
	return &block{Tip: step.Tip(), time: time.Unix(int64(min(seconds, timeMax)), 0).UTC()}
}

// timeMax is the end of the year 9999 in unix seconds. A block may claim any time; the database holds none that is
// later.
const timeMax = 253402300799

// recognition says whether a contract is known to follow the standard of this kind.
type recognition int

const (
	unknown      recognition = iota
	unrecognised             // deployed, interface not known yet
	recognised               // follows the standard of this kind
)

// lookUp fills in the recognition of the contracts that are the keys of about.
func (b *batch) lookUp(about map[string]recognition) error {
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
		about[contract] = recognition(is)
		return nil
	}); err != nil {
		return fmt.Errorf("look up %d contracts: %w", len(about), err)
	}
	return nil
}

// take processes one fact. The facts after it may depend on it.
func (b *batch) take(n *findings, step projections.Step, at time.Time, f fact.Fact, about map[string]recognition) error {
	height := step.Height
	want := raisedWant{seq: step.BlockSeq, cause: step.SourceSeq, due: at, height: &height, priority: priorityChain}
	is := about[f.About()]
	switch f := f.(type) {
	case fact.Deploy:
		if is != unknown {
			return nil // the chain does not let a contract be deployed twice
		}
		if !f.Known {
			about[f.Contract] = unrecognised
			n.unrecognised = append(n.unrecognised, []any{height, step.BlockSeq, f.TxIndex, f.TxID, f.Contract})
			want.want = interfaceWant(f.Contract)
			n.wants = append(n.wants, want)
			b.touch(f.Contract)
			return nil
		}
		about[f.Contract] = recognised
		n.contracts = append(n.contracts, contractRow(height, step.BlockSeq, nil, f))
		b.touch(f.Contract)
		b.begin(n, f.Contract, want)
	case fact.Mint:
		if is != unknown {
			n.tokenEvents = append(n.tokenEvents, tokenEvent{f, height, step.BlockSeq, step.SourceSeq, at, is == recognised, false})
		}
	case fact.Supply:
		if is == recognised && b.kind == token.SFT {
			n.tokenEvents = append(n.tokenEvents, tokenEvent{fact.Mint(f), height, step.BlockSeq, step.SourceSeq, at, true, true})
		} else if is == recognised {
			want.want, want.covers = b.supplyWant(f.Contract, f.ID), b.covering(f.Contract, f.ID)
			n.wants = append(n.wants, want)
		}
	case fact.Notice:
		if is == unknown {
			return nil
		}
		if err := b.flush(n); err != nil { // the notification may concern all tokens of the contract
			return err
		}
		return b.notify(f, want, is == recognised)
	}
	return nil
}

// begin adds to the findings what a new contract of this kind leads to: its only token (ft), or a want for its last
// token id (nft).
func (b *batch) begin(n *findings, contract string, want raisedWant) {
	switch b.kind {
	case token.FT:
		only := fact.Mint{Contract: contract, ID: fact.FungibleID}
		n.tokenEvents = append(n.tokenEvents, tokenEvent{only, *want.height, want.seq, want.cause, want.due, true, false})
	case token.NFT:
		want.want = lastTokenIDWant(contract)
		n.wants = append(n.wants, want)
	}
}

// contractRow returns a row of table contract, its values in the order of contractColumns.
func contractRow(height, seq int64, interfaceSeq *int64, d fact.Deploy) []any {
	return []any{
		height, seq, d.TxIndex, interfaceSeq, 0, d.TxID, d.Contract,
		projections.NullText(d.Recognised.FungibleToken), projections.NullText(d.Recognised.NonFungibleToken),
	}
}

var contractColumns = []string{
	"height", "source_seq", "tx_index", "interface_seq", "reason", "txid", "contract_id", "fungible_token", "non_fungible_token",
}

var unrecognisedColumns = []string{"height", "source_seq", "tx_index", "txid", "contract_id"}

// flush writes the findings so far and empties them.
func (b *batch) flush(n *findings) error {
	for _, table := range []struct {
		name    string
		columns []string
		rows    [][]any
	}{{"contract", contractColumns, n.contracts}, {"unrecognised", unrecognisedColumns, n.unrecognised}} {
		if err := b.spec.Copy(b.ctx, b.tx, table.name, table.columns, table.rows); err != nil {
			return err
		}
	}
	wants, err := b.addTokens(n.tokenEvents)
	if err != nil {
		return err
	}
	wants = append(n.wants, wants...)
	slices.SortStableFunc(wants, func(a, b raisedWant) int { return cmp.Compare(*a.height, *b.height) })
	if err := b.raise(wants); err != nil {
		return err
	}
	*n = findings{}
	return nil
}

// addTokens writes tokens that have no row yet, and returns the wants that the mints and burns give rise to.
func (b *batch) addTokens(all []tokenEvent) ([]raisedWant, error) {
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
		key := tokenKey{m.Contract, m.ID.String()}
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
	existing, err := b.existing(burnt)
	if err != nil {
		return nil, err
	}
	var wants []raisedWant
	for i, m := range all {
		key := tokenKey{m.Contract, m.ID.String()}
		if !m.recognised {
			continue // its tokens are read once the contract is recognised
		}
		if m.burnt && (!existing[key] || added[key] && first[key] > i) {
			continue
		}
		want := raisedWant{seq: m.seq, cause: m.cause, due: m.due, height: &all[i].height, priority: priorityChain}
		// Compare blocks, not runs of blocks: the wants must not depend on how many blocks are folded at once.
		fresh := added[key] && all[first[key]].height == m.height
		if b.kind == token.SFT && (m.burnt || !fresh) {
			// Only the supply of the token has changed.
			want.want, want.covers = b.supplyWant(m.Contract, m.ID), b.covering(m.Contract, m.ID)
		} else {
			want.want = b.readWant(m.Contract, m.ID)
			b.touchToken(key)
		}
		wants = append(wants, want)
	}
	return wants, nil
}

// tokenKey identifies a token; id is decimal.
type tokenKey struct{ contract, id string }

// insertTokens writes tokens that have no row yet, and returns the keys of those that it wrote.
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

// existing returns those of the keys that have a row in table token.
func (b *batch) existing(keys []tokenKey) (map[tokenKey]bool, error) {
	existing := map[tokenKey]bool{}
	if len(keys) == 0 {
		return existing, nil
	}
	contracts, ids := columnsOf(keys)
	rows, err := b.tx.Query(b.ctx, b.sql(`
		SELECT contract_id, token_id::text FROM {schema}.token
		WHERE (contract_id, token_id) IN (SELECT * FROM unnest($1::text[], $2::numeric[]))`), contracts, ids)
	if err != nil {
		return nil, fmt.Errorf("look up %d tokens: %w", len(keys), err)
	}
	matches, err := pgx.CollectRows(rows, scanTokenKey)
	if err != nil {
		return nil, fmt.Errorf("look up %d tokens: %w", len(keys), err)
	}
	for _, key := range matches {
		existing[key] = true
	}
	return existing, nil
}

// touch records that answers about a contract have changed.
func (b *batch) touch(contract string) {
	b.touched.Add(shard.Account(contract), shard.Tokens)
}

// touchToken records that answers about a token have changed.
func (b *batch) touchToken(key tokenKey) {
	b.touched.Add(shard.Token(key.contract, key.id), shard.Tokens)
}

func bigOf(decimal string) *big.Int {
	i, _ := new(big.Int).SetString(decimal, 10)
	return i
}
