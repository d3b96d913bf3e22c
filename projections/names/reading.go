package names

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/jackc/pgx/v5"

	"strata/domain/fetch"
	"strata/domain/hash"
	"strata/domain/names"
	"strata/projections"
)

// readingOf returns what a step reports the registry to have said; false for any other step.
func readingOf(step *projections.Step) (names.Subject, *fetch.Report, bool) {
	report, ok := step.Record.(*fetch.Report)
	if !ok {
		return names.Subject{}, nil, false
	}
	subject, ok := names.SubjectOf(report.Want)
	return subject, report, ok
}

func isReading(step projections.Step) bool {
	_, _, ok := readingOf(&step)
	return ok
}

// reading is what the registry says about a subject at a canonical block.
type reading struct {
	subject  names.Subject
	report   *fetch.Report
	seq      int64 // of the report
	exchange int32 // in the report
	// started is when the lease of a name began; nil if it does not resolve.
	started *big.Int
	// properties are those of a namespace; nil if the registry does not have it.
	properties *names.NamespaceProperties
}

// height is the block at which the registry was asked.
func (r *reading) height() int64 { return r.report.Tip.Height }

// read folds a report. It counts if its block is canonical, if a contract may have changed the subject up to that block, and
// if nothing has happened to the subject since, so that what the registry said then holds. Otherwise the want stays open.
func (b *batch) read(ctx context.Context, step *projections.Step) error {
	if b.tip == nil {
		return nil
	}
	subject, report, _ := readingOf(step)
	b.unsettled[subject.String()] = true
	if report.Tip == nil {
		return b.fail(ctx, step, report, &fetch.Problem{Severity: fetch.Waiting})
	}
	var block hash.Hash32
	err := b.tx.QueryRow(ctx, b.sql(`SELECT index_block_hash FROM {schema}.block WHERE height = $1`), report.Tip.Height).Scan(&block)
	switch {
	case errors.Is(err, pgx.ErrNoRows) || err == nil && block != report.Tip.IndexBlockHash:
		return b.fail(ctx, step, report, &fetch.Problem{Severity: fetch.Waiting})
	case err != nil:
		return err
	}
	r := &reading{subject: subject, report: report, seq: step.BlockSeq, exchange: int32(len(report.Exchanges) - 1)}
	var problem *fetch.Problem
	if subject.OfNamespace() {
		r.properties, problem = names.ReadProperties(report)
	} else {
		r.started, problem = names.ReadLease(report)
	}
	if problem != nil {
		return b.fail(ctx, step, report, problem)
	}
	acted, known, stale, err := b.compare(ctx, r)
	if err == nil && acted == nil && subject.OfNamespace() {
		acted, stale, err = b.witness(ctx, r)
	}
	switch {
	case err != nil || known || acted == nil:
		return err
	case stale:
		return b.askAgain(ctx, step, report)
	}
	if subject.OfNamespace() {
		problem, err = b.readNamespace(ctx, r, acted)
	} else {
		err = b.readName(ctx, r, acted)
	}
	if problem != nil {
		return b.fail(ctx, step, report, problem)
	}
	if err == nil {
		err = b.write(ctx)
	}
	if err != nil {
		return err
	}
	row := []any{r.height(), r.seq, nil, subject.String()}
	if r.started != nil {
		row[2] = r.started.Int64()
	}
	if err := b.copy(ctx, "reading", "height source_seq started_at subject", [][]any{row}); err != nil {
		return err
	}
	return b.raise(ctx)
}

