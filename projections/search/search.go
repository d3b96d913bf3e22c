// Package search keeps the names of contracts and tokens, and those of the Bitcoin Name System, to be found by a part of them.
package search

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"strata/domain/bns"
	"strata/domain/clarity"
	"strata/domain/names"
	"strata/domain/nodeevent"
	"strata/domain/trigram"
	"strata/projections"
)

//go:embed tables.sql
var tables string

// Name is the name of the projection.
const Name = "search"

// Version is the version of the projection's tables and rules.
//
// Version history:
//   - 1: first version.
const Version = 1

// Search is the projection.
type Search struct {
	spec      projections.Spec
	contracts bns.Contracts
	known     map[string]struct{} // assets that have rows: most blocks move the same ones
}

// nameMost is the length in bytes up to which a name is one. Identifiers have up to 300, and chain takes no longer ones than these; names of
// BNS have 69, but a node could say anything.
const nameMost = 512

// knownMost bounds what is kept in memory, some 10 MB.
const knownMost = 1 << 16

// New returns the projection. contracts are those of BNS-V2.
func New(contracts bns.Contracts) *Search {
	return &Search{spec: Spec(), contracts: contracts, known: map[string]struct{}{}}
}

// Spec describes the projection's tables.
func Spec() projections.Spec {
	return projections.Spec{Schema: projections.Schema{Name: Name, Version: Version}, Tables: tables}
}

// Spec implements projections.Projection.
func (p *Search) Spec() projections.Spec { return p.spec }

// WithSpec implements projections.Rebuildable.
func (p *Search) WithSpec(spec projections.Spec) projections.Projection[projections.Step] {
	other := New(p.contracts)
	other.spec = spec
	return other
}

// Forget implements projections.Projection.
func (p *Search) Forget() { clear(p.known) }

// Fold implements projections.Projection.
func (p *Search) Fold(ctx context.Context, tx pgx.Tx, _ int64, steps []projections.Step) (projections.Outcome, error) {
	revert := func(ctx context.Context, _ projections.Step, lowest int64) error {
		p.Forget()
		batch := &pgx.Batch{}
		batch.Queue(p.spec.SQL(`DELETE FROM {schema}.block WHERE height >= $1`), lowest)
		batch.Queue(p.spec.SQL(`DELETE FROM {schema}.name WHERE height >= $1`), lowest)
		return tx.SendBatch(ctx, batch).Close()
	}
	if err := projections.FoldBlocks(ctx, projections.Lasting(steps), revert, func(ctx context.Context, steps []projections.Step) error {
		return p.apply(ctx, tx, steps)
	}); err != nil {
		return projections.Outcome{}, err
	}
	tip, err := p.spec.ReadTip(ctx, tx)
	return projections.Outcome{Tip: tip}, err
}

// place is where a name appears.
type place struct {
	height, seq int64
	tx          int32
	class       int32 // as package trigram numbers them
	fungible    bool
}

// apply adds blocks with the names that are new in them.
func (p *Search) apply(ctx context.Context, tx pgx.Tx, steps []projections.Step) error {
	blocks := make([][]any, len(steps))
	found := map[string]place{}
	for i, step := range steps {
		blocks[i] = []any{step.Height, step.BlockSeq, int64(step.Block.BurnBlockHeight), step.IndexBlockHash[:], step.Block.BlockHash[:]}
		p.collect(step, found)
	}
	if err := p.spec.Copy(ctx, tx, "block", []string{"height", "source_seq", "burn_block_height", "index_block_hash", "block_hash"}, blocks); err != nil {
		return err
	}
	if len(found) == 0 {
		return nil
	}
	sorted := slices.Sorted(maps.Keys(found))
	rows, err := tx.Query(ctx, p.spec.SQL(`SELECT name FROM {schema}.name WHERE name = ANY($1)`), sorted)
	if err != nil {
		return err
	}
	there := map[string]bool{}
	var name string
	if _, err := pgx.ForEachRow(rows, []any{&name}, func() error {
		there[name] = true
		return nil
	}); err != nil {
		return fmt.Errorf("read which of %d names are known: %w", len(sorted), err)
	}
	var added [][]any
	for _, name := range sorted {
		if at := found[name]; !there[name] {
			added = append(added, []any{
				at.height, at.seq, at.tx, int16(len(name)), int16(at.class), at.fungible, name, last(name, at.class), append(trigram.Of(name), at.class),
			})
		}
	}
	columns := []string{"height", "source_seq", "tx_index", "length", "class", "fungible", "name", "last", "trigrams"}
	if err := p.spec.Copy(ctx, tx, "name", columns, added); err != nil {
		return err
	}
	if len(p.known)+len(found) > knownMost {
		p.Forget()
	}
	for name, at := range found {
		if at.class == trigram.Asset {
			p.known[name] = struct{}{}
		}
	}
	return nil
}

