package transaction

import (
	"fmt"

	"strata/domain/clarity"
)

// Draft builds unsigned transactions. Sign and Multisig.Sign fill in the signer of the origin; Multisig.Sign also sets
// its hash mode. Unlike Decode, a Draft requires contract and function names to follow the grammar of consensus.
type Draft struct {
	Network Network
	Nonce   uint64
	Fee     uint64 // microSTX
	// PostConditions is, by default, mode deny without conditions.
	PostConditions PostConditions
	// Sponsored reserves a place for a sponsor, who pays the fee instead. The caller sets the sponsor's nonce and fee
	// in Transaction.Sponsor.
	Sponsored bool
}

// Transaction builds a transaction with any payload. The error wraps ErrMalformed.
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

// TokenTransfer builds a transfer of amount microSTX. The memo has at most MemoSize bytes.
func (d Draft) TokenTransfer(recipient clarity.Principal, amount uint64, memo string) (*Transaction, error) {
	m, err := NewMemo(memo)
	if err != nil {
		return nil, fmt.Errorf("draft: %w", err)
	}
	return d.Transaction(&TokenTransfer{Recipient: recipient, Amount: amount, Memo: m})
}

// ContractCall builds a call of a public function.
func (d Draft) ContractCall(contract clarity.Principal, function string, arguments ...clarity.Value) (*Transaction, error) {
	if err := checkContractName(contract.Contract); err != nil {
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

// Deploy builds the deployment of a contract in the epoch's default Clarity version.
func (d Draft) Deploy(name, code string) (*Transaction, error) {
	if err := checkContractName(name); err != nil {
		return nil, err
	}
	return d.Transaction(&SmartContract{ContractName: name, Code: []byte(code)})
}

// DeployVersioned builds the deployment of a contract in the given Clarity version.
func (d Draft) DeployVersioned(clarityVersion uint8, name, code string) (*Transaction, error) {
	if err := checkContractName(name); err != nil {
		return nil, err
	}
	return d.Transaction(&VersionedSmartContract{
		ClarityVersion: clarityVersion,
		SmartContract:  SmartContract{ContractName: name, Code: []byte(code)},
	})
}

// Coinbase builds the claim of a block reward for the miner's own account (before epoch 3.0).
func (d Draft) Coinbase(data CoinbaseData) (*Transaction, error) {
	return d.Transaction(&Coinbase{Data: data})
}

// CoinbaseToAltRecipient builds the claim of a block reward for another account.
func (d Draft) CoinbaseToAltRecipient(data CoinbaseData, recipient clarity.Principal) (*Transaction, error) {
	return d.Transaction(&CoinbaseToAltRecipient{Data: data, Recipient: recipient})
}

// NakamotoCoinbase builds the claim of a tenure reward. A nil recipient stands for the miner's own account.
func (d Draft) NakamotoCoinbase(data CoinbaseData, recipient *clarity.Principal, proof VRFProof) (*Transaction, error) {
	return d.Transaction(&NakamotoCoinbase{Data: data, Recipient: recipient, VRFProof: proof})
}

// TenureChange builds the start or extension of a tenure.
func (d Draft) TenureChange(change TenureChange) (*Transaction, error) {
	return d.Transaction(&change)
}

// checkContractName checks a contract name as consensus does in transactions.
func checkContractName(name string) error {
	if !clarity.IsContractName(name) || len(name) > clarity.MaxContractNameLength {
		return fmt.Errorf("draft: contract name %q: %w", name, ErrMalformed)
	}
	return nil
}
