package nodeevent

import "strata/domain/hash"

// Attachments is the body of /attachments/new: Atlas attachments, which are the zone files of BNS v1 names.
type Attachments struct {
	List    []Attachment // in the order of the body, without those that can't be read
	Damaged []*FieldError
}

// Attachment is an Atlas attachment. It may refer to a block that is not canonical, and nodes may post it more than
// once.
type Attachment struct {
	Index           int         // position in the body's array
	AttachmentIndex uint32      // required
	IndexBlockHash  hash.Hash32 // required
	BlockHeight     uint64      // zero when missing
	ContractID      string      // required
	TxID            hash.Hash32 // required
	ContentHash     hash.Hash20 // zero when missing
	Metadata        []byte      // consensus bytes of a Clarity tuple; nil when missing
	Content         []byte      // nil when missing
}

func (c *cursor) attachments() *Attachments {
	a := &Attachments{}
	damaged, present := c.Units(func(index int) {
		one := Attachment{Index: index}
		if c.attachment(&one); !c.Failed() {
			a.List = append(a.List, one)
		}
	})
	a.Damaged = damaged
	c.NeedValue(present, "an array")
	return a
}

func (c *cursor) attachment(a *Attachment) {
	var index, block, contract, tx bool
	c.Object(func(name []byte) {
		switch string(name) {
		case "attachment_index":
			index = c.uint32(&a.AttachmentIndex)
		case "index_block_hash":
			block = c.Hash32(&a.IndexBlockHash)
		case "block_height":
			c.uint64(&a.BlockHeight)
		case "contract_id":
			contract = c.Name(&a.ContractID)
		case "tx_id":
			tx = c.Hash32(&a.TxID)
		case "content_hash":
			c.Hash20(&a.ContentHash)
		case "metadata":
			a.Metadata = c.Hex()
		case "content":
			a.Content = c.Hex()
		default:
			c.unknown(name)
		}
	})
	c.Need(index, "attachment_index", "a whole number")
	c.Need(block, "index_block_hash", "32 bytes in hex")
	c.Need(contract, "contract_id", "a string")
	c.Need(tx, "tx_id", "32 bytes in hex")
}
