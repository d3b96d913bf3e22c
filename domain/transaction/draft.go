package transaction

import (
	"fmt"

	"strata/domain/clarity"
)

// Draft makes unsigned transactions. What it leaves open is the origin: Sign and Multisig.Sign fill it in, the latter
// whatever the draft says. Names must follow the grammar that consensus demands, unlike names that are read.
type Draft struct {
	Network Network
	Nonce   uint64
	Fee     uint64 // microSTX
	// PostConditions is deny with no conditions when left zero.
	PostConditions PostConditions
	// Sponsored leaves room for a sponsor, who pays the fee instead; its nonce and fee are set in Transaction.Sponsor.
	Sponsored bool
}

// Transaction makes a transaction of any payload. The error wraps ErrMalformed.
func (d Draft) Transaction(p Payload) (*Transaction, error) {
	t := &Transaction{
		Envelope: Envelope{
			Version: d.Network.Version,
			ChainID: d.Network.ChainID,
			Origin:  SpendingCondition{HashMode: P2PKH, Nonce: d.Nonce, Fee: d.Fee},
		},
		AnchorMode:     AnchorAny,
		PostConditions: d.PostConditions,
		Payload:        p,
	}
	if d.Sponsored {
		sponsor := sponsorSentinel
		t.Sponsor = &sponsor
	}
	switch p.(type) {
	case *Coinbase, *CoinbaseToAltRecipient, *NakamotoCoinbase, *PoisonMicroblock, *TenureChange:
		t.AnchorMode = AnchorOnChainOnly
	}
	if err := t.Validate(); err != nil {
		return nil, fmt.Errorf("draft: %w", err)
	}
	return t, nil
}

// TokenTransfer sends STX; the memo has MemoSize bytes at most.
func (d Draft) TokenTransfer(recipient clarity.Principal, amount uint64, memo string) (*Transaction, error) {
	m, err := NewMemo(memo)
	if err != nil {
		return nil, fmt.Errorf("draft: %w", err)
	}
	return d.Transaction(&TokenTransfer{Recipient: recipient, Amount: amount, Memo: m})
}

// ContractCall calls a public function.
func (d Draft) ContractCall(contract clarity.Principal, function string, arguments ...clarity.Value) (*Transaction, error) {
	if err := deployable(contract.Contract); err != nil {
		return nil, err
	}
	if !clarity.IsName(function) {
		return nil, fmt.Errorf("draft: function name %q: %w", function, ErrMalformed)
	}
	args, err := NewArguments(arguments...)
	if err != nil {
		return nil, fmt.Errorf("draft: %w", err)
	}
	return d.Transaction(&ContractCall{Contract: contract, Function: function, Arguments: args})
}

// Deploy creates a contract in the epoch's default Clarity version.
func (d Draft) Deploy(name, code string) (*Transaction, error) {
	if err := deployable(name); err != nil {
		return nil, err
	}
	return d.Transaction(&SmartContract{ContractName: name, Code: []byte(code)})
}

// DeployVersioned creates a contract in the given Clarity version.
func (d Draft) DeployVersioned(clarityVersion uint8, name, code string) (*Transaction, error) {
	if err := deployable(name); err != nil {
		return nil, err
	}
	return d.Transaction(&VersionedSmartContract{
		ClarityVersion: clarityVersion,
		SmartContract:  SmartContract{ContractName: name, Code: []byte(code)},
	})
}

// Coinbase claims a block reward for the miner's own account (before Nakamoto).
func (d Draft) Coinbase(data CoinbaseData) (*Transaction, error) {
	return d.Transaction(&Coinbase{Data: data})
}

// CoinbaseToAltRecipient claims a block reward for another account.
func (d Draft) CoinbaseToAltRecipient(data CoinbaseData, recipient clarity.Principal) (*Transaction, error) {
	return d.Transaction(&CoinbaseToAltRecipient{Data: data, Recipient: recipient})
}

// NakamotoCoinbase claims a tenure reward, for the miner's own account when recipient is nil.
func (d Draft) NakamotoCoinbase(data CoinbaseData, recipient *clarity.Principal, proof VRFProof) (*Transaction, error) {
	return d.Transaction(&NakamotoCoinbase{Data: data, Recipient: recipient, VRFProof: proof})
}

// TenureChange starts or extends a tenure.
func (d Draft) TenureChange(change TenureChange) (*Transaction, error) {
	return d.Transaction(&change)
}

// deployable checks a contract name as consensus does for contracts in transactions.
func deployable(name string) error {
	if !clarity.IsContractName(name) || len(name) > clarity.MaxContractNameLength {
		return fmt.Errorf("draft: contract name %q: %w", name, ErrMalformed)
	}
	return nil
}
