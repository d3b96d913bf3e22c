package account

import (
	"encoding/json"
	"testing"

	"strata/readapi/internal/view"
)

// A mint has an empty sender, and a burn an empty recipient, like in the reference.
func TestSidesOfTransfers(t *testing.T) {
	t.Parallel()
	who, asset, amount := "SP000000000000000000002Q6VF78", "SP000000000000000000002Q6VF78.a::b", "7"
	moved := allTransferred{Transferred: Transferred{STXTransfers: []view.StxTransfer{}}}
	moved.add(&view.EventRow{Kind: "stx_mint_event", Recipient: &who, Amount: &amount})
	moved.add(&view.EventRow{Kind: "stx_burn_event", Sender: &who, Amount: &amount})
	moved.add(&view.EventRow{Kind: "ft_mint_event", Recipient: &who, Amount: &amount, Asset: &asset})
	moved.add(&view.EventRow{Kind: "nft_burn_event", Sender: &who, Asset: &asset})
	for name, tc := range map[string]struct {
		got  any
		want string
	}{
		"minted STX":   {moved.STXTransfers[0], `{"amount":"7","sender":"","recipient":"` + who + `"}`},
		"burned STX":   {moved.STXTransfers[1], `{"amount":"7","sender":"` + who + `","recipient":""}`},
		"minted token": {moved.FTTransfers[0].TransferSides, `{"sender":"","recipient":"` + who + `"}`},
		"burned token": {moved.NFTTransfers[0].TransferSides, `{"sender":"` + who + `","recipient":""}`},
	} {
		if got, err := json.Marshal(tc.got); err != nil || string(got) != tc.want {
			t.Errorf("%s: got %s (%v), want %s", name, got, err, tc.want)
		}
	}
}
