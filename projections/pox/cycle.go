package pox

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/big"
	"slices"

	"strata/domain/shard"
	"strata/projections"
)

// keyLength is the length of a signing key: a compressed public key of 33 bytes.
const keyLength = 33

// signer is a member of a cycle's set of signers.
type signer struct {
	key          [keyLength]byte
	weight       int64
	stacked      *big.Int
	solo, pooled int32
	place        int32
	stackers     []*stacker
}

// signersOf returns the set of signers that a block has, ordered by weight, or nil if it has none. The set of a cycle in
// which nobody stacks is empty, and not nil: it has neither addresses nor signers. A set with addresses only is from
// before signers existed.
func signersOf(content *projections.Block) []*signer {
	set := content.RewardSet
	if set == nil || content.CycleNumber == nil || len(set.Signers) == 0 && len(set.RewardedAddresses) > 0 {
		return nil
	}
	signers := []*signer{}
	byKey := map[[keyLength]byte]*signer{}
	for i := range set.Signers {
		member := &set.Signers[i]
		if len(member.SigningKey) != keyLength {
			continue // not a valid key
		}
		key := [keyLength]byte(member.SigningKey)
		s := byKey[key]
		if s == nil {
			s = &signer{key: key, stacked: new(big.Int)}
			byKey[key] = s
			signers = append(signers, s)
		}
		s.weight += int64(member.Weight)
		if member.Stacked != nil {
			s.stacked.Add(s.stacked, member.Stacked)
		}
	}
	slices.SortFunc(signers, func(one, other *signer) int {
		return cmp.Or(cmp.Compare(other.weight, one.weight), other.stacked.Cmp(one.stacked), bytes.Compare(one.key[:], other.key[:]))
	})
	for i, s := range signers {
		s.place = int32(i + 1)
	}
	return signers
}

// cycle writes the reward cycle whose signers a block has, with the stackers behind them. The first block with a
// cycle's signers counts.
func (b *batch) cycle(ctx context.Context, step *projections.Step, signers []*signer) error {
	number := int64(*step.Block.CycleNumber)
	var known bool
	if err := b.tx.QueryRow(ctx, b.sql(`SELECT EXISTS (SELECT FROM {schema}.cycle WHERE cycle_number = $1)`), number).Scan(&known); err != nil {
		return fmt.Errorf("look up cycle %d: %w", number, err)
	}
	if known {
		return nil
	}
	stackersOf := b.stackers
	if isPox5Set(step.Block.RewardSet) {
		stackersOf = b.pox5Stackers
	}
	stackers, err := stackersOf(ctx, number)
	if err != nil {
		return err
	}
	byKey := map[[keyLength]byte]*signer{}
	for _, s := range signers {
		byKey[s.key] = s
	}
	for _, s := range stackers {
		if owner := byKey[s.key]; s.assigned && owner != nil {
			owner.stackers = append(owner.stackers, s)
		}
	}
	var weight int64
	stacked := new(big.Int)
	var signerRows, stackerRows [][]any
	for _, s := range signers {
		weight += s.weight
		stacked.Add(stacked, s.stacked)
		slices.SortFunc(s.stackers, func(one, other *stacker) int {
			return cmp.Or(other.amount.Cmp(one.amount), cmp.Compare(one.name, other.name))
		})
		for i, stacker := range s.stackers {
			if stacker.pool == nil {
				s.solo++
			} else {
				s.pooled++
			}
			stackerRows = append(stackerRows, []any{number, step.Height, stacker.seq, s.place, int32(i + 1), projections.Amount(stacker.amount), stacker.name, stacker.pool, stacker.address})
		}
		signerRows = append(signerRows, []any{number, step.Height, step.BlockSeq, s.weight, s.place, s.solo, s.pooled, projections.Amount(s.stacked), s.key[:]})
	}
	b.lists.Add(listCycles, [3]int64{number})
	b.touched.Add(shard.Cycles)
	if err := b.copy(ctx, "cycle", "cycle_number height source_seq total_weight total_signers total_stacked",
		[][]any{{number, step.Height, step.BlockSeq, weight, int32(len(signers)), projections.Amount(stacked)}}); err != nil {
		return err
	}
	if err := b.copy(ctx, "signer", "cycle_number height source_seq weight place solo pooled stacked signing_key", signerRows); err != nil {
		return err
	}
	return b.copy(ctx, "stacker", "cycle_number height source_seq signer place amount stacker pool pox_addr", stackerRows)
}
