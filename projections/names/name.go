package names

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"strata/domain/names"
	"strata/projections"
)

// nameState is what is known of a name.
type nameState struct {
	last      operationRow // the last operation; its operation is 0 before the first one
	holds     int32        // the number of rows in custody
	holder    *string      // by the last of them
	heldSeq   int64        // its event
	heldAt    int64        // its height
	stored    bool         // the table name has a row,
	wasListed bool         // which is listed
}

// operationRow is a row of the table operation.
type operationRow struct {
	n            int32
	height, seq  int64
	lease        names.Lease
	tx           int32
	pointer      *int32
	exchange     *int32 // of the report that tells of it
	operation    names.Operation
	txid         []byte
	zonefileHash []byte
	name, owner  string
}

// loadNames reads what is known of the names that the steps change.
func (b *batch) loadNames(ctx context.Context) error {
	if len(b.names) == 0 {
		return nil
	}
	rows, err := b.tx.Query(ctx, b.sql(`
		SELECT q.name, coalesce(o.n, 0), coalesce(o.height, 0), coalesce(o.source_seq, 0), o.registered_at, o.imported_at, coalesce(o.operation, 0), o.zonefile_hash, coalesce(o.owner, ''),
		       coalesce(c.n, 0), c.holder, coalesce(c.height, 0), coalesce(c.source_seq, 0), w.listed IS NOT NULL, coalesce(w.listed, false)
		FROM unnest($1::text[]) AS q (name)
		LEFT JOIN LATERAL (SELECT * FROM {schema}.operation o WHERE o.name = q.name ORDER BY o.n DESC LIMIT 1) o ON true
		LEFT JOIN LATERAL (SELECT * FROM {schema}.custody c WHERE c.name = q.name ORDER BY c.n DESC LIMIT 1) c ON true
		LEFT JOIN LATERAL (SELECT * FROM {schema}.name w WHERE w.name = q.name LIMIT 1) w ON true`), slices.Sorted(maps.Keys(b.names)))
	if err != nil {
		return fmt.Errorf("read %d names: %w", len(b.names), err)
	}
	var s nameState
	o := &s.last
	if _, err := pgx.ForEachRow(rows, []any{
		&o.name, &o.n, &o.height, &o.seq, &o.lease.RegisteredAt, &o.lease.ImportedAt, &o.operation, &o.zonefileHash, &o.owner,
		&s.holds, &s.holder, &s.heldAt, &s.heldSeq, &s.stored, &s.wasListed,
	}, func() error {
		known := s
		b.names[o.name] = &known
		return nil
	}); err != nil {
		return fmt.Errorf("read %d names: %w", len(b.names), err)
	}
	return nil
}

// moved applies an event of a name's token.
func (b *batch) moved(f *fact, m *move) {
	s := b.names[m.name.String()]
	s.holds++
	s.holder, s.heldAt, s.heldSeq = m.holder, f.step.Height, f.step.BlockSeq
	b.custody = append(b.custody, []any{s.holds, f.step.Height, f.step.BlockSeq, *f.pointer(), m.name.String(), m.holder})
}

// changed applies an operation that the contract printed.
func (b *batch) changed(f *fact, c *names.Change) {
	s := b.names[c.Name.String()]
	next := s.last.after(f, c.Name, c.Operation)
	next.zonefileHash = c.ZonefileHash
	switch {
	case f.recipient != "":
		next.owner = f.recipient
	case s.holder != nil:
		next.owner = *s.holder
	default:
		next.owner = c.Sender.String()
	}
	switch c.Operation {
	case names.Register, names.Renewal:
		next.lease = names.Lease{RegisteredAt: &f.clock}
	case names.Import:
		next.lease = names.Lease{ImportedAt: &f.clock}
	}
	b.add(s, next)
}

// renewed applies a renewal for which the contract printed nothing. It keeps the zonefile.
func (b *batch) renewed(f *fact, r *names.SilentRenewal) {
	s := b.names[r.Name.String()]
	next := s.last.after(f, r.Name, names.Renewal)
	next.lease, next.zonefileHash = names.Lease{RegisteredAt: &f.clock}, s.last.zonefileHash
	if next.owner = f.sender; s.holder != nil {
		next.owner = *s.holder
	}
	b.add(s, next)
}

// after returns the row of an operation that follows this one. It keeps the lease.
func (o *operationRow) after(f *fact, name names.Name, operation names.Operation) operationRow {
	return operationRow{
		n: o.n + 1, height: f.step.Height, seq: f.step.BlockSeq, lease: o.lease, tx: int32(f.tx.Index), pointer: f.pointer(),
		operation: operation, txid: f.tx.TxID[:], name: name.String(),
	}
}

func (b *batch) add(s *nameState, o operationRow) {
	if o.zonefileHash == nil {
		o.zonefileHash = []byte{}
	}
	o.owner = projections.Text(o.owner)
	s.last = o
	b.operations = append(b.operations, &o)
}

// source returns the last event on the chain that changed the name, which need not be the last in the log.
func (s *nameState) source() int64 {
	switch cmp.Compare(s.last.height, s.heldAt) {
	case -1:
		return s.heldSeq
	case 1:
		return s.last.seq
	}
	return max(s.last.seq, s.heldSeq)
}

// listed reports whether the lists have the name.
func (s *nameState) listed() bool { return s.last.operation != 0 && s.last.operation != names.Revoke }

// currentHolder returns the holder of the name's token, as far as it is known; nil if the token was burnt.
func (s *nameState) currentHolder() *string {
	if s.holds == 0 && s.last.operation != 0 {
		return &s.last.owner
	}
	return s.holder
}
