package pox

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/jackc/pgx/v5"

	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/domain/nodeevent"
	"strata/domain/pox"
	"strata/domain/shard"
	"strata/projections"
)

// topicPrint is the topic of all prints.
const topicPrint = "print"

// First and last version of the stacking contract that prints events in the form that pox.Decode reads.
const (
	firstReporting = 2
	lastReporting  = 4
)

// event is an event that a stacking contract printed.
type event struct {
	pox.Event
	contract     int
	height, seq  int64
	tx, index    int
	txid         hash.Hash32
	stacker      string
	n, stackerN  int64 // assigned by number
	delegator    string
	start, until *int64 // cycles; until is the first cycle after those of the event
}

// owner identifies a list of events: those of a stacker of a contract.
type owner struct {
	contract int
	stacker  string
}

// eventBatch collects the events of blocks until they are written.
type eventBatch struct {
	batch  *batch
	events []*event
	// Of pox-5:
	stakes []stake
	keys   []managerKey
}

// block adds the events of a block, in the order of execution.
func (r *eventBatch) block(step *projections.Step) {
	effective := step.Block.EffectiveEvents()
	position := 0
	for _, tx := range step.Block.ExecutionOrder() {
		for i, e := range effective[tx.Index] {
			position++
			read, ok := eventOf(e)
			if !ok {
				r.addPox5(e, step.Height, step.BlockSeq, position)
				continue
			}
			read.height, read.seq, read.tx, read.index, read.txid = step.Height, step.BlockSeq, tx.Index, i, tx.TxID
			r.events = append(r.events, read)
			r.batch.touched.Add(shard.StackingEvents(read.contract))
		}
	}
}

// eventOf decodes an event of a stacking contract. It returns false for all other events, and for those that it can't
// decode, which are in the tables of chain only.
func eventOf(e *nodeevent.Event) (*event, bool) {
	printed, ok := e.Data.(*nodeevent.ContractEvent)
	if !ok || printed.Topic != topicPrint {
		return nil, false
	}
	contract, err := clarity.ParsePrincipal(printed.Contract)
	if err != nil {
		return nil, false
	}
	version, ok := pox.Version(contract)
	if !ok || version < firstReporting || version > lastReporting {
		return nil, false
	}
	value, err := clarity.DecodeAll(printed.RawValue)
	if err != nil {
		return nil, false
	}
	read, ok, err := pox.Decode(value)
	if err != nil || !ok {
		return nil, false
	}
	out := &event{Event: read, contract: version, stacker: read.Stacker.String(), start: cycleOf(read.Data.StartCycleID), until: cycleOf(read.Data.EndCycleID)}
	if read.Data.Delegator != nil {
		out.delegator = read.Data.Delegator.String()
	}
	return out, true
}

// cycleOf returns the number of a cycle, or nil for one that no chain can have.
func cycleOf(n *big.Int) *int64 {
	if n == nil || !n.IsInt64() {
		return nil
	}
	number := n.Int64()
	return &number
}

// write numbers the collected events and writes them, with the delegations, locks and commitments that follow from
// them.
func (r *eventBatch) write(ctx context.Context) error {
	if err := r.writePox5(ctx); err != nil {
		return err
	}
	if len(r.events) == 0 {
		return nil
	}
	if err := r.number(ctx); err != nil {
		return err
	}
	rows := make([][]any, len(r.events))
	for i, e := range r.events {
		rows[i] = []any{e.n, e.stackerN, e.height, e.seq, int32(e.tx), int32(e.index), int16(e.contract), e.txid[:], e.stacker}
	}
	if err := r.batch.copy(ctx, "event", "n stacker_n height source_seq tx_index event_index contract txid stacker", rows); err != nil {
		return err
	}
	if err := r.delegate(ctx); err != nil {
		return err
	}
	if err := r.stack(ctx); err != nil {
		return err
	}
	r.events = nil
	return nil
}

// number numbers the events from the last numbers of their lists on.
func (r *eventBatch) number(ctx context.Context) error {
	last, lastOf := map[int]int64{}, map[owner]int64{}
	for _, e := range r.events {
		last[e.contract], lastOf[owner{e.contract, e.stacker}] = 0, 0
	}
	contracts := slices.Collect(maps.Keys(last))
	var ownerContracts []int
	var stackers []string
	for o := range lastOf {
		ownerContracts, stackers = append(ownerContracts, o.contract), append(stackers, o.stacker)
	}
	queries := &pgx.Batch{}
	var o owner
	var n int64
	queries.Queue(r.batch.sql(`
		SELECT c.contract, e.n FROM unnest($1::smallint[]) AS c (contract)
		CROSS JOIN LATERAL (SELECT e.n FROM {schema}.event e WHERE e.contract = c.contract ORDER BY e.n DESC LIMIT 1) e`), contracts).Query(func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, []any{&o.contract, &n}, func() error { last[o.contract] = n; return nil })
		return err
	})
	queries.Queue(r.batch.sql(`
		SELECT o.contract, o.stacker, e.stacker_n FROM unnest($1::smallint[], $2::text[]) AS o (contract, stacker)
		CROSS JOIN LATERAL (
			SELECT e.stacker_n FROM {schema}.event e WHERE e.contract = o.contract AND e.stacker = o.stacker ORDER BY e.stacker_n DESC LIMIT 1
		) e`), ownerContracts, stackers).Query(func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, []any{&o.contract, &o.stacker, &n}, func() error { lastOf[o] = n; return nil })
		return err
	})
	if err := r.batch.tx.SendBatch(ctx, queries).Close(); err != nil {
		return fmt.Errorf("read the last numbers of events: %w", err)
	}
	for _, e := range r.events {
		who := owner{e.contract, e.stacker}
		last[e.contract]++
		lastOf[who]++
		e.n, e.stackerN = last[e.contract], lastOf[who]
	}
	return nil
}
