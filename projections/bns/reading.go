package bns

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/jackc/pgx/v5"

	"strata/domain/bns"
	"strata/domain/fetch"
	"strata/domain/hash"
	"strata/projections"
)

// readingOf returns what a step reports the registry to have answered; false for any other step.
func (b *batch) readingOf(step projections.Step) (bns.Subject, bool) {
	report, ok := step.Record.(*fetch.Report)
	if !ok {
		return bns.Subject{}, false
	}
	subject, ok := bns.SubjectOf(report.Want)
	return subject, ok && b.contracts.IsNames(subject.Contract)
}

// reading is an answer of the registry at a canonical block.
type reading struct {
	*batch
	step    projections.Step
	report  *fetch.Report
	subject bns.Subject
	agent   string // whose primary name it is, or who has the name
	// burnHeight is what the contract reads in the block of the reading, and events the number of events up to it.
	burnHeight, events int64
	state              *state
}

// fullName returns the name that is read; empty for a primary name.
func (r *reading) fullName() string {
	if r.subject.OfPrimary() {
		return ""
	}
	return projections.Text(r.subject.Name.String())
}

// pointer returns the JSON pointer to the answer in the report.
func (r *reading) pointer() string {
	return fmt.Sprintf("/exchanges/%d/body", len(r.report.Exchanges)-1)
}

// read folds a report. It counts if its block is canonical and nothing has happened to any name since, so that the state
// after that block is still the state. Otherwise the want stays open.
func (b *batch) read(ctx context.Context, step projections.Step) error {
	if b.tip == nil {
		return nil
	}
	subject, _ := b.readingOf(step)
	r := &reading{batch: b, step: step, report: step.Record.(*fetch.Report), subject: subject, state: b.newState()}
	var block hash.Hash32
	err := b.tx.QueryRow(ctx, b.sql(`SELECT index_block_hash, burn_height, events FROM {schema}.block WHERE height = $1`), r.report.Tip.Height).
		Scan(&block, &r.burnHeight, &r.events)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && block != r.report.Tip.IndexBlockHash {
		return b.postpone(ctx, step, r.report)
	}
	if err != nil {
		return err
	}
	w := newWanted()
	if r.agent = projections.Text(subject.Principal.String()); !subject.OfPrimary() {
		w.name(subject.Name)
	} else {
		w.principals[r.agent] = true
	}
	var id *big.Int
	var properties *bns.Properties
	var problem *fetch.Problem
	if subject.OfPrimary() {
		if id, problem = bns.ReadPrimary(r.report); id != nil {
			w.ids[id.Int64()] = true
		}
	} else {
		properties, problem = bns.ReadInfo(r.report)
	}
	if problem != nil {
		return b.fail(ctx, step, r.report, problem)
	}
	if err := b.loadRows(ctx, r.state, w); err != nil {
		return err
	}
	if !subject.OfPrimary() {
		n := r.state.names.get(r.fullName()).value()
		if n == nil || n.owner == "" {
			return nil // burned since, with the want
		}
		r.agent = n.owner
	}
	b.unsettled[r.agent] = true
	known, stale, err := r.compare(ctx)
	if err != nil || known {
		return err
	}
	if stale {
		return b.askAgain(ctx, step, r.report)
	}
	x := &execution{
		state: r.state, block: &blockFacts{step: &projections.Step{Height: r.report.Tip.Height, BlockSeq: step.BlockSeq}, burnHeight: r.burnHeight},
		tx: &transactionFacts{index: noTransaction}, at: fact{index: -1, pointer: r.pointer()},
	}
	if subject.OfPrimary() {
		x.choose(r.agent, id)
	} else if properties != nil {
		x.readRenewal(r.fullName(), properties)
	}
	return r.write(ctx, id, properties)
}

// compare reports whether the block or a later one was read already, and whether something has happened since the block.
func (r *reading) compare(ctx context.Context) (known, stale bool, err error) {
	height := r.report.Tip.Height
	err = r.tx.QueryRow(ctx, r.sql(`
		SELECT EXISTS (SELECT FROM {schema}.reading WHERE agent = $1 AND full_name = $2 AND height >= $3),
		       EXISTS (SELECT FROM {schema}.act WHERE agent = $1 AND height > $3)`), r.agent, r.fullName(), height).Scan(&known, &stale)
	return known, stale || r.events != r.tip.events, err
}

// write writes the reading and what it changes.
func (r *reading) write(ctx context.Context, id *big.Int, properties *bns.Properties) error {
	row := []any{r.report.Tip.Height, r.step.BlockSeq, nil, number(nil), number(nil), r.agent, r.fullName(), r.pointer()}
	if id != nil {
		row[2] = id.Int64()
	}
	if properties != nil {
		row[3], row[4] = number(properties.RenewalHeight), number(properties.Burned)
	}
	if err := r.copy(ctx, "reading", "height source_seq id renewal_height stx_burn agent full_name pointer", [][]any{row}); err != nil {
		return err
	}
	if added := r.state.lastEvent - r.tip.events; added > 0 {
		if _, err := r.tx.Exec(ctx, r.sql(`UPDATE {schema}.block SET events = events + $2 WHERE height >= $1`), r.report.Tip.Height, added); err != nil {
			return fmt.Errorf("count %d events: %w", added, err)
		}
		now := *r.tip
		now.events += added
		r.tip = &now
	}
	return r.batch.write(ctx, r.state)
}

// choose sets the primary name of a principal as the registry has it; nil for none.
func (x *execution) choose(principal string, id *big.Int) {
	subject := x.primaries.get(principal)
	known := subject.value()
	if id == nil {
		if known != nil {
			subject.set(x.height(), nil)
		}
		return
	}
	if known != nil && known.id == id.Int64() {
		return
	}
	x.change(x.byID[id.Int64()], func(n *name) {
		subject.set(x.height(), &primary{x.source(), principal, n.id, n.String()})
		x.addNameEvent(n, bns.EventSetPrimary).from = principal
	})
}

// readRenewal sets the renewal of a name as the registry has it.
func (x *execution) readRenewal(fullName string, p *bns.Properties) {
	known := x.names.get(fullName).value()
	if known.renewal.Cmp(p.RenewalHeight) == 0 && known.burned.Cmp(p.Burned) == 0 {
		return
	}
	x.change(fullName, func(n *name) {
		n.renewal, n.burned = p.RenewalHeight, p.Burned
		e := x.addNameEvent(n, bns.EventRenew)
		e.from, e.amount, e.renewal = n.owner, n.burned, n.renewal
	})
}
