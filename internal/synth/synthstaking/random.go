package synthstaking

import (
	"fmt"
	"math/rand/v2"

	"strata/domain/clarity"
	"strata/domain/transaction/key"
)

// Account returns an address of testnet that is made from a name.
func Account(name string) string { return key.FromSeed([]byte(name)).Address(false).String() }

// World is who takes part in a random history.
type World struct {
	Stakers, Signers []string
}

// NewWorld returns a world of so many stakers and signer managers.
func NewWorld(stakers, signers int) *World {
	w := &World{}
	for i := range stakers {
		w.Stakers = append(w.Stakers, Account(fmt.Sprint("staker ", i)))
	}
	for i := range signers {
		w.Signers = append(w.Signers, Account(fmt.Sprint("manager ", i))+".signer")
	}
	return w
}

func pick[T any](random *rand.Rand, of []T) T { return of[random.IntN(len(of))] }

// Act lets somebody do something at random. Many attempts are refused, and print nothing.
func (w *World) Act(c *Contract, random *rand.Rand) []clarity.Value {
	staker, signer := pick(random, w.Stakers), pick(random, w.Signers)
	// Some managers stay below the minimum.
	ustx := 1_000_000_000 + random.Int64N(30_000_000_000)
	switch random.IntN(16) {
	case 0:
		return c.RegisterSigner(signer, byte(1+random.IntN(6)))
	case 1:
		return c.GrantKey(signer, byte(1+random.IntN(6)))
	case 2:
		return c.RevokeKey(signer, byte(1+random.IntN(6)))
	case 3:
		allowed := map[string]int64{}
		for _, s := range w.Stakers {
			if random.IntN(3) > 0 {
				allowed[s] = 1 + random.Int64N(50_000_000)
			}
		}
		return c.SetupBond(c.Cycle()/2+random.Int64N(2), 100+random.Int64N(900), allowed)
	case 4, 5, 6:
		index := (c.Cycle() + 1) / 2
		if b := c.Bonds[index]; b != nil {
			return c.RegisterForBond(staker, signer, index, ustx, 1+random.Int64N(max(b.Allowed[staker], 1)), random.IntN(2) == 0)
		}
	case 7:
		return c.UpdateBond(staker, signer)
	case 8:
		return c.Release(staker, 1+random.Int64N(30_000_000))
	case 9, 10:
		return c.Stake(staker, signer, ustx, 1+random.Int64N(8))
	case 11:
		return c.UpdateStake(staker, signer, random.Int64N(5_000_000_000), random.Int64N(3))
	case 12:
		if random.IntN(2) == 0 {
			return c.Unstake(staker)
		}
	case 13:
		return c.CalculateRewards(random.Int64N(3_000_000))
	case 14:
		at := Place{staker, NoBond}
		if b, ok := c.member[staker]; ok && random.IntN(2) == 0 {
			at.Bond = b
		}
		return c.ClaimForStaker(at, signer, 1+random.Int64N(200_000))
	case 15:
		return c.Claim(signer, random.Int64N(1000), random.Int64N(1000))
	}
	return nil
}
