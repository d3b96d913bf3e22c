package accounts_test

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/domain/clarity"
	"strata/domain/transaction"
	"strata/internal/testkit/must"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// naiveModel is the expected content of the tables, computed from the bodies of canonical blocks in the simplest way:
// each list is a slice of lines, and the number of a row is the length of the slice.
type naiveModel struct {
	t            testing.TB
	blocks       []string
	transactions []string
	deployments  []string
	function     string // that the transaction in hand calls
	burnBlocks   map[string]bool
	lists        map[string][]string // by name of the list and the owner
	accounts     map[string]*naiveAccount
	byType       map[string]int
}

type naiveAccount struct {
	id             int
	first, seq     int64 // height and event of its first block
	calls, inbound int
	topics         map[string]int // numbers by name
	topicCount     map[string]int
	stxIn, stxOut  int
	tokens         map[string]int // numbers of events by asset
	functions      map[string]int // numbers of prints by function
	coinbase, fees big.Int
}

func newNaiveModel(t testing.TB) *naiveModel {
	return &naiveModel{t: t, lists: map[string][]string{}, accounts: map[string]*naiveAccount{}, byType: map[string]int{}, burnBlocks: map[string]bool{}}
}

func str(value any) string {
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}

func object(value any) map[string]any {
	o, _ := value.(map[string]any)
	return o
}

func bytesOf(t testing.TB, value any) []byte {
	t.Helper()
	return must.Get(hex.DecodeString(strings.TrimPrefix(str(value), "0x")))(t)
}

func number(t testing.TB, value any) *big.Int {
	t.Helper()
	n, ok := new(big.Int).SetString(str(value), 10)
	if !ok {
		t.Fatalf("%v is no whole number", value)
	}
	return n
}

// block adds a block of event seq.
func (n *naiveModel) block(seq int64, post replay.Post) {
	decoder := json.NewDecoder(bytes.NewReader(post.Body))
	decoder.UseNumber()
	var content map[string]any
	if err := decoder.Decode(&content); err != nil {
		n.t.Fatal(err)
	}
	height := number(n.t, content["block_height"]).Int64()
	list := content["transactions"].([]any)
	order := make([]int, len(list))
	for i := range list {
		order[i] = i
	}
	place := func(i int, member string, none int64) int64 {
		value := object(list[i])[member]
		if value == nil {
			return none
		}
		return number(n.t, value).Int64()
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(
			cmp.Compare(place(a, "microblock_sequence", 1<<31-1), place(b, "microblock_sequence", 1<<31-1)),
			cmp.Compare(place(a, "tx_index", int64(a)), place(b, "tx_index", int64(b))))
	})
	events := map[string][]map[string]any{}
	for _, value := range content["events"].([]any) {
		e := object(value)
		events[str(e["txid"])] = append(events[str(e["txid"])], e)
	}
	first := len(n.transactions) + 1
	touched := map[string]bool{}
	for _, i := range order {
		tx := object(list[i])
		var own []map[string]any
		for _, e := range events[str(tx["txid"])] {
			if committed, ok := e["committed"].(bool); (!ok || committed) && tx["status"] == "success" {
				own = append(own, e)
			}
		}
		delete(events, str(tx["txid"]))
		slices.SortStableFunc(own, func(a, b map[string]any) int {
			return number(n.t, a["event_index"]).Cmp(number(n.t, b["event_index"]))
		})
		sequence := "anchored"
		if tx["microblock_sequence"] != nil {
			sequence = str(tx["microblock_sequence"])
		}
		n.function = ""
		kind, participants := n.transaction(tx, own)
		number := len(n.transactions) + 1
		line := fmt.Sprintf("%d: height %d in %d, %d %s", number, height, seq, i, sequence)
		if kind != "" {
			n.byType[kind]++
			line += fmt.Sprintf(", %s %d", kind, n.byType[kind])
		}
		n.transactions = append(n.transactions, line)
		n.deployment(number, seq, i, tx)
		for _, account := range n.lines(number, kind, participants, own) {
			a := n.accounts[account]
			if a.first < 0 {
				a.first, a.seq = height, seq
			}
			touched[account] = true
		}
	}
	rewards, _ := content["matured_miner_rewards"].([]any)
	for i, value := range rewards {
		r := object(value)
		fees := new(big.Int)
		for _, name := range []string{"tx_fees_anchored", "tx_fees_streamed_confirmed", "tx_fees_streamed_produced"} {
			if r[name] != nil {
				fees.Add(fees, number(n.t, r[name]))
			}
		}
		coinbase, name := number(n.t, r["coinbase_amount"]), str(r["recipient"])
		if coinbase.Sign() == 0 && fees.Sign() == 0 {
			continue
		}
		a := n.account(name)
		if a.first < 0 {
			a.first, a.seq = height, seq
		}
		touched[name] = true
		a.coinbase.Add(&a.coinbase, coinbase)
		a.fees.Add(&a.fees, fees)
		list := "rewards of " + name
		n.lists[list] = append(n.lists[list], fmt.Sprintf("%s %d: %d in %d, %d: %s and %s, together %s and %s, of %s",
			name, len(n.lists[list])+1, height, seq, i, coinbase, fees, &a.coinbase, &a.fees, str(r["from_index_consensus_hash"])))
	}
	var ids []int
	for account := range touched {
		ids = append(ids, n.accounts[account].id)
	}
	slices.Sort(ids)
	time := str(content["block_time"])
	tenure := str(content["tenure_height"])
	if tenure == "" && content["signer_signature_hash"] != nil {
		tenure = "-1"
	} else if tenure == "" {
		tenure = fmt.Sprint(height)
	}
	n.burnBlocks[str(content["burn_block_hash"])] = true
	n.blocks = append(n.blocks, fmt.Sprintf("%d in %d: %d-%d, %d %d %d %d %d %d, tenure %s, %d. burn %s %s, time %s, %d accounts, %s %s %s, %v", height, seq, first, len(n.transactions),
		n.byType["token_transfer"], n.byType["smart_contract"], n.byType["contract_call"], n.byType["poison_microblock"], n.byType["coinbase"], n.byType["tenure_change"],
		tenure, len(n.burnBlocks), str(content["burn_block_height"]), str(content["burn_block_time"]), time, len(n.accounts),
		content["index_block_hash"], content["block_hash"], content["burn_block_hash"], ids))
}

