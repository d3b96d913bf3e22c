package synthordinals

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"strata/domain/hash"
	"strata/domain/ordinals"
)

// observer reads only the posts: it decodes them, stores the applied blocks, and computes a state by the rules of the
// domain. It counts rows where the model adds up.
type observer struct {
	network ordinals.Network
	applied map[blockKey]ordinals.Block
	heights map[uint64]bool   // of the applied blocks
	changed map[blockKey]bool // blocks that the last payload applied or rolled back
}

type blockKey struct {
	height uint64
	hash   hash.Hash32
}

// fataler is the common part of testing.T and rapid.T.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

func newObserver(network ordinals.Network) *observer {
	return &observer{network: network, applied: map[blockKey]ordinals.Block{}, heights: map[uint64]bool{}}
}

func keyOf(b ordinals.Block) blockKey { return blockKey{b.Height, b.Hash} }

func keyOfID(id ordinals.BlockID) blockKey { return blockKey{id.Height, id.Hash} }

// receive reads a post, and checks what must hold for every payload.
func (o *observer) receive(t fataler, p Post) *ordinals.Payload {
	t.Helper()
	payload, err := ordinals.Decode(p.Body)
	if err != nil {
		t.Fatalf("%v in %s", err, p.Body)
	}
	if len(payload.Faults) > 0 {
		t.Fatalf("%v in %s", payload.Faults, p.Body)
	}
	if p.Path != "/payload" || len(payload.Apply)+len(payload.Rollback) == 0 {
		t.Fatalf("a post to %s with %s", p.Path, p.Body)
	}
	o.changed = map[blockKey]bool{}
	for i, b := range payload.Rollback {
		if i > 0 && b.Height >= payload.Rollback[i-1].Height {
			t.Errorf("rollback of %d after %d", b.Height, payload.Rollback[i-1].Height)
		}
		if _, ok := o.applied[keyOfID(b)]; !ok {
			continue
		}
		for height := range o.heights {
			if height > b.Height {
				t.Errorf("rollback of %d before %d", b.Height, height)
			}
		}
		o.changed[keyOfID(b)] = true
		delete(o.applied, keyOfID(b))
		delete(o.heights, b.Height)
	}
	for i, b := range payload.Apply {
		if i > 0 && b.Height <= payload.Apply[i-1].Height {
			t.Errorf("%d applied after %d", b.Height, payload.Apply[i-1].Height)
		}
		if len(b.Transactions) == 0 || b.Network != o.network || b.ParentHeight != b.Height-1 {
			t.Errorf("block %d of %q with parent %d has %d transactions", b.Height, b.Network, b.ParentHeight, len(b.Transactions))
		}
		if _, ok := o.applied[keyOf(b)]; ok {
			continue
		}
		if o.heights[b.Height] {
			t.Fatalf("two blocks at height %d", b.Height)
		}
		o.changed[keyOf(b)] = true
		o.applied[keyOf(b)] = b
		o.heights[b.Height] = true
	}
	return payload
}

type locationKey struct {
	sat     ordinals.Sat
	height  uint64
	txIndex uint32
}

func compareKeys(a, b locationKey) int {
	return cmp.Or(cmp.Compare(a.sat, b.sat), cmp.Compare(a.height, b.height), cmp.Compare(a.txIndex, b.txIndex))
}

// tables collects rows.
type tables struct {
	network      ordinals.Network
	inscriptions map[ordinals.InscriptionID]*Inscription
	locations    map[locationKey]Location
	order        []locationKey // in the order of the payloads
	activity     []Activity
	deploys      map[string]*Token
}

// state computes the state from the applied blocks.
func (o *observer) state() State {
	blocks := slices.SortedFunc(maps.Values(o.applied), func(a, b ordinals.Block) int { return cmp.Compare(a.Height, b.Height) })
	r := &tables{
		network: o.network, inscriptions: map[ordinals.InscriptionID]*Inscription{}, locations: map[locationKey]Location{}, deploys: map[string]*Token{},
	}
	var s State
	for _, b := range blocks {
		reveals := 0
		for i := range b.Transactions {
			tx := &b.Transactions[i]
			for j := range tx.Operations {
				r.operation(&b, tx, &tx.Operations[j])
				if tx.Operations[j].Reveal != nil {
					reveals++
				}
			}
			if tx.BRC20 != nil {
				r.token(&b, tx, tx.BRC20)
			}
		}
		s.Blocks = append(s.Blocks, Block{Height: b.Height, Hash: b.Hash, Time: b.Time, Reveals: reveals})
	}
	s.Inscriptions, s.Activity = r.inscriptions, r.activity
	r.place(&s)
	r.transfers(&s)
	r.balances(&s)
	count(&s)
	return s
}

