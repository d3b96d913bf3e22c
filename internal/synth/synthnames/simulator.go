package synthnames

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"

	"strata/domain/bns"
	"strata/domain/c32"
	"strata/domain/clarity"
	"strata/internal/synth/synthblock"
	"strata/internal/synth/value"
)

// State is the state of the contracts, as a simulator knows it. Its maps hold values, so that Clone is deep.
type State struct {
	BurnHeight int64
	LastID     uint64
	Names      map[string]Name // by full name; burned ones are absent
	Namespaces map[string]Namespace
	Primary    map[string]uint64 // by principal
	Zonefiles  map[string]Zonefile
	Preorders  map[string]string // open ones, by hash in hex: who made them
}

// Name is a name.
type Name struct {
	ID                       uint64
	Owner                    string
	RegisteredAt, ImportedAt int64 // -1 for none
	Renewal                  int64
	Burned                   string
	Preorder, PreorderedBy   string // hex; empty for none
	Price                    int64  // of the listing; 0 for none
}

// Namespace is a namespace.
type Namespace struct {
	Import, Manager string // Manager is empty for none
	Lifetime        int64
	LaunchedAt      int64 // -1 until the launch
	RevealedAt      int64
	Coefficient     int64
}

// Zonefile is an entry of the resolver.
type Zonefile struct {
	Owner, Content string
	Revoked        bool
}

// Clone returns a copy.
func (s *State) Clone() *State {
	c := *s
	c.Names, c.Namespaces, c.Primary = maps.Clone(s.Names), maps.Clone(s.Namespaces), maps.Clone(s.Primary)
	c.Zonefiles, c.Preorders = maps.Clone(s.Zonefiles), maps.Clone(s.Preorders)
	return &c
}

// Expiry returns the last height at which a name is active; false for never expiring.
func (s *State) Expiry(fullName string) (int64, bool) {
	name, _ := bns.ParseName(fullName)
	n, ns := s.Names[fullName], s.Namespaces[name.Namespace]
	switch {
	case ns.Lifetime == 0:
		return 0, false
	case n.Renewal > 0:
		return n.Renewal, true
	case ns.LaunchedAt < 0:
		return 0, false
	}
	return ns.LaunchedAt + ns.Lifetime, true
}

// Simulator makes random calls.
type Simulator struct {
	random   *rand.Rand
	accounts []string
	agents   []string // contracts that act by themselves
	blocks   int      // made by Next
}

// Commission is the contract that takes a share of sales.
const Commission = bns.MainnetDeployer + ".commission"

// proxy is a contract whose calls do several things in one transaction.
const proxy = bns.MainnetDeployer + ".proxy"

// New returns a simulator that draws from a source, in which some addresses act.
func New(random *rand.Rand, accounts []string) *Simulator {
	return &Simulator{random: random, accounts: accounts}
}

// NewSimulator returns a simulator with a seed, in which six addresses act.
func NewSimulator(seed uint64) *Simulator {
	var accounts []string
	for i := range 6 {
		accounts = append(accounts, c32.Address{Version: c32.MainnetSingle, Hash160: [20]byte{7, 19: byte(i)}}.String())
	}
	return New(rand.New(rand.NewPCG(seed, 20)), accounts)
}

// WithAgents adds contracts that own names and call the registry themselves, also in ways that print nothing. They are
// deployed with the first block.
func (s *Simulator) WithAgents() *Simulator {
	s.agents = []string{bns.MainnetDeployer + ".vault", bns.MainnetDeployer + ".keeper"}
	return s
}

// anyone returns a random principal.
func (s *Simulator) anyone() string {
	all := slices.Concat(s.accounts, s.agents)
	return all[s.random.IntN(len(all))]
}

