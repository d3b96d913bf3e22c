package staking

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/domain/nodeevent"
	"strata/domain/pox"
	"strata/projections"
)

// topicPrint is the topic of all prints, as nodes report them.
const topicPrint = "print"

// event is an event that pox-5 printed.
type event struct {
	n, subjectN, bondN int64 // assigned by number
	height, seq        int64
	burnHeight         int64
	tx, index          int
	txid               hash.Hash32
	topic              string
	subject            string // empty for an event about neither a staker nor a signer manager
	bond               *int64 // nil for an event that is of no bond
	act                act    // nil for an event that changes nothing here, or that is not decoded
	decoded            bool
}

// eventsOf returns the events of pox-5 in a block, in the order of execution.
func eventsOf(step *projections.Step) (events []*event) {
	effective := step.Block.EffectiveEvents()
	for _, tx := range step.Block.ExecutionOrder() {
		for i, e := range effective[tx.Index] {
			value, ok := printOf(e)
			if !ok {
				continue
			}
			read := decode(value)
			read.height, read.seq, read.burnHeight = step.Height, step.BlockSeq, int64(step.Block.BurnBlockHeight)
			read.tx, read.index, read.txid = tx.Index, i, tx.TxID
			events = append(events, read)
		}
	}
	return events
}

// printOf returns the value that pox-5 printed. It returns false for all other events.
func printOf(e *nodeevent.Event) (clarity.Value, bool) {
	printed, ok := e.Data.(*nodeevent.ContractEvent)
	if !ok || printed.Topic != topicPrint {
		return clarity.Value{}, false
	}
	contract, err := clarity.ParsePrincipal(printed.Contract)
	if err != nil {
		return clarity.Value{}, false
	}
	if version, ok := pox.Version(contract); !ok || version != poxVersion {
		return clarity.Value{}, false
	}
	value, err := clarity.DecodeAll(printed.RawValue)
	return value, err == nil
}

// decode returns the event of a printed value. One that it cannot decode has at most a topic.
func decode(value clarity.Value) *event {
	topic, _ := pox.Topic(value)
	e := &event{topic: projections.Text(topic)}
	printed, err := pox.DecodePrint(value)
	if err != nil {
		return e
	}
	f := &fields{printed: printed}
	a, subject, bond := f.act()
	if f.bad {
		return e
	}
	e.decoded, e.act, e.subject, e.bond = true, a, subject, bond
	return e
}

// number numbers the events from the last numbers of their lists on. It returns the number of the first one, or of the
// next one if there is none.
func (b *batch) number(ctx context.Context, events []*event) (int64, error) {
	lastOfSubject, lastOfBond := map[string]int64{}, map[int64]int64{}
	for _, e := range events {
		if e.subject != "" {
			lastOfSubject[e.subject] = 0
		}
		if e.bond != nil {
			lastOfBond[*e.bond] = 0
		}
	}
	var last, n, bond int64
	var subject string
	queries := &pgx.Batch{}
	queries.Queue(b.sql(`SELECT n FROM {schema}.event ORDER BY n DESC LIMIT 1`)).Query(projections.EachValue(func(n int64) { last = n }))
	if len(lastOfSubject) > 0 {
		queries.Queue(b.sql(`
			SELECT s.subject, e.subject_n FROM unnest($1::text[]) AS s (subject)
			CROSS JOIN LATERAL (SELECT e.subject_n FROM {schema}.event e WHERE e.subject = s.subject ORDER BY e.subject_n DESC LIMIT 1) e`),
			slices.Collect(maps.Keys(lastOfSubject))).Query(func(rows pgx.Rows) error {
			_, err := pgx.ForEachRow(rows, []any{&subject, &n}, func() error { lastOfSubject[subject] = n; return nil })
			return err
		})
	}
	if len(lastOfBond) > 0 {
		queries.Queue(b.sql(`
			SELECT s.bond_index, e.bond_n FROM unnest($1::bigint[]) AS s (bond_index)
			CROSS JOIN LATERAL (SELECT e.bond_n FROM {schema}.event e WHERE e.bond_index = s.bond_index ORDER BY e.n DESC LIMIT 1) e`),
			slices.Collect(maps.Keys(lastOfBond))).Query(func(rows pgx.Rows) error {
			_, err := pgx.ForEachRow(rows, []any{&bond, &n}, func() error { lastOfBond[bond] = n; return nil })
			return err
		})
	}
	if err := b.tx.SendBatch(ctx, queries).Close(); err != nil {
		return 0, fmt.Errorf("read the last numbers of events: %w", err)
	}
	next := last + 1
	for _, e := range events {
		last++
		e.n = last
		if e.subject != "" {
			lastOfSubject[e.subject]++
			e.subjectN = lastOfSubject[e.subject]
		}
		if e.bond != nil {
			lastOfBond[*e.bond]++
			e.bondN = lastOfBond[*e.bond]
		}
	}
	return next, nil
}

// writeEvents writes the rows of events.
func (b *batch) writeEvents(ctx context.Context, events []*event) error {
	rows := make([][]any, len(events))
	for i, e := range events {
		var subject *string
		var subjectN, bondN *int64
		if e.subject != "" {
			subject, subjectN = &e.subject, &e.subjectN
		}
		if e.bond != nil {
			bondN = &e.bondN
		}
		rows[i] = []any{e.n, subjectN, bondN, e.bond, e.height, e.seq, int32(e.tx), int32(e.index), e.decoded, e.txid[:], e.topic, subject}
	}
	return b.copy(ctx, "event", "n subject_n bond_n bond_index height source_seq tx_index event_index decoded txid topic subject", rows)
}
