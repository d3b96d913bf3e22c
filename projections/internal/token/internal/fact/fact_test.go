package fact_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"strata/domain/clarity"
	"strata/domain/token"
	"strata/projections"
	"strata/projections/internal/token/internal/fact"
	"strata/rig/body"
	"strata/rig/replay"
)

const (
	alice    = body.Account("alice")
	stranger = body.Account("stranger")
)

// sip009 is the interface of a contract of kind NFT.
const sip009 = `{"fungible_tokens":[],"non_fungible_tokens":[{"name":"art","type":"uint128"}],"functions":[
	{"name":"get-last-token-id","access":"read_only","args":[],"outputs":{"type":"bool"}},
	{"name":"get-token-uri","access":"read_only","args":[{"name":"id","type":"uint128"}],"outputs":{"type":"bool"}},
	{"name":"get-owner","access":"read_only","args":[{"name":"id","type":"uint128"}],"outputs":{"type":"bool"}},
	{"name":"transfer","access":"public","outputs":{"type":"bool"},"args":[
		{"name":"id","type":"uint128"},{"name":"sender","type":"principal"},{"name":"recipient","type":"principal"}]}]}`

// Each kind has its own facts of the same block. Deploys without an interface and notifications are facts of every kind.
func TestOf(t *testing.T) {
	art, coin, deed := alice.Contract("art"), alice.Contract("coin"), alice.Contract("deed")
	uncommitted := body.MintNFT(art+"::art", clarity.NewUint64(2))
	uncommitted.Uncommitted = true
	failed := alice.Did(body.MintNFT(art+"::art", clarity.NewUint64(3)))
	failed.Status = "abort_by_response"
	changed := tuple(t, "notification", word(t, "token-metadata-update"), "payload",
		tuple(t, "token-class", word(t, "nft"), "contract-id", word(t, art)))

	block := decode(t,
		alice.Deploys("art", json.RawMessage(sip009), body.MintNFT(art+"::art", clarity.NewUint64(1))),
		alice.Deploys("late", nil),
		alice.Deploys("greeter", json.RawMessage(`{"functions":[],"fungible_tokens":[],"non_fungible_tokens":[]}`)),
		alice.Deploys("broken", json.RawMessage(`"nothing"`)),
		failed,
		alice.Did(uncommitted, body.MintNFT(art+"::art", word(t, "four"))),
		alice.Did(body.MintFT(coin+"::coin", "5"), body.BurnFT(coin+"::coin", "5")),
		alice.Did(body.Print(deed, sftPrint(t, "sft_mint")), body.Print(deed, sftPrint(t, "sft_burn"))),
		stranger.Did(body.Print(stranger.Contract("fake"), changed)),
		stranger.Did(body.Print(stranger.Contract("fake"), clarity.NewUint64(1)), body.Print(art, changed)),
	)
	late, notice := "deploy late in 1", "notice art in 9 at 1, /events/10"
	for kind, want := range map[token.Kind][]string{
		token.FT:  {late, "supply coin 1", "supply coin 1", notice},
		token.NFT: {"deploy art in 0, nft art", "mint art 1", late, notice},
		token.SFT: {late, "mint deed 7", "supply deed 7", notice},
	} {
		var got []string
		for _, f := range fact.Of(kind, block) {
			got = append(got, describe(f))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n got %q\nwant %q", kind, got, want)
		}
	}
}

func describe(f fact.Fact) string {
	_, name, _ := strings.Cut(f.About(), ".")
	switch f := f.(type) {
	case fact.Deploy:
		text := fmt.Sprintf("deploy %s in %d", name, f.TxIndex)
		if f.Known {
			text += fmt.Sprintf(", %s %s", f.Recognised.Kind, f.Recognised.NonFungibleToken)
		}
		return text
	case fact.Mint:
		return fmt.Sprintf("mint %s %s", name, f.ID)
	case fact.Supply:
		return fmt.Sprintf("supply %s %s", name, f.ID)
	case fact.Notice:
		return fmt.Sprintf("notice %s in %d at %d, %s", name, f.TxIndex, f.EventIndex, f.Pointer)
	}
	return fmt.Sprintf("%T", f)
}

// decode returns a block with these transactions as projections get it.
func decode(t *testing.T, transactions ...body.Transaction) *projections.Block {
	t.Helper()
	post := body.Block{Name: "a1", Parent: body.Genesis, Burn: "101a", Transactions: transactions}.Post()
	item := replay.Decode(t, []replay.Post{post})[0]
	if item.Err != nil {
		t.Fatal(item.Err)
	}
	return item.Block
}

// sftPrint returns the print sft_mint or sft_burn of SIP-013 for token 7.
func sftPrint(t *testing.T, event string) clarity.Value {
	t.Helper()
	recipient, err := clarity.NewPrincipal(alice.Principal())
	if err != nil {
		t.Fatal(err)
	}
	return tuple(t, "type", word(t, event), "token-id", clarity.NewUint64(7), "amount", clarity.NewUint64(5), "recipient", recipient)
}

func word(t *testing.T, s string) clarity.Value {
	t.Helper()
	v, err := clarity.NewASCII(s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// tuple returns a tuple; parts are names and values in turn.
func tuple(t *testing.T, parts ...any) clarity.Value {
	t.Helper()
	var fields []clarity.Field
	for i := 0; i < len(parts); i += 2 {
		fields = append(fields, clarity.Field{Name: parts[i].(string), Value: parts[i+1].(clarity.Value)})
	}
	v, err := clarity.NewTuple(fields...)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