// Airdrop returns the contract deployments that airdrop names of the first registry at a Bitcoin height, with the state
// after them.
func (s *Simulator) Airdrop(burnHeight int64) ([]Call, *State) {
	state := &State{
		BurnHeight: burnHeight, Names: map[string]Name{}, Namespaces: map[string]Namespace{}, Primary: map[string]uint64{}, Zonefiles: map[string]Zonefile{},
		Preorders: map[string]string{},
	}
	x := &step{Simulator: s, State: state}
	x.sender = bns.MainnetDeployer
	for i, lifetime := range []int64{900, 0} {
		namespace := []string{"btc", "free"}[i]
		state.Namespaces[namespace] = Namespace{Import: s.accounts[0], Lifetime: lifetime, LaunchedAt: 7, RevealedAt: 3, Coefficient: 200}
		x.printNamespace("launch", namespace)
	}
	for i := range 8 {
		namespace := []string{"btc", "btc", "free"}[i%3]
		n := Name{Owner: s.accounts[i%4], RegisteredAt: int64(1000 + i), ImportedAt: -1, Burned: "0"}
		if namespace == "btc" {
			n.Renewal = state.BurnHeight + 900
		}
		full := fmt.Sprintf("old%d.%s", i, namespace)
		x.mint(full, &n)
		state.Primary[n.Owner] = n.ID
		x.print(Names, "topic", "new-airdrop", "owner", value.Principal(n.Owner), "name", nameTuple(full), "id", n.ID, "registered-at", uint64(n.RegisteredAt))
	}
	calls := []Call{{Sender: bns.MainnetDeployer, Deploys: "airdrop-1", Events: x.events}}
	if len(s.agents) > 0 {
		for i, source := range []string{
			`(contract-call? '` + Names + ` set-primary-name id) (contract-call? '` + Names + ` name-renewal namespace name)`,
			`(contract-call? '` + Names + ` set-primary-name id) (contract-call? '` + Names + ` name-renewal namespace name)`,
			`(contract-call? .vault act)`, `(contract-call? .relay act)`, `(contract-call? agent act)`,
		} {
			calls = append(calls, Call{Sender: bns.MainnetDeployer, Deploys: []string{"vault", "keeper", "relay", "front", "dispatch"}[i], Source: source})
		}
	}
	return calls, state
}

// agentCall returns a transaction in which an agent does some things: a call of the agent, of a contract that calls it,
// or of one that gets it as an argument.
func (s *Simulator) agentCall(state *State) Call {
	agent := s.random.IntN(len(s.agents))
	c := Call{Contract: s.agents[agent], Function: "act", Sender: s.accounts[s.random.IntN(len(s.accounts))]}
	switch s.random.IntN(3) {
	case 0:
		c.Contract, c.Args = bns.MainnetDeployer+".dispatch", []clarity.Value{clarity.NewSome(value.Principal(s.agents[agent]).Clarity())}
	case 1:
		if agent == 0 {
			c.Contract = bns.MainnetDeployer + ".front"
		}
	}
	for range 1 + s.random.IntN(2) {
		x := &step{Simulator: s, State: state, sender: s.agents[agent], byContract: true, agent: true}
		x.act()
		c.Events = append(c.Events, x.events...)
	}
	return c
}

// Block returns the calls of a block with the state after them. Bitcoin grows by a few blocks, or by thousands.
func (s *Simulator) Block(before *State) (calls []Call, state *State) {
	state = before.Clone()
	switch s.random.IntN(12) {
	case 0:
		state.BurnHeight += int64(s.random.IntN(2500))
	case 1:
		state.BurnHeight += 6000
	default:
		state.BurnHeight += int64(s.random.IntN(3))
	}
	for range s.random.IntN(4) {
		calls = append(calls, s.call(state))
	}
	return calls, state
}

// Act returns a random direct call of a sender at a Bitcoin height, with the state after it; false if the sender finds
// nothing to do.
func (s *Simulator) Act(before *State, burnHeight int64, sender string) (Call, *State, bool) {
	state := before.Clone()
	state.BurnHeight = burnHeight
	x := &step{Simulator: s, State: state, sender: sender}
	x.act()
	x.call.Sender, x.call.Events = sender, x.events
	return x.call, state, x.call.Function != ""
}

// call returns a random transaction. One in four is a call of another contract, which does several things.
func (s *Simulator) call(state *State) Call {
	if len(s.agents) > 0 && s.random.IntN(3) == 0 {
		return s.agentCall(state)
	}
	sender := s.accounts[s.random.IntN(len(s.accounts))]
	if s.random.IntN(4) == 0 {
		c := Call{Contract: proxy, Function: "many", Sender: sender}
		for range 2 + s.random.IntN(3) {
			x := &step{Simulator: s, State: state, sender: sender, byContract: true}
			x.act()
			c.Events = append(c.Events, x.events...)
		}
		return c
	}
	if s.random.IntN(12) == 0 { // it fails, and changes nothing
		return Call{Contract: Names, Function: "set-primary-name", Args: []clarity.Value{value.Uint(1)}, Sender: sender, Failed: true}
	}
	x := &step{Simulator: s, State: state, sender: sender}
	x.act()
	if x.call.Function == "" {
		x.call.Contract, x.call.Function = proxy, "nothing"
	}
	x.call.Sender, x.call.Events = x.sender, x.events
	return x.call
}

