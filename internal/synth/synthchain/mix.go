package synthchain

// Mix weighs the kinds of transactions against each other. A kind that can't be made at the moment (nobody owns a
// token yet) becomes a transfer. The zero Mix is DefaultMix.
type Mix struct {
	Transfer           int // plain STX transfers
	Deploy             int // contracts: tokens, collectibles, names, vaults
	DeployFail         int // deploys that fail, with and without a contract interface
	TokenMint          int // fungible tokens
	TokenTransfer      int
	TokenBurn          int
	CollectibleMint    int // non-fungible tokens
	CollectibleMove    int
	CollectibleBurn    int
	Vault              int // STX moved and burned by contracts
	Print              int // events with all kinds of Clarity values
	Stacking           int // locks: stack, extend, increase
	AbortResponse      int // calls that return err or fail at run time
	AbortPostCondition int
	Problematic        int // skipped transactions, from V40 on; calls that fail before
	PoisonMicroblock   int // before Nakamoto only
}

// DefaultMix has something of everything.
func DefaultMix() Mix {
	return Mix{
		Transfer: 40, Deploy: 4, DeployFail: 1, TokenMint: 6, TokenTransfer: 10, TokenBurn: 2,
		CollectibleMint: 6, CollectibleMove: 7, CollectibleBurn: 1, Vault: 6, Print: 5, Stacking: 3,
		AbortResponse: 4, AbortPostCondition: 3, Problematic: 1, PoisonMicroblock: 1,
	}
}

// TransfersOnly has nothing but STX transfers.
func TransfersOnly() Mix { return Mix{Transfer: 1} }

// normalized has no weights below zero.
func (m Mix) normalized() Mix {
	for _, w := range []*int{
		&m.Transfer, &m.Deploy, &m.DeployFail, &m.TokenMint, &m.TokenTransfer, &m.TokenBurn, &m.CollectibleMint,
		&m.CollectibleMove, &m.CollectibleBurn, &m.Vault, &m.Print, &m.Stacking, &m.AbortResponse, &m.AbortPostCondition,
		&m.Problematic, &m.PoisonMicroblock,
	} {
		*w = max(*w, 0)
	}
	return m
}

func (m Mix) weights() [16]int {
	return [16]int{
		m.Transfer, m.Deploy, m.DeployFail, m.TokenMint, m.TokenTransfer, m.TokenBurn, m.CollectibleMint,
		m.CollectibleMove, m.CollectibleBurn, m.Vault, m.Print, m.Stacking, m.AbortResponse, m.AbortPostCondition,
		m.Problematic, m.PoisonMicroblock,
	}
}
