package synthnames

import (
	"encoding/hex"
	"math/rand/v2"
	"strings"

	"strata/domain/bns"
	"strata/domain/clarity"
)

// Preorder is the hash of the preorder in the story, in hex.
var Preorder = strings.Repeat("0a", 20)

// Dated is a call at a Bitcoin height.
type Dated struct {
	BurnHeight int64
	Call
}

// Story returns a short history of names with the three accounts that act in it, one call after the other. It ends at
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
func Story() (calls []Dated, accounts []string) {
	s := New(rand.New(rand.NewPCG(1, 20)), Accounts())
	a, b, c := s.accounts[0], s.accounts[1], s.accounts[2]
	state := &State{Names: map[string]Name{}, Namespaces: map[string]Namespace{}, Primary: map[string]uint64{}, Zonefiles: map[string]Zonefile{}, Preorders: map[string]string{}}
	do := func(height int64, sender string, act func(x *step)) {
		state.BurnHeight = height
		x := &step{Simulator: s, State: state, sender: sender}
		x.calls("something")
		act(x)
		x.call.Sender, x.call.Events = sender, x.events
		calls = append(calls, Dated{height, x.call})
	}
	do(100, bns.MainnetDeployer, func(x *step) {
		x.call = Call{Deploys: "airdrop"}
		for i, full := range []string{"old.btc", "free.free"} {
			name, _ := bns.ParseName(full)
			ns := Namespace{Import: a, Lifetime: []int64{900, 0}[i], LaunchedAt: 7, RevealedAt: 3, Coefficient: 200}
			x.Namespaces[name.Namespace] = ns
			x.printNamespace("launch", name.Namespace)
			n := Name{Owner: a, RegisteredAt: int64(5000 + i), ImportedAt: -1, Burned: "0"}
			x.mint(full, &n)
			x.print(Names, "topic", text("new-airdrop"), "owner", principal(a), "name", nameTuple(full), "id", uintOf(n.ID), "registered-at", uintOf(uint64(n.RegisteredAt)))
		}
	})
	reveal := func(x *step, namespace string, lifetime uint64, manager clarity.Value) {
		args := []clarity.Value{buffer(namespace), buffer("salt"), uintOf(10), uintOf(200)}
		for range bns.BucketCount {
			args = append(args, uintOf(1))
		}
		x.calls("namespace-reveal", append(args, uintOf(2), uintOf(3), uintOf(lifetime), principal(x.sender), manager, clarity.NewBool(true), clarity.NewBool(false), clarity.NewBool(false))...)
	}
	add := func(x *step, full string, n Name) {
		x.mint(full, &n)
		x.printName("new-name", full, n)
	}
	do(101, a, func(x *step) { reveal(x, "club", 300, clarity.NewNone()) })
	do(101, a, func(x *step) {
		add(x, "pearl.club", Name{Owner: b, RegisteredAt: -1, ImportedAt: 101, Burned: "1000"})
	})
	do(102, a, func(x *step) {
		x.Namespaces["club"] = Namespace{Import: a, Lifetime: 300, LaunchedAt: 102, RevealedAt: 101, Coefficient: 200}
		x.printNamespace("launch", "club")
	})
	do(103, c, func(x *step) {
		x.events = append(x.events, BurnSTX(c, "20000"))
		add(x, "name.club", Name{Owner: c, RegisteredAt: 104, ImportedAt: -1, Renewal: 404, Burned: "20000"})
	})
	zonefile := func(x *step, label, namespace, content string) {
		x.call = Call{Contract: Zonefiles, Function: "update-zonefile"}
		x.print(Zonefiles, "topic", text("update-zonefile"), "name", buffer(label), "namespace", buffer(namespace), "new-zonefile", clarity.NewSome(buffer(content)))
	}
	do(104, c, func(x *step) {
		zonefile(x, "name", "club", `{"owner":"someone","bio":"hello","btc":"bc1qname","social":[{"platform":"x","username":"me"}],"subdomains":{"pay":{"owner":"SP2"}}}`)
	})
	hash, err := hex.DecodeString(Preorder)
	if err != nil {
		panic(err) // it is a constant
	}
	do(105, a, func(x *step) { x.calls("name-preorder", buffer(string(hash)), uintOf(20000)) })
	shop := Name{Owner: a, RegisteredAt: 107, ImportedAt: -1, Renewal: 407, Burned: "20000", Preorder: Preorder, PreorderedBy: a}
	do(107, a, func(x *step) {
		add(x, "shop.club", shop)
		shop = x.Names["shop.club"]
	})
	do(108, a, func(x *step) {
		x.print(Names, "a", text("list-in-ustx"), "id", uintOf(shop.ID), "price", uintOf(500), "commission", principal(Commission))
	})
	do(109, b, func(x *step) {
		x.give("shop.club", &shop, b)
		x.printName("transfer-name", "shop.club", shop)
		x.print(Names, "a", text("buy-in-ustx"), "id", uintOf(shop.ID))
	})
	do(109, b, func(x *step) { x.calls("set-primary-name", uintOf(shop.ID)) })
	do(110, c, func(x *step) { reveal(x, "vip", 77, clarity.NewSome(principal(c))) })
	do(110, c, func(x *step) {
		x.Namespaces["vip"] = Namespace{Import: c, Manager: c, LaunchedAt: 110, RevealedAt: 110, Coefficient: 200}
		x.printNamespace("launch", "vip")
	})
	do(110, c, func(x *step) { add(x, "m.vip", Name{Owner: c, RegisteredAt: 111, ImportedAt: -1, Burned: "0"}) })
	do(111, c, func(x *step) { zonefile(x, "m", "vip", "ipfs://x") })
	do(111, a, func(x *step) {
		n := x.Names["old.btc"]
		n.Renewal = 1000
		x.give("old.btc", &n, c)
		x.printName("transfer-name", "old.btc", n)
	})
	do(112, c, func(x *step) {
		x.call = Call{Contract: Zonefiles, Function: "revoke-name"}
		x.print(Zonefiles, "topic", text("revoke-name"), "name", buffer("old"), "namespace", buffer("btc"), "zonefile", buffer(""))
	})
	do(112, a, func(x *step) {
		x.print(Names, "a", text("list-in-ustx"), "id", uintOf(x.Names["free.free"].ID), "price", uintOf(9), "commission", principal(Commission))
	})
	do(112, a, func(x *step) { x.calls("name-preorder", buffer(strings.Repeat("\x0b", 20)), uintOf(5)) })
	return calls, []string{a, b, c}
}
