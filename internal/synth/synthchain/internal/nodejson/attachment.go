package nodejson

import (
	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/domain/transaction/key"
)

// Attachment is a zone file that came for a name.
type Attachment struct {
	Index      uint64
	Height     uint64
	IndexBlock hash.Hash32
	Txid       hash.Hash32
	Content    []byte
	Contract   string
	Metadata   clarity.Value
}

// Encode encodes the body of /attachments/new.
func (a *Attachment) Encode() []byte {
	digest := key.Hash160(a.Content)
	o := newObject([]byte("[")).number("attachment_index", a.Index).number("block_height", a.Height).hex("content", a.Content).
		hex("content_hash", digest[:]).text("contract_id", a.Contract).hash("index_block_hash", a.IndexBlock).
		hex("metadata", a.Metadata.Raw()).hash("tx_id", a.Txid)
	return append(o.end(), ']')
}
