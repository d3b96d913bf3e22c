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
	dst := appendNumber([]byte(`[{"attachment_index":`), a.Index)
	dst = appendNumber(appendKey(dst, "block_height"), a.Height)
	dst = appendHex(appendKey(dst, "content"), a.Content)
	dst = appendHex(appendKey(dst, "content_hash"), digest[:])
	dst = appendText(appendKey(dst, "contract_id"), a.Contract)
	dst = appendHex(appendKey(dst, "index_block_hash"), a.IndexBlock[:])
	dst = appendHex(appendKey(dst, "metadata"), a.Metadata.Raw())
	dst = appendHex(appendKey(dst, "tx_id"), a.Txid[:])
	return append(dst, `}]`...)
}
