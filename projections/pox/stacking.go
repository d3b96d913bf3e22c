package pox

import (
	"context"

	"strata/domain/bitcoin"
	"strata/projections"
)

// withSigners is the version of the contract with signing keys.
const withSigners = 4

// act is the effect of an event on a lock.
type act int16

const (
	begins act = iota + 1
	extends
	increases
)

// acts maps the names of events to acts.
var acts = map[string]act{
	"stack-stx": begins, "delegate-stack-stx": begins,
	"stack-extend": extends, "delegate-stack-extend": extends,
	"stack-increase": increases, "delegate-stack-increase": increases,
}

// commits are the names of the events by which pools name a signing key.
var commits = map[string]bool{"stack-aggregation-commit": true, "stack-aggregation-commit-indexed": true}

// stack writes the changes of locks and the commitments.
func (r *eventBatch) stack(ctx context.Context) error {
	var stackings, commitments [][]any
	for _, e := range r.events {
		if e.contract != withSigners || e.PoxAddress == nil {
			continue
		}
		if cycle := cycleOf(e.Data.RewardCycle); commits[e.Name] && cycle != nil && len(e.Data.SignerKey) == keyLength {
			commitments = append(commitments, []any{e.n, e.height, e.seq, *cycle, e.delegator, e.Data.SignerKey, e.PoxAddress.Raw()})
		}
		act := acts[e.Name]
		if act == 0 || e.start == nil || e.until == nil || *e.start >= *e.until {
			continue
		}
		if row := stackingRow(e, act, e.PoxAddress); row != nil {
			stackings = append(stackings, row)
		}
	}
	if err := r.batch.copy(ctx, "stacking", "n height source_seq start_cycle end_cycle act amount stacker pool signer_key pox_addr", stackings); err != nil {
		return err
	}
	return r.batch.copy(ctx, "commitment", "n height source_seq cycle_number pool signer_key pox_addr", commitments)
}

// stackingRow returns a row of table stacking, or nil for an event that has neither a signing key nor a pool.
func stackingRow(e *event, act act, address *bitcoin.PoxAddress) []any {
	var key []byte
	pool := projections.NullText(e.delegator)
	if pool == nil {
		if key = e.Data.SignerKey; len(key) != keyLength {
			return nil
		}
	}
	return []any{e.n, e.height, e.seq, *e.start, *e.until, int16(act), projections.Amount(e.Locked), e.stacker, pool, key, address.Raw()}
}