// step is one thing that a sender does.
type step struct {
	*Simulator
	*State
	sender     string
	byContract bool // nothing tells of silent changes then, so none are made
	agent      bool // but by an agent
	call       Call
	events     []Event
}

func (x *step) act() {
	for range 30 {
		if x.try(x.random.IntN(15)) {
			return
		}
	}
}

// some returns a random name that a condition holds for.
func (x *step) some(condition func(full string, n Name) bool) (string, Name, bool) {
	full, ok := pick(x, x.Names, condition)
	return full, x.Names[full], ok
}

// pick returns a random key of those that a condition holds for.
func pick[V any](x *step, from map[string]V, condition func(key string, value V) bool) (string, bool) {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(from)) {
		if condition(key, from[key]) {
			all = append(all, key)
		}
	}
	if len(all) == 0 {
		return "", false
	}
	return all[x.random.IntN(len(all))], true
}

func (x *step) namespaceOf(full string) Namespace {
	name, _ := bns.ParseName(full)
	return x.Namespaces[name.Namespace]
}

func (x *step) try(what int) bool {
	mine := func(full string, n Name) bool { return n.Owner == x.sender && x.namespaceOf(full).LaunchedAt >= 0 }
	free := func(full string, n Name) bool { return mine(full, n) && x.namespaceOf(full).Manager == "" }
	other := x.anyone()
	switch what {
	case 0:
		return x.reveal()
	case 1:
		return x.launch()
	case 2:
		return x.imports(other)
	case 3, 4:
		return x.claim()
	case 5:
		return x.register()
	case 6: // transfer
		full, n, ok := x.some(func(full string, n Name) bool { return free(full, n) && n.Price == 0 && n.Owner != other })
		if !ok {
			return false
		}
		x.give(full, &n, other)
		x.printName("transfer-name", full, n)
		x.calls("transfer", value.Uint(n.ID), value.Principal(x.sender).Clarity(), value.Principal(other).Clarity())
	case 7: // list
		full, n, ok := x.some(free)
		if !ok {
			return false
		}
		n.Price = 1 + int64(x.random.IntN(1000))
		x.Names[full] = n
		x.print(Names, "a", "list-in-ustx", "id", n.ID, "price", uint64(n.Price), "commission", value.Principal(Commission))
		x.calls("list-in-ustx", value.Uint(n.ID))
	case 8: // unlist or buy
		full, n, ok := x.some(func(_ string, n Name) bool { return n.Price > 0 })
		if !ok {
			return false
		}
		price := strconv.FormatInt(n.Price, 10)
		if n.Owner == x.sender {
			n.Price = 0
			x.Names[full] = n
			x.print(Names, "a", "unlist-in-ustx", "id", n.ID)
			x.calls("unlist-in-ustx", value.Uint(n.ID))
			return true
		}
		x.events = append(x.events, TransferSTX(x.sender, n.Owner, price))
		n.Price = 0
		x.give(full, &n, x.sender)
		x.printName("transfer-name", full, n)
		x.print(Names, "a", "buy-in-ustx", "id", n.ID)
		x.calls("buy-in-ustx", value.Uint(n.ID))
	case 9, 10:
		return x.renew()
	case 11: // choose the primary name
		_, n, ok := x.some(mine)
		if !ok || x.byContract && !x.agent {
			return false
		}
		x.Primary[x.sender] = n.ID
		x.calls("set-primary-name", value.Uint(n.ID))
	case 12: // burn
		full, n, ok := x.some(func(full string, _ Name) bool { return x.namespaceOf(full).Manager == x.sender })
		if !ok {
			return false
		}
		x.lose(n)
		delete(x.Names, full)
		x.events = append(x.events, Burn(n.ID, n.Owner))
		x.print(Names, "topic", "burn-name", "owner", "", "name", nameTuple(full), "id", n.ID)
		x.calls("mng-burn", value.Uint(n.ID))
	case 13:
		return x.zonefile(free)
	case 14:
		namespace, ok := x.anyNamespace(func(n Namespace) bool { return n.LaunchedAt >= 0 && n.Import == x.sender && n.Manager == "" })
		if !ok {
			return false
		}
		n := x.Namespaces[namespace]
		n.Coefficient++
		x.Namespaces[namespace] = n
		x.printNamespace("update-price-manager", namespace)
		x.calls("namespace-update-price")
	}
	return true
}

