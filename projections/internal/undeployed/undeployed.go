// Package undeployed keeps which contracts transactions call that nothing in the log deploys, for the fold of chain, and wants their
// interfaces.
package undeployed

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"strata/domain/fetch"
	"strata/domain/nodeevent"
	"strata/domain/token"
	"strata/domain/transaction"
	"strata/projections"
	"strata/projections/internal/want"
)

// Contracts that transactions call, and that no event deploys: boot contracts, and all older ones of a log that begins above
// genesis. The projections of tokens want the interfaces of deployed contracts; chain wants those of the others, as only it knows
// which are deployed, on any fork.
//
// A stranger can call any number of contracts that do not exist. What bounds the wants:
//
//   - A mined call counts if it ran. Then the contract exists, so somebody has paid for its deployment.
//   - A waiting call proves nothing. At most unprovenMax contracts are wanted for the sake of waiting calls alone, and each is given
//     up after unprovenAttempts, so that the places are free again. Until one is, further waiting calls are shown without names of
//     arguments, and so is any call of a contract that nobody has called with success.
const (
	unprovenMax      = 1000
	unprovenAttempts = 6
)

// calledMax is the number of called contracts that are kept in memory between two batches.
const calledMax = 10_000

// Priorities of wants.
const (
	priorityRan     = 2 // the chain shows that the contract exists
	priorityWaiting = 3 // only waiting transactions call it, or an attempt failed
)

// Contracts are the called contracts in memory, between two batches, too. After a rollback they are wrong, and must be dropped.
type Contracts struct {
	spec     projections.Spec
	called   map[string]*callee
	deployed map[string]bool            // by events whose rows may not be written yet
	changed  map[string]*undeployedCall // rows to write
	unproven int                        // contracts whose interface is wanted for waiting transactions alone
}

// New returns the contracts of a state that is read from the tables. Unproven must get the result of UnprovenSQL.
func New(spec projections.Spec) *Contracts {
	return &Contracts{spec: spec, called: map[string]*callee{}, deployed: map[string]bool{}, changed: map[string]*undeployedCall{}}
}

// UnprovenSQL counts the contracts that are wanted for waiting transactions alone.
const UnprovenSQL = `(SELECT count(*) FROM {schema}.undeployed WHERE NOT proven AND interface_seq IS NULL)`

// Unproven returns the destination of UnprovenSQL.
func (k *Contracts) Unproven() *int { return &k.unproven }

// callee is what is known of a contract that transactions call.
type callee struct {
	deployed bool            // by an event so far
	row      *undeployedCall // nil if the interface was not wanted yet
}

// undeployedCall is a row of undeployed.
type undeployedCall struct {
	seq    int64 // the event with the first call
	proven bool
	known  bool                          // the interface came
	report *projections.FetchedInterface // it is to be written
	raised *want.Raised                  // the want to write
	given  bool                          // up
}

// ran reports whether a mined call reached the contract. A call of a contract or a function that does not exist is mined, too: it
// is aborted with (err none).
func ran(tx *nodeevent.Transaction) bool {
	switch tx.Status {
	case nodeevent.StatusSuccess, nodeevent.StatusAbortByPostCondition:
		return true
	case nodeevent.StatusAbortByResponse:
		return len(tx.RawResult) > 0 && !bytes.Equal(tx.RawResult, errNone)
	}
	return false
}

// errNone is (err none), serialised (SIP-005).
var errNone = []byte{0x08, 0x09}

// ranContracts returns the distinct contracts that calls in a block have reached.
func ranContracts(content *projections.Block) (ids []string) {
	for i := range content.Transactions {
		if tx := &content.Transactions[i]; ran(tx) {
			ids = appendCalled(ids, content.Decoded[tx.Index])
		}
	}
	return ids
}

// announcedContracts returns the distinct contracts that waiting transactions call.
func announcedContracts(announced *projections.Announcement) (ids []string) {
	for i := range announced.Transactions {
		ids = appendCalled(ids, announced.Transactions[i].Transaction)
	}
	return ids
}

// appendCalled appends the contract that a transaction calls, if it calls one that is not there yet.
func appendCalled(ids []string, tx *transaction.Transaction) []string {
	if tx == nil {
		return ids
	}
	call, ok := tx.Payload.(*transaction.ContractCall)
	if !ok {
		return ids
	}
	if id := projections.Text(call.Contract.String()); !slices.Contains(ids, id) {
		ids = append(ids, id)
	}
	return ids
}