// deployment adds the contract that a transaction deploys. Only a deployment has an interface.
func (n *naiveModel) deployment(tx int, seq int64, index int, content map[string]any) {
	abi := object(content["contract_interface"])
	if abi == nil {
		abi = object(content["contract_abi"])
	}
	if abi == nil || content["status"] != "success" {
		return
	}
	var names []string
	functions, _ := abi["functions"].([]any)
	for _, f := range functions {
		digest := sha256.Sum256([]byte(str(object(f)["name"])))
		names = append(names, hex.EncodeToString(digest[:15]))
	}
	slices.Sort(names)
	n.deployments = append(n.deployments, fmt.Sprintf("%d in %d, %d: %s", tx, seq, index, strings.Join(slices.Compact(names), " ")))
}

var naiveBlockSQL = schemas.In(`
	SELECT height || ' in ' || source_seq || ': ' || first_tx || '-' || last_tx || ', ' ||
	       concat_ws(' ', token_transfers, smart_contracts, contract_calls, poison_microblocks, coinbases, tenure_changes) ||
	       ', tenure ' || tenure_height || ', ' || burn_blocks || '. burn ' || burn_block_height || ' ' || burn_block_time || ', time ' || coalesce(block_time::text, '') || ', ' || accounts || ' accounts, ' ||
	       concat_ws(' ', '0x' || encode(index_block_hash, 'hex'), '0x' || encode(block_hash, 'hex'), '0x' || encode(burn_block_hash, 'hex')) || ', [' || array_to_string(touched, ' ') || ']'
	FROM {accounts}.block ORDER BY height`)