func (r *tables) operation(b *ordinals.Block, tx *ordinals.Transaction, o *ordinals.Operation) {
	row := func(at ordinals.Location) Location {
		return Location{
			Height: b.Height, BlockHash: b.Hash, Time: b.Time, TxIndex: at.TxIndex, TxID: tx.TxID, Type: at.Type, Output: at.Satpoint.Output(),
			Offset: at.Satpoint.Offset, Address: at.Address, Value: at.Value,
		}
	}
	arrive := func(at ordinals.Location) {
		k := locationKey{at.Sat, b.Height, at.TxIndex}
		if _, ok := r.locations[k]; !ok {
			r.locations[k] = row(at)
			r.order = append(r.order, k)
		}
	}
	if o.Transfer != nil {
		arrive(o.Transfer.Location())
		return
	}
	v := o.Reveal
	if moved, ok := v.SatLocation(tx.TxID, b.Height); ok {
		arrive(moved)
	}
	l := row(v.Location(tx.TxID, b.Height))
	if v.Unbound() {
		l.Address = v.InscriberAddress
	}
	i := &Inscription{
		ID: v.ID, Unbound: v.Unbound(), Number: v.Number.Jubilee, ClassicNumber: v.Number.Classic, Sat: v.Sat, Rarity: v.Sat.Rarity(), Genesis: l, Fee: v.Fee,
		Content: v.Content, ContentType: v.ContentType, MimeType: ordinals.MimeType(v.ContentType), Metadata: v.ShownMetadata(),
		Metaprotocol: v.Metaprotocol, Delegate: ordinals.InscriptionID(v.Delegate), RecursionRefs: ordinals.RecursionRefs(v.Content), Curse: v.Curse(),
	}
	for _, p := range v.Parents {
		i.Parents = append(i.Parents, ordinals.InscriptionID(p))
	}
	charms := v.DerivedCharms(r.network, tx.TxID, b.Height)
	if v.Charms != nil {
		charms = *v.Charms
	}
	i.Charms = charms.Names()
	r.inscriptions[i.ID] = i
}

func (r *tables) token(b *ordinals.Block, tx *ordinals.Transaction, o *ordinals.BRC20Operation) {
	r.activity = append(r.activity, Activity{
		Kind: o.Kind, Ticker: o.Ticker(), ID: o.InscriptionID, Height: b.Height, Hash: b.Hash, Time: b.Time, TxID: tx.TxID, TxIndex: tx.Index,
		Address: o.Address, Receiver: o.Receiver, Amount: o.Amount,
	})
	if d := o.Deploy; d != nil {
		r.deploys[o.Ticker()] = &Token{
			Ticker: o.Ticker(), Tick: o.Tick, ID: o.InscriptionID, Number: r.inscriptions[o.InscriptionID].Number, Height: b.Height, TxID: tx.TxID,
			TxIndex: tx.Index, Time: b.Time, Address: o.Address, Max: d.Max, Limit: d.Limit, Decimals: d.Decimals, SelfMint: d.SelfMint,
		}
	}
}

// place sets the current location of each inscription: the one with the greatest key of its sat.
func (r *tables) place(s *State) {
	s.Locations = map[ordinals.Sat][]Location{}
	for _, k := range slices.SortedFunc(maps.Keys(r.locations), compareKeys) {
		s.Locations[k.sat] = append(s.Locations[k.sat], r.locations[k])
	}
	for _, i := range s.Inscriptions {
		if i.Unbound {
			i.Current = i.Genesis
			i.Current.Address = nil
			continue
		}
		i.Current = s.Locations[i.Sat][len(s.Locations[i.Sat])-1]
	}
}

// transfers adds, for each location, a transfer of each inscription that was revealed at a lower key.
func (r *tables) transfers(s *State) {
	s.Transfers = map[uint64][]Transfer{}
	onSat := map[ordinals.Sat][]*Inscription{}
	for _, i := range s.Inscriptions {
		if !i.Unbound {
			onSat[i.Sat] = append(onSat[i.Sat], i)
		}
	}
	for _, list := range onSat {
		slices.SortFunc(list, func(a, b *Inscription) int { return cmp.Compare(a.Number, b.Number) })
	}
	for _, k := range r.order {
		for _, i := range onSat[k.sat] {
			if compareKeys(locationKey{k.sat, i.Genesis.Height, i.Genesis.TxIndex}, k) >= 0 {
				continue
			}
			all := s.Locations[k.sat]
			at := slices.IndexFunc(all, func(l Location) bool { return l.Height == k.height && l.TxIndex == k.txIndex })
			s.Transfers[k.height] = append(s.Transfers[k.height], Transfer{ID: i.ID, Number: i.Number, From: all[at-1], To: all[at]})
		}
	}
}

