package names

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"strata/domain/names"
)

// write writes the rows of the applied blocks, and the rows of all names that changed or lost an operation.
func (b *batch) write(ctx context.Context) error {
	rows := make([][]any, len(b.operations))
	var updated []string
	var numbers []int32
	for i, o := range b.operations {
		rows[i] = []any{
			o.n, o.height, o.seq, o.lease.RegisteredAt, o.lease.ImportedAt, o.tx, o.pointer, int16(o.operation), o.txid, o.zonefileHash, o.name, o.owner, o.exchange,
		}
		b.consider(o.zonefileHash)
		if o.operation == names.Update {
			updated, numbers = append(updated, o.name), append(numbers, o.n)
		}
	}
	for _, table := range []struct {
		name, columns string
		rows          [][]any
	}{
		{"block", "source_seq height burn_block_height clock time index_block_hash block_hash", b.blocks},
		{"operation", "n height source_seq registered_at imported_at tx_index pointer operation txid zonefile_hash name owner exchange", rows},
		{"custody", "n height source_seq pointer name holder", b.custody},
		{
			"namespace", "n height source_seq tx_index pointer ready_height can_update_price revealed_at launched_at lifetime price_base price_coefficient " +
				"nonalpha_discount no_vowel_discount price_buckets txid namespace importer exchange", b.launches,
		},
		{"caller", "height source_seq tx_index renews prices registry contract_id", b.deployed},
		{"act", "height source_seq clock tx_index txid subject registry", b.actRows()},
	} {
		if err := b.copy(ctx, table.name, table.columns, table.rows); err != nil {
			return err
		}
	}
	if len(updated) > 0 {
		_, err := b.tx.Exec(ctx, b.sql(insertSubdomains+`
			FROM unnest($1::text[], $2::int[]) AS u (name, n)
			CROSS JOIN LATERAL (SELECT * FROM {schema}.operation o WHERE o.name = u.name AND o.n = u.n LIMIT 1) o
			CROSS JOIN LATERAL (SELECT * FROM {schema}.zonefile_record r WHERE r.zonefile_hash = o.zonefile_hash OFFSET 0) r`), updated, numbers)
		if err != nil {
			return fmt.Errorf("write the subdomains of %d updates: %w", len(updated), err)
		}
	}
	return b.writeNames(ctx)
}

// writeNames writes the rows of names as they are now, and lists them or no longer does.
func (b *batch) writeNames(ctx context.Context) error {
	var gone, texts, namespaces []string
	var holders []*string
	var seqs, as, bs, cs []int64
	var listed []bool
	for _, text := range slices.Sorted(maps.Keys(b.names)) {
		s := b.names[text]
		name, err := names.Parse(text)
		if err != nil {
			return err // no other names are ever stored
		}
		key := keyOf(text)
		if now := s.listed(); now != s.wasListed {
			change := b.lists.Add
			if !now {
				change = b.lists.Remove
			}
			change(listNames, key)
			change(listNamesOf+name.Namespace, key)
		}
		if s.last.operation == 0 && s.holds == 0 {
			if s.stored {
				gone = append(gone, text)
			}
			continue
		}
		texts, namespaces, holders, listed = append(texts, text), append(namespaces, name.Namespace), append(holders, s.currentHolder()), append(listed, s.listed())
		seqs, as, bs, cs = append(seqs, s.source()), append(as, key[0]), append(bs, key[1]), append(cs, key[2])
	}
	if len(gone) > 0 {
		if _, err := b.tx.Exec(ctx, b.sql(`DELETE FROM {schema}.name WHERE name = ANY ($1)`), gone); err != nil {
			return fmt.Errorf("remove %d names: %w", len(gone), err)
		}
	}
	if len(texts) == 0 {
		return nil
	}
	_, err := b.tx.Exec(ctx, b.sql(`
		INSERT INTO {schema}.name (source_seq, a, b, c, listed, name, namespace, holder)
		SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::boolean[], $6::text[], $7::text[], $8::text[])
		ON CONFLICT (name) DO UPDATE SET source_seq = excluded.source_seq, listed = excluded.listed, holder = excluded.holder`),
		seqs, as, bs, cs, listed, texts, namespaces, holders)
	if err != nil {
		return fmt.Errorf("write %d names: %w", len(texts), err)
	}
	return nil
}
