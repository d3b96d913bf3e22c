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
	contract := newObject(newObject(nil).key("contract_id")).key("issuer")
	contract = appendByteList(append(appendNumber(append(contract, '['), uint64(c.Issuer.Version)), ','), c.Issuer.Hash160[:])
	body := object(append(contract, ']').text("name", c.Contract).end()).key("modified_slots")
	slot := newObject(append(body, '[')).bareHex("data", c.Data).bareHex("sig", c.Signature[:]).number("slot_id", c.Slot)
	return append(slot.number("slot_version", c.Version).end(), `]}`...)
}
