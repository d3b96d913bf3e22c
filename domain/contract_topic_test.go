package domain_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"strata/domain/clarity"
	"strata/domain/contract"
	"strata/internal/testkit/must"
)

// FuzzContractTopic checks that a text column can hold the topic of any input, value or not.
func FuzzContractTopic(f *testing.F) {
	text := must.Get(clarity.NewASCII("sold"))(f)
	tuple := must.Get(clarity.NewTuple(clarity.Field{Name: "event", Value: text}))(f)
	for _, v := range []clarity.Value{text, tuple, clarity.NewOk(tuple), clarity.NewNone()} {
		f.Add(v.Raw())
	}
	f.Add(append(tuple.Raw()[:len(tuple.Raw())-1:len(tuple.Raw())-1], 0))
	f.Add([]byte{0x0c, 0xff})
	f.Fuzz(func(t *testing.T, raw []byte) {
		topic := contract.Topic(raw)
		if len(topic) > contract.MaxTopicLength || !utf8.ValidString(topic) || strings.ContainsRune(topic, 0) {
			t.Errorf("Topic(%x) = %q, which no text column can hold", raw, topic)
		}
	})
}
