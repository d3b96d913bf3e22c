package nodeevent_test

import (
	"strings"
	"testing"

	"strata/domain/nodeevent"
)

// TestRepetition checks what a block may have twice.
func TestRepetition(t *testing.T) {
	t.Parallel()
	signed := `"raw_tx":"0x80800000000400` + strings.Repeat("11", 40) + `"`
	boot := `"raw_tx":"0x80800000000400` + strings.Repeat("00", 40) + `"`
	bitcoin := `"raw_tx":"0x00"`
	of := func(id, raw string) string { return strings.Replace(tx(id), `"raw_tx":"0x0102"`, raw, 1) }
	print := func(id, index string) string { return event(id, index, "a_later_event", "1") }
	for _, c := range []struct {
		name         string
		transactions []string
		events       []string
		want         string
	}{
		{"nothing", []string{of("aa", signed), of("bb", signed)}, []string{print("aa", "0"), print("bb", "1")}, ""},
		{"a transaction", []string{of("aa", signed), of("bb", signed), of("aa", signed)}, nil, "/transactions/2/txid"},
		{"a short one", []string{tx("aa"), tx("aa")}, nil, "/transactions/1/txid"},
		{"one that is signed, with the id of one that is not", []string{of("aa", boot), of("aa", signed)}, nil, "/transactions/1/txid"},
		{"the other way round", []string{of("aa", signed), of("aa", bitcoin)}, nil, "/transactions/1/txid"},
		{"what nobody signed", []string{of("aa", boot), of("aa", boot), of("bb", bitcoin), of("bb", bitcoin)}, nil, ""},
		{"an index", []string{of("aa", signed)}, []string{print("aa", "1"), print("aa", "3"), print("aa", "3")}, "/events/2/event_index"},
		{"an index, with that of another transaction between", []string{of("aa", signed), of("bb", signed)}, []string{print("aa", "3"), print("bb", "3"), print("aa", "3")}, "/events/2/event_index"},
		{"indexes of different transactions", []string{of("aa", signed), of("bb", signed)}, []string{print("aa", "3"), print("bb", "3"), print("bb", "4"), print("aa", "4")}, ""},
	} {
		b := decodeAs[*nodeevent.Block](t, "/new_block", block(`"transactions":[`+strings.Join(c.transactions, ",")+`]`, `"events":[`+strings.Join(c.events, ",")+`]`))
		got := ""
		if e := b.Repetition(); e != nil {
			got = e.Path
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
