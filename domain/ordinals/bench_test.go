package ordinals_test

import (
	"fmt"
	"strings"
	"testing"

	"strata/domain/ordinals"
	"strata/internal/testkit/must"
)

// BenchmarkDecode decodes a made-up block of 2,000 reveals with contents of 1 KB.
func BenchmarkDecode(b *testing.B) {
	content := strings.Repeat("0123456789abcdef", 128)
	list := make([]string, 2_000)
	for i := range list {
		id := fmt.Sprintf("%064x", i)
		reveal := strings.NewReplacer("48656C6C6F", content, `"content_length":5`, `"content_length":1024`, h("aa"), id, "bc1q", fmt.Sprintf("bc1q%058d", i)).Replace(revealFull)
		list[i] = strings.Replace(tx(revealed(reveal)), h("aa"), id, 1)
	}
	text := []byte(body(block(list...)))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		must.Get(ordinals.Decode(text))(b)
	}
}

// BenchmarkDigest digests the block of BenchmarkDecode.
func BenchmarkDigest(b *testing.B) {
	content := strings.Repeat("0123456789abcdef", 128)
	list := make([]string, 2_000)
	for i := range list {
		list[i] = tx(revealed(strings.Replace(revealFull, "48656C6C6F", content, 1)))
	}
	text := body(block(list...))
	payload := must.Get(ordinals.Decode([]byte(text)))(b)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		must.Get(payload.Apply[0].Digest())(b)
	}
}
