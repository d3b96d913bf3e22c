package staking

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/jackc/pgx/v5"

	"strata/projections"
)

// act is what an event does.
type act interface {
	// needs names the rows that apply reads.
	needs(*names)
	// apply changes the state.
	apply(*state, *event)
}

// names are the owners of rows that are to be read.
type names struct {
	stakers map[string]bool
	signers map[string]bool
	bonds   map[int64]bool
	allowed map[allowanceKey]bool
}

// state holds the rows that hold of some owners, and all rows that have been added or ended since they were read.
type state struct {
	sums *sums

	stakes        map[string]*stake        // by staker
	registrations map[string]registrations // by staker
	shares        map[string][]*share      // by staker
	bonds         map[int64]*bond
	allowances    map[allowanceKey]*allowance
	keys          map[string]*signerKey  // by signer manager
	grants        map[string][]*keyGrant // by signer manager
	lastPlace     int64                  // of signer managers

	all     written
	signers [][]any // rows of new signer managers
	anchors columns
	known   map[int64]bool // cycles in anchors
	claims  [][]any
	settled [][]any // rows of staker_claim
}

type registrations map[int64]*registration // by bond

type allowanceKey struct {
	bond   int64
	staker string
}

// written are the rows that were read or added, in this order.
type written struct {
	stakes        []*stake
	registrations []*registration
	shares        []*share
	allowances    []*allowance
	keys          []*signerKey
	grants        []*keyGrant
	bonds         []*bond
}

// fold applies the acts of events. Those up to a calculation of rewards are applied in memory and written together.
func (b *batch) fold(ctx context.Context, events []*event) error {
	var group []*event
	var given []*event // distributions of the transaction that is applied
	flush := func() error {
		err := b.applyGroup(ctx, group)
		group = nil
		return err
	}
	for i, e := range events {
		if i > 0 && (events[i-1].height != e.height || events[i-1].tx != e.tx) {
			given = nil
		}
		switch a := e.act.(type) {
		case nil:
		case *distribute:
			given = append(given, e)
		case *calculate:
			if err := flush(); err != nil {
				return err
			}
			if err := b.calculate(ctx, e, a, given); err != nil {
				return fmt.Errorf("calculate rewards of cycle %d: %w", a.cycle, err)
			}
			given = nil
		default:
			group = append(group, e)
		}
	}
	return flush()
}

func (b *batch) applyGroup(ctx context.Context, events []*event) error {
	if len(events) == 0 {
		return nil
	}
	wanted := &names{map[string]bool{}, map[string]bool{}, map[int64]bool{}, map[allowanceKey]bool{}}
	for _, e := range events {
		e.act.needs(wanted)
	}
	s, err := b.read(ctx, wanted)
	if err != nil {
		return fmt.Errorf("read the rows that hold: %w", err)
	}
	for _, e := range events {
		e.act.apply(s, e)
	}
	if err := s.write(ctx, b); err != nil {
		return fmt.Errorf("write the rows of events %d to %d: %w", events[0].n, events[len(events)-1].n, err)
	}
	return nil
}

// amountOf is the destination of a numeric column of whole numbers, selected as text.
type amountOf struct{ to **big.Int }

// ScanText implements pgtype.TextScanner through sql.Scanner's shape.
func (a amountOf) Scan(value any) error {
	text, ok := value.(string)
	if ok {
		if *a.to, ok = new(big.Int).SetString(text, 10); ok {
			return nil
		}
	}
	return fmt.Errorf("%v is no whole number", value)
}

// Columns of rows, for queries that read them and statements that return them.
const (
	stakeColumns        = `t.n, t.until_n, t.source_seq, t.enrolled_n, t.first_cycle, t.unlock_cycle, t.unlock_height, t.ustx::text, t.staker, t.signer`
	registrationColumns = `t.n, t.until_n, t.source_seq, t.enrolled_n, t.bond_index, t.first_cycle, t.unlock_cycle, t.unlock_height, t.status, t.l1,
		t.enrolled_sats::text, t.sats::text, t.ustx::text, t.staker, t.signer`
	shareColumns     = `t.n, t.until_n, t.source_seq, t.bond_index, t.from_cycle, t.to_cycle, t.shares::text, t.ustx::text, t.staker, t.signer`
	allowanceColumns = `t.n, t.until_n, t.source_seq, t.bond_index, t.max_sats::text, t.staker`
	keyColumns       = `t.n, t.until_n, t.source_seq, t.signer_key, t.signer`
	grantColumns     = `t.n, t.until_n, t.source_seq, t.auth_id::text, t.signer_key, t.signer`
)