// balances adds up the table in section 2.9 of the reference.
func (r *tables) balances(s *State) {
	type row struct {
		h                        Holding
		available, transferrable *big.Int
	}
	var rows []row
	zero := new(big.Int)
	minted, burnt, count := map[string]*big.Int{}, map[string]*big.Int{}, map[string]int{}
	plus := func(m map[string]*big.Int, tick string, n *big.Int) {
		m[tick] = new(big.Int).Add(cmp.Or(m[tick], zero), n)
	}
	for _, a := range r.activity {
		count[a.Ticker]++
		h := Holding{a.Ticker, a.Address}
		switch a.Kind {
		case ordinals.BRC20KindMint:
			rows = append(rows, row{h, a.Amount, zero})
			plus(minted, a.Ticker, a.Amount)
		case ordinals.BRC20KindTransfer:
			rows = append(rows, row{h, new(big.Int).Neg(a.Amount), a.Amount})
		case ordinals.BRC20KindTransferSend:
			rows = append(rows, row{h, zero, new(big.Int).Neg(a.Amount)})
			if a.Receiver != "" {
				rows = append(rows, row{Holding{a.Ticker, a.Receiver}, a.Amount, zero})
			} else {
				plus(burnt, a.Ticker, a.Amount)
			}
		case ordinals.BRC20KindDeploy:
		}
	}
	s.Balances = map[Holding]Balance{}
	for _, row := range rows {
		b := s.Balances[row.h]
		b.Available, b.Transferrable = new(big.Int).Add(cmp.Or(b.Available, zero), row.available), new(big.Int).Add(cmp.Or(b.Transferrable, zero), row.transferrable)
		s.Balances[row.h] = b
	}
	maps.DeleteFunc(s.Balances, func(_ Holding, b Balance) bool { return b.Available.Sign() == 0 && b.Transferrable.Sign() == 0 })
	s.Tokens = r.deploys
	for tick, token := range s.Tokens {
		token.Minted, token.Burnt, token.TxCount = cmp.Or(minted[tick], zero), cmp.Or(burnt[tick], zero), count[tick]
		for h, b := range s.Balances {
			if h.Ticker == tick && b.Total().Sign() > 0 {
				token.Holders++
			}
		}
	}
}

// count sets the counts.
func count(s *State) {
	s.Counts = Counts{
		MimeType: map[string]int{}, Rarity: map[ordinals.Rarity]int{}, Address: map[string]int{}, GenesisAddress: map[string]int{},
	}
	for _, i := range s.Inscriptions {
		s.Counts.MimeType[i.MimeType]++
		if !i.Unbound {
			s.Counts.Rarity[i.Rarity]++
		}
		if i.Current.Address != nil {
			s.Counts.Address[*i.Current.Address]++
		}
		if i.Genesis.Address != nil && *i.Genesis.Address != "" {
			s.Counts.GenesisAddress[*i.Genesis.Address]++
		}
		if len(i.RecursionRefs) > 0 {
			s.Counts.Recursive++
		}
		if i.Number < 0 {
			s.Counts.Cursed++
		}
	}
}

// compare compares the observed state with the expected one.
func (o *observer) compare(t fataler, when string, f *Feed) {
	t.Helper()
	compareStates(t, when, o.state(), f.Expected())
}

func compareStates(t fataler, when string, got, want State) {
	t.Helper()
	g, w := parts(got), parts(want)
	for _, name := range slices.Sorted(maps.Keys(w)) {
		if reflect.DeepEqual(g[name], w[name]) {
			continue
		}
		// Equal amounts of zero may differ in their internal form, so compare them as JSON, which can also be searched.
		if at := firstDifference("", plain(t, g[name]), plain(t, w[name])); at != "" {
			t.Fatalf("%s, %s differ at %s", when, name, at)
		}
	}
}

// parts returns the parts of a state by name.
func parts(s State) map[string]any {
	return map[string]any{
		"blocks": s.Blocks, "inscriptions": s.Inscriptions, "locations": s.Locations, "transfers": s.Transfers, "counts": s.Counts,
		"tokens": s.Tokens, "balances": byText(s.Balances), "activity": s.Activity,
	}
}

// plain returns a value as a generic JSON value.
func plain(t fataler, v any) (plain any) {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("%v", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&plain); err != nil {
		t.Fatalf("%v", err)
	}
	return plain
}

func byText(balances map[Holding]Balance) map[string]Balance {
	all := map[string]Balance{}
	for h, b := range balances {
		all[h.Ticker+" of "+h.Address] = b
	}
	return all
}

// firstDifference describes the first difference of two JSON values; empty if they are equal.
func firstDifference(at string, got, want any) string {
	if reflect.DeepEqual(got, want) {
		return ""
	}
	switch w := want.(type) {
	case map[string]any:
		g, _ := got.(map[string]any)
		for _, k := range slices.Sorted(maps.Keys(w)) {
			if g[k] != nil && firstDifference("", g[k], w[k]) != "" {
				return firstDifference(at+"/"+k, g[k], w[k])
			}
		}
	case []any:
		g, _ := got.([]any)
		for i := range min(len(g), len(w)) {
			if difference := firstDifference(at+"/"+strconv.Itoa(i), g[i], w[i]); difference != "" {
				return difference
			}
		}
	}
	show := func(v any) string {
		text, _ := json.Marshal(v)
		return strings.ToValidUTF8(string(text[:min(len(text), 600)]), "")
	}
	return at + ": got " + show(got) + ", want " + show(want)
}
