// Package accounts keeps the lists that readers page through: all transactions, the transactions of an account, its
// events and inbound STX transfers, and the calls and prints of contracts.
//
// # Lists
//
// A list belongs to an owner and numbers its rows from 1 as they are applied. As a reorganisation only ever removes
// the newest end, numbers have no gaps: the last one is the total, and a page at any depth is a range of numbers.
// Parts of a list that are worth paging through (the calls among a contract's transactions, the inbound transfers
// among an account's events, the events of a topic or of a token) have a second number in the same rows, instead of rows of their
// own.
//
// # Small rows
//
// There are several rows for each transaction, so these tables grow faster than all others. Rows hold only what a page
// needs: numbers instead of names and hashes, sums instead of events. Accounts are numbered in the order of their
// first appearance on the canonical chain, and a revert frees the newest numbers, so that every build of the tables
// assigns the same ones.
//
// No row is ever changed. The last row of a list says how long the list is; the fold reads it once for each account
// that is not in memory. Separate rows of totals, updated with each block that touches an account, took a quarter of
// the time of the fold.
//
// Nor do the lists have an index for reverts. Each block names the accounts that have rows of it, and these rows are
// the last ones of their lists.
package accounts

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/jackc/pgx/v5"

	"strata/projections"
)

//go:embed tables.sql
var tables string

//go:embed views.sql
var views string

// Name is the name of the projection.
const Name = "accounts"

// Version is the version of the projection's tables and rules.
//
// Version history:
//   - 1: first version.
//   - 2: blocks have their tenure and a count of the Bitcoin blocks that have Stacks blocks; deployments have the
//     functions of their contracts.
//   - 3: an index of deployments by contract, which includes failed ones.
//   - 4: the events of an account that give and take STX, and those of each fungible token, are lists; so are the prints
//     of a contract with each function, and the rewards of miners.
const Version = 4

// Accounts is the projection. It is not safe for concurrent use: one follower owns it.
type Accounts struct {
	spec  projections.Spec
	limit int    // see cacheMax
	state *state // nil until read from the tables
}

// New returns the projection.
func New() *Accounts { return &Accounts{spec: Spec(), limit: cacheMax} }

// Spec describes the projection's tables.
func Spec() projections.Spec {
	return projections.Spec{
		Schema: projections.Schema{Name: Name, Version: Version},
		Tables: tables,
		API:    views,
		Views: []string{
			"account", "account_block:block", "canonical_transaction:transaction",
			"account_transaction", "account_event", "contract_event", "contract_topic", "deployment", "miner_reward",
		},
	}
}

// Spec implements projections.Projection.
func (p *Accounts) Spec() projections.Spec { return p.spec }

// WithSpec implements projections.Rebuildable.
func (p *Accounts) WithSpec(spec projections.Spec) projections.Projection[projections.Step] {
	return &Accounts{spec: spec, limit: p.limit}
}

// Forget implements projections.Projection.
func (p *Accounts) Forget() { p.state = nil }

// Fold implements projections.Projection.
func (p *Accounts) Fold(ctx context.Context, tx pgx.Tx, after int64, steps []projections.Step) (projections.Outcome, error) {
	if p.state == nil || p.state.position != after {
		p.state = newState()
	}
	b := &batch{spec: p.spec, tx: tx, state: p.state}
	last := steps[len(steps)-1]
	b.single = len(steps) == 1
	if b.single && last.Kind == projections.TakeRecord { // the chain does not change
		b.touched = projections.NewTouched()
	}
	steps = projections.Lasting(steps)
	if err := b.readTip(ctx); err != nil {
		return projections.Outcome{}, err
	}
	for len(steps) > 0 {
		// Fold a run of applies together: read all their rows at once, and write them at once.
		run := 0
		for run < len(steps) && steps[run].Kind == projections.Apply {
			run++
		}
		step := steps[0]
		if run > 0 {
			if err := b.apply(ctx, steps[:run]); err != nil {
				return projections.Outcome{}, fmt.Errorf("apply blocks at heights %d to %d: %w", step.Height, steps[run-1].Height, err)
			}
		} else {
			run = 1
			if err := b.revert(ctx, step); err != nil {
				return projections.Outcome{}, fmt.Errorf("revert block %s at height %d: %w", step.IndexBlockHash, step.Height, err)
			}
		}
		steps = steps[run:]
	}
	p.state.trim(p.limit)
	p.state.position = last.Number
	return projections.Outcome{Tip: p.state.tip.asOutcome(), Touched: b.touched}, nil
}

// batch is one call of Fold: the steps of one database transaction.
type batch struct {
	spec    projections.Spec
	tx      pgx.Tx
	state   *state
	single  bool // there is one step only, so touched lists what it touches
	touched *projections.Touched
}
