package bns

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"strata/domain/bns"
	"strata/projections"
)

// write writes the changes of a batch: it ends versions, and writes those that begin.
func (b *batch) write(ctx context.Context, s *state) error {
	names := changed(s.names)
	for _, key := range names {
		subject := s.names[key]
		if before := subject.before; before != nil {
			m := before.value.membershipAt(0)
			m.valid = before.value.valid
			m.list(b.lists.Remove)
		}
		m := subject.value().membershipAt(b.tip.burnHeight)
		m.list(b.lists.Add)
	}
	namespaces, primaries, zonefiles := changed(s.namespaces), changed(s.primaries), changed(s.zonefiles)
	queries := &pgx.Batch{}
	end := func(table, key string, keys []string, heights []int64) {
		if len(keys) > 0 {
			// A read of the contract may tell of a change after those of its block.
			queries.Queue(b.sql(`
				DELETE FROM {schema}.`+table+` t USING unnest($1::text[], $2::bigint[]) AS u (key, height)
				WHERE t.`+key+` = u.key AND t.height = u.height AND t.until_height IS NULL`), keys, heights)
			queries.Queue(b.sql(`
				UPDATE {schema}.`+table+` t SET until_height = u.height`+map[bool]string{true: `, valid = false`}[table == "name"]+`
				FROM unnest($1::text[], $2::bigint[]) AS u (key, height) WHERE t.`+key+` = u.key AND t.until_height IS NULL`), keys, heights)
		}
	}
	keys, heights := s.names.closed(names)
	end("name", "full_name", keys, heights)
	keys, heights = s.namespaces.closed(namespaces)
	end("namespace", "namespace", keys, heights)
	keys, heights = s.primaries.closed(primaries)
	end("primary_name", "principal", keys, heights)
	keys, heights = s.zonefiles.closed(zonefiles)
	end("zonefile", "full_name", keys, heights)
	for _, u := range s.used {
		queries.Queue(b.sql(`
			UPDATE {schema}.preorder SET used_height = $3
			WHERE (principal, hash, height, tx_index) = (
				SELECT principal, hash, height, tx_index FROM {schema}.preorder
				WHERE principal = $1 AND hash = $2 AND used_height IS NULL ORDER BY height DESC, tx_index DESC LIMIT 1
			)`), u.principal, u.hash, u.height)
	}
	if queries.Len() > 0 {
		if err := b.tx.SendBatch(ctx, queries).Close(); err != nil {
			return fmt.Errorf("end earlier versions: %w", err)
		}
	}
	return b.insert(ctx, s, names, namespaces, primaries, zonefiles)
}

// changed returns the keys of the subjects that a batch changed, in order.
func changed[V any](all subjects[V]) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(key string) bool { return !all[key].changed })
}

func (b *batch) insert(ctx context.Context, s *state, names, namespaces, primaries, zonefiles []string) error {
	var rows [][]any
	s.names.each(names, func(n *name, height int64, until *int64) {
		rows = append(rows, b.nameRow(n, height, until))
	})
	if err := b.copy(ctx, "name", nameColumns, rows); err != nil {
		return err
	}
	rows = nil
	s.namespaces.each(namespaces, func(n *namespace, height int64, until *int64) {
		rows = append(rows, namespaceRow(n, height, until))
	})
	if err := b.copy(ctx, "namespace", namespaceColumns, rows); err != nil {
		return err
	}
	rows = nil
	s.primaries.each(primaries, func(p *primary, height int64, until *int64) {
		rows = append(rows, []any{height, until, p.seq, p.id, p.place(), p.principal, p.fullName, p.pointer})
	})
	if err := b.copy(ctx, "primary_name", "height until_height source_seq id tx_index principal full_name pointer", rows); err != nil {
		return err
	}
	rows = nil
	s.zonefiles.each(zonefiles, func(z *zonefile, height int64, until *int64) {
		rows = append(rows, []any{height, until, z.seq, int32(z.tx), z.revoked, z.fullName, projections.NullText(z.owner), z.content, z.pointer})
	})
	if err := b.copy(ctx, "zonefile", "height until_height source_seq tx_index revoked full_name owner content pointer", rows); err != nil {
		return err
	}
	rows = nil
	for _, p := range s.preorders {
		rows = append(rows, []any{
			p.height, p.used, p.seq, p.burnHeight, int32(p.tx), int16(p.kind), projections.Amount(p.amount), p.hash, p.principal, p.pointer,
		})
	}
	if err := b.copy(ctx, "preorder", "height used_height source_seq burn_height tx_index kind amount hash principal pointer", rows); err != nil {
		return err
	}
	rows = nil
	for _, e := range s.events {
		rows = append(rows, eventRow(e))
	}
	return b.copy(ctx, "event", eventColumns, rows)
}