// Of returns the contracts whose rows the fold of an event may look at.
func Of(item *projections.LogItem) []string {
	if item.Block != nil {
		return ranContracts(item.Block)
	}
	switch record := item.Record.(type) {
	case *projections.Announcement:
		return announcedContracts(record)
	case *fetch.Report:
		if record.Want.Kind == fetch.ContractInterface {
			return []string{projections.Text(record.Want.Contract)}
		}
	}
	return nil
}

// Unknown returns the contracts that are not in memory.
func (k *Contracts) Unknown(ids []string) (unknown []string) {
	for _, id := range ids {
		if k.called[id] == nil {
			unknown = append(unknown, id)
		}
	}
	return unknown
}

// Queue queues a query that loads contracts into memory.
func (k *Contracts) Queue(queries *pgx.Batch, ids []string) {
	if len(ids) == 0 {
		return
	}
	queries.Queue(k.spec.SQL(`
		SELECT c.id, EXISTS (SELECT FROM {schema}.contract k WHERE k.contract_id = c.id),
		       u.source_seq, coalesce(u.proven, false), coalesce(u.interface_seq IS NOT NULL, false)
		FROM unnest($1::text[]) AS c (id) LEFT JOIN {schema}.undeployed u ON u.contract_id = c.id`), ids).Query(func(rows pgx.Rows) error {
		var id string
		var deployed bool
		var seq *int64
		var row undeployedCall
		_, err := pgx.ForEachRow(rows, []any{&id, &deployed, &seq, &row.proven, &row.known}, func() error {
			c := &callee{deployed: deployed || k.deployed[id]}
			if seq != nil {
				known := row
				known.seq = *seq
				c.row = &known
			}
			k.called[id] = c
			return nil
		})
		return err
	})
}

// lookUp loads contracts into memory that are not there.
func (k *Contracts) lookUp(ctx context.Context, tx pgx.Tx, ids []string) error {
	unknown := k.Unknown(ids)
	if len(unknown) == 0 {
		return nil
	}
	queries := &pgx.Batch{}
	k.Queue(queries, unknown)
	if err := tx.SendBatch(ctx, queries).Close(); err != nil {
		return fmt.Errorf("look up %d called contracts: %w", len(unknown), err)
	}
	return nil
}

// AddBlock notes which contracts a block deploys, and wants the interfaces of those that it calls and that nothing deploys.
func (k *Contracts) AddBlock(ctx context.Context, tx pgx.Tx, content *projections.Block) error {
	for i := range content.Transactions {
		tx := &content.Transactions[i]
		decoded := content.Decoded[tx.Index]
		if decoded == nil || !tx.Succeeded() {
			continue
		}
		if contract, ok := decoded.Deploys(); ok {
			id := projections.Text(contract.String())
			k.deployed[id] = true
			if c := k.called[id]; c != nil {
				c.deployed = true
			}
		}
	}
	ids := ranContracts(content)
	if err := k.lookUp(ctx, tx, ids); err != nil {
		return err
	}
	for _, id := range ids {
		c := k.called[id]
		switch {
		case c.deployed || c.row != nil && (c.row.known || c.row.proven):
			continue
		case c.row == nil:
			c.row = &undeployedCall{seq: content.Seq}
		default:
			k.unproven--
		}
		// Earlier failures do not count: a waiting call may have come before its contract.
		c.row.proven = true
		k.raise(id, c.row, content.Seq, priorityRan)
	}
	return nil
}

// addWaiting wants the interfaces of contracts that waiting transactions call and that nothing deploys.
func (k *Contracts) addWaiting(ctx context.Context, tx pgx.Tx, seq int64, announced *projections.Announcement) error {
	ids := announcedContracts(announced)
	if err := k.lookUp(ctx, tx, ids); err != nil {
		return err
	}
	for _, id := range ids {
		c := k.called[id]
		if c.deployed || c.row != nil || k.unproven >= unprovenMax {
			continue
		}
		c.row = &undeployedCall{seq: seq}
		k.unproven++
		k.raise(id, c.row, seq, priorityWaiting)
	}
	return nil
}

