package plan

import "reflect"

// Mix has the relative weights of the kinds of transactions. A kind that is impossible at the moment, because nobody
// owns a token yet, for example, becomes a transfer. The zero Mix stands for DefaultMix.
type Mix struct {
	Transfer           int // plain STX transfers
	Deploy             int // contracts: tokens, collectibles, names, vaults
	DeployFail         int // deployments that fail, with and without a contract interface
	TokenMint          int // fungible tokens
	TokenTransfer      int
	TokenBurn          int
	CollectibleMint    int // non-fungible tokens
	CollectibleMove    int
	CollectibleBurn    int
	Vault              int // STX moved and burned by contracts
	Print              int // events with Clarity values of all kinds
	Stacking           int // locks: stack, extend, increase
	AbortResponse      int // calls that return err or fail at run time
	AbortPostCondition int
	Problematic        int // skipped transactions; before V40, calls that fail
	PoisonMicroblock   int // before Nakamoto only
	Naming             int // names of the first naming system; not in DefaultMix
	Staking            int // all that pox-5 knows, in epoch 4.0 of a chain with all epochs; locks elsewhere; not in DefaultMix
	Registry           int // names of the second naming system, BNS-V2, in Nakamoto; not in DefaultMix
	Announce           int // notifications that the metadata of tokens has changed (SIP-019); not in DefaultMix
}

// DefaultMix returns a mix of all kinds.
func DefaultMix() Mix {
	return Mix{
		Transfer: 40, Deploy: 4, DeployFail: 1, TokenMint: 6, TokenTransfer: 10, TokenBurn: 2,
		CollectibleMint: 6, CollectibleMove: 7, CollectibleBurn: 1, Vault: 6, Print: 5, Stacking: 3,
		AbortResponse: 4, AbortPostCondition: 3, Problematic: 1, PoisonMicroblock: 1,
	}
}

// Normalized returns the mix with negative weights set to zero.
func (m Mix) Normalized() Mix {
	for _, w := range reflect.ValueOf(&m).Elem().Fields() {
		w.SetInt(max(w.Int(), 0))
	}
	return m
}

// weights returns the weights in the order of the fields.
func (m Mix) weights() (all []int) {
	for _, w := range reflect.ValueOf(m).Fields() {
		all = append(all, int(w.Int()))
	}
	return all
}