const nameColumns = `height until_height source_seq id tx_index events airdropped revoked valid expires_at key_a key_b key_c listed_n
	registered_at imported_at renewal_height stx_burn listed_price full_name label namespace owner preordered_by commission preorder pointer`

// nameRow returns a row of table name. A name is valid only in its current version, and while it has an owner.
func (b *batch) nameRow(n *name, height int64, until *int64) []any {
	key := keyOf(n.String())
	valid := until == nil && n.owner != "" && n.validAt(b.tip.burnHeight)
	return []any{
		height, until, n.seq, n.id, n.place(), int32(n.events), n.airdropped, n.revoked, valid, orNull(n.expiry, bns.NeverExpires), key[0], key[1], key[2],
		orNull(n.listedN, 0), number(n.registeredAt), number(n.importedAt), number(n.renewal), number(n.burned), number(n.price),
		n.String(), n.Label, n.Namespace, projections.NullText(n.owner), projections.NullText(n.preorderedBy), projections.NullText(n.commission),
		n.preorder, n.pointer,
	}
}

const namespaceColumns = `height until_height source_seq tx_index manager_transferable manager_frozen can_update_price revealed_at launched_at lifetime
	price_base price_coeff nonalpha_discount no_vowel_discount buckets namespace import_address manager pointer`

func namespaceRow(n *namespace, height int64, until *int64) []any {
	buckets := make([]pgtype.Numeric, len(n.Price.Buckets))
	for i, bucket := range n.Price.Buckets {
		buckets[i] = number(bucket)
	}
	var manager *string
	if n.Manager != nil {
		manager = projections.NullText(n.Manager.String())
	}
	return []any{
		height, until, n.seq, int32(n.tx), n.ManagerTransferable, n.ManagerFrozen, n.CanUpdatePrice, number(n.RevealedAt), number(n.LaunchedAt),
		number(n.Lifetime), number(n.Price.Base), number(n.Price.Coefficient), number(n.Price.NonAlphaDiscount), number(n.Price.NoVowelDiscount),
		buckets, n.name, n.Import.String(), manager, n.pointer,
	}
}

const eventColumns = `n height source_seq burn_height id name_n tx_index event_index kind amount renewal_height full_name namespace sender recipient
	topic txid pointer`

func eventRow(e *event) []any {
	var index, nameN *int32
	if e.index != nil {
		i := int32(*e.index)
		index = &i
	}
	if e.nameN > 0 {
		i := int32(e.nameN)
		nameN = &i
	}
	var txid []byte
	if e.tx != noTransaction {
		txid = e.txid[:]
	}
	return []any{
		e.n, e.height, e.seq, e.burnHeight, e.id, nameN, e.place(), index, int16(e.kind), number(e.amount), number(e.renewal),
		projections.NullText(e.fullName), projections.NullText(e.namespace), projections.NullText(e.from), projections.NullText(e.to),
		projections.NullText(e.topic), txid, e.pointer,
	}
}

// number returns the value of a numeric column: null for nil.
func number(n *big.Int) pgtype.Numeric { return projections.Amount(n) }

// orNull returns the value of a column in which one number is null.
func orNull(n, null int64) *int64 {
	if n == null {
		return nil
	}
	return &n
}
