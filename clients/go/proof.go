package strata

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"

	formats "github.com/transparency-dev/formats/log"
	tlogproof "github.com/transparency-dev/formats/proof"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/note"
)

// Proven is an event that a proof shows to be in the log.
type Proven struct {
	Seq                               int64
	ReceivedAt                        time.Time
	BodySize                          int64
	BodySHA256                        [sha256.Size]byte
	Source, Path, ContentType, Origin string
	LogSize                           uint64 // number of events that the checkpoint covers
}

// FetchProof returns the proof that an event is in the log, in the format of https://c2sp.org/tlog-proof. It proves
// something only once CheckProof has checked it.
func FetchProof(ctx context.Context, client *Client, seq int64) ([]byte, error) {
	inclusion, err := Read[struct {
		Index      uint64
		Leaf       []byte
		Hashes     [][]byte
		Checkpoint string
	}](client.GetLogInclusionProof(ctx, &GetLogInclusionProofParams{Seq: seq}))
	if err != nil {
		return nil, fmt.Errorf("ask for the proof of event %d: %w", seq, err)
	}
	p := tlogproof.TLogProof{Index: inclusion.Index, Checkpoint: []byte(inclusion.Checkpoint), ExtraData: inclusion.Leaf}
	for _, hash := range inclusion.Hashes {
		if len(hash) != sha256.Size {
			return nil, fmt.Errorf("read the proof of event %d: a hash has %d bytes, want %d", seq, len(hash), sha256.Size)
		}
		p.Hashes = append(p.Hashes, [sha256.Size]byte(hash))
	}
	return p.Marshal(), nil
}

// CheckProof checks a proof, without the server: that key, the verifier key of the log, has signed its checkpoint, and that
// the tree of the checkpoint has the event at its place. Get the key from the operator by another way than the proof.
func CheckProof(file []byte, key string) (*Proven, error) {
	var p tlogproof.TLogProof
	if err := p.Unmarshal(file); err != nil {
		return nil, err
	}
	verifier, err := note.NewVerifier(key)
	if err != nil {
		return nil, fmt.Errorf("verifier key %q: %w", key, err)
	}
	signed, err := note.Open(p.Checkpoint, note.VerifierList(verifier))
	if err != nil {
		return nil, fmt.Errorf("the checkpoint: %w", err)
	}
	var checkpoint formats.Checkpoint
	if _, err := checkpoint.Unmarshal([]byte(signed.Text)); err != nil {
		return nil, fmt.Errorf("the checkpoint: %w", err)
	}
	if checkpoint.Origin != verifier.Name() {
		return nil, fmt.Errorf("the checkpoint is of the log %q, and the key of %q", checkpoint.Origin, verifier.Name())
	}
	event, err := parseLeaf(p.ExtraData)
	if err != nil {
		return nil, fmt.Errorf("the leaf record: %w", err)
	}
	if uint64(event.Seq) != p.Index+1 {
		return nil, fmt.Errorf("the record is that of event %d, and the proof that of event %d", event.Seq, p.Index+1)
	}
	hashes := make([][]byte, len(p.Hashes))
	for i := range p.Hashes {
		hashes[i] = p.Hashes[i][:]
	}
	hasher := rfc6962.DefaultHasher
	if err := proof.VerifyInclusion(hasher, p.Index, checkpoint.Size, hasher.HashLeaf(p.ExtraData), hashes, checkpoint.Hash); err != nil {
		return nil, fmt.Errorf("event %d is not in the tree of the checkpoint: %w", event.Seq, err)
	}
	event.LogSize = checkpoint.Size
	return event, nil
}

// leafVersion is the version of leaf records that parseLeaf reads; the server's docs/log-format.md describes it.
const leafVersion = 1

func parseLeaf(b []byte) (*Proven, error) {
	const fixed = 1 + 3*8 + sha256.Size
	if len(b) < fixed {
		return nil, fmt.Errorf("it has %d bytes, want %d or more", len(b), fixed)
	}
	if b[0] != leafVersion {
		return nil, fmt.Errorf("it is of version %d, want %d", b[0], leafVersion)
	}
	integer := func(at int) int64 { return int64(binary.BigEndian.Uint64(b[at:])) } // two's complement
	e := &Proven{Seq: integer(1), ReceivedAt: time.UnixMicro(integer(9)).UTC(), BodySize: integer(17), BodySHA256: [sha256.Size]byte(b[25:fixed])}
	b = b[fixed:]
	for _, text := range []*string{&e.Source, &e.Path, &e.ContentType, &e.Origin} {
		if len(b) < 4 || uint64(len(b)-4) < uint64(binary.BigEndian.Uint32(b)) {
			return nil, errors.New("it is cut off")
		}
		n := binary.BigEndian.Uint32(b)
		*text, b = strings.Clone(string(b[4:4+n])), b[4+n:]
	}
	if len(b) > 0 {
		return nil, fmt.Errorf("%d bytes follow it", len(b))
	}
	return e, nil
}
