package importer

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"testing"

	"pgregory.net/rapid"

	"strata/eventstore/archive"
	"strata/internal/testkit/must"
)

// Whatever the lengths of lines and reads, the digest at the end of a line is that of everything up to there, and
// what is held stays small.
func TestPrefixDigest(t *testing.T) {
	t.Parallel()
	data := make([]byte, 12<<20)
	for i := range data {
		data[i] = byte(i * 7 >> 3)
	}
	rapid.Check(t, func(rt *rapid.T) {
		text := data[:rapid.IntRange(0, len(data)).Draw(rt, "size")]
		d := newPrefixDigest(bytes.NewReader(text))
		read, at, want := 0, 0, sha256.New()
		buffer := make([]byte, archive.Lookahead)
		for at < len(text) {
			end := min(len(text), at+rapid.OneOf(rapid.IntRange(1, 100_000), rapid.IntRange(1, 8<<20)).Draw(rt, "line"))
			for read < end {
				n, err := d.Read(buffer[:rapid.IntRange(min(len(buffer), end-read), min(len(buffer), end+archive.Lookahead-read)).Draw(rt, "read")])
				if err != nil && !errors.Is(err, io.EOF) {
					rt.Fatal(err)
				}
				read += n
			}
			must.Do(rt, d.moveTo(int64(end)))
			want.Write(text[at:end])
			at = end
			if rapid.Bool().Draw(rt, "look") && d.sum() != [sha256.Size]byte(want.Sum(nil)) {
				rt.Fatalf("wrong digest at %d", at)
			}
			if cap(d.held) > 4*archive.Lookahead {
				rt.Fatalf("room for %d bytes held", cap(d.held))
			}
		}
		if d.sum() != [sha256.Size]byte(want.Sum(nil)) {
			rt.Fatal("wrong digest at the end")
		}
		if d.moveTo(int64(at-1)) == nil && at > 0 || d.moveTo(int64(read+1)) == nil {
			rt.Fatal("moved to where it can't")
		}
	})
}
