package importer

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"io"

	"strata/eventstore/archive"
)

// prefixDigest passes a stream on and digests it up to the ends of lines, which lie behind what was read, because
// an archive.Reader reads ahead by up to archive.Lookahead bytes. It holds about that much, however long a line is.
type prefixDigest struct {
	in      io.Reader
	digest  hash.Hash
	at      int64  // bytes digested
	pending []byte // read, but not digested
}

func newPrefixDigest(in io.Reader) *prefixDigest {
	return &prefixDigest{in: in, digest: sha256.New(), pending: make([]byte, 0, 4*archive.Lookahead)}
}

// Read keeps a copy of what it returns. While a long line is being read, its beginning is digested without waiting
// for its end: whatever lies further back than the read-ahead is certain to be part of the line.
func (d *prefixDigest) Read(p []byte) (int, error) {
	n, err := d.in.Read(p)
	d.pending = append(d.pending, p[:n]...)
	if len(d.pending) > 2*archive.Lookahead {
		d.consume(len(d.pending) - archive.Lookahead)
	}
	return n, err
}

// moveTo digests the stream up to an offset, the end of the line that was read last.
func (d *prefixDigest) moveTo(offset int64) error {
	if offset < d.at || offset > d.at+int64(len(d.pending)) {
		return fmt.Errorf("digest up to byte %d: only bytes %d to %d are at hand", offset, d.at, d.at+int64(len(d.pending)))
	}
	d.consume(int(offset - d.at))
	return nil
}

func (d *prefixDigest) consume(n int) {
	d.digest.Write(d.pending[:n]) //nolint:errcheck // never fails (hash.Hash)
	d.at += int64(n)
	// The capacity in front is lost until append moves the rest, which is amortised.
	d.pending = d.pending[n:]
}

// sum is the digest of the stream up to the last offset that moveTo was given.
func (d *prefixDigest) sum() (s [sha256.Size]byte) {
	d.digest.Sum(s[:0])
	return s
}
