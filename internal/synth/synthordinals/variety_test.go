package synthordinals

import (
	"bytes"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"testing"

	"strata/domain/ordinals"
	"strata/internal/testkit/must"
)

var (
	plainNumber  = regexp.MustCompile(`"inscription_number":-?[0-9]`)
	bareHash     = regexp.MustCompile(`"hash":"[0-9a-f]{64}"`)
	oneParent    = regexp.MustCompile(`"parent":"[0-9a-f]`)
	positiveSend = regexp.MustCompile(`"transfer_send":\{("tick":"[^"]*",)?"amt":"[0-9]`)
)

// variety counts what happens in a stream, from its receiver's point of view, by a description.
func variety(t *testing.T, cfg Config, posts int) map[string]int {
	t.Helper()
	f := New(cfg)
	o := &observer{network: f.Config().Network, applied: map[blockKey]ordinals.Block{}, heights: map[uint64]bool{}}
	seen := map[string]int{}
	note := func(thing string, happened bool) {
		if happened {
			seen[thing]++
		}
	}
	bodies := map[string]bool{}
	known := map[blockKey]bool{}
	tip := uint64(0)
	for range posts {
		p := f.Next()
		payload := o.receive(t, p)
		note("same bytes again", bodies[string(p.Body)])
		again := bodies[string(p.Body)]
		bodies[string(p.Body)] = true
		for _, b := range payload.Rollback {
			was := o.changed[keyOfID(b)]
			note("rollback", was)
			note("rollback of something unknown", !was && !known[keyOfID(b)])
		}
		for _, b := range payload.Apply {
			was := !o.changed[keyOf(b)]
			note("late block", !was && b.Height < tip && len(payload.Rollback) == 0)
			note("late block of a replay", !was && b.Height < tip && len(payload.Rollback) == 0 && !payload.Streaming)
			note("block that returned", !was && known[keyOf(b)])
			note("empty heights", tip > 0 && b.Height > tip+1)
			known[keyOf(b)] = true
			tip = max(tip, b.Height)
		}
		note("same blocks in other words", len(o.changed) == 0 && !again)
		note("rollback of several", len(payload.Rollback) > 1)
		note("rollback alone", len(payload.Rollback) > 0 && len(payload.Apply) == 0)
		note("several blocks in a payload", len(payload.Apply) > 1 && len(payload.Rollback) == 0)
		note("replay", !payload.Streaming)
		note("streaming", payload.Streaming)
		note("sorted members", bytes.HasPrefix(p.Body, []byte(`{"apply"`)))
		note("bare hashes", bareHash.Match(p.Body))
		note("satpoints with 0x", bytes.Contains(p.Body, []byte(`"satpoint_post_inscription":"0x`)))
		note("one parent", oneParent.Match(p.Body))
		note("charms as an object", bytes.Contains(p.Body, []byte(`"charms":{`)))
		note("plain number", plainNumber.Match(p.Body))
		note("negative amount", bytes.Contains(p.Body, []byte(`"amt":"-`)))
		note("positive amount sent", positiveSend.Match(p.Body))
		note("generic curse", bytes.Contains(p.Body, []byte(`"Generic"`)))
	}
	s := f.Expected()
	for _, i := range s.Inscriptions {
		kindOfInscription(note, i)
	}
	for _, locations := range s.Locations {
		for i, l := range locations {
			note("moved "+string(l.Type), i > 0)
			note("moved from the fees", i > 0 && locations[i-1].Type == ordinals.SpentInFees)
		}
	}
	sharing(note, s)
	valid := map[ordinals.InscriptionID]bool{}
	for _, a := range s.Activity {
		valid[a.ID] = true
	}
	for _, i := range s.Inscriptions {
		note("text about a token that is not valid", bytes.Contains(i.Content, []byte(`"p":"brc-20"`)) && !valid[i.ID])
	}
	for _, a := range s.Activity {
		note(string(a.Kind), true)
		isSend := a.Kind == ordinals.BRC20KindTransferSend
		note("amount sent to the sender", isSend && a.Receiver == a.Address)
		note("amount burnt", isSend && a.Receiver == "")
	}
	for _, token := range s.Tokens {
		note("self mint", token.SelfMint)
		note("token without end", token.Max.Sign() == 0)
		note("token minted out", token.Max.Sign() > 0 && token.Minted.Cmp(token.Max) == 0)
		note("token without 18 decimals", token.Decimals != 18)
		note("tick not in lower case", token.Tick != token.Ticker)
	}
	for _, b := range s.Balances {
		note("negative balance", b.Total().Cmp(new(big.Int)) < 0)
	}
	return seen
}

func kindOfInscription(note func(string, bool), i *Inscription) {
	note("revealed "+string(i.Genesis.Type), true)
	note("mime "+i.MimeType, true)
	note("rarity "+i.Rarity.String(), true)
	for _, c := range i.Charms {
		note("charm "+c, true)
	}
	if i.Curse != nil {
		note("curse "+*i.Curse, true)
	}
	note("cursed", i.Cursed())
	note("cursed in the classic way alone", i.ClassicNumber < 0 && !i.Cursed())
	note("several reveals in a transaction", i.ID.Index() > 0)
	note("recursive", i.Recursive())
	note("several references", len(i.RecursionRefs) > 1)
	note("parent", len(i.Parents) > 0)
	note("several parents", len(i.Parents) > 1)
	note("delegate", i.Delegate != "")
	note("metadata", i.Metadata != nil)
	note("metaprotocol", i.Metaprotocol != "")
	note("empty content", len(i.Content) == 0)
	note("inscriber is nobody", i.Genesis.Address == nil)
	note("inscriber is empty", i.Genesis.Address != nil && *i.Genesis.Address == "")
	note("burnt with a value", i.Genesis.Type == ordinals.Burnt && *i.Genesis.Value > 0)
	note("burnt without a value", i.Genesis.Type == ordinals.Burnt && *i.Genesis.Value == 0)
	note("unbound", i.Unbound && i.Sat == 0)
	note("unbound with a number", i.Unbound && i.Genesis.Offset != nil)
	note("unbound for its envelope", i.Unbound && i.Sat != 0)
}

