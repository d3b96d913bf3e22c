package tokentest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"strata/domain/clarity"
	"strata/domain/token"
	"strata/internal/synth/value"
	"strata/projections/internal/token/internal/fact"
	"strata/rig/body"
	"strata/rig/foldtest"
)

// Each kind has its own facts of the same block. Deploys without an interface and notifications are facts of every kind.
func TestFacts(t *testing.T) {
	art, coin, deed := alice.Contract("art"), alice.Contract("coin"), alice.Contract("deed")
	uncommitted := body.MintNFT(art+"::art", clarity.NewUint64(2))
	uncommitted.Uncommitted = true
	failed := alice.Did(body.MintNFT(art+"::art", clarity.NewUint64(3)))
	failed.Status = "abort_by_response"
	changed := announcement(art, "nft")

	block := foldtest.BlockStep(t, 1, body.Block{Name: "a1", Parent: body.Genesis, Burn: "101a", Transactions: []body.Transaction{
		alice.Deploys("art", sip009, body.MintNFT(art+"::art", clarity.NewUint64(1))),
		alice.Deploys("late", nil),
		alice.Deploys("greeter", json.RawMessage(`{"functions":[],"fungible_tokens":[],"non_fungible_tokens":[]}`)),
		alice.Deploys("broken", json.RawMessage(`"nothing"`)),
		failed,
		alice.Did(uncommitted, body.MintNFT(art+"::art", value.Text("four"))),
		alice.Did(body.MintFT(coin+"::coin", "5"), body.BurnFT(coin+"::coin", "5")),
		alice.Did(printSFT(deed, "sft_mint", value.Uint(7), 5), printSFT(deed, "sft_burn", value.Uint(7), 5)),
		stranger.Did(body.Print(stranger.Contract("fake"), changed)),
		stranger.Did(body.Print(stranger.Contract("fake"), clarity.NewUint64(1)), body.Print(art, changed)),
	}}).Block
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