func (s *span) columns(more ...any) []any { return append([]any{&s.n, &s.until, &s.seq}, more...) }

func scanStake(row pgx.CollectableRow) (*stake, error) {
	r := &stake{span: span{stored: true}}
	return r, row.Scan(r.columns(&r.enrolledN, &r.firstCycle, &r.unlockCycle, &r.unlockHeight, amountOf{&r.ustx}, &r.staker, &r.signer)...)
}

func scanRegistration(row pgx.CollectableRow) (*registration, error) {
	r := &registration{span: span{stored: true}}
	return r, row.Scan(r.columns(&r.enrolledN, &r.bond, &r.firstCycle, &r.unlockCycle, &r.unlockHeight, &r.status, &r.l1,
		amountOf{&r.enrolledSats}, amountOf{&r.sats}, amountOf{&r.ustx}, &r.staker, &r.signer)...)
}

func scanShare(row pgx.CollectableRow) (*share, error) {
	r := &share{span: span{stored: true}}
	return r, row.Scan(r.columns(&r.bond, &r.from, &r.to, amountOf{&r.shares}, amountOf{&r.ustx}, &r.staker, &r.signer)...)
}

func scanAllowance(row pgx.CollectableRow) (*allowance, error) {
	r := &allowance{span: span{stored: true}}
	return r, row.Scan(r.columns(&r.bond, amountOf{&r.maxSats}, &r.staker)...)
}

func scanKey(row pgx.CollectableRow) (*signerKey, error) {
	r := &signerKey{span: span{stored: true}}
	return r, row.Scan(r.columns(&r.key, &r.signer)...)
}

func scanGrant(row pgx.CollectableRow) (*keyGrant, error) {
	r := &keyGrant{span: span{stored: true}}
	return r, row.Scan(r.columns(amountOf{&r.authID}, &r.key, &r.signer)...)
}

// collect returns the reader of a query's rows.
func collect[T any](scan func(pgx.CollectableRow) (T, error), keep func(T)) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		all, err := pgx.CollectRows(rows, scan)
		for _, row := range all {
			keep(row)
		}
		return err
	}
}

// read reads the rows that hold of some owners, in one round trip.
func (b *batch) read(ctx context.Context, wanted *names) (*state, error) {
	s := &state{
		sums: newSums(), stakes: map[string]*stake{}, registrations: map[string]registrations{}, shares: map[string][]*share{},
		bonds: map[int64]*bond{}, allowances: map[allowanceKey]*allowance{}, keys: map[string]*signerKey{}, grants: map[string][]*keyGrant{}, known: map[int64]bool{},
	}
	stakers, signers := slices.Sorted(maps.Keys(wanted.stakers)), slices.Sorted(maps.Keys(wanted.signers))
	bonds := slices.Sorted(maps.Keys(wanted.bonds))
	queries := &pgx.Batch{}
	if len(stakers) > 0 {
		queries.Queue(b.sql(`SELECT `+stakeColumns+` FROM unnest($1::text[]) AS o (staker) JOIN {schema}.stake t ON t.staker = o.staker AND t.until_n IS NULL`),
			stakers).Query(collect(scanStake, s.keepStake))
		queries.Queue(b.sql(`SELECT `+registrationColumns+` FROM unnest($1::text[]) AS o (staker) JOIN {schema}.registration t ON t.staker = o.staker AND t.until_n IS NULL`),
			stakers).Query(collect(scanRegistration, s.keepRegistration))
		queries.Queue(b.sql(`SELECT `+shareColumns+` FROM unnest($1::text[]) AS o (staker) JOIN {schema}.share t ON t.staker = o.staker AND t.until_n IS NULL`),
			stakers).Query(collect(scanShare, s.keepShare))
	}
	if len(bonds) > 0 {
		queries.Queue(b.sql(`
			SELECT t.bond_index, t.first_cycle, t.unlock_cycle, t.start_height, t.unlock_height
			FROM unnest($1::bigint[]) AS o (bond_index) JOIN {schema}.bond t ON t.bond_index = o.bond_index`), bonds).Query(
			collect(scanBond, func(r *bond) { s.bonds[r.bond] = r }))
	}
	if len(wanted.allowed) > 0 {
		var c columns
		for key := range wanted.allowed {
			c.add([]int64{key.bond}, key.staker)
		}
		queries.Queue(b.sql(`
			SELECT `+allowanceColumns+` FROM unnest($1::bigint[], $2::text[]) AS o (bond_index, staker)
			JOIN {schema}.allowlist t ON t.bond_index = o.bond_index AND t.staker = o.staker AND t.until_n IS NULL`), c.args()...).Query(
			collect(scanAllowance, s.keepAllowance))
	}
	if len(signers) > 0 {
		queries.Queue(b.sql(`SELECT `+keyColumns+` FROM unnest($1::text[]) AS o (signer) JOIN {schema}.signer_key t ON t.signer = o.signer AND t.until_n IS NULL`),
			signers).Query(collect(scanKey, s.keepKey))
		queries.Queue(b.sql(`SELECT `+grantColumns+` FROM unnest($1::text[]) AS o (signer) JOIN {schema}.key_grant t ON t.signer = o.signer AND t.until_n IS NULL`),
			signers).Query(collect(scanGrant, s.keepGrant))
		queries.Queue(b.sql(`SELECT place FROM {schema}.signer ORDER BY place DESC LIMIT 1`)).
			Query(projections.EachValue(func(place int64) { s.lastPlace = place }))
	}
	if queries.Len() == 0 {
		return s, nil
	}
	return s, b.tx.SendBatch(ctx, queries).Close()
}

