package nodeevent

import "strings"

// Paths a node posts to.
const (
	PathBlock              = "/new_block"
	PathBurnBlock          = "/new_burn_block"
	PathMicroblocks        = "/new_microblocks"
	PathMempoolTx          = "/new_mempool_tx"
	PathDropMempoolTx      = "/drop_mempool_tx"
	PathAttachments        = "/attachments/new"
	PathStackerDBChunks    = "/stackerdb_chunks"
	PathProposalResponse   = "/proposal_response"
	PathMinedBlock         = "/mined_block"
	PathMinedMicroblock    = "/mined_microblock"
	PathMinedNakamotoBlock = "/mined_nakamoto_block"
)

// Payload is one of *Block, *BurnBlock, *Microblocks, *MempoolTx, *DropMempoolTx, *Attachments, *StackerDBChunks,
// *ProposalResponse and *Other.
type Payload interface{ payload() }

func (*Block) payload()            {}
func (*BurnBlock) payload()        {}
func (*Microblocks) payload()      {}
func (*MempoolTx) payload()        {}
func (*DropMempoolTx) payload()    {}
func (*Attachments) payload()      {}
func (*StackerDBChunks) payload()  {}
func (*ProposalResponse) payload() {}
func (*Other) payload()            {}

// Other is a payload that this package does not look into: what a node says of its own mining (/mined_*), which tells
// nothing about the chain, and paths that are not known.
type Other struct{ Path string }

// Decode decodes the body posted to a path; a slash at the end of the path is ignored. Errors are *FieldError. The
// result does not refer to body. Decode is safe for concurrent use.
func Decode(path string, body []byte) (Payload, error) {
	switch strings.TrimRight(path, "/") {
	case PathBlock:
		return decode(body, (*cursor).block)
	case PathBurnBlock:
		return decode(body, (*cursor).burnBlock)
	case PathMicroblocks:
		return decode(body, (*cursor).microblocks)
	case PathMempoolTx:
		return decode(body, (*cursor).mempoolTx)
	case PathDropMempoolTx:
		return decode(body, (*cursor).dropMempoolTx)
	case PathAttachments:
		return decode(body, (*cursor).attachments)
	case PathStackerDBChunks:
		return decode(body, (*cursor).stackerDBChunks)
	case PathProposalResponse:
		return decode(body, (*cursor).proposalResponse)
	}
	return &Other{Path: path}, nil
}

// decode runs one payload's reader over the whole body.
func decode[P Payload](body []byte, read func(*cursor) P) (Payload, error) {
	c := newCursor(body)
	defer c.release()
	p := read(c)
	c.end()
	if c.err != nil {
		return nil, c.err
	}
	return p, nil
}
