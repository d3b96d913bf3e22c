package history

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"strata/eventstore"
)

// In a file of the log, an event is the length of its leaf record (4 bytes, big-endian), the leaf record, and the body. So the leaf
// hashes follow from the file alone.

// appendRecord appends what stands before the body of an event.
func appendRecord(dst []byte, e *eventstore.Event) []byte {
	at := len(dst)
	dst = eventstore.AppendLeafRecord(append(dst, 0, 0, 0, 0), e)
	binary.BigEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	return dst
}

// maxLeaf is the length of the longest leaf record that is read. Those of today have 65,535 bytes at most, and those of older logs were
// bounded by what a node's headers may have.
const maxLeaf = 1 << 20

// atOnce is how many bytes of a body memory is taken for before they arrive.
const atOnce = 1 << 20

var errRecord = errors.New("the record is damaged")

// readRecord reads an event with its body. left is how many bytes there may be. It returns io.EOF at the end.
func readRecord(in *bufio.Reader, left int64) (e eventstore.Event, err error) {
	var head [4]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return e, err
	}
	length := int64(binary.BigEndian.Uint32(head[:]))
	if length > maxLeaf || length > left {
		return e, fmt.Errorf("%w: it has %d bytes before its body", errRecord, length)
	}
	leaf := make([]byte, length)
	if _, err := io.ReadFull(in, leaf); err != nil {
		return e, fmt.Errorf("%w: it ends in its middle", errRecord)
	}
	if e, err = parseLeaf(leaf); err != nil {
		return e, err
	}
	if e.Size < 0 || e.Size > left-length {
		return e, fmt.Errorf("%w: event %d has a body of %d bytes, beyond the end of the file", errRecord, e.Seq, e.Size)
	}
	body := bytes.NewBuffer(make([]byte, 0, min(e.Size, atOnce))) // grows as the bytes arrive
	if n, err := io.CopyN(body, in, e.Size); err != nil {
		return e, fmt.Errorf("%w: the body of event %d ends after %d of %d bytes", errRecord, e.Seq, n, e.Size)
	}
	e.Body = body.Bytes()
	return e, nil
}

// parseLeaf reads what AppendLeafRecord writes.
func parseLeaf(leaf []byte) (e eventstore.Event, err error) {
	const fixed = 1 + 8 + 8 + 8 + 32
	if len(leaf) < fixed || leaf[0] != eventstore.LeafVersion {
		return e, fmt.Errorf("%w: it is no leaf record of version %d", errRecord, eventstore.LeafVersion)
	}
	number := func(at int) int64 { return int64(binary.BigEndian.Uint64(leaf[at:])) }
	e.Seq, e.ReceivedAt, e.Size = number(1), time.UnixMicro(number(9)).UTC(), number(17)
	copy(e.SHA256[:], leaf[25:fixed])
	rest := leaf[fixed:]
	for _, text := range []*string{&e.Source, &e.Path, &e.ContentType, &e.Origin} {
		if len(rest) < 4 || uint64(binary.BigEndian.Uint32(rest)) > uint64(len(rest)-4) {
			return e, fmt.Errorf("%w: a text of event %d ends in its middle", errRecord, e.Seq)
		}
		n := int(binary.BigEndian.Uint32(rest))
		*text, rest = string(rest[4:4+n]), rest[4+n:]
	}
	if len(rest) > 0 {
		return e, fmt.Errorf("%w: event %d has %d bytes after its texts", errRecord, e.Seq, len(rest))
	}
	return e, nil
}
