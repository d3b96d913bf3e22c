// Package proof writes and checks proof files: what an auditor needs to check, without a server, that an event is in the
// log. The format is that of https://c2sp.org/tlog-proof; the leaf record of the event is its extra data.
package proof

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	formats "github.com/transparency-dev/formats/proof"
	merkle "github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"

	"strata/eventstore"
	"strata/eventstore/transparency"
)

// Inclusion is the answer of GET /audit/v1/log/proofs/inclusion, as far as a proof file has it.
type Inclusion struct {
	Index      uint64   `json:"index"`
	Leaf       []byte   `json:"leaf"`
	Hashes     [][]byte `json:"hashes"`
	Checkpoint string   `json:"checkpoint"`
}

// Encode returns the proof file.
func (i *Inclusion) Encode() ([]byte, error) {
	if i.Checkpoint == "" {
		return nil, errors.New("the proof has no checkpoint: the tree of this size was not signed")
	}
	p := formats.TLogProof{Index: i.Index, Checkpoint: []byte(i.Checkpoint), ExtraData: i.Leaf}
	for _, hash := range i.Hashes {
		if len(hash) != sha256.Size {
			return nil, fmt.Errorf("a hash of the proof has %d bytes, want %d", len(hash), sha256.Size)
		}
		p.Hashes = append(p.Hashes, [sha256.Size]byte(hash))
	}
	return p.Marshal(), nil
}

// Checked is an event that a proof file proves to be in the log.
type Checked struct {
	Event      eventstore.Event // without its body
	Checkpoint *transparency.Checkpoint
}

// Check checks a proof file: that the key has signed its checkpoint, and that the tree of the checkpoint has the leaf
// record at its place. It needs no network.
func Check(file []byte, verifierKey string) (*Checked, error) {
	var p formats.TLogProof
	if err := p.Unmarshal(file); err != nil {
		return nil, err
	}
	checkpoint, err := transparency.ParseCheckpoint(p.Checkpoint, verifierKey)
	if err != nil {
		return nil, err
	}
	event, err := parseRecord(p.ExtraData)
	if err != nil {
		return nil, fmt.Errorf("the leaf record in the line \"extra\": %w", err)
	}
	if uint64(event.Seq) != p.Index+1 {
		return nil, fmt.Errorf("the record is that of event %d, and the proof that of event %d", event.Seq, p.Index+1)
	}
	hashes := make([][]byte, len(p.Hashes))
	for i := range p.Hashes {
		hashes[i] = p.Hashes[i][:]
	}
	hasher := rfc6962.DefaultHasher
	if err := merkle.VerifyInclusion(hasher, p.Index, uint64(checkpoint.Size), hasher.HashLeaf(p.ExtraData), hashes, checkpoint.Root); err != nil {
		return nil, fmt.Errorf("event %d is not in the tree of the checkpoint: %w", event.Seq, err)
	}
	return &Checked{Event: event, Checkpoint: checkpoint}, nil
}

// parseRecord reads a leaf record; docs/log-format.md describes it.
func parseRecord(b []byte) (e eventstore.Event, err error) {
	const fixed = 1 + 3*8 + sha256.Size
	if len(b) < fixed {
		return e, fmt.Errorf("it has %d bytes, want %d or more", len(b), fixed)
	}
	if b[0] != eventstore.LeafVersion {
		return e, fmt.Errorf("it is of version %d, and this program knows version %d", b[0], eventstore.LeafVersion)
	}
	e.Seq = int64(binary.BigEndian.Uint64(b[1:]))                              //nolint:gosec // two's complement
	e.ReceivedAt = time.UnixMicro(int64(binary.BigEndian.Uint64(b[9:]))).UTC() //nolint:gosec // two's complement
	e.Size = int64(binary.BigEndian.Uint64(b[17:]))                            //nolint:gosec // two's complement
	e.SHA256 = [sha256.Size]byte(b[25:fixed])
	b = b[fixed:]
	for _, text := range []*string{&e.Source, &e.Path, &e.ContentType, &e.Origin} {
		if len(b) < 4 || uint64(len(b)-4) < uint64(binary.BigEndian.Uint32(b)) {
			return e, errors.New("it is cut off")
		}
		n := binary.BigEndian.Uint32(b)
		*text, b = string(b[4:4+n]), b[4+n:]
	}
	if len(b) > 0 {
		return e, fmt.Errorf("%d bytes follow it", len(b))
	}
	return e, nil
}