var naiveTransactionSQL = schemas.In(`
	SELECT n || ': height ' || height || ' in ' || source_seq || ', ' || tx_index || ' ' || coalesce(microblock_sequence::text, 'anchored') ||
	       coalesce(', ' || CASE type WHEN 0 THEN 'token_transfer' WHEN 1 THEN 'smart_contract' WHEN 2 THEN 'contract_call'
	           WHEN 3 THEN 'poison_microblock' WHEN 4 THEN 'coinbase' WHEN 7 THEN 'tenure_change' END || ' ' || type_n, '')
	FROM {accounts}.transaction ORDER BY n`)

// participant is an account with its roles and amounts in a transaction.
type participant struct {
	account              string
	is                   map[string]bool
	sent, received, paid *big.Int
	counts               map[string]int
}

// transaction returns the type of a transaction and its participants in the order of their first mention.
func (n *naiveModel) transaction(tx map[string]any, events []map[string]any) (kind string, all []*participant) {
	join := func(account, as string) *participant {
		for _, j := range all {
			if j.account == account {
				j.is[as] = true
				return j
			}
		}
		j := &participant{account: account, is: map[string]bool{as: true}, sent: new(big.Int), received: new(big.Int), paid: new(big.Int), counts: map[string]int{}}
		all = append(all, j)
		return j
	}
	if raw := bytesOf(n.t, tx["raw_tx"]); len(raw) > 1 {
		decoded, err := transaction.Decode(raw)
		if err != nil {
			n.t.Fatal(err)
		}
		kind = transaction.TxType(decoded.Payload)
		join(decoded.Sender().String(), "sender")
		if decoded.Sponsored() {
			join(decoded.FeePayer().String(), "sponsor")
		}
		if decoded.Fee() > 0 {
			payer := join(decoded.FeePayer().String(), "stx")
			payer.paid.SetUint64(decoded.Fee())
		}
		switch p := decoded.Payload.(type) {
		case *transaction.TokenTransfer:
			join(p.Recipient.String(), "recipient")
		case *transaction.ContractCall:
			join(p.Contract.String(), "called")
			n.function = p.Function
		case *transaction.SmartContract:
			join(decoded.Sender().String()+"."+p.ContractName, "deployed")
		case *transaction.VersionedSmartContract:
			join(decoded.Sender().String()+"."+p.ContractName, "deployed")
		case *transaction.Undecoded:
			kind = ""
		}
	} else {
		kind = n.operation(tx, events, func(account, as string) { join(account, as) })
	}
	for _, e := range events {
		name := str(e["type"])
		data := object(e[name])
		short := strings.TrimSuffix(name, "_event")
		asset, _, _ := strings.Cut(short, "_")
		if !slices.Contains([]string{"stx", "ft", "nft"}, asset) || short == "stx_lock" {
			continue
		}
		var amount *big.Int
		if asset == "stx" {
			amount = number(n.t, data["amount"])
		} else {
			amount = new(big.Int)
		}
		if sender := str(data["sender"]); sender != "" {
			j := join(sender, "party")
			j.is[asset] = true
			j.sent.Add(j.sent, amount)
			j.counts[short]++
		}
		if recipient := str(data["recipient"]); recipient != "" {
			j := join(recipient, "party")
			j.is[asset] = true
			j.received.Add(j.received, amount)
			if recipient != str(data["sender"]) {
				j.counts[short]++
			}
		}
	}
	return kind, all
}

// operation adds the participants of an operation from Bitcoin and returns its type. Every operation of the generator
// and of the recordings has a description or an event.
func (n *naiveModel) operation(tx map[string]any, events []map[string]any, join func(account, as string)) (kind string) {
	for _, e := range events {
		data := object(e[str(e["type"])])
		switch e["type"] {
		case "stx_transfer_event":
			join(str(data["sender"]), "sender")
			join(str(data["recipient"]), "recipient")
			return "token_transfer"
		case "stx_lock_event":
			join(str(data["locked_address"]), "sender")
			contract := str(data["contract_identifier"])
			if contract == "" {
				contract = "ST000000000000000000002AMW42H.pox"
				if locked := str(data["locked_address"]); strings.HasPrefix(locked, "SP") || strings.HasPrefix(locked, "SM") {
					contract = "SP000000000000000000002Q6VF78.pox"
				}
			}
			join(contract, "called")
			return "contract_call"
		}
	}
	op := object(tx["burnchain_op"])
	for name, value := range op {
		kind = "contract_call"
		if name == "transfer_stx" {
			kind = "token_transfer"
		}
		join(str(object(object(value)["sender"])["address"]), "sender")
		if kind == "token_transfer" {
			join(str(object(object(value)["recipient"])["address"]), "recipient")
		}
	}
	for _, e := range events {
		if e["type"] == "contract_event" {
			kind = "contract_call"
			join(str(object(e["contract_event"])["contract_identifier"]), "called")
			break
		}
	}
	return kind
}