func scanBond(row pgx.CollectableRow) (*bond, error) {
	r := &bond{setup: &setup{}, stored: true}
	return r, row.Scan(&r.bond, &r.firstCycle, &r.unlockCycle, &r.startHeight, &r.unlockHeight)
}

func (s *state) keepStake(r *stake) {
	s.stakes[r.staker], s.all.stakes = r, append(s.all.stakes, r)
}

func (s *state) keepRegistration(r *registration) {
	if s.registrations[r.staker] == nil {
		s.registrations[r.staker] = registrations{}
	}
	s.registrations[r.staker][r.bond], s.all.registrations = r, append(s.all.registrations, r)
}

func (s *state) keepShare(r *share) {
	s.shares[r.staker], s.all.shares = append(s.shares[r.staker], r), append(s.all.shares, r)
}

func (s *state) keepAllowance(r *allowance) {
	s.allowances[allowanceKey{r.bond, r.staker}], s.all.allowances = r, append(s.all.allowances, r)
}

func (s *state) keepKey(r *signerKey) {
	s.keys[r.signer], s.all.keys = r, append(s.all.keys, r)
}

func (s *state) keepGrant(r *keyGrant) {
	s.grants[r.signer], s.all.grants = append(s.grants[r.signer], r), append(s.all.grants, r)
}

// write writes the rows that were added or ended.
func (s *state) write(ctx context.Context, b *batch) error {
	if err := s.end(ctx, b); err != nil {
		return fmt.Errorf("end rows: %w", err)
	}
	if err := s.insert(ctx, b); err != nil {
		return err
	}
	return s.sums.write(ctx, b)
}

// end writes the ends of rows that are in their tables.
func (s *state) end(ctx context.Context, b *batch) error {
	queries := &pgx.Batch{}
	update := func(table string, c columns, join string) {
		if c.numbers == nil {
			return
		}
		queries.Queue(b.sql(`UPDATE {schema}.`+table+` t SET until_n = u.until_n FROM `+join), c.args()...)
	}
	const byNumber = `unnest($1::bigint[], $2::bigint[]) AS u (n, until_n) WHERE t.n = u.n`
	var stakes, registrations, shares, allowances, keys, grants columns
	for _, r := range s.all.stakes {
		if r.changed() {
			stakes.add([]int64{r.n, *r.until})
		}
	}
	for _, r := range s.all.registrations {
		if r.changed() {
			registrations.add([]int64{r.n, *r.until, r.bond}, r.staker)
		}
	}
	for _, r := range s.all.shares {
		if r.changed() {
			shares.add([]int64{r.n, *r.until, r.bond, r.from}, r.staker)
		}
	}
	for _, r := range s.all.allowances {
		if r.changed() {
			allowances.add([]int64{r.n, *r.until})
		}
	}
	for _, r := range s.all.keys {
		if r.changed() {
			keys.add([]int64{r.n, *r.until})
		}
	}
	for _, r := range s.all.grants {
		if r.changed() {
			grants.add([]int64{r.n, *r.until})
		}
	}
	update("stake", stakes, byNumber)
	update("registration", registrations, `unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[]) AS u (n, until_n, bond_index, staker)
		WHERE t.bond_index = u.bond_index AND t.staker = u.staker AND t.n = u.n`)
	update("share", shares, `unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[]) AS u (n, until_n, bond_index, from_cycle, staker)
		WHERE t.staker = u.staker AND t.bond_index = u.bond_index AND t.from_cycle = u.from_cycle AND t.n = u.n`)
	update("allowlist", allowances, byNumber)
	update("signer_key", keys, byNumber)
	update("key_grant", grants, byNumber)
	if queries.Len() == 0 {
		return nil
	}
	return b.tx.SendBatch(ctx, queries).Close()
}