// addReport takes the answer to a want, or puts the want off.
func (k *Contracts) addReport(ctx context.Context, tx pgx.Tx, seq int64, report *fetch.Report) error {
	if report.Want.Kind != fetch.ContractInterface {
		return nil
	}
	id := projections.Text(report.Want.Contract)
	if err := k.lookUp(ctx, tx, []string{id}); err != nil {
		return err
	}
	c := k.called[id]
	row := c.row
	if row == nil || row.known {
		return nil
	}
	if i, ok := projections.FetchedInterfaceOf(projections.LogItem{Seq: seq, Record: report}); ok {
		row.known, row.report = true, &i
		if !row.proven {
			k.unproven--
		}
		k.changed[id] = row
		return nil
	}
	if k.changed[id] != nil {
		if err := k.Write(ctx, tx); err != nil {
			return err
		}
	}
	_, problem := token.ReadInterface(report)
	failures, _, err := k.wants(tx).Fail(ctx, report, seq, problem, priorityWaiting, 0)
	if err != nil {
		return err
	}
	if !row.proven && failures.Attempts >= unprovenAttempts {
		row.given, c.row = true, nil
		k.unproven--
		k.changed[id] = row
	}
	return nil
}

// retry lets wants be fetched now whose last attempt failed, as a person has asked.
func (k *Contracts) retry(ctx context.Context, tx pgx.Tx, seq int64, r *fetch.Refresh) error {
	if !r.Failed || r.Kind != "" && r.Kind != fetch.ContractInterface {
		return nil
	}
	if err := k.Write(ctx, tx); err != nil {
		return err
	}
	clear(k.called)
	return k.wants(tx).Retry(ctx, seq, r)
}

// AddRecord takes what a record says about contracts that nothing deploys.
func (k *Contracts) AddRecord(ctx context.Context, tx pgx.Tx, item projections.LogItem) error {
	switch record := item.Record.(type) {
	case *projections.Announcement:
		return k.addWaiting(ctx, tx, item.Seq, record)
	case *fetch.Report:
		return k.addReport(ctx, tx, item.Seq, record)
	case *fetch.Refresh:
		return k.retry(ctx, tx, item.Seq, record)
	}
	return nil
}

// Forget forgets which contracts are deployed, because rows of deployments were deleted. All other rows must be written.
func (k *Contracts) Forget() {
	clear(k.called)
	clear(k.deployed)
}

func (k *Contracts) wants(tx pgx.Tx) want.Table { return want.Table{Tx: tx, SQL: k.spec.SQL} }

func interfaceWant(id string) fetch.Want {
	return fetch.Want{Kind: fetch.ContractInterface, Contract: id}
}

func (k *Contracts) raise(id string, row *undeployedCall, seq int64, priority int16) {
	row.raised = &want.Raised{Want: interfaceWant(id), Seq: seq, Priority: priority}
	k.changed[id] = row
}

// Write writes the changed rows of contracts that nothing deploys, with their wants.
func (k *Contracts) Write(ctx context.Context, tx pgx.Tx) error {
	if len(k.changed) == 0 {
		return nil
	}
	queries := &pgx.Batch{}
	for _, id := range slices.Sorted(maps.Keys(k.changed)) {
		row := k.changed[id]
		key := want.KeyHash(interfaceWant(id))
		if row.given {
			queries.Queue(k.spec.SQL(`DELETE FROM {schema}.want WHERE key_hash = $1`), key[:])
			queries.Queue(k.spec.SQL(`DELETE FROM {schema}.undeployed WHERE contract_id = $1`), id)
			continue
		}
		var source *int64
		var text *string
		if row.report != nil {
			source, text, row.report = &row.report.Seq, &row.report.Text, nil
		}
		queries.Queue(k.spec.SQL(`
			INSERT INTO {schema}.undeployed AS u (source_seq, interface_seq, proven, key_hash, contract_id, interface) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (contract_id) DO UPDATE SET source_seq = excluded.source_seq, proven = excluded.proven,
				interface_seq = coalesce(excluded.interface_seq, u.interface_seq), interface = coalesce(excluded.interface, u.interface)`),
			row.seq, source, row.proven, key[:], id, text)
		if row.known {
			queries.Queue(k.spec.SQL(`DELETE FROM {schema}.want WHERE key_hash = $1`), key[:])
		} else if row.raised != nil {
			if err := k.wants(tx).Raise(queries, *row.raised); err != nil {
				return err
			}
		}
		row.raised = nil
	}
	defer clear(k.changed)
	if err := tx.SendBatch(ctx, queries).Close(); err != nil {
		return fmt.Errorf("write %d called contracts: %w", len(k.changed), err)
	}
	return nil
}

// Trim bounds the contracts in memory after a batch. All rows of the batch must be written.
func (k *Contracts) Trim() {
	clear(k.deployed)
	if len(k.called) > calledMax {
		clear(k.called)
	}
}