var roles = []string{"sender", "sponsor", "recipient", "called", "deployed", "party", "stx", "ft", "nft"}

var countedKinds = []string{"stx_transfer", "stx_mint", "stx_burn", "ft_transfer", "ft_mint", "ft_burn", "nft_transfer", "nft_mint", "nft_burn"}

// account returns an account, which it adds if it is new.
func (n *naiveModel) account(name string) *naiveAccount {
	if n.accounts[name] == nil {
		n.accounts[name] = &naiveAccount{
			id: len(n.accounts) + 1, first: -1, topics: map[string]int{}, topicCount: map[string]int{}, tokens: map[string]int{}, functions: map[string]int{},
		}
	}
	return n.accounts[name]
}

// lines adds a transaction to the lists of its participants, and returns these.
func (n *naiveModel) lines(tx int, kind string, all []*participant, events []map[string]any) (touched []string) {
	touch := func(account string) *naiveAccount {
		touched = append(touched, account)
		return n.account(account)
	}
	add := func(list, account, line string) {
		n.lists[list+account] = append(n.lists[list+account], fmt.Sprintf("%s %d: tx %d %s", account, len(n.lists[list+account])+1, tx, line))
	}
	sender := "nobody"
	for _, j := range all {
		a := touch(j.account)
		var is []string
		for _, role := range roles {
			if j.is[role] {
				is = append(is, role)
			}
		}
		if j.is["sender"] {
			sender = j.account
		}
		line := strings.Join(is, "+") + fmt.Sprintf(" %s-%s-%s", j.received, j.sent, j.paid)
		if j.is["called"] {
			a.calls++
			line += fmt.Sprintf(" call %d", a.calls)
		}
		for _, name := range countedKinds {
			line += fmt.Sprintf(" %d", j.counts[name])
		}
		add("transactions of ", j.account, line)
	}
	for i, e := range events {
		name := str(e["type"])
		data := object(e[name])
		if name == "contract_event" {
			continue
		}
		var parties []string
		for _, side := range []string{"sender", "recipient", "locked_address"} {
			if party := str(data[side]); party != "" && !slices.Contains(parties, party) {
				parties = append(parties, party)
			}
		}
		for _, party := range parties {
			a := touch(party)
			line := fmt.Sprintf("%d %s", i, strings.TrimSuffix(name, "_event"))
			if as := n.inbound(kind, events, i); as != "" && party == str(data["recipient"]) {
				a.inbound++
				line += fmt.Sprintf(" %s %d", as, a.inbound)
			}
			if strings.HasPrefix(name, "stx_") && name != "stx_lock_event" {
				if party == str(data["recipient"]) {
					a.stxIn++
					line += fmt.Sprintf(" in %d", a.stxIn)
				}
				if party == str(data["sender"]) {
					a.stxOut++
					line += fmt.Sprintf(" out %d", a.stxOut)
				}
			}
			if strings.HasPrefix(name, "ft_") {
				asset := str(data["asset_identifier"])
				a.tokens[asset]++
				line += fmt.Sprintf(" token %s %d", keyOf(asset, 8), a.tokens[asset])
			}
			add("events of ", party, line)
		}
	}
	for i, e := range events {
		if e["type"] != "contract_event" {
			continue
		}
		data := object(e["contract_event"])
		contract := str(data["contract_identifier"])
		a := touch(contract)
		line := fmt.Sprintf("%d by %s", i, sender)
		if topic := n.topic(bytesOf(n.t, data["raw_value"])); topic != "" {
			if a.topics[topic] == 0 {
				a.topics[topic] = len(a.topics) + 1
			}
			a.topicCount[topic]++
			line += fmt.Sprintf(", %q is topic %d, %d", topic, a.topics[topic], a.topicCount[topic])
		}
		if n.function != "" {
			a.functions[n.function]++
			line += fmt.Sprintf(", function %s %d", keyOf(n.function, 4), a.functions[n.function])
		}
		add("prints of ", contract, line)
	}
	return touched
}

