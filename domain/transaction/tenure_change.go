package transaction

import (
	"encoding/binary"

	"strata/domain/hash"
)

// TenureCause is the reason for a tenure change.
type TenureCause uint8

// The causes (2 to 6: SIP-034, since epoch 3.3). Decoding keeps other causes, which a later epoch may add, as numbers.
const (
	TenureBlockFound          TenureCause = 0
	TenureExtended            TenureCause = 1
	TenureExtendedRuntime     TenureCause = 2
	TenureExtendedReadCount   TenureCause = 3
	TenureExtendedReadLength  TenureCause = 4
	TenureExtendedWriteCount  TenureCause = 5
	TenureExtendedWriteLength TenureCause = 6
)

var tenureCauseNames = [...]string{
	TenureBlockFound:          "block_found",
	TenureExtended:            "extended",
	TenureExtendedRuntime:     "extended_runtime",
	TenureExtendedReadCount:   "extended_read_count",
	TenureExtendedReadLength:  "extended_read_length",
	TenureExtendedWriteCount:  "extended_write_count",
	TenureExtendedWriteLength: "extended_write_length",
}

// String returns the name that existing APIs show, or "unknown".
func (c TenureCause) String() string { return nameIn(tenureCauseNames[:], uint8(c)) }

// tenureChangeSize is the size in bytes of a tenure change without its payload id.
const tenureChangeSize = 117

// TenureChange starts or extends a miner's tenure (SIP-021).
type TenureChange struct {
	ConsensusHash         hash.Hash20 // of the sortition that elected the tenure
	PrevConsensusHash     hash.Hash20 // of the previous tenure
	BurnViewConsensusHash hash.Hash20 // of the latest sortition that the miner has seen
	PreviousEnd           hash.Hash32 // id of the last block of the previous tenure
	PreviousBlocks        uint32      // number of blocks of the previous tenure
	Cause                 TenureCause
	PubkeyHash            hash.Hash20 // of the miner's key
}

func readTenureChange(r *reader) *TenureChange {
	return &TenureChange{
		ConsensusHash:         r.hash20("tenure consensus hash"),
		PrevConsensusHash:     r.hash20("previous tenure consensus hash"),
		BurnViewConsensusHash: r.hash20("burn view consensus hash"),
		PreviousEnd:           r.hash32("previous tenure end"),
		PreviousBlocks:        r.u32("previous tenure blocks"),
		Cause:                 TenureCause(r.u8("tenure change cause")),
		PubkeyHash:            r.hash20("tenure public key hash"),
	}
}

// ID returns TenureChangeID.
func (p *TenureChange) ID() PayloadID { return TenureChangeID }

func (p *TenureChange) appendTo(dst []byte) []byte {
	dst = append(dst, byte(TenureChangeID))
	dst = append(dst, p.ConsensusHash[:]...)
	dst = append(dst, p.PrevConsensusHash[:]...)
	dst = append(dst, p.BurnViewConsensusHash[:]...)
	dst = append(dst, p.PreviousEnd[:]...)
	dst = binary.BigEndian.AppendUint32(dst, p.PreviousBlocks)
	dst = append(dst, byte(p.Cause))
	return append(dst, p.PubkeyHash[:]...)
}

func (p *TenureChange) validate() error { return nil }

func (p *TenureChange) sizeHint() int { return 1 + tenureChangeSize }
