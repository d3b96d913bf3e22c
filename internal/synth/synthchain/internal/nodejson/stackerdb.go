package nodejson

import (
	"strata/domain/c32"
	"strata/domain/transaction/key"
)

// Chunk is a new version of a slot of a replicated database.
type Chunk struct {
	Issuer    c32.Address // of the contract
	Contract  string      // its name
	Data      []byte
	Signature key.Signature
	Slot      uint64
	Version   uint64
}

// Encode encodes the body of /stackerdb_chunks. The contract is an object, and no hex has a 0x.
func (c *Chunk) Encode() []byte {
	dst := appendNumber([]byte(`{"contract_id":{"issuer":[`), uint64(c.Issuer.Version))
	dst = append(appendByteList(append(dst, ','), c.Issuer.Hash160[:]), ']')
	dst = appendText(appendKey(dst, "name"), c.Contract)
	dst = append(dst, `},"modified_slots":[{"data":`...)
	dst = appendBareHex(dst, c.Data)
	dst = appendBareHex(appendKey(dst, "sig"), c.Signature[:])
	dst = appendNumber(appendKey(dst, "slot_id"), c.Slot)
	dst = appendNumber(appendKey(dst, "slot_version"), c.Version)
	return append(dst, `}]}`...)
}
