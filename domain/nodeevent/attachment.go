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
	present := c.Members(
		required("attachment_index", &a.AttachmentIndex, "a whole number"),
		required("index_block_hash", &a.IndexBlockHash, "32 bytes in hex"),
		optional("block_height", &a.BlockHeight),
		required("contract_id", &a.ContractID, "a string"),
		required("tx_id", &a.TxID, "32 bytes in hex"),
		optional("content_hash", &a.ContentHash),
		optional("metadata", &a.Metadata),
		optional("content", &a.Content),
	)
	c.Need(present, "attachment_index", "a whole number")
}
