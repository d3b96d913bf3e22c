package names

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"strata/domain/hash"
	"strata/domain/names"
	"strata/domain/nodeevent"
	"strata/domain/shard"
	"strata/projections"
)

// insertSubdomains is the beginning of the statement that writes the subdomains of operations o, which are updates, as
// the records r of their zonefiles define them. In what follows it, OFFSET 0 makes the planner look up the rows of each
// zonefile, instead of reading a whole index.
const insertSubdomains = `
	INSERT INTO {schema}.subdomain (sequence, n, place, height, source_seq, operation_seq, zonefile_hash, txid, name, label, owner)
	SELECT r.sequence, o.n, r.place, o.height, r.source_seq, o.source_seq, r.zonefile_hash, o.txid, o.name, r.label, r.owner`

// attach stores the zonefiles among the records of steps, with the subdomains that earlier updates define by them.
func (b *batch) attach(ctx context.Context, steps []projections.Step) error {
	contents := map[hash.Hash20][]byte{}
	var seqs []int64
	var entries []int32
	var hashes, bodies [][]byte
	for i := range steps {
		attachments, ok := steps[i].Record.(*nodeevent.Attachments)
		if !ok {
			continue
		}
		for entry := range attachments.List {
			a := &attachments.List[entry]
			if a.Content == nil || !names.IsContractText(a.ContractID) || contents[a.ContentHash] != nil || names.ZonefileHash(a.Content) != a.ContentHash {
				continue
			}
			contents[a.ContentHash] = a.Content
			seqs, entries = append(seqs, steps[i].BlockSeq), append(entries, int32(entry))
			hashes, bodies = append(hashes, a.ContentHash[:]), append(bodies, a.Content)
		}
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
		INSERT INTO {schema}.zonefile (source_seq, entry, zonefile_hash, content, resolver)
		SELECT * FROM unnest($1::bigint[], $2::int[], $3::bytea[], $4::bytea[], $5::text[])
		ON CONFLICT DO NOTHING RETURNING zonefile_hash, source_seq`), seqs, entries, hashes, bodies, resolvers)
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
		CROSS JOIN LATERAL (SELECT * FROM {schema}.operation o WHERE o.zonefile_hash = u.zonefile_hash AND o.operation = 3 OFFSET 0) o
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