// last returns the last part of an identifier, or a whole name, in small letters.
func last(name string, class int32) string {
	if class != trigram.Name {
		name = name[strings.LastIndexAny(name, ".:")+1:]
	}
	return strings.ToLower(name)
}

// collect adds the names in a block that may be new.
func (p *Search) collect(step projections.Step, found map[string]place) {
	at := place{height: step.Height, seq: step.BlockSeq}
	add := func(name string, class int32, fungible bool) {
		name = projections.Text(name)
		if _, ok := p.known[name]; ok || name == "" || len(name) > nameMost {
			return
		}
		if _, ok := found[name]; !ok {
			at.class, at.fungible = class, fungible
			found[name] = at
		}
	}
	token := func(asset string, id []byte) {
		add(asset, trigram.Asset, false)
		if names.IsAsset(asset) {
			if value, err := clarity.DecodeAll(id); err == nil {
				if name, ok := names.ReadKey(value); ok {
					add(name.String(), trigram.Name, false)
				}
			}
		}
	}
	events := step.Block.EffectiveEvents()
	for _, tx := range step.Block.ExecutionOrder() {
		at.tx = int32(tx.Index)
		if decoded := step.Block.Decoded[tx.Index]; decoded != nil && tx.Succeeded() {
			if deployed, ok := decoded.Deploys(); ok {
				add(deployed.String(), trigram.Contract, false)
			}
		}
		for _, event := range events[tx.Index] {
			switch d := event.Data.(type) {
			case *nodeevent.FTTransfer:
				add(d.Asset, trigram.Asset, true)
			case *nodeevent.FTMint:
				add(d.Asset, trigram.Asset, true)
			case *nodeevent.FTBurn:
				add(d.Asset, trigram.Asset, true)
			case *nodeevent.NFTTransfer:
				token(d.Asset, d.RawValue)
			case *nodeevent.NFTMint:
				token(d.Asset, d.RawValue)
			case *nodeevent.NFTBurn:
				token(d.Asset, d.RawValue)
			case *nodeevent.ContractEvent:
				add(p.printed(d), trigram.Name, false)
			}
		}
	}
}

// printed returns the name that a contract of BNS-V2 has printed; empty for another print.
func (p *Search) printed(d *nodeevent.ContractEvent) string {
	if d.Topic != "print" || !p.contracts.IsNames(d.Contract) {
		return ""
	}
	value, err := clarity.DecodeAll(d.RawValue)
	if err != nil {
		return ""
	}
	printed, err := bns.DecodePrint(value)
	if err != nil || printed.Name.Label == "" {
		return ""
	}
	return printed.Name.String()
}

// Checks implements projections.Checked.
func (p *Search) Checks() []projections.Check {
	return []projections.Check{{Name: "a name appears in a block", SQL: `
		SELECT n.name FROM {schema}.name n LEFT JOIN {schema}.block b ON b.height = n.height AND b.source_seq = n.source_seq WHERE b.height IS NULL`}}
}
