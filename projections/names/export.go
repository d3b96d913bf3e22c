package names

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"strata/domain/hash"
	"strata/domain/names"
	"strata/domain/shard"
	"strata/projections"
)

// What Stacks 1.0 had is there before the first block: its rows have the number 0 among the rows of a name or of a
// namespace, and no revert removes them. They are in the log wherever somebody imported them, so they are written as if
// they had come first: rows that are there already, and say less for want of them, are completed.

// noTransaction is the txid of what Stacks 1.0 had.
var noTransaction = make([]byte, len(hash.Hash32{}))

// exportSequence is the sequence of the subdomains of Stacks 1.0: below that of any record in a zonefile.
const exportSequence = -1

// export stores the parts of the export of Stacks 1.0 among the records of steps. Of two exports of the same thing, the
// first one counts.
func (b *batch) export(ctx context.Context, steps []projections.Step) error {
	for i := range steps {
		part, ok := steps[i].Record.(*names.ExportPart)
		if !ok {
			continue
		}
		for _, write := range []func(context.Context, int64, *names.ExportPart) error{
			b.exportNamespaces, b.exportNames, b.exportZonefiles, b.exportSubdomains,
		} {
			if err := write(ctx, steps[i].BlockSeq, part); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *batch) exportNamespaces(ctx context.Context, seq int64, part *names.ExportPart) error {
	for i := range part.Namespaces {
		n := &part.Namespaces[i]
		buckets := make([]pgtype.Numeric, names.BucketCount)
		for i := range buckets {
			buckets[i] = projections.Amount(n.Price.Buckets[i])
		}
		if _, err := b.tx.Exec(ctx, b.sql(`
			INSERT INTO {schema}.namespace (n, height, source_seq, tx_index, pointer, ready_height, can_update_price, revealed_at, launched_at, lifetime,
			                                price_base, price_coefficient, nonalpha_discount, no_vowel_discount, price_buckets, txid, namespace, importer)
			VALUES (0, 0, $1, 0, NULL, 0, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT DO NOTHING`),
			seq, n.CanUpdatePriceFunction, projections.Amount(n.RevealedAt), projections.Amount(n.LaunchedAt), projections.Amount(n.Lifetime),
			projections.Amount(n.Price.Base), projections.Amount(n.Price.Coefficient), projections.Amount(n.Price.NonAlphaDiscount), projections.Amount(n.Price.NoVowelDiscount),
			buckets, noTransaction, n.Namespace, n.Importer.String()); err != nil {
			return fmt.Errorf("write namespace %s of Stacks 1.0: %w", n.Namespace, err)
		}
		b.unsettled[n.Namespace] = true
		b.touched.Add(shard.Names, shard.Namespace(n.Namespace))
	}
	return nil
}

func (b *batch) exportNames(ctx context.Context, seq int64, part *names.ExportPart) error {
	if len(part.Names) == 0 {
		return nil
	}
	var texts, owners []string
	var hashes [][]byte
	for i := range part.Names {
		n := &part.Names[i]
		text := n.Name.String()
		texts, owners, hashes = append(texts, text), append(owners, n.Owner), append(hashes, orEmpty(n.ZonefileHash))
		b.touch(text)
	}
	queries := &pgx.Batch{}
	queries.Queue(b.sql(`
		INSERT INTO {schema}.operation (n, height, source_seq, registered_at, tx_index, operation, txid, zonefile_hash, name, owner)
		SELECT 0, 0, $1, 0, 0, 1, $2, u.zonefile_hash, u.name, u.owner
		FROM unnest($3::text[], $4::text[], $5::bytea[]) AS u (name, owner, zonefile_hash)
		ON CONFLICT DO NOTHING`), seq, noTransaction, texts, owners, hashes)
	// Operations on the chain that keep the lease or the zonefile of the operation before them take it from this one.
	queries.Queue(b.sql(`
		UPDATE {schema}.operation SET registered_at = 0
		WHERE name = ANY ($1) AND n > 0 AND registered_at IS NULL AND imported_at IS NULL`), texts)
	queries.Queue(b.sql(`
		UPDATE {schema}.operation o SET zonefile_hash = e.zonefile_hash
		FROM unnest($1::text[]) AS u (name)
		CROSS JOIN LATERAL (SELECT * FROM {schema}.operation e WHERE e.name = u.name AND e.n = 0 OFFSET 0) e
		WHERE o.name = e.name AND o.n > 0 AND o.pointer IS NULL
		  AND NOT EXISTS (SELECT FROM {schema}.operation p WHERE p.name = o.name AND p.n > 0 AND p.n < o.n AND p.pointer IS NOT NULL)`), texts)
	if err := b.tx.SendBatch(ctx, queries).Close(); err != nil {
		return fmt.Errorf("write %d names of Stacks 1.0: %w", len(texts), err)
	}
	return nil
}

// exportZonefiles stores zonefiles by their hash, like those that nodes post. One with another hash is left out.
func (b *batch) exportZonefiles(ctx context.Context, seq int64, part *names.ExportPart) error {
	var found []zonefile
	for i := range part.Zonefiles {
		z := &part.Zonefiles[i]
		if names.ZonefileHash(z.Content) == z.Hash {
			found = append(found, zonefile{seq: seq, entry: fromExport, hash: z.Hash, content: z.Content})
		}
	}
	return b.store(ctx, found)
}

func (b *batch) exportSubdomains(ctx context.Context, seq int64, part *names.ExportPart) error {
	if len(part.Subdomains) == 0 {
		return nil
	}
	var places []int64
	var parents, own [][]byte
	var texts, labels, owners, resolvers []string
	for i := range part.Subdomains {
		s := &part.Subdomains[i]
		places, parents, own = append(places, s.Line), append(parents, orEmpty(s.ParentZonefileHash)), append(own, orEmpty(s.ZonefileHash))
		texts, labels = append(texts, s.Name.String()), append(labels, projections.Text(s.Label))
		owners, resolvers = append(owners, projections.Text(s.Owner)), append(resolvers, projections.Text(s.Resolver))
	}
	if _, err := b.tx.Exec(ctx, b.sql(`
		INSERT INTO {schema}.subdomain (sequence, n, place, height, source_seq, operation_seq, zonefile_hash, txid, name, label, owner, content_hash, resolver)
		SELECT $1, 0, u.place, 0, $2, $2, u.parent, $3, u.name, u.label, u.owner, u.own, u.resolver
		FROM unnest($4::bigint[], $5::bytea[], $6::bytea[], $7::text[], $8::text[], $9::text[], $10::text[]) AS u (place, parent, own, name, label, owner, resolver)
		ON CONFLICT DO NOTHING`), exportSequence, seq, noTransaction, places, parents, own, texts, labels, owners, resolvers); err != nil {
		return fmt.Errorf("write %d subdomains of Stacks 1.0: %w", len(texts), err)
	}
	b.touched.Add(shard.Names, shard.Zonefiles)
	return nil
}
