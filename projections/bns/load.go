package bns

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/jackc/pgx/v5"

	"strata/domain/bns"
	"strata/domain/clarity"
)

// state is what a batch knows of the rows that it may change.
type state struct {
	names      subjects[name]
	byID       map[int64]string // full names of tokens, also of burned ones
	namespaces subjects[namespace]
	primaries  subjects[primary]
	zonefiles  subjects[zonefile]
	events     []*event
	preorders  []*preorder
	used       []usedPreorder
	lastEvent  int64
}

// usedPreorder is the use of a preorder that may be in the table.
type usedPreorder struct {
	principal string
	hash      []byte
	height    int64
}

// wanted are the keys of the rows that facts may change.
type wanted struct {
	names, namespaces, principals, launched map[string]bool
	ids                                     map[int64]bool
}

func (w *wanted) add(t *transactionFacts) {
	for _, f := range t.facts {
		switch what := f.what.(type) {
		case *tokenMove:
			w.ids[what.id] = true
			w.principals[what.from], w.principals[what.to] = true, true
		case *contractPrint:
			if !what.known {
				continue
			}
			if what.ID != nil {
				w.ids[what.ID.Int64()] = true
			}
			w.name(what.Name)
			if what.Owner != nil {
				w.principals[what.Owner.String()] = true
			}
			if what.Namespace != nil && what.Namespace.LaunchedAt != nil {
				w.launched[what.Name.Namespace] = true
			}
		}
	}
	if t.call != nil {
		w.name(t.call.Name)
		w.principals[t.caller] = true
		if t.call.ID != nil {
			w.ids[t.call.ID.Int64()] = true
		}
	}
	delete(w.principals, "")
}

func (w *wanted) name(n bns.Name) {
	if n.Label != "" {
		w.names[n.String()] = true
	}
	if n.Namespace != "" {
		w.namespaces[n.Namespace] = true
	}
}

func newWanted() *wanted {
	return &wanted{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}, map[int64]bool{}}
}

// newState returns a state that knows no rows yet.
func (b *batch) newState() *state {
	s := &state{
		names: subjects[name]{}, byID: map[int64]string{}, namespaces: subjects[namespace]{}, primaries: subjects[primary]{}, zonefiles: subjects[zonefile]{},
	}
	if b.tip != nil {
		s.lastEvent = b.tip.events
	}
	return s
}

// load reads the rows that facts may change.
func (b *batch) load(ctx context.Context, blocks []blockFacts) (*state, error) {
	s, w := b.newState(), newWanted()
	some := false
	for i := range blocks {
		for j := range blocks[i].transactions {
			w.add(&blocks[i].transactions[j])
			some = true
		}
	}
	if !some {
		return s, nil
	}
	for principal := range w.principals {
		b.unsettle(principal)
	}
	return s, b.loadRows(ctx, s, w)
}

// loadRows reads the rows that are wanted.
func (b *batch) loadRows(ctx context.Context, s *state, w *wanted) error {
	queries := &pgx.Batch{}
	queries.Queue(b.sql(nameSQL+`FROM unnest($1::text[]) AS k (full_name) JOIN {schema}.name n ON n.full_name = k.full_name AND n.until_height IS NULL`),
		slices.Collect(maps.Keys(w.names))).Query(s.readNames)
	queries.Queue(b.sql(nameSQL+`FROM unnest($1::bigint[]) AS k (id) JOIN {schema}.name n ON n.id = k.id AND n.until_height IS NULL`),
		slices.Collect(maps.Keys(w.ids))).Query(s.readNames)
	queries.Queue(b.sql(nameSQL+`FROM unnest($1::text[]) AS k (namespace)
		JOIN {schema}.name n ON n.namespace = k.namespace AND n.until_height IS NULL AND n.renewal_height = 0 AND n.imported_at IS NOT NULL`),
		slices.Collect(maps.Keys(w.launched))).Query(s.readNames)
	queries.Queue(b.sql(`
		SELECT p.principal, p.height, p.source_seq, coalesce(p.tx_index, -1), p.pointer, p.id, p.full_name
		FROM unnest($1::text[]) AS k (principal) JOIN {schema}.primary_name p ON p.principal = k.principal AND p.until_height IS NULL`),
		slices.Collect(maps.Keys(w.principals))).Query(s.readPrimaries)
	if err := b.tx.SendBatch(ctx, queries).Close(); err != nil {
		return fmt.Errorf("read names: %w", err)
	}
	for full, subject := range s.names {
		w.names[full], w.namespaces[subject.before.value.Namespace] = true, true
	}
	queries = &pgx.Batch{}
	queries.Queue(b.sql(`
		SELECT z.full_name, z.height, z.source_seq, z.tx_index, z.pointer, coalesce(z.owner, ''), z.content, z.revoked
		FROM unnest($1::text[]) AS k (full_name) JOIN {schema}.zonefile z ON z.full_name = k.full_name AND z.until_height IS NULL`),
		slices.Collect(maps.Keys(w.names))).Query(s.readZonefiles)
	queries.Queue(b.sql(`
		SELECT n.namespace, n.height, n.source_seq, n.tx_index, n.pointer, n.import_address, n.manager, n.manager_transferable, n.manager_frozen,
		       n.can_update_price, n.revealed_at::text, n.launched_at::text, n.lifetime::text, n.price_base::text, n.price_coeff::text,
		       n.nonalpha_discount::text, n.no_vowel_discount::text, n.buckets::text[]
		FROM unnest($1::text[]) AS k (namespace) JOIN {schema}.namespace n ON n.namespace = k.namespace AND n.until_height IS NULL`),
		slices.Collect(maps.Keys(w.namespaces))).Query(s.readNamespaces)
	if err := b.tx.SendBatch(ctx, queries).Close(); err != nil {
		return fmt.Errorf("read namespaces and zonefiles: %w", err)
	}
	return nil
}

