package synthnames

import (
	"encoding/hex"
	"strings"

	"strata/domain/bns"
	"strata/internal/synth/value"
)

// Preorder is the hash of the preorder in the story, in hex.
var Preorder = strings.Repeat("0a", 20)

// dated is a call at a Bitcoin height.
type dated struct {
	burnHeight int64
	Call
}

// Story returns a short history of names with the three accounts that act in it, with one call in each block. It ends at
// Bitcoin height 112.
//
//   - 0: old.btc and free.free are airdropped to the first account. Names of btc last 900 blocks, until 1000.
//   - 1-3: the first account reveals club, with 300 blocks, imports pearl.club for the second, and launches it at 102.
//   - 4, 5: the third claims name.club, until 404, and writes a zonefile.
//   - 6-9: the first preorders and registers shop.club, and lists it; the second buys it.
//   - 10: the second makes shop.club its primary name.
//   - 11-14: the third reveals vip with itself as the manager, launches it, claims m.vip, and writes a text as its zonefile.
//   - 15: the first gives old.btc to the third.
//   - 16: the third revokes old.btc.
//   - 17: the first lists free.free. 18: the first preorders something else.
func Story() (blocks []Block, accounts []string) {
	t := newTeller()
	a, b, c := t.accounts[0], t.accounts[1], t.accounts[2]
	t.tell(100, bns.MainnetDeployer, func(x *step) {
		x.call = Call{Deploys: "airdrop"}
		for i, full := range []string{"old.btc", "free.free"} {
			name, _ := bns.ParseName(full)
			x.launches(name.Namespace, Namespace{Import: a, Lifetime: []int64{900, 0}[i], LaunchedAt: 7, RevealedAt: 3, Coefficient: 200})
			n := Name{Owner: a, RegisteredAt: int64(5000 + i), ImportedAt: -1, Burned: "0"}
			x.mint(full, &n)
			x.print(Names, "topic", "new-airdrop", "owner", value.Principal(a), "name", nameTuple(full), "id", n.ID, "registered-at", uint64(n.RegisteredAt))
		}
	})
	t.tell(101, a, func(x *step) { x.reveals("club", 300, "", false) })
	t.tell(101, a, func(x *step) {
		x.adds("pearl.club", Name{Owner: b, RegisteredAt: -1, ImportedAt: 101, Burned: "1000"})
	})
	t.tell(102, a, func(x *step) {
		x.launches("club", Namespace{Import: a, Lifetime: 300, LaunchedAt: 102, RevealedAt: 101, Coefficient: 200})
	})
	t.tell(103, c, func(x *step) { x.claims("name.club", 404) })
	t.tell(104, c, func(x *step) {
		x.writes("name.club", `{"owner":"someone","bio":"hello","btc":"bc1qname","social":[{"platform":"x","username":"me"}],"subdomains":{"pay":{"owner":"SP2"}}}`)
	})
	hash, err := hex.DecodeString(Preorder)
	if err != nil {
		panic(err) // it is a constant
	}
	t.tell(105, a, func(x *step) { x.calls("name-preorder", value.Buffer(string(hash)), value.Uint(20000)) })
	shop := Name{Owner: a, RegisteredAt: 107, ImportedAt: -1, Renewal: 407, Burned: "20000", Preorder: Preorder, PreorderedBy: a}
	t.tell(107, a, func(x *step) {
		x.adds("shop.club", shop)
		shop = x.Names["shop.club"]
	})
	t.tell(108, a, func(x *step) {
		x.print(Names, "a", "list-in-ustx", "id", shop.ID, "price", 500, "commission", value.Principal(Commission))
	})
	t.tell(109, b, func(x *step) {
		x.hands("shop.club", b)
		x.print(Names, "a", "buy-in-ustx", "id", shop.ID)
	})
	t.tell(109, b, func(x *step) { x.calls("set-primary-name", value.Uint(shop.ID)) })
	t.tell(110, c, func(x *step) { x.reveals("vip", 77, c, false) })
	t.tell(110, c, func(x *step) {
		x.launches("vip", Namespace{Import: c, Manager: c, LaunchedAt: 110, RevealedAt: 110, Coefficient: 200})
	})
	t.tell(110, c, func(x *step) { x.adds("m.vip", Name{Owner: c, RegisteredAt: 111, ImportedAt: -1, Burned: "0"}) })
	t.tell(111, c, func(x *step) { x.writes("m.vip", "ipfs://x") })
	t.tell(111, a, func(x *step) {
		n := x.Names["old.btc"]
		n.Renewal = 1000
		x.Names["old.btc"] = n
		x.hands("old.btc", c)
	})
	t.tell(112, c, func(x *step) {
		x.print(Zonefiles, "topic", "revoke-name", "name", value.Buffer("old"), "namespace", value.Buffer("btc"), "zonefile", value.Buffer(""))
		x.call = Call{Contract: Zonefiles, Function: "revoke-name"}
	})
	t.tell(112, a, func(x *step) {
		x.print(Names, "a", "list-in-ustx", "id", x.Names["free.free"].ID, "price", 9, "commission", value.Principal(Commission))
	})
	t.tell(112, a, func(x *step) { x.calls("name-preorder", value.Buffer(strings.Repeat("\x0b", 20)), value.Uint(5)) })
	return blocksOf("story", t.told), []string{a, b, c}
}

