// Package packed is the form in which the log stores what a node posts in bulk: one zstd frame (RFC 8878) instead of the body,
// where that is shorter. A row of log.event whose body does not have the length in column size has a frame.
package packed

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// Max is the size in bytes of the largest body that is packed. Larger ones are streamed, and read in slices.
const Max = 4 << 20

const (
	// least is the size in bytes of the smallest body that is packed.
	least = 256
	// frameMagic begins a frame.
	frameMagic = 0xfd2fb528
)

// paths are those whose bodies are packed: what a node posts in bulk. No SQL looks into them.
var paths = []string{"/new_block", "/new_mempool_tx", "/drop_mempool_tx", "/new_microblocks", "/new_burn_block"}

// A packer and an unpacker serve all goroutines. The level is the fastest: slower ones gain a few per cent.
var (
	packer = func() *zstd.Encoder {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false), zstd.WithLowerEncoderMem(true))
		if err != nil {
			panic(err)
		}
		e.EncodeAll([]byte{0}, nil) // so that its channels are made now, and not in the bubble of a test
		return e
	}()
	unpacker = func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(Max))
		if err != nil {
			panic(err)
		}
		return d
	}()
)

// Body returns a frame of a body that was posted to a path; nil if the body is to be stored as it is.
func Body(path string, body []byte) []byte {
	if len(body) < least || len(body) > Max || !slices.Contains(paths, path) {
		return nil
	}
	if frame := packer.EncodeAll(body, make([]byte, 0, len(body)/2)); len(frame) < len(body) {
		return frame
	}
	return nil
}

// Unpack returns a body of this size. stored is what column body of log.event has. What can't be unpacked is returned as it is:
// verification finds that its size is not that of the row, and decoders refuse it.
func Unpack(stored []byte, size int64) []byte {
	if int64(len(stored)) == size || size > Max || len(stored) < 4 || binary.LittleEndian.Uint32(stored) != frameMagic {
		return stored
	}
	body, err := unpacker.DecodeAll(stored, make([]byte, 0, size))
	if err != nil || int64(len(body)) != size {
		return stored
	}
	return body
}

// Piece is a part of a stored body, or what is stored if that is packed.
type Piece struct {
	size   int64 // of the body
	packed bool
	stored []byte
}

// PieceSQL returns the columns that Piece.Columns scans. alias is that of the row of log.event that holds the body. from and n are
// expressions for the first byte of the piece, counted from 1, and for its length.
func PieceSQL(alias, from, n string) string {
	return strings.NewReplacer("h.", alias+".", "$from", from, "$n", n).Replace(
		`h.size, octet_length(h.body) <> h.size, CASE octet_length(h.body) WHEN h.size THEN substring(h.body FROM $from FOR $n) ELSE h.body END`)
}

// Columns are the destinations of the columns that PieceSQL selects.
func (p *Piece) Columns() []any { return []any{&p.size, &p.packed, &p.stored} }

// Unpack returns at most n bytes of the body, from the offset on that was selected.
func (p *Piece) Unpack(offset, n int64) []byte {
	if !p.packed {
		return p.stored
	}
	body := Unpack(p.stored, p.size)
	from := min(offset, int64(len(body)))
	return slices.Clone(body[from:min(from+n, int64(len(body)))])
}
