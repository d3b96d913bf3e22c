package staking

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/big"
	"slices"

	"strata/projections"
)

// keyLength is the length of a signing key: a compressed public key of 33 bytes.
const keyLength = 33

// cycleSet is the set of signers of a cycle.
type cycleSet struct {
	step    *projections.Step
	cycle   int64
	before  int // number of events in the batch before its block
	members []*member
}

// member is a signing key of a set. Entries of the same key are summed.
type member struct {
	key    [keyLength]byte
	weight int64
	staked *big.Int
}

// setOf returns the set of signers that a block has, ordered by descending weight and then by key; nil if it has none.
func setOf(step *projections.Step) *cycleSet {
	content := step.Block
	if content.RewardSet == nil || content.CycleNumber == nil {
		return nil
	}
	set := &cycleSet{step: step, cycle: int64(*content.CycleNumber)}
	byKey := map[[keyLength]byte]*member{}
	for i := range content.RewardSet.Signers {
		signer := &content.RewardSet.Signers[i]
		if len(signer.SigningKey) != keyLength {
			continue // not a valid key
		}
		key := [keyLength]byte(signer.SigningKey)
		m := byKey[key]
		if m == nil {
			m = &member{key: key, staked: new(big.Int)}
			byKey[key] = m
			set.members = append(set.members, m)
		}
		m.weight += int64(signer.Weight)
		if signer.Stacked != nil {
			m.staked.Add(m.staked, signer.Stacked)
		}
	}
	slices.SortFunc(set.members, func(one, other *member) int {
		return cmp.Or(cmp.Compare(other.weight, one.weight), bytes.Compare(one.key[:], other.key[:]))
	})
	return set
}

// writeSets writes sets of signers. next is the number of the first event of the batch. The first block with the set of
// a cycle counts.
func (b *batch) writeSets(ctx context.Context, sets []*cycleSet, next int64) error {
	if len(sets) == 0 {
		return nil
	}
	cycles := projections.Column(sets, func(set *cycleSet) int64 { return set.cycle })
	known := map[int64]bool{}
	rows, err := b.tx.Query(ctx, b.sql(`SELECT cycle FROM {schema}.cycle_set WHERE cycle = ANY ($1)`), cycles)
	if err != nil {
		return fmt.Errorf("look up cycles: %w", err)
	}
	if err := projections.EachValue(func(cycle int64) { known[cycle] = true })(rows); err != nil {
		return fmt.Errorf("look up cycles: %w", err)
	}
	var setRows, memberRows [][]any
	for _, set := range sets {
		if known[set.cycle] {
			continue
		}
		known[set.cycle] = true
		var weight int64
		staked := new(big.Int)
		for i, m := range set.members {
			weight += m.weight
			staked.Add(staked, m.staked)
			memberRows = append(memberRows, []any{
				set.cycle, set.step.Height, set.step.BlockSeq, m.weight, int32(i + 1), projections.Amount(m.staked), m.key[:],
			})
		}
		setRows = append(setRows, []any{
			set.cycle, set.step.Height, int64(set.step.Block.BurnBlockHeight), next + int64(set.before), set.step.BlockSeq,
			weight, int32(len(set.members)), projections.Amount(staked),
		})
	}
	if err := b.copy(ctx, "cycle_set", "cycle height burn_height first_n source_seq weight signers staked", setRows); err != nil {
		return err
	}
	return b.copy(ctx, "set_member", "cycle height source_seq weight place staked signer_key", memberRows)
}
