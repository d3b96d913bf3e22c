package transaction

import (
	"fmt"

	"strata/domain/clarity"
)

// Draft builds unsigned transactions. Sign fills in the signer of the origin.
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