func (x *step) calls(function string, args ...clarity.Value) {
	x.call = Call{Contract: Names, Function: function, Args: args}
}

func (x *step) anyNamespace(condition func(Namespace) bool) (string, bool) {
	return pick(x, x.Namespaces, func(_ string, n Namespace) bool { return condition(n) })
}

// reveal reveals a namespace. Its preorder is left out.
func (x *step) reveal() bool {
	if x.byContract || len(x.Namespaces) > 6 {
		return false
	}
	namespace := fmt.Sprintf("ns%d", len(x.Namespaces))
	n := Namespace{Import: x.sender, Lifetime: []int64{0, 300, 2000}[x.random.IntN(3)], LaunchedAt: -1, RevealedAt: x.BurnHeight, Coefficient: 200}
	if x.random.IntN(3) == 0 {
		n.Manager, n.Lifetime = x.sender, 0
	}
	x.Namespaces[namespace] = n
	// A manager gets lifetime 0, whatever is asked.
	x.reveals(namespace, n.Lifetime, n.Manager, n.Manager != "")
	return true
}

// reveals calls for a namespace with a lifetime and a manager, who may be transferable.
func (x *step) reveals(namespace string, lifetime int64, manager string, transferable bool) {
	args := []clarity.Value{value.Buffer(namespace), value.Buffer("salt"), value.Uint(10), value.Uint(200)}
	for range bns.BucketCount {
		args = append(args, value.Uint(1))
	}
	x.calls("namespace-reveal", append(args, value.Uint(2), value.Uint(3), value.Uint(lifetime), value.Principal(x.sender).Clarity(),
		value.Optional(manager != "", value.Principal(manager)), clarity.NewBool(true), clarity.NewBool(transferable), clarity.NewBool(false))...)
}

func (x *step) launch() bool {
	namespace, ok := x.anyNamespace(func(n Namespace) bool { return n.LaunchedAt < 0 && n.Import == x.sender })
	if !ok {
		return false
	}
	n := x.Namespaces[namespace]
	n.LaunchedAt = x.BurnHeight
	x.Namespaces[namespace] = n
	x.printNamespace("launch", namespace)
	x.calls("namespace-launch", value.Buffer(namespace))
	return true
}

// imports imports a name into a namespace before its launch.
func (x *step) imports(to string) bool {
	namespace, ok := x.anyNamespace(func(n Namespace) bool { return n.LaunchedAt < 0 && n.Import == x.sender })
	full := fmt.Sprintf("imported%d.%s", x.random.IntN(9), namespace)
	if _, taken := x.Names[full]; !ok || taken {
		return false
	}
	n := Name{Owner: to, RegisteredAt: -1, ImportedAt: x.BurnHeight, Burned: "40"}
	x.mint(full, &n)
	x.gain(n)
	x.printName("new-name", full, n)
	x.calls("name-import", value.Buffer(namespace))
	return true
}

// claim registers a name without a preorder, also by a manager.
func (x *step) claim() bool {
	namespace, ok := x.anyNamespace(func(n Namespace) bool { return n.LaunchedAt >= 0 && (n.Manager == "" || n.Manager == x.sender) })
	full := fmt.Sprintf("name%d.%s", x.random.IntN(25), namespace)
	if _, taken := x.Names[full]; !ok || taken {
		return false
	}
	ns := x.Namespaces[namespace]
	n := Name{Owner: x.sender, RegisteredAt: x.BurnHeight + 1, ImportedAt: -1, Burned: "0"}
	if ns.Lifetime > 0 {
		n.Renewal = x.BurnHeight + 1 + ns.Lifetime
	}
	if ns.Manager == "" {
		n.Burned = x.price(full)
		x.events = append(x.events, BurnSTX(x.sender, n.Burned))
	}
	x.mint(full, &n)
	x.gain(n)
	x.printName("new-name", full, n)
	x.calls("name-claim-fast", value.Buffer("x"), value.Buffer(namespace))
	return true
}

