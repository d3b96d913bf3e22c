package answer

import (
	"bytes"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/andybalholm/brotli/matchfinder"
	"github.com/klauspost/compress"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// coding is a content coding (RFC 9110 section 8.4.1).
type coding uint8

const (
	identity coding = iota
	gzipCoding
	zstdCoding
	brotliCoding

	codings // how many there are
)

var (
	contentEncodings = [codings][]string{gzipCoding: {"gzip"}, zstdCoding: {"zstd"}, brotliCoding: {"br"}}
	tagSuffixes      = [codings]string{gzipCoding: "-gzip", zstdCoding: "-zstd", brotliCoding: "-br"}
)

// codingSet is a set of codings.
type codingSet uint8

func (s *codingSet) add(c coding)     { *s |= 1 << c }
func (s codingSet) has(c coding) bool { return s&(1<<c) != 0 }

// minCompressed is the length of the shortest body that is compressed, in bytes: below that, it fits into one packet
// of the network anyway.
const minCompressed = 1024

// compressible says if bodies of a media type are text. Other types, such as images, are compressed in themselves.
func compressible(contentType string) bool {
	media, _, _ := strings.Cut(contentType, ";")
	media = strings.ToLower(strings.TrimSpace(media))
	switch media {
	case "application/json", "application/xml", "application/yaml", "application/javascript", "application/x-ndjson":
		return true
	}
	return strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "+json") || strings.HasSuffix(media, "+xml") ||
		strings.HasSuffix(media, "+yaml")
}

// shrinks says if the body gets shorter by a tenth at least, by no more than how often it has each byte: text always does.
// To compress it would tell better, at twenty times the cost, and most answers are never asked for compressed.
func shrinks(body []byte) bool {
	return compress.ShannonEntropyBits(body)/8 <= len(body)-len(body)/10
}

// compress gives the body in a coding, always the same bytes for the same body. gzip and zstd run at their fastest: the
// answers are full of hashes, of which the slower levels save no more, at twice the time. brotli takes about five times as
// long, and saves a quarter to a third of what gzip leaves; so it is only offered for answers that are kept, which are
// compressed once.
func (c coding) compress(body []byte) []byte {
	switch c {
	case gzipCoding:
		return gzipBytes(body)
	case brotliCoding:
		return brotliBytes(body)
	}
	return zstdEncoder().EncodeAll(body, make([]byte, 0, len(body)/4))
}

// brotliLevel is the one beyond which the time grows faster than what it saves.
const brotliLevel = 4

var brotliWriters = sync.Pool{New: func() any { return brotli.NewWriterV2(nil, brotliLevel) }}

func brotliBytes(body []byte) []byte {
	var buffer bytes.Buffer
	buffer.Grow(len(body) / 4)
	w, _ := brotliWriters.Get().(*matchfinder.Writer)
	defer brotliWriters.Put(w)
	w.Reset(&buffer)
	_, _ = w.Write(body) // a buffer takes everything
	_ = w.Close()
	return buffer.Bytes()
}

var gzipWriters = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic(err) // only for levels that don't exist
	}
	return w
}}

func gzipBytes(body []byte) []byte {
	var buffer bytes.Buffer
	buffer.Grow(len(body) / 4)
	w, _ := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(w)
	w.Reset(&buffer)
	_, _ = w.Write(body) // a buffer takes everything
	_ = w.Close()
	return buffer.Bytes()
}

// zstdWindow is how far back a decoder has to remember, in bytes. Browsers refuse more than 8 MB (RFC 9659).
const zstdWindow = 1 << 20

// zstdEncoder is shared: EncodeAll may be called by many at a time.
var zstdEncoder = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(zstdWindow), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err) // only for options that don't exist
	}
	return e
})