// Expiries returns a history of names that expire, with the three accounts that act in it, with one call in each block. The
// last five calls do nothing: they are at the Bitcoin heights around which name.club changes.
//
//   - 0-2: the first account reveals club, with 300 blocks, imports pearl.club for the second, and launches it at 101.
//   - 3-7: the third claims name.club, and the second moved.club, odd.club, bytes.club and far.club, all until 403.
//   - 8-12: their owners write zonefiles: one without a Bitcoin address and subdomains, a good one, JSON that is no object,
//     bytes that are no text, and one that leaves subdomains to a file.
//   - 13: the second gives moved.club to the third.
//   - 14, 15: the first reveals next, and imports early.next for the third. It does not launch it.
//   - 16-20: Bitcoin is at 403, 404, 5402, 5403 and 5404.
func Expiries() (blocks []Block, accounts []string) {
	t := newTeller()
	a, b, c := t.accounts[0], t.accounts[1], t.accounts[2]
	t.tell(100, a, func(x *step) { x.reveals("club", 300, "", false) })
	t.tell(100, a, func(x *step) {
		x.adds("pearl.club", Name{Owner: b, RegisteredAt: -1, ImportedAt: 100, Burned: "1000"})
	})
	t.tell(101, a, func(x *step) {
		x.launches("club", Namespace{Import: a, Lifetime: 300, LaunchedAt: 101, RevealedAt: 100, Coefficient: 200})
	})
	t.tell(102, c, func(x *step) { x.claims("name.club", 403) })
	for _, full := range []string{"moved.club", "odd.club", "bytes.club", "far.club"} {
		t.tell(102, b, func(x *step) { x.claims(full, 403) })
	}
	for _, z := range []struct{ owner, full, content string }{
		{c, "name.club", `{"owner":"someone","general":"","twitter":"","url":"","nostr":"","lightning":"","btc":""}`},
		{b, "moved.club", `{"owner":"someone","btc":"bc1qmoved"}`},
		{b, "odd.club", `[1]`},
		{b, "bytes.club", "\xff\x00"},
		{b, "far.club", `{"owner":"someone","btc":"bc1qfar","externalSubdomainsFile":"https://far.example/all.json"}`},
	} {
		t.tell(103, z.owner, func(x *step) { x.writes(z.full, z.content) })
	}
	t.tell(104, b, func(x *step) { x.hands("moved.club", c) })
	t.tell(104, a, func(x *step) { x.reveals("next", 300, "", false) })
	t.tell(104, a, func(x *step) {
		x.adds("early.next", Name{Owner: c, RegisteredAt: -1, ImportedAt: 104, Burned: "1000"})
	})
	for _, height := range []int64{403, 404, 5402, 5403, 5404} {
		t.tell(height, a, func(*step) {})
	}
	return blocksOf("expiries", t.told), []string{a, b, c}
}

// teller tells a history call by call.
type teller struct {
	*Simulator
	state *State
	told  []dated
}

func newTeller() *teller {
	return &teller{Simulator: NewSimulator(1), state: &State{
		Names: map[string]Name{}, Namespaces: map[string]Namespace{}, Primary: map[string]uint64{}, Zonefiles: map[string]Zonefile{}, Preorders: map[string]string{},
	}}
}

// tell adds the call in which a sender does something at a Bitcoin height.
func (t *teller) tell(height int64, sender string, act func(x *step)) {
	t.state.BurnHeight = height
	x := &step{Simulator: t.Simulator, State: t.state, sender: sender}
	x.calls("something")
	act(x)
	x.call.Sender, x.call.Events = sender, x.events
	t.told = append(t.told, dated{height, x.call})
}

// launches launches a namespace.
func (x *step) launches(namespace string, n Namespace) {
	x.Namespaces[namespace] = n
	x.printNamespace("launch", namespace)
}

// adds registers or imports a name.
func (x *step) adds(full string, n Name) {
	x.mint(full, &n)
	x.printName("new-name", full, n)
}

// claims registers a name for the sender without a preorder, until a Bitcoin height.
func (x *step) claims(full string, until int64) {
	x.events = append(x.events, BurnSTX(x.sender, "20000"))
	x.adds(full, Name{Owner: x.sender, RegisteredAt: x.BurnHeight + 1, ImportedAt: -1, Renewal: until, Burned: "20000"})
}

// hands gives a name to another owner.
func (x *step) hands(full, to string) {
	n := x.Names[full]
	x.give(full, &n, to)
	x.printName("transfer-name", full, n)
}