// keyOf returns the first bytes of the SHA-256 of a name.
func keyOf(name string, length int) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:length])
}

func (n *naiveModel) inbound(kind string, events []map[string]any, i int) string {
	if events[i]["type"] != "stx_transfer_event" {
		return ""
	}
	if i+1 < len(events) && strings.HasSuffix(str(object(events[i+1]["contract_event"])["contract_identifier"]), ".send-many-memo") {
		return "bulk-send"
	}
	if kind == "token_transfer" {
		return "stx-transfer"
	}
	if len(bytesOf(n.t, object(events[i]["stx_transfer_event"])["memo"])) > 0 {
		return "stx-transfer-memo"
	}
	return ""
}

func (n *naiveModel) topic(raw []byte) string {
	value, _, err := clarity.Decode(raw)
	if err != nil {
		return ""
	}
	if inner, ok := value.Inner(); ok {
		value = inner
	}
	fields := map[string]clarity.Value{}
	for _, f := range value.Fields() {
		fields[f.Name] = f.Value
	}
	for _, name := range []string{"topic", "event", "action", "notification", "type", "name"} {
		if text, ok := fields[name].Text(); ok {
			if len(text) > 128 {
				return ""
			}
			return text
		}
	}
	return ""
}

// tables returns all expected lines by kind of list.
func (n *naiveModel) tables() map[string][]string {
	all := map[string][]string{"blocks": n.blocks, "transactions": n.transactions, "deployments": n.deployments}
	for _, list := range slices.Sorted(maps.Keys(n.lists)) {
		kind, _, _ := strings.Cut(list, " of ")
		all[kind+" of"] = append(all[kind+" of"], n.lists[list]...)
	}
	for name, a := range n.accounts {
		all["accounts"] = append(all["accounts"], fmt.Sprintf("%d %s: %d %d %d %d %d %d from %d in %d", a.id, name,
			len(n.lists["transactions of "+name]), a.calls, len(n.lists["events of "+name]), a.inbound, len(n.lists["prints of "+name]), len(a.topics), a.first, a.seq))
	}
	id := func(line string) (id int) {
		_, _ = fmt.Sscan(line, &id)
		return id
	}
	slices.SortFunc(all["accounts"], func(a, b string) int { return cmp.Compare(id(a), id(b)) })
	return all
}

