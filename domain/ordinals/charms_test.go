package ordinals_test

import (
	"testing"

	"strata/domain/ordinals"
)

func TestCharmNames(t *testing.T) {
	t.Parallel()
	all := []string{"coin", "cursed", "epic", "legendary", "lost", "nineball", "rare", "reinscription", "unbound", "uncommon", "vindicated", "mythic", "burned", "palindrome"}
	same(t, "all", ordinals.Charms(0xffff).Names(), all)
	same(t, "none", ordinals.Charms(0).Names(), []string{})
	same(t, "without a name", ordinals.Charms(0xc000).Names(), []string{})
	for bit, name := range all {
		same(t, "one", ordinals.Charms(1<<bit).Names(), []string{name})
	}
	same(t, "last", ordinals.CharmPalindrome, ordinals.Charms(1<<13))
	both := ordinals.CharmBurned | ordinals.CharmCoin
	if !both.Has(ordinals.CharmCoin) || !both.Has(both) || both.Has(ordinals.CharmCoin|ordinals.CharmEpic) {
		t.Error("Has is wrong")
	}
}

func TestCharmsOfASat(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		sat  ordinals.Sat
		want []string
	}{
		{0, []string{"coin", "mythic", "palindrome"}},
		{7, []string{"palindrome"}},
		{10, []string{}},
		{1221, []string{"palindrome"}},
		{1231, []string{}},
		{200_000_000, []string{"coin"}},
		{44_999_999_999, []string{}},
		{45_000_000_000, []string{"coin", "nineball", "uncommon"}},
		{45_000_000_054, []string{"nineball", "palindrome"}},
		{49_999_999_999, []string{"nineball"}},
		{50_000_000_000, []string{"coin", "uncommon"}},
		{10_080_000_000_000, []string{"coin", "rare"}},
		{1_050_000_000_000_000, []string{"coin", "epic"}},
		{2_067_187_500_000_000, []string{"coin", "legendary"}},
		{ordinals.LastSat, []string{"uncommon"}},
	} {
		same(t, tt.sat.String(), tt.sat.Charms().Names(), tt.want)
	}
}

func TestDerivedCharms(t *testing.T) {
	t.Parallel()
	tx := h32(t, "aa")
	owned := ptr("bc1q")
	for _, tt := range []struct {
		name    string
		reveal  ordinals.Reveal
		network ordinals.Network
		height  uint64
		want    []string
	}{
		{"plain", ordinals.Reveal{Sat: 10, InscriberAddress: owned}, ordinals.Mainnet, 780000, []string{}},
		{"cursed", ordinals.Reveal{Sat: 10, InscriberAddress: owned, Number: ordinals.InscriptionNumber{Classic: -1, Jubilee: -1}}, ordinals.Mainnet, 780000, []string{"cursed"}},
		{"last cursed", ordinals.Reveal{Sat: 10, InscriberAddress: owned, Number: ordinals.InscriptionNumber{Classic: -1}}, "", 824543, []string{"cursed"}},
		{"first vindicated", ordinals.Reveal{Sat: 10, InscriberAddress: owned, Number: ordinals.InscriptionNumber{Classic: -1}}, "", 824544, []string{"vindicated"}},
		{"vindicated", ordinals.Reveal{Sat: 10, InscriberAddress: owned, Number: ordinals.InscriptionNumber{Classic: -1, Jubilee: 9}}, ordinals.Mainnet, 884207, []string{"vindicated"}},
		{"vindicated on regtest", ordinals.Reveal{Sat: 10, InscriberAddress: owned, Number: ordinals.InscriptionNumber{Classic: -1}}, ordinals.Regtest, 110, []string{"vindicated"}},
		{"reinscription", ordinals.Reveal{Sat: 10, InscriberAddress: owned, CurseType: []byte(`"Reinscription"`)}, ordinals.Mainnet, 780000, []string{"reinscription"}},
		{"on no sat", ordinals.Reveal{Sat: 0}, ordinals.Mainnet, 780000, []string{"unbound"}},
		{"on no sat, cursed", ordinals.Reveal{Number: ordinals.InscriptionNumber{Classic: -1}, OutputValue: 1}, ordinals.Mainnet, 780000, []string{"cursed", "unbound"}},
		{"on sat 0, says the feed", ordinals.Reveal{InscriberAddress: owned, SatpointPost: ordinals.Satpoint{TxID: tx}}, ordinals.Mainnet, 780000, []string{"coin", "mythic", "palindrome"}},
		{"on no sat, with an address", ordinals.Reveal{InscriberAddress: owned, UnboundSequence: ptr(uint64(0))}, ordinals.Mainnet, 780000, []string{"unbound"}},
		{"unrecognized even field", ordinals.Reveal{Sat: 121, InscriberAddress: owned, CurseType: []byte(`"UnrecognizedEvenField"`)}, ordinals.Mainnet, 780000, []string{"unbound"}},
		{"fees", ordinals.Reveal{Sat: 121}, ordinals.Mainnet, 780000, []string{"palindrome"}},
		{"burned", ordinals.Reveal{Sat: 10, OutputValue: 1}, ordinals.Mainnet, 780000, []string{"burned"}},
	} {
		same(t, tt.name, tt.reveal.DerivedCharms(tt.network, tx, tt.height).Names(), tt.want)
	}
}

func TestJubileeHeights(t *testing.T) {
	t.Parallel()
	for network, want := range map[ordinals.Network]uint64{
		ordinals.Mainnet: 824544, ordinals.Testnet: 2544192, ordinals.Signet: 175392, ordinals.Regtest: 110, "": 824544, "other": 824544,
	} {
		same(t, string(network), network.JubileeHeight(), want)
	}
}