// insert writes the rows that are not in their tables.
func (s *state) insert(ctx context.Context, b *batch) error {
	var bonds, stakes, registrations, shares, allowances, keys, grants [][]any
	for _, r := range s.all.bonds {
		zero := projections.Amount(new(big.Int))
		bonds = append(bonds, []any{
			r.bond, r.n, r.seq, r.firstCycle, r.unlockCycle, r.startHeight, r.unlockHeight, int64(0), int64(0),
			projections.Amount(r.rate), projections.Amount(r.value), projections.Amount(r.minimum), zero, zero, zero, zero, zero, zero, zero, r.unlockBytes,
		})
	}
	for _, r := range s.all.stakes {
		if !r.stored {
			stakes = append(stakes, []any{r.n, r.until, r.enrolledN, r.seq, r.firstCycle, r.unlockCycle, r.unlockHeight, projections.Amount(r.ustx), r.staker, r.signer})
		}
	}
	for _, r := range s.all.registrations {
		if !r.stored {
			registrations = append(registrations, []any{
				r.n, r.until, r.enrolledN, r.bond, r.seq, r.firstCycle, r.unlockCycle, r.unlockHeight, r.status, r.l1,
				projections.Amount(r.enrolledSats), projections.Amount(r.sats), projections.Amount(r.ustx), r.staker, r.signer,
			})
		}
	}
	for _, r := range s.all.shares {
		if !r.stored {
			shares = append(shares, []any{r.n, r.until, r.bond, r.seq, r.from, r.to, projections.Amount(r.shares), projections.Amount(r.ustx), r.staker, r.signer})
		}
	}
	for _, r := range s.all.allowances {
		if !r.stored {
			allowances = append(allowances, []any{r.n, r.until, r.bond, r.seq, projections.Amount(r.maxSats), r.staker})
		}
	}
	for _, r := range s.all.keys {
		if !r.stored {
			keys = append(keys, []any{r.n, r.until, r.seq, r.key, r.signer})
		}
	}
	for _, r := range s.all.grants {
		if !r.stored {
			grants = append(grants, []any{r.n, r.until, r.seq, projections.Amount(r.authID), r.key, r.signer})
		}
	}
	for _, table := range []struct {
		name, columns string
		rows          [][]any
	}{
		{"bond", `bond_index n source_seq first_cycle unlock_cycle start_height unlock_height allowed registered
			target_rate stx_value_ratio min_ustx_ratio capacity l1_sats l2_sats ustx distributed accrued claimed early_unlock_bytes`, bonds},
		{"stake", "n until_n enrolled_n source_seq first_cycle unlock_cycle unlock_height ustx staker signer", stakes},
		{"registration", "n until_n enrolled_n bond_index source_seq first_cycle unlock_cycle unlock_height status l1 enrolled_sats sats ustx staker signer", registrations},
		{"share", "n until_n bond_index source_seq from_cycle to_cycle shares ustx staker signer", shares},
		{"allowlist", "n until_n bond_index source_seq max_sats staker", allowances},
		{"signer", "place n source_seq signer", s.signers},
		{"signer_key", "n until_n source_seq signer_key signer", keys},
		{"key_grant", "n until_n source_seq auth_id signer_key signer", grants},
		{"claim", "n source_seq cycle stx_rewards bond_rewards total signer", s.claims},
		{"staker_claim", "n source_seq cycle bond_index amount staker signer", s.settled},
	} {
		if err := b.copy(ctx, table.name, table.columns, table.rows); err != nil {
			return err
		}
	}
	return s.writeAnchors(ctx, b)
}

// writeAnchors writes the burn heights at which cycles begin, unless they are known.
func (s *state) writeAnchors(ctx context.Context, b *batch) error {
	if s.anchors.numbers == nil {
		return nil
	}
	if _, err := b.tx.Exec(ctx, b.sql(`
		INSERT INTO {schema}.anchor (cycle, burn_height, n, source_seq) SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[])
		ON CONFLICT DO NOTHING`), s.anchors.args()...); err != nil {
		return fmt.Errorf("write the starts of cycles: %w", err)
	}
	return nil
}
