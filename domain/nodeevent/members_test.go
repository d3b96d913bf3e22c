package nodeevent_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"strata/domain/nodeevent"
)

// part is a value in a body: a member if it has a name, otherwise an element of an array or the whole body. pattern is its pointer with *
// for the indexes of arrays, or a dot.
type part struct {
	pointer, pattern, name string
	at, start, stop        int // at is where the name begins
}

// opaque are members that are kept as they are, or not at all.
var opaque = []string{"contract_interface", "contract_abi", "Standard", "missed_reward_slots", "value", "some_new_field", "a_new_op", "data_var_set_event", "new_event"}

// partsOf returns what a body is made of, without what is in opaque members.
func partsOf(body string) (parts []part) {
	var open []int // parts that have not ended
	next := part{}
	for d := jsontext.NewDecoder(strings.NewReader(body)); ; {
		start := len(body) - len(strings.TrimLeft(body[d.InputOffset():], ",: "))
		token, err := d.ReadToken()
		if err != nil {
			return parts
		}
		text, kind := body[start:d.InputOffset()], token.Kind()
		if in, n := d.StackIndex(d.StackDepth()); in == '{' && n%2 == 1 {
			if next.name, next.at = strings.Trim(text, `"`), start; slices.Contains(opaque, next.name) {
				_, next = d.SkipValue(), part{}
			}
			continue
		}
		if kind != '}' && kind != ']' {
			next.pointer, next.start = string(d.StackPointer()), start
			next.pattern = cmp.Or(regexp.MustCompile(`/\d+`).ReplaceAllString(next.pointer, "/*"), ".")
			open, parts, next = append(open, len(parts)), append(parts, next), part{}
		}
		if kind != '{' && kind != '[' {
			parts[open[len(open)-1]].stop = int(d.InputOffset())
			open = open[:len(open)-1]
		}
	}
}