// compare returns the act that a reading may tell of: the one when the lease began that it says, and otherwise the last one
// up to its block; nil for none. known means that the block or a later one was read already, and stale that something has
// happened to the subject since the block.
func (b *batch) compare(ctx context.Context, r *reading) (acted *actRow, known, stale bool, err error) {
	var started *int64
	if r.started != nil {
		n := r.started.Int64()
		started = &n
	}
	acted = &actRow{}
	err = b.tx.QueryRow(ctx, b.sql(`
		SELECT a.clock, a.tx_index, a.txid,
		       EXISTS (SELECT FROM {schema}.reading r WHERE r.subject = $1 AND r.height >= $2),
		       EXISTS (SELECT FROM {schema}.act a WHERE a.subject = $1 AND a.height > $2)
		       OR EXISTS (SELECT FROM (SELECT height FROM {schema}.operation o WHERE o.name = $1 ORDER BY o.n DESC LIMIT 1) o WHERE o.height > $2)
		       OR EXISTS (SELECT FROM (SELECT height FROM {schema}.namespace s WHERE s.namespace = $1 ORDER BY s.n DESC LIMIT 1) s WHERE s.height > $2)
		FROM {schema}.act a WHERE a.subject = $1 AND a.height <= $2
		ORDER BY (a.clock = coalesce($3::bigint, -1)) DESC, a.height DESC LIMIT 1`), r.subject.String(), r.height(), started).
		Scan(&acted.clock, &acted.tx, &acted.txid, &known, &stale)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, false, false, nil
	}
	if err != nil {
		return nil, false, false, fmt.Errorf("compare what the registry says about %s: %w", r.subject, err)
	}
	return acted, known, stale, nil
}

// witness returns the transaction of a name that proves that the namespace exists; nil if there is none, or if its properties are
// known. stale means that the registry was asked at an earlier block, or before prices changed.
func (b *batch) witness(ctx context.Context, r *reading) (tx *actRow, stale bool, err error) {
	tx = &actRow{}
	err = b.tx.QueryRow(ctx, b.sql(`
		SELECT o.tx_index, o.txid, o.height > $2 OR EXISTS (SELECT FROM {schema}.act a WHERE a.subject = $1 AND a.height > $2)
		FROM (`+witnessSQL(`$1`)+`) o`), r.subject.Namespace, r.height()).Scan(&tx.tx, &tx.txid, &stale)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("look for names of the namespace %s: %w", r.subject, err)
	}
	return tx, stale, nil
}

// readName adds the renewal that the registry tells of: its lease began in a block in which a contract may have renewed the
// name, after the lease that is known.
func (b *batch) readName(ctx context.Context, r *reading, acted *actRow) error {
	text := r.subject.String()
	b.touch(text)
	if err := b.loadNames(ctx); err != nil {
		return err
	}
	s := b.names[text]
	known := s.last.lease.RegisteredAt
	if !s.listed() || r.started == nil || r.started.Int64() != acted.clock || known != nil && *known >= acted.clock {
		return nil
	}
	next := operationRow{
		n: s.last.n + 1, height: r.height(), seq: r.seq, lease: names.Lease{RegisteredAt: &acted.clock}, tx: acted.tx, exchange: &r.exchange,
		operation: names.Renewal, txid: acted.txid, zonefileHash: s.last.zonefileHash, name: text, owner: s.last.owner,
	}
	if s.holder != nil {
		next.owner = *s.holder
	}
	b.add(s, next)
	return nil
}

// readNamespace adds the prices that the registry tells of, or all properties of a namespace whose launch is not in the log. The
// problem is that it was not launched at the block.
func (b *batch) readNamespace(ctx context.Context, r *reading, acted *actRow) (*fetch.Problem, error) {
	namespace := r.subject.Namespace
	b.namespaces[namespace] = nil
	if err := b.loadNamespaces(ctx); err != nil {
		return nil, err
	}
	var next namespaceRow
	switch known := b.namespaces[namespace]; {
	case known == nil && (r.properties == nil || r.properties.LaunchedAt == nil):
		return &fetch.Problem{Severity: fetch.Troubled, Reason: fetch.ReasonClarity, Detail: "the namespace is not launched"}, nil
	case known == nil:
		next = namespaceRow{ready: r.height(), importer: r.properties.Importer.String(), NamespaceProperties: *r.properties}
	case r.properties == nil || known.CanUpdatePriceFunction == r.properties.CanUpdatePriceFunction && known.Price.Equal(&r.properties.Price):
		return nil, nil
	default:
		next = *known
		next.Price, next.CanUpdatePriceFunction = r.properties.Price, r.properties.CanUpdatePriceFunction
	}
	b.addNamespace(namespace, next, change{r.height(), r.seq, acted.tx, nil, &r.exchange, acted.txid})
	return nil, nil
}
