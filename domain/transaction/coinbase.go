package transaction

import (
	"fmt"

	"strata/domain/clarity"
)

// CoinbaseData is the free text of a coinbase.
type CoinbaseData [32]byte

// VRFProof is the proof of a verifiable random function by which a miner shows its right to the tenure.
type VRFProof [80]byte

// Coinbase claims the block reward for the miner's own account (before epoch 3.0).
type Coinbase struct {
	Data CoinbaseData
}

// CoinbaseToAltRecipient claims the block reward for another account (epochs 2.1 to 2.5).
type CoinbaseToAltRecipient struct {
	Data      CoinbaseData
	Recipient clarity.Principal
}

// NakamotoCoinbase claims the reward of a tenure (epoch 3.0 and later).
type NakamotoCoinbase struct {
	Data      CoinbaseData
	Recipient *clarity.Principal // nil for the miner's own account
	VRFProof  VRFProof
}

func readCoinbaseData(r *reader) (d CoinbaseData) {
	copy(d[:], r.take(len(d), "coinbase data"))
	return d
}

func readCoinbase(r *reader) *Coinbase { return &Coinbase{Data: readCoinbaseData(r)} }

func readCoinbaseToAltRecipient(r *reader) *CoinbaseToAltRecipient {
	return &CoinbaseToAltRecipient{
		Data:      readCoinbaseData(r),
		Recipient: r.principal("coinbase recipient"),
	}
}

func readNakamotoCoinbase(r *reader) *NakamotoCoinbase {
	p := &NakamotoCoinbase{Data: readCoinbaseData(r)}
	start := r.off
	switch optional := r.u8("coinbase recipient"); {
	case r.err != nil:
	case optional == optionalNone:
	case optional == optionalSome:
		recipient := r.principal("coinbase recipient")
		p.Recipient = &recipient
	default:
		r.fail("coinbase recipient", start,
			fmt.Errorf("%w: prefix %#02x, want 0x09 (none) or 0x0a (some)", ErrMalformed, optional))
	}
	copy(p.VRFProof[:], r.take(len(p.VRFProof), "coinbase VRF proof"))
	return p
}

// ID returns CoinbaseID.
func (p *Coinbase) ID() PayloadID { return CoinbaseID }

// ID returns CoinbaseToAltID.
func (p *CoinbaseToAltRecipient) ID() PayloadID { return CoinbaseToAltID }

// ID returns NakamotoCoinbaseID.
func (p *NakamotoCoinbase) ID() PayloadID { return NakamotoCoinbaseID }

func (p *Coinbase) appendTo(dst []byte) []byte {
	return append(append(dst, byte(CoinbaseID)), p.Data[:]...)
}

func (p *CoinbaseToAltRecipient) appendTo(dst []byte) []byte {
	dst = append(append(dst, byte(CoinbaseToAltID)), p.Data[:]...)
	return appendPrincipal(dst, p.Recipient)
}

func (p *NakamotoCoinbase) appendTo(dst []byte) []byte {
	dst = append(append(dst, byte(NakamotoCoinbaseID)), p.Data[:]...)
	if p.Recipient == nil {
		dst = append(dst, optionalNone)
	} else {
		dst = appendPrincipal(append(dst, optionalSome), *p.Recipient)
	}
	return append(dst, p.VRFProof[:]...)
}

func (p *Coinbase) validate() error { return nil }

func (p *CoinbaseToAltRecipient) validate() error {
	return validatePrincipal("coinbase recipient", p.Recipient)
}

func (p *NakamotoCoinbase) validate() error {
	if p.Recipient == nil {
		return nil
	}
	return validatePrincipal("coinbase recipient", *p.Recipient)
}

func (p *Coinbase) sizeHint() int { return 1 + len(p.Data) }

func (p *CoinbaseToAltRecipient) sizeHint() int { return 24 + len(p.Data) + len(p.Recipient.Contract) }

func (p *NakamotoCoinbase) sizeHint() int {
	n := 25 + len(p.Data) + len(p.VRFProof)
	if p.Recipient != nil {
		n += len(p.Recipient.Contract)
	}
	return n
}