// TestMembers changes each part of each valid body. What is of another type is refused, and so is what is required and missing; the
// error names it. A member that is null counts as missing, and of two with one name the last one counts.
func TestMembers(t *testing.T) {
	t.Parallel()
	bodies := slices.Clone(fixtures)
	for _, e := range eventData {
		bodies = append(bodies, struct{ path, body string }{"/new_block", block(`"transactions":[`+tx("aa")+`]`, `"events":[`+event("aa", "0", e.kind, e.data)+`]`)})
	}
	required, values := map[string]map[string]bool{}, map[string][]string{}
	for _, f := range bodies {
		required[f.path] = map[string]bool{}
		for _, p := range partsOf(f.body) {
			if value := f.body[p.start:p.stop]; !slices.Contains(values[f.path+p.pattern], value) {
				values[f.path+p.pattern] = append(values[f.path+p.pattern], value)
			}
		}
	}
	for _, f := range bodies {
		decode := func(body string) (any, nodeevent.FieldError) {
			payload, err := nodeevent.Decode(f.path, []byte(body))
			field := &nodeevent.FieldError{}
			if damaged := nodeevent.Damaged(payload); len(damaged) > 0 {
				field = damaged[0]
			} else if b, ok := payload.(*nodeevent.Block); ok {
				for i := range b.Transactions {
					if op := b.Transactions[i].BurnchainOp; op != nil {
						op.Raw = nil
					}
				}
			}
			errors.As(err, &field)
			return payload, *field
		}
		alike := func(what string, p part, one, other string) {
			a, aErr := decode(one)
			if b, bErr := decode(other); !reflect.DeepEqual(a, b) || aErr.Error() != bErr.Error() {
				t.Errorf("%s %s %s: got %+v, %v, want %+v, %v", f.path, p.pointer, what, a, aErr, b, bErr)
			}
		}
		for end := range f.body {
			if _, err := nodeevent.Decode(f.path, []byte(f.body[:end])); err == nil {
				t.Errorf("%s is read", f.body[:end])
			}
		}
		for _, p := range partsOf(f.body) {
			with := func(value string) string { return f.body[:p.start] + value + f.body[p.stop:] }
			if p.name != "" {
				again := f.body[:p.at] + f.body[p.at:p.stop] + ","
				for _, other := range append(values[f.path+p.pattern], "null", "{}", "[]") {
					alike("and then "+other, p, again+with(other)[p.at:], with(other))
				}
				if !strings.HasSuffix(path.Dir(p.pointer), "/burnchain_op") {
					alike("null", p, with("null"), f.body[:p.at]+`"no_`+f.body[p.at+1:])
				}
			}
			wrong := "true"
			if value := f.body[p.start:p.stop]; value == "true" || value == "false" {
				wrong = "5"
			}
			if _, err := decode(with(wrong)); err.Path != p.pointer || err.Got != fmt.Sprintf("%q", wrong) {
				t.Errorf("%s with %s for %s: got %v", f.path, wrong, p.pointer, err)
			}
			if _, err := decode(with("null")); err.Want != "" {
				if (!strings.HasPrefix(err.Path, p.pointer) || err.Got != "nothing" && err.Got != `"null"`) && p.name != "transactions" {
					t.Errorf("%s without %s: got %v", f.path, p.pointer, err)
				}
				required[f.path][p.pattern] = true
			}
		}
	}
	for path, want := range map[string]string{
		"/attachments/new": `. /* /*/attachment_index /*/contract_id /*/index_block_hash /*/tx_id`,
		"/drop_mempool_tx": `. /dropped_txids /dropped_txids/*`,
		"/new_block": `. /block_hash /block_height /burn_block_hash /burn_block_height /events/* /events/*/contract_event /events/*/contract_event/contract_identifier /events/*/contract_event/raw_value /events/*/event_index /events/*/ft_burn_event
			/events/*/ft_burn_event/amount /events/*/ft_burn_event/asset_identifier /events/*/ft_burn_event/sender /events/*/ft_mint_event /events/*/ft_mint_event/amount /events/*/ft_mint_event/asset_identifier /events/*/ft_mint_event/recipient
			/events/*/ft_transfer_event /events/*/ft_transfer_event/amount /events/*/ft_transfer_event/asset_identifier /events/*/ft_transfer_event/recipient /events/*/ft_transfer_event/sender /events/*/nft_burn_event
			/events/*/nft_burn_event/asset_identifier /events/*/nft_burn_event/raw_value /events/*/nft_burn_event/sender /events/*/nft_mint_event /events/*/nft_mint_event/asset_identifier /events/*/nft_mint_event/raw_value
			/events/*/nft_mint_event/recipient /events/*/nft_transfer_event /events/*/nft_transfer_event/asset_identifier /events/*/nft_transfer_event/raw_value /events/*/nft_transfer_event/recipient /events/*/nft_transfer_event/sender
			/events/*/stx_burn_event /events/*/stx_burn_event/amount /events/*/stx_burn_event/sender /events/*/stx_lock_event /events/*/stx_lock_event/locked_address /events/*/stx_lock_event/locked_amount /events/*/stx_lock_event/unlock_height
			/events/*/stx_mint_event /events/*/stx_mint_event/amount /events/*/stx_mint_event/recipient /events/*/stx_transfer_event /events/*/stx_transfer_event/amount /events/*/stx_transfer_event/recipient /events/*/stx_transfer_event/sender
			/events/*/txid /events/*/type /index_block_hash /matured_miner_rewards/* /matured_miner_rewards/*/coinbase_amount /matured_miner_rewards/*/recipient /matured_miner_rewards/*/tx_fees_anchored /parent_index_block_hash
			/reward_set/signers/* /reward_set/signers/*/signing_key /signer_signature/* /transactions /transactions/* /transactions/*/microblock_hash /transactions/*/microblock_parent_hash /transactions/*/microblock_sequence
			/transactions/*/status /transactions/*/txid`,
		"/new_burn_block": `. /burn_block_hash /burn_block_height /pox_transactions/* /pox_transactions/*/reward_recipients/* /pox_transactions/*/reward_recipients/*/amt /pox_transactions/*/reward_recipients/*/recipient /pox_transactions/*/txid
			/reward_recipients/* /reward_recipients/*/amt /reward_recipients/*/recipient /reward_slot_holders/*`,
		"/new_mempool_tx": `. /*`,
		"/new_microblocks": `. /events/* /events/*/event_index /events/*/stx_mint_event /events/*/stx_mint_event/amount /events/*/stx_mint_event/recipient /events/*/txid /events/*/type /parent_index_block_hash /transactions /transactions/*
			/transactions/*/microblock_hash /transactions/*/microblock_parent_hash /transactions/*/microblock_sequence /transactions/*/status /transactions/*/txid`,
		"/proposal_response": `. /result /signer_signature_hash`,
		"/stackerdb_chunks":  `. /contract_id /contract_id/issuer /contract_id/issuer/* /contract_id/issuer/*/* /contract_id/name /modified_slots/* /modified_slots/*/slot_id /modified_slots/*/slot_version`,
	} {
		if got := slices.Sorted(maps.Keys(required[path])); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: got %q required", path, got)
		}
	}
}
