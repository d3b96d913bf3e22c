package importer

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"io"

	"strata/eventstore/archive"
)

// prefixDigest passes a stream on and computes the digest of its bytes up to a mark, the end of a line. The mark lags
// behind the bytes read, because an archive.Reader reads ahead by up to archive.Lookahead bytes. It holds a few times as
// many bytes, however long a line is.
type prefixDigest struct {
	in     io.Reader
	digest hash.Hash
	at     int64  // bytes digested
	held   []byte // read; what begins at start is not digested
	start  int

	mark   int64
	passed bool // bytes beyond the mark are digested: atMark is the sum at the mark
	atMark [sha256.Size]byte
}

func newPrefixDigest(in io.Reader) *prefixDigest {
	return &prefixDigest{in: in, digest: sha256.New(), held: make([]byte, 0, 4*archive.Lookahead)}
}

// Read keeps a copy of what it returns. It digests the beginning of a long line before it knows the line's end: bytes
// further back than the read-ahead must be before the next mark.
func (d *prefixDigest) Read(p []byte) (int, error) {
	n, err := d.in.Read(p)
	if len(d.held)+n > cap(d.held) {
		d.held = d.held[:copy(d.held, d.held[d.start:])]
		d.start = 0
	}
	d.held = append(d.held, p[:n]...)
	if pending := len(d.held) - d.start; pending > 2*archive.Lookahead {
		target := d.at + int64(pending) - archive.Lookahead
		if target > d.mark && !d.passed {
			d.atMark, d.passed = d.sum(), true
		}
		d.digestTo(target)
	}
	return n, err
}

// moveTo sets the mark to the end of the last line.
func (d *prefixDigest) moveTo(offset int64) error {
	if have := d.at + int64(len(d.held)-d.start); offset < d.mark || offset < d.at || offset > have {
		return fmt.Errorf("digest up to byte %d after %d: only bytes %d to %d are at hand", offset, d.mark, d.at, have)
	}
	d.mark, d.passed = offset, false
	return nil
}

// sum returns the SHA-256 of the stream up to the mark.
func (d *prefixDigest) sum() (s [sha256.Size]byte) {
	if d.passed {
		return d.atMark
	}
	d.digestTo(d.mark)
	d.digest.Sum(s[:0])
	return s
}

func (d *prefixDigest) digestTo(offset int64) {
	n := int(offset - d.at)
	if n <= 0 {
		return
	}
	d.digest.Write(d.held[d.start : d.start+n])
	d.start += n
	d.at = offset
}