// sharing counts sats with several inscriptions, and outputs with several sats.
func sharing(note func(string, bool), s State) {
	onSat, inOutput := map[ordinals.Sat]int{}, map[string]map[ordinals.Sat]bool{}
	for _, i := range s.Inscriptions {
		if i.Unbound {
			continue
		}
		onSat[i.Sat]++
		if inOutput[i.Current.Output] == nil {
			inOutput[i.Current.Output] = map[ordinals.Sat]bool{}
		}
		inOutput[i.Current.Output][i.Sat] = true
	}
	for sat, n := range onSat {
		note("several inscriptions on a sat", n > 1 && sat > 0)
	}
	for _, sats := range inOutput {
		note("several sats in an output", len(sats) > 1)
	}
}

func TestEverythingHappens(t *testing.T) {
	t.Parallel()
	want := []string{
		"same bytes again", "same blocks in other words", "rollback", "rollback of several", "rollback alone",
		"rollback of something unknown", "late block", "late block of a replay", "block that returned", "empty heights",
		"several blocks in a payload", "replay", "streaming", "sorted members", "bare hashes", "satpoints with 0x", "one parent",
		"charms as an object", "plain number", "negative amount", "positive amount sent", "generic curse",
		"moved transferred", "moved spent_in_fees", "moved burnt", "moved from the fees",
		"deploy", "mint", "transfer", "transfer_send", "amount sent to the sender", "amount burnt", "text about a token that is not valid", "self mint", "token without end",
		"token without 18 decimals", "tick not in lower case",
		"revealed transferred", "revealed spent_in_fees", "revealed burnt", "cursed", "cursed in the classic way alone",
		"several reveals in a transaction", "recursive", "several references", "parent", "several parents", "delegate", "metadata",
		"metaprotocol", "empty content", "inscriber is nobody", "inscriber is empty", "burnt with a value", "burnt without a value",
		"unbound", "unbound with a number", "unbound for its envelope", "several inscriptions on a sat", "several sats in an output",
		"rarity common", "rarity uncommon", "rarity mythic", "charm coin", "charm nineball", "charm reinscription", "charm unbound",
		"charm cursed", "charm vindicated", "charm burned", "curse duplicate_field", "curse incomplete_field", "curse unrecognized_field",
		"curse pushnum", "curse stutter", "curse not_in_first_input", "curse not_at_offset_zero", "curse pointer", "curse reinscription",
		"curse generic", "curse 88", `curse {"tag":66}`, "mime text/html", "mime image/png", "mime unknown", "mime application/json", "mime Image/PNG",
	}
	seen := variety(t, Everything(20, ordinals.Regtest), 800)
	for _, thing := range want {
		if seen[thing] == 0 {
			t.Errorf("no %s", thing)
		}
	}
	for _, thing := range slices.Sorted(maps.Keys(seen)) {
		t.Logf("%6d %s", seen[thing], thing)
	}
	mainnet := Everything(21, ordinals.Mainnet)
	mainnet.RareSatShare, mainnet.Live = 0.5, 100
	seen = variety(t, mainnet, 300)
	for _, thing := range []string{"rarity rare", "rarity epic", "rarity uncommon"} {
		if seen[thing] == 0 {
			t.Errorf("no %s on mainnet", thing)
		}
	}
	if seen["deploy"] > 0 {
		t.Error("a BRC-20 token before BRC-20 started")
	}
}

// TestRemine checks that the winning branch mines transactions of the abandoned one, at other places.
func TestRemine(t *testing.T) {
	t.Parallel()
	for _, share := range []float64{0, 1} {
		f := New(Config{Seed: 7, RollbackProbability: 0.3, RemineShare: share, Transfers: Range{Min: 1, Max: 3}})
		again, elsewhere := 0, 0
		sent := map[blockKey][]*ordinals.Reveal{}
		for range 200 {
			payload := must.Get(ordinals.Decode(f.Next().Body))(t)
			before := map[ordinals.InscriptionID]uint32{}
			for _, id := range payload.Rollback {
				for _, r := range sent[keyOfID(id)] {
					before[r.ID] = r.TxIndex
				}
			}
			for _, b := range payload.Apply {
				for _, tx := range b.Transactions {
					for _, o := range tx.Operations {
						r := o.Reveal
						if r == nil {
							continue
						}
						sent[keyOf(b)] = append(sent[keyOf(b)], r)
						if index, ok := before[r.ID]; ok {
							again++
							if index != r.TxIndex {
								elsewhere++
							}
						}
					}
				}
			}
		}
		if share == 0 && again > 0 || share == 1 && elsewhere == 0 {
			t.Errorf("with a share of %v, %d inscriptions came again, %d elsewhere in their block", share, again, elsewhere)
		}
	}
}
