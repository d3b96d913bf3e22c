package names

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"strata/domain/fetch"
	"strata/domain/hash"
	"strata/domain/names"
	"strata/domain/nodeevent"
	"strata/domain/shard"
	"strata/domain/transaction"
	"strata/projections"
)

// insertSubdomains is the beginning of the statement that writes the subdomains of operations o, which are updates, as
// the records r of their zonefiles define them. In what follows it, OFFSET 0 makes the planner look up the rows of each
// zonefile, instead of reading a whole index.
const insertSubdomains = `
	INSERT INTO {schema}.subdomain (sequence, n, place, height, source_seq, operation_seq, zonefile_hash, txid, name, label, owner)
	SELECT r.sequence, o.n, r.place, o.height, r.source_seq, o.source_seq, r.zonefile_hash, o.txid, o.name, r.label, r.owner`

// zonefile is a zonefile that an event of the log has.
type zonefile struct {
	seq   int64
	entry int32 // of the list of attachments; fromExport
	// exchange is that of a report which has the zonefile; nil for an announcement.
	exchange *int32
	hash     hash.Hash20
	content  []byte
}

// fromExport is the entry of a zonefile of Stacks 1.0.
const fromExport = -1

// attach stores the zonefiles among the records of steps, with the subdomains that earlier updates define by them.
func (b *batch) attach(ctx context.Context, steps []projections.Step) error {
	var found []zonefile
	foreign, err := b.foreignContract(ctx, steps)
	if err != nil {
		return err
	}
	for i := range steps {
		switch record := steps[i].Record.(type) {
		case *nodeevent.Attachments:
			for j := range record.List {
				a := &record.List[j]
				if a.Content == nil || foreign(a.ContractID) || !names.IsContractText(a.ContractID) || names.ZonefileHash(a.Content) != a.ContentHash {
					continue
				}
				found = append(found, zonefile{seq: steps[i].BlockSeq, entry: int32(a.Index), hash: a.ContentHash, content: a.Content})
			}
		case *fetch.Report:
			if content, exchange, problem := record.AttachmentContent(); problem == nil {
				place := int32(exchange)
				found = append(found, zonefile{seq: steps[i].BlockSeq, exchange: &place, hash: names.ZonefileHash(content), content: content})
			}
		}
	}
	return b.store(ctx, found)
}

// foreignContract returns what reports whether a contract is of another network than the log. The projection chain has put
// attachments of such contracts into quarantine, but a step names the whole event that had others besides.
func (b *batch) foreignContract(ctx context.Context, steps []projections.Step) (func(contract string) bool, error) {
	var name *string // null until it is known
	if slices.ContainsFunc(steps, func(step projections.Step) bool { _, ok := step.Record.(*nodeevent.Attachments); return ok }) {
		if err := b.tx.QueryRow(ctx, `SELECT (SELECT name FROM log.network)`).Scan(&name); err != nil {
			return nil, fmt.Errorf("read the network of the log: %w", err)
		}
	}
	return func(contract string) bool {
		of, tells := projections.MainnetContract(contract)
		return name != nil && tells && of != (*name == transaction.Mainnet.Name())
	}, nil
}

// store stores zonefiles, the first of those with the same hash, with the subdomains that earlier updates define by
// them.
func (b *batch) store(ctx context.Context, found []zonefile) error {
	seen := map[hash.Hash20]bool{}
	var seqs []int64
	var entries []int32
	var exchanges []*int32
	var hashes, bodies [][]byte
	for i := range found {
		z := &found[i]
		if seen[z.hash] {
			continue
		}
		seen[z.hash] = true
		seqs, entries, exchanges = append(seqs, z.seq), append(entries, z.entry), append(exchanges, z.exchange)
		hashes, bodies = append(hashes, z.hash[:]), append(bodies, z.content)
	}
	if len(hashes) == 0 {
		return nil
	}
	resolvers, parsed := make([]string, len(hashes)), map[hash.Hash20]names.Zonefile{}
	for i, content := range bodies {
		z := names.ParseZonefile(content)
		resolvers[i], parsed[hash.Hash20(hashes[i])] = projections.Text(z.Resolver), z
	}
	rows, err := b.tx.Query(ctx, b.sql(`
		INSERT INTO {schema}.zonefile (source_seq, entry, exchange, zonefile_hash, content, resolver)
		SELECT * FROM unnest($1::bigint[], $2::int[], $3::int[], $4::bytea[], $5::bytea[], $6::text[])
		ON CONFLICT DO NOTHING RETURNING zonefile_hash, source_seq`), seqs, entries, exchanges, hashes, bodies, resolvers)
	if err != nil {
		return fmt.Errorf("write %d zonefiles: %w", len(hashes), err)
	}
	var stored hash.Hash20
	var seq int64
	var added [][]byte
	var records [][]any
	if _, err := pgx.ForEachRow(rows, []any{&stored, &seq}, func() error {
		at := stored
		added = append(added, at[:])
		b.zonefiles[at] = true
		z := parsed[at]
		for place := range z.Subdomains {
			s := &z.Subdomains[place]
			records = append(records, []any{seq, int32(place), s.Sequence, at[:], s.Label, s.Owner, s.Hash(), orEmpty(s.Content)})
		}
		return nil
	}); err != nil {
		return fmt.Errorf("write %d zonefiles: %w", len(hashes), err)
	}
	if err := b.copy(ctx, "zonefile_record", "source_seq place sequence zonefile_hash label owner content_hash content", records); err != nil {
		return err
	}
	return b.attachToNames(ctx, added)
}

// attachToNames writes the subdomains that stored updates define by new zonefiles, and marks the names that have any of
// these zonefiles as changed.
func (b *batch) attachToNames(ctx context.Context, hashes [][]byte) error {
	if len(hashes) == 0 {
		return nil
	}
	_, err := b.tx.Exec(ctx, b.sql(insertSubdomains+`
		FROM unnest($1::bytea[]) AS u (zonefile_hash)
		CROSS JOIN LATERAL (SELECT * FROM {schema}.operation o WHERE o.zonefile_hash = u.zonefile_hash AND o.zonefile_hash <> '\x' AND o.operation = 3 OFFSET 0) o
		CROSS JOIN LATERAL (SELECT * FROM {schema}.zonefile_record r WHERE r.zonefile_hash = u.zonefile_hash OFFSET 0) r`), hashes)
	if err != nil {
		return fmt.Errorf("write the subdomains of %d zonefiles: %w", len(hashes), err)
	}
	b.touched.Add(shard.Names, shard.Zonefiles)
	return nil
}

// orEmpty returns an empty slice for nil, which would be null.
func orEmpty(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
