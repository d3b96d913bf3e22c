package nodeevent_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"strata/domain/nodeevent"
	"strata/internal/testkit/vector"
)

func TestUnknownFields(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, path, body string
		want             []string
	}{
		{"none", "/new_block", block(`"transactions":[` + tx("aa") + `]`), nil},
		{"of the block", "/new_block", block(`"pox_v5_unlock_height":1`, `"transactions":[`+tx("aa")+`]`), []string{"/pox_v5_unlock_height"}},
		{"of transactions, once", "/new_block", block(`"transactions":[` + tx("aa", `"fresh":{"a":[1]}`) + "," + tx("bb", `"fresh":2`, `"other":3`) + `]`),
			[]string{"/transactions/*/fresh", "/transactions/*/other"}},
		{"of an event, and its data", "/new_block", block(`"transactions":[`+tx("aa")+`]`, `"events":[`+
			strings.Replace(event("aa", "0", "stx_mint_event", `{"recipient":"SP1","amount":"1","extra":"x"}`), `{`, `{"extra":1,`, 1)+`]`),
			[]string{"/events/*/extra", "/events/*/stx_mint_event/extra"}},
		{"an event of an unknown type", "/new_block", block(`"transactions":[`+tx("aa")+`]`, `"events":[`+event("aa", "0", "moon_event", `{"amount":"1"}`)+`]`),
			[]string{"/events/*/moon_event"}},
		{"the verbose value of a print", "/new_block", block(`"transactions":[`+tx("aa")+`]`, `"events":[`+
			event("aa", "0", "contract_event", `{"contract_identifier":"SP1.c","topic":"print","raw_value":"0x03","value":{"Bool":true}}`)+`]`), nil},
		{"of a Bitcoin block", "/new_burn_block", `{"burn_block_hash":"` + h("aa") + `","burn_block_height":1,"pox_transactions":[{"txid":"` + h("bb") + `","reward_recipients":[{"recipient":"1","amt":1,"x":2}]}]}`,
			[]string{"/pox_transactions/*/reward_recipients/*/x"}},
		{"of a drop", "/drop_mempool_tx", `{"dropped_txids":[],"reason":"TooExpensive","why/not":1}`, []string{"/why~1not"}},
		{"as long as is shown", "/drop_mempool_tx", `{"dropped_txids":[],"` + strings.Repeat("x", 159) + `":1}`, []string{"/" + strings.Repeat("x", 159)}},
		{"of a path that is not decoded", "/brand_new", `{"x":1}`, nil},
	} {
		_, got, err := nodeevent.DecodeAll(c.path, []byte(c.body))
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q (%v), want %q", c.name, got, err, c.want)
		}
	}
}

// A body with any number of unknown members costs little memory.
func TestUnknownFieldsAreBounded(t *testing.T) {
	t.Parallel()
	var members []string
	for i := range 5000 {
		members = append(members, fmt.Sprintf(`"x%d":%d`, i, i))
	}
	members = append(members, `"`+strings.Repeat("long", 5000)+`":1`)
	slices.Reverse(members)
	_, got, err := nodeevent.DecodeAll("/new_block", []byte(block(members...)))
	if err != nil || len(got) != 32 || len(got[0]) > 200 {
		t.Errorf("got %d paths, the first of %d bytes (%v)", len(got), len(got[0]), err)
	}
	if _, again, err := nodeevent.DecodeAll("/new_block", []byte(block(`"y":1`))); err != nil || !slices.Equal(again, []string{"/y"}) {
		t.Errorf("the next body: got %q (%v)", again, err)
	}
}

// TestRecordingsHaveNoUnknownFields decodes what real nodes of all releases posted: every member is decoded, or is
// known to hold nothing new.
func TestRecordingsHaveNoUnknownFields(t *testing.T) {
	t.Parallel()
	all := recordings(t)
	if newest, _ := filepath.Glob(filepath.Join(vector.Shared(t), "data", "node", "nakamoto-epoch4.tsv.gz")); len(newest) > 0 {
		posts := recording(t, newest[0])
		for i := range posts {
			posts[i].body = []byte(strings.ReplaceAll(string(posts[i].body), `\\`, `\`))
		}
		all["nakamoto-epoch4"] = posts
	}
	for name, posts := range all {
		for i, p := range posts {
			if _, unknown, err := nodeevent.DecodeAll(p.path, p.body); err != nil || len(unknown) > 0 {
				t.Errorf("%s row %d %s: %q (%v)", name, i+1, p.path, unknown, err)
				break
			}
		}
	}
}
