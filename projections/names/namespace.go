package names

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"strata/domain/names"
	"strata/domain/shard"
	"strata/projections"
)

// namespaceRow is a row of the table namespace.
type namespaceRow struct {
	n        int32
	ready    int64
	importer string
	names.NamespaceProperties
}

// loadNamespaces reads the properties of the namespaces that the steps change.
func (b *batch) loadNamespaces(ctx context.Context) error {
	if len(b.namespaces) == 0 {
		return nil
	}
	rows, err := b.tx.Query(ctx, b.sql(`
		SELECT q.namespace, s.n, s.ready_height, s.importer, s.can_update_price, s.revealed_at, s.launched_at, s.lifetime,
		       s.price_base, s.price_coefficient, s.nonalpha_discount, s.no_vowel_discount, s.price_buckets
		FROM unnest($1::text[]) AS q (namespace)
		CROSS JOIN LATERAL (SELECT * FROM {schema}.namespace s WHERE s.namespace = q.namespace AND s.n > 0 ORDER BY s.n DESC LIMIT 1) s`),
		slices.Sorted(maps.Keys(b.namespaces)))
	if err != nil {
		return fmt.Errorf("read %d namespaces: %w", len(b.namespaces), err)
	}
	var name string
	var row namespaceRow
	var numbers [7]pgtype.Numeric
	var buckets []pgtype.Numeric
	if _, err := pgx.ForEachRow(rows, []any{
		&name, &row.n, &row.ready, &row.importer, &row.CanUpdatePriceFunction,
		&numbers[0], &numbers[1], &numbers[2], &numbers[3], &numbers[4], &numbers[5], &numbers[6], &buckets,
	}, func() error {
		known, p := row, &row.Price
		known.RevealedAt, known.LaunchedAt, known.Lifetime = projections.WholeNumber(numbers[0]), projections.WholeNumber(numbers[1]), projections.WholeNumber(numbers[2])
		p.Base, p.Coefficient, p.NonAlphaDiscount, p.NoVowelDiscount = projections.WholeNumber(numbers[3]), projections.WholeNumber(numbers[4]), projections.WholeNumber(numbers[5]), projections.WholeNumber(numbers[6])
		for i := range min(len(buckets), names.BucketCount) {
			p.Buckets[i] = projections.WholeNumber(buckets[i])
		}
		known.Price = *p
		b.namespaces[name] = &known
		return nil
	}); err != nil {
		return fmt.Errorf("read %d namespaces: %w", len(b.namespaces), err)
	}
	return nil
}

// namespace applies the launch of a namespace, or a change of what its names cost. Such a change of a namespace whose
// properties are not known lets the registry be asked for them.
func (b *batch) namespace(f *fact) {
	var name string
	var next namespaceRow
	copyOf := func(namespace string) bool {
		known := b.namespaces[namespace]
		if known == nil {
			if f.event == nil {
				b.acts[actKey{namespace, f.step.Height}] = actRow{f.step.BlockSeq, f.clock, int32(f.tx.Index), f.tx.TxID[:], f.registry()}
			}
			return false
		}
		name, next = namespace, *known
		return true
	}
	switch what := f.what.(type) {
	case *names.Launch:
		if copyOf(what.Namespace); next.n > 0 {
			return // a namespace is launched once
		}
		name, next = what.Namespace, namespaceRow{ready: f.step.Height, importer: what.Importer.String(), NamespaceProperties: what.NamespaceProperties}
	case *names.PriceUpdate:
		if !copyOf(what.Namespace) {
			return
		}
		next.Price = what.Price
	case *names.PriceFreeze:
		if !copyOf(what.Namespace) {
			return
		}
		next.CanUpdatePriceFunction = false
	}
	b.addNamespace(name, next, change{f.step.Height, f.step.BlockSeq, int32(f.tx.Index), f.pointer(), nil, f.tx.TxID[:]})
}

// change is where a row of namespace comes from.
type change struct {
	height, seq       int64
	tx                int32
	pointer, exchange *int32
	txid              []byte
}

// addNamespace adds the row that follows the last one of a namespace.
func (b *batch) addNamespace(name string, next namespaceRow, from change) {
	next.n++
	b.namespaces[name] = &next
	b.touched.Add(shard.Names, shard.Namespace(name))
	p := &next.Price
	buckets := make([]pgtype.Numeric, names.BucketCount)
	for i := range buckets {
		buckets[i] = projections.Amount(p.Buckets[i])
	}
	b.launches = append(b.launches, []any{
		next.n, from.height, from.seq, from.tx, from.pointer, next.ready, next.CanUpdatePriceFunction,
		projections.Amount(next.RevealedAt), projections.Amount(next.LaunchedAt), projections.Amount(next.Lifetime),
		projections.Amount(p.Base), projections.Amount(p.Coefficient), projections.Amount(p.NonAlphaDiscount), projections.Amount(p.NoVowelDiscount),
		buckets, from.txid, name, next.importer, from.exchange,
	})
}
