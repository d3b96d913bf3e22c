package nodeevent

import "strings"

// Paths that a node posts to.
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

// Damaged returns what can't be read of a payload whose parts stand for themselves: transactions that wait, ids of
// transactions that were dropped, attachments. The rest of the payload counts.
func Damaged(p Payload) []*FieldError {
	switch p := p.(type) {
	case *MempoolTx:
		return p.Damaged
	case *DropMempoolTx:
		return p.Damaged
	case *Attachments:
		return p.Damaged
	}
	return nil
}

// Other is a payload that this package does not decode: the body of an unknown path, or what a node reports about its
// own mining (/mined_*), which says nothing about the chain.
type Other struct{ Path string }

// Decode decodes the body that a node posted to a path. It ignores a slash at the end of the path. Errors are
// *FieldError. The result does not refer to body. Decode is safe for concurrent use.
func Decode(path string, body []byte) (Payload, error) {
	payload, _, err := DecodeAll(path, body)
	return payload, err
}

// DecodeAll is like Decode, and also returns the members of the body that nobody decodes: JSON pointers with * for the
// indexes of arrays, such as /transactions/*/vm_error, each once, in the order of the body. There are at most
// unknownMax.
func DecodeAll(path string, body []byte) (Payload, []string, error) {
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
	return &Other{Path: path}, nil, nil
}