// register makes a preorder, uses one for a new name, or wins a name from its holder.
func (x *step) register() bool {
	if x.byContract {
		return false
	}
	hash := ""
	for _, open := range slices.Sorted(maps.Keys(x.Preorders)) {
		if x.Preorders[open] == x.sender {
			hash = open
		}
	}
	if hash == "" {
		hash = hex.EncodeToString(binary.BigEndian.AppendUint64(make([]byte, 12), x.random.Uint64()))
		x.Preorders[hash] = x.sender
		raw, _ := hex.DecodeString(hash)
		x.events = append(x.events, TransferSTX(x.sender, Names, "2000"))
		x.calls("name-preorder", value.Buffer(string(raw)), value.Uint(2000))
		return true
	}
	if x.random.IntN(4) == 0 {
		delete(x.Preorders, hash)
		raw, _ := hex.DecodeString(hash)
		x.events = append(x.events, TransferSTX(Names, x.sender, "2000"))
		x.calls("claim-preorder", value.Buffer(string(raw)))
		return true
	}
	namespace, ok := x.anyNamespace(func(n Namespace) bool { return n.LaunchedAt >= 0 && n.Manager == "" })
	if !ok {
		return false
	}
	full := fmt.Sprintf("name%d.%s", x.random.IntN(25), namespace)
	n, taken := x.Names[full]
	if taken && n.Owner == x.sender {
		return false
	}
	from := n.Owner
	n.RegisteredAt, n.ImportedAt, n.Preorder, n.PreorderedBy, n.Renewal, n.Burned = x.BurnHeight, -1, hash, x.sender, 0, x.price(full)
	if lifetime := x.Namespaces[namespace].Lifetime; lifetime > 0 {
		n.Renewal = x.BurnHeight + lifetime
	}
	delete(x.Preorders, hash)
	x.calls("name-register", value.Buffer(namespace), value.Buffer("x"), value.Buffer("salt"))
	if !taken {
		n.Owner = x.sender
		x.mint(full, &n)
		x.gain(n)
		x.events = append(x.events, BurnSTX(Names, n.Burned))
		x.printName("new-name", full, n)
		return true
	}
	x.events = append(x.events, TransferSTX(Names, from, "2000"))
	x.give(full, &n, x.sender)
	x.printName("transfer-name", full, n)
	x.printName("transfer-name", full, n)
	return true
}

// renew renews a name: in all four ways that the contract has.
func (x *step) renew() bool {
	full, n, ok := x.some(func(full string, n Name) bool {
		expiry, expires := x.Expiry(full)
		lapsed := x.BurnHeight >= expiry+bns.Grace
		return expires && (n.Owner == x.sender && (!lapsed || !x.byContract || x.agent) || n.Owner != x.sender && lapsed)
	})
	if !ok {
		return false
	}
	name, _ := bns.ParseName(full)
	expiry, _ := x.Expiry(full)
	n.Renewal = max(expiry, x.BurnHeight) + x.Namespaces[name.Namespace].Lifetime
	price := x.price(full)
	switch {
	case n.Owner != x.sender:
		n.Price = 0
		x.give(full, &n, x.sender)
		x.printName("transfer-name", full, n)
	case x.BurnHeight < expiry+bns.Grace:
		x.printName("renew-name", full, n)
	}
	n.Burned = price
	x.Names[full] = n
	x.events = append(x.events, BurnSTX(x.sender, price))
	x.calls("name-renewal", value.Buffer(name.Namespace), value.Buffer(name.Label))
	return true
}

func (x *step) zonefile(free func(string, Name) bool) bool {
	full, n, ok := x.some(func(full string, n Name) bool { return free(full, n) && !x.Zonefiles[full].Revoked })
	if !ok {
		return false
	}
	name, _ := bns.ParseName(full)
	x.call = Call{Contract: Zonefiles, Function: "update-zonefile"}
	if x.random.IntN(6) == 0 {
		x.Zonefiles[full] = Zonefile{Owner: n.Owner, Revoked: true}
		x.print(Zonefiles, "topic", "revoke-name", "name", value.Buffer(name.Label), "namespace", value.Buffer(name.Namespace), "zonefile", value.Buffer(""))
		return true
	}
	content := fmt.Sprintf(`{"owner":%q,"btc":"bc1q%d"}`, n.Owner, x.random.IntN(1000))
	x.Zonefiles[full] = Zonefile{Owner: n.Owner, Content: content}
	x.writes(full, content)
	return true
}

// writes makes a text the zonefile of a name.
func (x *step) writes(full, content string) {
	name, _ := bns.ParseName(full)
	x.call = Call{Contract: Zonefiles, Function: "update-zonefile"}
	x.print(Zonefiles, "topic", "update-zonefile", "name", value.Buffer(name.Label), "namespace", value.Buffer(name.Namespace), "new-zonefile", clarity.NewSome(value.Buffer(content)))
}

