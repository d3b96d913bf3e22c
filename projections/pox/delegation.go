package pox

import (
	"context"
	"fmt"
	"math/big"

	"strata/domain/bitcoin"
	"strata/projections"
)

// Names of events that begin and end delegations.
const (
	delegateSTX = "delegate-stx"
	revoke      = "revoke-delegate-stx"
)

// delegation is a row of the table delegation.
type delegation struct {
	*event
	ended *int64
}

// delegate writes the delegations that the events begin, and ends earlier ones.
func (r *eventBatch) delegate(ctx context.Context) error {
	open := map[owner]*delegation{}
	var opened []*delegation
	var contracts []int
	var stackers []string
	var heights []int64
	for _, e := range r.events {
		if e.Name != delegateSTX && e.Name != revoke {
			continue
		}
		who := owner{e.contract, e.stacker}
		before, known := open[who]
		switch {
		case !known: // an open delegation in the table, if there is one, ends here
			contracts, stackers, heights = append(contracts, e.contract), append(stackers, e.stacker), append(heights, e.height)
		case before != nil:
			before.ended = &e.height
		}
		open[who] = nil
		if e.Name == delegateSTX {
			d := &delegation{event: e}
			open[who] = d
			opened = append(opened, d)
		}
	}
	if len(stackers) == 0 {
		return nil
	}
	_, err := r.batch.tx.Exec(ctx, r.batch.sql(`
		UPDATE {schema}.delegation d SET until_height = u.height
		FROM unnest($1::smallint[], $2::text[], $3::bigint[]) AS u (contract, stacker, height)
		WHERE d.contract = u.contract AND d.stacker = u.stacker AND d.until_height IS NULL`), contracts, stackers, heights)
	if err != nil {
		return fmt.Errorf("end the delegations of %d stackers: %w", len(stackers), err)
	}
	rows := make([][]any, len(opened))
	for i, d := range opened {
		rows[i] = []any{
			d.n, d.height, d.ended, d.seq, int16(d.contract), orNull(d.Data.UnlockBurnHeight), projections.Amount(d.Data.AmountUstx),
			d.txid[:], rawAddress(d.PoxAddress), d.stacker, d.Data.DelegateTo.String(),
		}
	}
	return r.batch.copy(ctx, "delegation", "n height until_height source_seq contract unlock_height amount txid pox_addr stacker pool", rows)
}

// orNull returns the value of a numeric column: null for nil.
func orNull(n *big.Int) any {
	if n == nil {
		return nil
	}
	return projections.Amount(n)
}

// rawAddress returns the value of a reward address's column: null for nil.
func rawAddress(address *bitcoin.PoxAddress) []byte {
	if address == nil {
		return nil
	}
	return address.Raw()
}
