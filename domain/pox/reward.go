package pox

import "math/big"

// BondCycles is the number of reward cycles that a bond of pox-5 lasts.
const BondCycles = 12

// CyclesBetweenBonds is the number of reward cycles from the start of a bond of pox-5 to the start of the next one.
const CyclesBetweenBonds = 2

// SignerMinimum is the µSTX that a signer manager needs for a cycle of pox-5: with less, it is not in the set of
// signers, and the STX staked under it earn nothing.
const SignerMinimum = 50_000_000_000

// precision is the factor by which pox-5 scales rewards per token.
var precision = big.NewInt(1_000_000_000_000_000_000)

// Earned returns the reward, in sats, of a number of shares for one calculation of pox-5. Shares are sats of a bond, or
// staked µSTX; perToken is the reward of one of them, as the contract prints it. The result is rounded down.
func Earned(shares, perToken *big.Int) *big.Int {
	product := new(big.Int).Mul(shares, perToken)
	return product.Quo(product, precision)
}