// nameSQL selects what readNames reads from a name n.
const nameSQL = `
	SELECT n.height, n.source_seq, coalesce(n.tx_index, -1), n.pointer, n.id, n.events, n.airdropped, n.revoked, n.valid, n.expires_at, n.listed_n,
	       n.registered_at::text, n.imported_at::text, n.renewal_height::text, n.stx_burn::text, n.listed_price::text,
	       n.label, n.namespace, coalesce(n.owner, ''), coalesce(n.preordered_by, ''), coalesce(n.commission, ''), n.preorder
	`

func (s *state) readNames(rows pgx.Rows) error {
	for rows.Next() {
		v := version[name]{}
		n := &v.value
		var expiry, listed *int64
		numbers := decimals{}
		if err := rows.Scan(&v.height, &n.seq, &n.tx, &n.pointer, &n.id, &n.events, &n.airdropped, &n.revoked, &n.valid, &expiry, &listed,
			numbers.into(&n.registeredAt), numbers.into(&n.importedAt), numbers.into(&n.renewal), numbers.into(&n.burned), numbers.into(&n.price),
			&n.Label, &n.Namespace, &n.owner, &n.preorderedBy, &n.commission, &n.preorder); err != nil {
			return err
		}
		if err := numbers.parse(); err != nil {
			return err
		}
		n.expiry = bns.NeverExpires
		if expiry != nil {
			n.expiry = *expiry
		}
		if listed != nil {
			n.listedN = *listed
		}
		s.names.get(n.String()).before = &v
		s.byID[n.id] = n.String()
	}
	return rows.Err()
}

func (s *state) readPrimaries(rows pgx.Rows) error {
	for rows.Next() {
		v := version[primary]{}
		p := &v.value
		if err := rows.Scan(&p.principal, &v.height, &p.seq, &p.tx, &p.pointer, &p.id, &p.fullName); err != nil {
			return err
		}
		s.primaries.get(p.principal).before = &v
	}
	return rows.Err()
}

func (s *state) readZonefiles(rows pgx.Rows) error {
	for rows.Next() {
		v := version[zonefile]{}
		z := &v.value
		if err := rows.Scan(&z.fullName, &v.height, &z.seq, &z.tx, &z.pointer, &z.owner, &z.content, &z.revoked); err != nil {
			return err
		}
		s.zonefiles.get(z.fullName).before = &v
	}
	return rows.Err()
}

func (s *state) readNamespaces(rows pgx.Rows) error {
	for rows.Next() {
		v := version[namespace]{}
		n := &v.value
		var importer string
		var manager *string
		var buckets []string
		numbers := decimals{}
		if err := rows.Scan(&n.name, &v.height, &n.seq, &n.tx, &n.pointer, &importer, &manager, &n.ManagerTransferable, &n.ManagerFrozen,
			&n.CanUpdatePrice, numbers.into(&n.RevealedAt), numbers.into(&n.LaunchedAt), numbers.into(&n.Lifetime), numbers.into(&n.Price.Base),
			numbers.into(&n.Price.Coefficient), numbers.into(&n.Price.NonAlphaDiscount), numbers.into(&n.Price.NoVowelDiscount), &buckets); err != nil {
			return err
		}
		if len(buckets) != bns.BucketCount {
			return fmt.Errorf("namespace %s has %d buckets", n.name, len(buckets))
		}
		for i, text := range buckets {
			*numbers.into(&n.Price.Buckets[i]) = &text
		}
		if err := numbers.parse(); err != nil {
			return err
		}
		var err error
		if n.Import, err = clarity.ParsePrincipal(importer); err != nil {
			return err
		}
		if manager != nil {
			p, err := clarity.ParsePrincipal(*manager)
			if err != nil {
				return err
			}
			n.Manager = &p
		}
		s.namespaces.get(n.name).before = &v
	}
	return rows.Err()
}

// decimals are numbers that the database gives as text.
type decimals struct {
	texts   []**string
	targets []**big.Int
}

// into returns the scan destination of a number; null is nil.
func (d *decimals) into(n **big.Int) **string {
	text := new(*string)
	d.texts, d.targets = append(d.texts, text), append(d.targets, n)
	return text
}

// parse sets the numbers.
func (d *decimals) parse() error {
	for i, text := range d.texts {
		*d.targets[i] = nil
		if *text == nil {
			continue
		}
		n, ok := new(big.Int).SetString(**text, 10)
		if !ok {
			return errors.New(**text + " is not a whole number")
		}
		*d.targets[i] = n
	}
	return nil
}
