package nodejson

import (
	"encoding/json"

	"strata/domain/c32"
	"strata/domain/transaction/key"
	"strata/internal/synth/value"
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
	contract := value.Must(json.Marshal(contractStructure(c.Issuer, c.Contract)))
	body := newObject(nil).raw("contract_id", contract...).key("modified_slots")
	slot := newObject(append(body, '[')).bareHex("data", c.Data).bareHex("sig", c.Signature[:]).number("slot_id", c.Slot)
	return append(slot.number("slot_version", c.Version).end(), `]}`...)
}
