package transaction

import (
	"fmt"
	"math"

	"strata/domain/clarity"
)

// SmartContract deploys a contract in the epoch's default Clarity version.
type SmartContract struct {
	ContractName string
	Code         []byte
}

// VersionedSmartContract deploys a contract in a stated Clarity version.
type VersionedSmartContract struct {
	ClarityVersion uint8 // 1 to 6; decoding keeps other numbers
	SmartContract
}

func readSmartContract(r *reader) *SmartContract {
	p := new(SmartContract)
	p.read(r)
	return p
}

func readVersionedSmartContract(r *reader) *VersionedSmartContract {
	p := &VersionedSmartContract{ClarityVersion: r.u8("Clarity version")}
	p.read(r)
	return p
}

func (p *SmartContract) read(r *reader) {
	p.ContractName = string(r.name("contract name"))
	n := r.u32("contract code length")
	if uint64(n) > uint64(r.left()) {
		r.fail("contract code", r.off, fmt.Errorf("%w: need %d bytes, have %d", ErrTruncated, n, r.left()))
		return
	}
	p.Code = r.take(int(n), "contract code")
}

// ID returns SmartContractID.
func (p *SmartContract) ID() PayloadID { return SmartContractID }

// ID returns VersionedContractID.
func (p *VersionedSmartContract) ID() PayloadID { return VersionedContractID }

func (p *SmartContract) appendTo(dst []byte) []byte {
	return p.appendBody(append(dst, byte(SmartContractID)))
}

func (p *VersionedSmartContract) appendTo(dst []byte) []byte {
	return p.appendBody(append(dst, byte(VersionedContractID), p.ClarityVersion))
}

func (p *SmartContract) appendBody(dst []byte) []byte {
	return appendBytes32(appendName(dst, p.ContractName), p.Code)
}

func (p *SmartContract) validate() error {
	if uint64(len(p.Code)) > math.MaxUint32 {
		return fmt.Errorf("contract code of %d bytes: %w", len(p.Code), ErrMalformed)
	}
	return validateName("contract name", p.ContractName)
}

func (p *SmartContract) sizeHint() int { return 8 + len(p.ContractName) + len(p.Code) }

// Deploys returns the contract that a transaction deploys, or false if it deploys none.
func (t *Transaction) Deploys() (clarity.Principal, bool) {
	switch p := t.Payload.(type) {
	case *SmartContract:
		return clarity.Principal{Address: t.Sender(), Contract: p.ContractName}, true
	case *VersionedSmartContract:
		return clarity.Principal{Address: t.Sender(), Contract: p.ContractName}, true
	}
	return clarity.Principal{}, false
}