// price returns the price of a name.
func (x *step) price(full string) string {
	name, _ := bns.ParseName(full)
	f := bns.PriceFunction{
		Base: big.NewInt(10), Coefficient: big.NewInt(x.Namespaces[name.Namespace].Coefficient), NonAlphaDiscount: big.NewInt(2), NoVowelDiscount: big.NewInt(3),
	}
	for i := range f.Buckets {
		f.Buckets[i] = big.NewInt(1)
	}
	price, err := f.NamePrice(name.Label)
	if err != nil {
		panic("synthnames: " + full + ": " + err.Error())
	}
	return price.String()
}

// mint gives a name its id.
func (x *step) mint(full string, n *Name) {
	x.LastID++
	n.ID = x.LastID
	x.Names[full] = *n
	x.events = append(x.events, Mint(n.ID, n.Owner))
}

// give moves a name to another owner.
func (x *step) give(full string, n *Name, to string) {
	x.lose(*n)
	x.events = append(x.events, Transfer(n.ID, n.Owner, to))
	n.Owner = to
	x.Names[full] = *n
	x.gain(*n)
}

func (x *step) lose(n Name) {
	if x.Primary[n.Owner] == n.ID {
		delete(x.Primary, n.Owner)
	}
}

func (x *step) gain(n Name) {
	if _, ok := x.Primary[n.Owner]; !ok {
		x.Primary[n.Owner] = n.ID
	}
}

// print adds a print of a tuple of alternating names and values.
func (x *step) print(contract string, fields ...any) {
	x.events = append(x.events, synthblock.Print(contract, value.Tuple(fields...)))
}

// printName adds the print of a name with its properties.
func (x *step) printName(topic, full string, n Name) {
	id := value.Uint(n.ID)
	if topic == "renew-name" {
		id = clarity.NewSome(id)
	}
	x.print(Names, "topic", topic, "owner", value.Principal(n.Owner), "name", nameTuple(full), "id", id, "properties", value.Some(n.Properties()))
}

// Properties returns the entry of the name in the contract's map of properties.
func (n Name) Properties() clarity.Value {
	preorder, _ := hex.DecodeString(n.Preorder)
	burned, _ := strconv.ParseUint(n.Burned, 10, 64)
	return value.Tuple(
		"registered-at", value.Optional(n.RegisteredAt >= 0, n.RegisteredAt), "imported-at", value.Optional(n.ImportedAt >= 0, n.ImportedAt),
		"hashed-salted-fqn-preorder", value.Optional(n.Preorder != "", preorder), "preordered-by", value.Optional(n.Preorder != "", value.Principal(n.PreorderedBy)),
		"renewal-height", uint64(n.Renewal), "stx-burn", burned, "owner", value.Principal(n.Owner))
}

// Claim returns the events of the first registration of a name.
func Claim(id uint64, full, to string, height int64) []Event {
	n := Name{ID: id, Owner: to, RegisteredAt: height, ImportedAt: -1, Burned: "0"}
	return []Event{Mint(id, to), synthblock.Print(Names, value.Tuple("topic", "new-name", "owner", value.Principal(to), "name", nameTuple(full), "id", id,
		"properties", value.Some(n.Properties())))}
}

// printNamespace adds the print of a namespace with its properties.
func (x *step) printNamespace(status, namespace string) {
	n := x.Namespaces[namespace]
	buckets := make([]clarity.Value, bns.BucketCount)
	for i := range buckets {
		buckets[i] = value.Uint(1)
	}
	x.print(Names, "status", status, "namespace", value.Buffer(namespace), "properties", value.Some(value.Tuple(
		"namespace-manager", value.Optional(n.Manager != "", value.Principal(n.Manager)), "manager-transferable", n.Manager != "", "manager-frozen", false,
		"namespace-import", value.Principal(n.Import), "revealed-at", uint64(n.RevealedAt), "launched-at", value.Optional(n.LaunchedAt >= 0, n.LaunchedAt), "lifetime", uint64(n.Lifetime),
		"can-update-price-function", true, "price-function", value.Tuple("base", 10, "coeff", uint64(n.Coefficient),
			"nonalpha-discount", 2, "no-vowel-discount", 3, "buckets", value.Must(clarity.NewList(buckets...))))))
}

func nameTuple(full string) clarity.Value {
	name, _ := bns.ParseName(full)
	return value.Tuple("name", value.Buffer(name.Label), "namespace", value.Buffer(name.Namespace))
}
