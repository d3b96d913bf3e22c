package ordinals_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"strata/domain/ordinals"
)

// withoutContentAt checks that each ContentAt of the payload leads to the content in the body, and then resets it to 0,
// so that payloads of different bodies are comparable.
func withoutContentAt(t tb, body string, p *ordinals.Payload) *ordinals.Payload {
	t.Helper()
	for _, b := range p.Apply {
		for _, tx := range b.Transactions {
			for _, o := range tx.Operations {
				if r := o.Reveal; r != nil {
					same(t, o.Pointer+": content in the body", contentIn(body, r), r.Content)
					r.ContentAt = 0
				}
			}
		}
	}
	return p
}

// contentIn reads the content of a reveal from the body; nil if the body has no hex digits there.
func contentIn(body string, r *ordinals.Reveal) []byte {
	end := r.ContentAt + int64(2*len(r.Content))
	if r.ContentAt <= 0 || end > int64(len(body)) {
		return nil
	}
	content, err := hex.DecodeString(body[r.ContentAt:end])
	if err != nil {
		return nil
	}
	return content
}

func TestContentAt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, member string
		found        bool
	}{
		{"with 0x", `"content_bytes":"0x48656C6C6F"`, true},
		{"without", `"content_bytes":"48656c6c6f"`, true},
		{"with spaces", "\"content_bytes\"\n :\t \"0x48656C6C6F\" ", true},
		{"empty", `"content_bytes":"0x"`, true},
		{"the last of two", `"content_bytes":"0x48","content_bytes":"0x48656C6C6F"`, true},
		{"a digit is escaped", `"content_bytes":"0x4\u0038"`, false},
		{"the prefix is escaped", `"content_bytes":"\u0030x48"`, false},
	} {
		text := body(block(tx(revealed(strings.Replace(revealFull, `"content_bytes":"0x48656C6C6F"`, test.member, 1)))))
		r := decode(t, text).Apply[0].Transactions[0].Operations[0].Reveal
		if test.found {
			same(t, test.name, contentIn(text, r), r.Content)
		} else if r.ContentAt != -1 {
			t.Errorf("%s: the content is at %d", test.name, r.ContentAt)
		}
	}
}