// naiveSQL are the queries that return the same lines from the tables.
var naiveSQL = map[string]string{
	"blocks":       naiveBlockSQL,
	"transactions": naiveTransactionSQL,
	"deployments": schemas.In(`
		SELECT tx || ' in ' || source_seq || ', ' || tx_index || ': ' ||
		       coalesce((SELECT string_agg(substr(encode(k, 'hex'), 3), ' ' ORDER BY k) FROM unnest(functions) k WHERE get_byte(k, 0) = 0), '')
		FROM {accounts}.deployment ORDER BY tx`),
	"accounts": schemas.In(`
		SELECT id || ' ' || account || ': ' || concat_ws(' ', coalesce(t.n, 0), coalesce(t.calls, 0), coalesce(e.n, 0), coalesce(e.inbound, 0),
		           coalesce((SELECT max(n) FROM {accounts}.contract_event WHERE contract = id), 0),
		           coalesce((SELECT max(topic) FROM {accounts}.contract_topic WHERE contract = id), 0)) ||
		       ' from ' || first_height || ' in ' || a.source_seq
		FROM {accounts}.account a
		LEFT JOIN LATERAL (SELECT n, calls FROM {accounts}.account_transaction WHERE account = id ORDER BY n DESC LIMIT 1) t ON true
		LEFT JOIN LATERAL (SELECT n, inbound FROM {accounts}.account_event WHERE account = id ORDER BY n DESC LIMIT 1) e ON true
		ORDER BY id`),
	"transactions of": schemas.In(`
		SELECT a.account || ' ' || n || ': tx ' || tx || ' ' || (
		           SELECT string_agg(name, '+' ORDER BY place) FROM unnest(ARRAY['sender', 'sponsor', 'recipient', 'called', 'deployed', 'party', 'stx', 'ft', 'nft'])
		               WITH ORDINALITY role (name, place) WHERE involvement & (1 << (place::int - 1)) <> 0
		       ) || ' ' || coalesce(stx_received, 0) || '-' || coalesce(stx_sent, 0) || '-' || coalesce(fee_paid, 0) || CASE WHEN involvement & 8 <> 0 THEN ' call ' || calls ELSE '' END || ' ' ||
		       concat_ws(' ', coalesce(stx_transfers, 0), coalesce(stx_mints, 0), coalesce(stx_burns, 0), coalesce(ft_transfers, 0), coalesce(ft_mints, 0), coalesce(ft_burns, 0),
		           coalesce(nft_transfers, 0), coalesce(nft_mints, 0), coalesce(nft_burns, 0))
		FROM {accounts}.account_transaction t JOIN {accounts}.account a ON a.id = t.account ORDER BY a.account, n`),
	"events of": schemas.In(`
		SELECT a.account || ' ' || n || ': tx ' || tx || ' ' || event_index || ' ' ||
		       (ARRAY['stx_transfer', 'stx_mint', 'stx_burn', 'ft_transfer', 'ft_mint', 'ft_burn', 'nft_transfer', 'nft_mint', 'nft_burn', 'stx_lock'])[kind] ||
		       coalesce(' ' || (ARRAY['bulk-send', 'stx-transfer', 'stx-transfer-memo'])[transfer_type] || ' ' || e.inbound, '') ||
		       CASE WHEN stx_side & 2 <> 0 THEN ' in ' || stx_in ELSE '' END || CASE WHEN stx_side & 1 <> 0 THEN ' out ' || stx_out ELSE '' END ||
		       coalesce(' token ' || encode(int8send(asset), 'hex') || ' ' || asset_n, '')
		FROM {accounts}.account_event e JOIN {accounts}.account a ON a.id = e.account ORDER BY a.account, n`),
	"rewards of": schemas.In(`
		SELECT a.account || ' ' || n || ': ' || height || ' in ' || r.source_seq || ', ' || position || ': ' || coinbase || ' and ' || fees ||
		       ', together ' || coinbase_sum || ' and ' || fees_sum || ', of ' || coalesce('0x' || encode(earned_in, 'hex'), '')
		FROM {accounts}.miner_reward r JOIN {accounts}.account a ON a.id = r.account ORDER BY a.account, n`),
	"prints of": schemas.In(`
		SELECT a.account || ' ' || e.n || ': tx ' || tx || ' ' || event_index || ' by ' || coalesce(s.account, 'nobody') ||
		       coalesce(', ' || to_json(t.name) || ' is topic ' || t.topic || ', ' || e.topic_n, '') ||
		       coalesce(', function ' || encode(int4send(e.function), 'hex') || ' ' || e.function_n, '')
		FROM {accounts}.contract_event e JOIN {accounts}.account a ON a.id = e.contract
		LEFT JOIN {accounts}.account s ON s.id = e.sender
		LEFT JOIN {accounts}.contract_topic t ON t.contract = e.contract AND t.topic = e.topic ORDER BY a.account, e.n`),
}

// compare checks that the tables have the expected lines, and returns the number of lines of each kind.
func (n *naiveModel) compare(tx pgx.Tx) map[string]int {
	n.t.Helper()
	counts := map[string]int{}
	want := n.tables()
	for what, query := range naiveSQL {
		got := replay.Texts(n.t, tx, query)
		counts[what] = len(got)
		for i := range max(len(got), len(want[what])) {
			a, b := "(none)", "(none)"
			if i < len(got) {
				a = got[i]
			}
			if i < len(want[what]) {
				b = want[what][i]
			}
			if a != b {
				n.t.Errorf("%s: %d, want %d; line %d:\n got %s\nwant %s", what, len(got), len(want[what]), i, a, b)
				break
			}
		}
	}
	return counts
}
