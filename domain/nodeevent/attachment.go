package nodeevent

import "strata/domain/hash"

// Attachments is the body of /attachments/new: Atlas attachments, which are zone files of BNS v1 names.
type Attachments struct{ List []Attachment }

// Attachment is one of them. It may refer to a block that is not canonical and may come more than once.
type Attachment struct {
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
	a := &Attachments{List: []Attachment{}}
	if !c.array(func() {
		a.List = append(a.List, Attachment{})
		c.attachment(&a.List[len(a.List)-1])
	}) {
		c.wrong("an array", []byte("null"), nil)
	}
	return a
}

func (c *cursor) attachment(a *Attachment) {
	var index, block, contract, tx bool
	c.object(func(name []byte) {
		switch string(name) {
		case "attachment_index":
			index = c.uint32(&a.AttachmentIndex)
		case "index_block_hash":
			block = c.hash32(&a.IndexBlockHash)
		case "block_height":
			c.uint64(&a.BlockHeight)
		case "contract_id":
			contract = c.name(&a.ContractID)
		case "tx_id":
			tx = c.hash32(&a.TxID)
		case "content_hash":
			c.hash20(&a.ContentHash)
		case "metadata":
			a.Metadata = c.bytes()
		case "content":
			a.Content = c.bytes()
		default:
			c.skip()
		}
	})
	c.need(index, "attachment_index", "a whole number")
	c.need(block, "index_block_hash", "32 bytes in hex")
	c.need(contract, "contract_id", "a string")
	c.need(tx, "tx_id", "32 bytes in hex")
}
