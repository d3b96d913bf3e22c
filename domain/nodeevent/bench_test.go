package nodeevent_test

import (
	"fmt"
	"strings"
	"testing"

	"strata/domain/nodeevent"
	"strata/internal/testkit/must"
)

// BenchmarkDecode decodes made-up bodies as large as the largest that nodes send.
func BenchmarkDecode(b *testing.B) {
	mints := make([]string, 100_000)
	for i := range mints {
		data := fmt.Sprintf(`{"recipient":"SP%038d","amount":"%d"}`, i, i*1_000_000)
		mints[i] = event("aa", fmt.Sprint(len(mints)-i), "stx_mint_event", data)
	}
	verbose := make([]string, 2_000)
	printed := `{"contract_identifier":"SP1.c","topic":"print","raw_value":"0x` + strings.Repeat("ab", 500) + `",` +
		`"value":{"Sequence":{"Buffer":{"data":[` + strings.TrimSuffix(strings.Repeat("171,", 5_000), ",") + `]}}}}`
	for i := range verbose {
		verbose[i] = event("aa", fmt.Sprint(i), "contract_event", printed)
	}
	heavy := make([]string, 1_000)
	for i := range heavy {
		heavy[i] = strings.Replace(tx("aa"), h("aa"), fmt.Sprintf("0x%064x", i), 1)
		heavy[i] = strings.Replace(heavy[i], "0x0102", "0x"+strings.Repeat("0123456789abcdef", 1_000), 1)
	}
	for _, tt := range []struct{ name, body string }{
		{"genesis", block(`"transactions":[`+tx("aa")+`]`, `"events":[`+strings.Join(mints, ",")+`]`)},
		{"verbose values", block(`"transactions":[`+tx("aa")+`]`, `"events":[`+strings.Join(verbose, ",")+`]`)},
		{"large transactions", block(`"transactions":[` + strings.Join(heavy, ",") + `]`)},
	} {
		body := []byte(tt.body)
		b.Run(tt.name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				must.Get(nodeevent.Decode("/new_block", body))(b)
			}
		})
	}
}
