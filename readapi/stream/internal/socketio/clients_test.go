package socketio_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"strata/domain/clarity"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/check"
	"strata/internal/testkit/must"
	"strata/internal/testkit/short"
	"strata/projections/balances"
	"strata/projections/mempool"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
)

// clients are clients that others have written, in a process of Node.js: testdata/clients/clients.mjs.
type clients struct {
	t     testing.TB
	input io.Writer
	lines <-chan string
	seen  []message
}

// message says what has happened to a client.
type message struct {
	Client, What, Event, Name, Transport, Reason string
	Error                                        any
	Args                                         []any
}

// names of the clients: versions 7.12 and 9.0.2 of @stacks/blockchain-api-client, and socket.io-client, which begins with
// polling and upgrades, or does not upgrade.
var names = []string{"seven", "nine", "bare", "polling"}

// startClients installs the clients and starts them.
func startClients(t testing.TB, server string, about map[string]string) *clients {
	t.Helper()
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("there is no npm, with which the clients are installed: scripts/tools.sh node installs it where it can")
	}
	node := must.Get(exec.LookPath("node"))(t)
	folder := filepath.Join("testdata", "clients")
	install(t, npm, folder)
	encoded := must.Get(json.Marshal(about))(t)
	command := exec.CommandContext(t.Context(), node, "clients.mjs", server, string(encoded))
	command.Dir = folder
	var failures bytes.Buffer
	command.Stderr = &failures
	input := must.Get(command.StdinPipe())(t)
	output := must.Get(command.StdoutPipe())(t)
	must.Do(t, command.Start())
	c := &clients{t: t, input: input, lines: lines(output)}
	t.Cleanup(func() {
		_, _ = io.WriteString(input, "quit\n")
		stopped := time.AfterFunc(20*time.Second, func() { _ = command.Process.Kill() })
		for range c.lines { // until the process closes its output
		}
		_ = command.Wait()
		stopped.Stop()
		if t.Failed() || failures.Len() > 0 {
			t.Logf("the clients said:\n%s", failures.String())
		}
	})
	return c
}

var installing sync.Mutex // tests install into the same folder

// install installs the pinned clients once. The lockfile says which, and a copy of it says which are there.
func install(t testing.TB, npm, folder string) {
	t.Helper()
	installing.Lock()
	defer installing.Unlock()
	locked := must.Get(os.ReadFile(filepath.Join(folder, "package-lock.json")))(t)
	mark := filepath.Join(folder, "node_modules", ".installed")
	if there, err := os.ReadFile(mark); err == nil && bytes.Equal(there, locked) {
		return
	}
	short.Skip(t, "npm has not installed what this needs: make test lets it")
	command := exec.CommandContext(t.Context(), npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	command.Dir = folder
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, output)
	}
	must.Do(t, os.WriteFile(mark, locked, 0o600))
}

func (c *clients) command(text string) {
	c.t.Helper()
	must.Get(io.WriteString(c.input, text+"\n"))(c.t)
}

// wait takes messages until one is as wanted for each of some clients, and returns these by client.
func (c *clients) wait(what string, of []string, wanted func(message) bool) map[string]message {
	c.t.Helper()
	found := map[string]message{}
	look := func(m message) {
		if _, ok := found[m.Client]; !ok && wanted(m) {
			found[m.Client] = m
		}
	}
	for _, m := range c.seen {
		look(m)
	}
	for timeout := time.After(time.Minute); ; {
		missing := ""
		for _, name := range of {
			if _, ok := found[name]; !ok {
				missing += " " + name
			}
		}
		if missing == "" {
			return found
		}
		select {
		case line, ok := <-c.lines:
			if !ok {
				c.t.Fatalf("%s: the clients ended", what)
			}
			var m message
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				c.t.Fatalf("%v in %s", err, line)
			}
			c.seen = append(c.seen, m)
			look(m)
		case <-timeout:
			c.t.Fatalf("%s: nothing of%s; there were %d messages", what, missing, len(c.seen))
		}
	}
}

// forget drops what was seen so far.
func (c *clients) forget() { c.seen = nil }

func isEvent(name string) func(message) bool {
	return func(m message) bool { return m.What == "event" && m.Event == name }
}

func says(what string) func(message) bool {
	return func(m message) bool { return m.What == what }
}

// decoded is JSON as a message has it.
func decoded(t testing.TB, text string) (value any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return value
}

// What blocks bring reaches the clients that people run, in the shape of each topic; they come back after a lost
// connection, and leave a topic.
func TestClientsFollowBlocks(t *testing.T) {
	t.Parallel()
	site, k, server := apitest.NewLiveWorld(t, readapi.Config{})
	tx, token := apitest.Transfer(t, 7), clarity.NewUint64(9)
	value := fmt.Sprintf("0x%x", token.Encode())
	c := startClients(t, server, map[string]string{"transaction": tx.TxID().String(), "address": apitest.Alice, "asset": apitest.Art, "value": value})
	c.wait("subscribed", names, says("subscribed"))
	c.wait("upgrades", []string{"bare"}, func(m message) bool { return m.Transport == "websocket" })

	site.Block(61)
	site.Mine(161, apitest.MinedTx{Tx: tx, Events: []apitest.MinedEvent{
		{Kind: "stx_transfer_event", Amount: 5, Sender: apitest.Alice, Recipient: apitest.Bob},
		{Kind: "nft_transfer_event", Asset: apitest.Art, Sender: apitest.Alice, Recipient: apitest.Bob, Value: token},
	}})
	site.Tip(61)
	all := names[:3] // the fourth follows blocks and events of tokens only
	block := decoded(t, k.Get("/extended/v1/block/by_height/61").Body)
	for name, m := range c.wait("block", names, isEvent("block")) {
		if len(m.Args) != 1 || !reflect.DeepEqual(m.Args[0], block) {
			t.Errorf("%s: got the block %v, want %v", name, m.Args, block)
		}
	}
	shown := decoded(t, k.Get("/extended/v1/tx/block_height/61").Body).(map[string]any)["results"].([]any)[0]
	for name, m := range c.wait("transaction", all, isEvent("transaction")) {
		if len(m.Args) != 1 || !reflect.DeepEqual(m.Args[0], shown) {
			t.Errorf("%s: got the transaction %v, want %v", name, m.Args, shown)
		}
	}
	beside := map[string]any{ // 5 and the fee, 180
		"stx_sent": "185", "stx_received": "0",
		"stx_transfers": []any{map[string]any{"amount": "5", "sender": apitest.Alice, "recipient": apitest.Bob}},
	}
	for name, m := range c.wait("transaction of an address", all, isEvent("address-transaction")) {
		body, _ := m.Args[1].(map[string]any)
		for _, member := range []string{"stx_sent", "stx_received", "stx_transfers"} {
			if !reflect.DeepEqual(body[member], beside[member]) {
				t.Errorf("%s, %s: got %v, want %v", name, member, body[member], beside[member])
			}
		}
		if m.Args[0] != apitest.Alice || body["tx_id"] != tx.TxID().String() || !reflect.DeepEqual(body["tx"], shown) {
			t.Errorf("%s: got %v", name, m.Args)
		}
	}
	nft := map[string]any{
		"sender": apitest.Alice, "recipient": apitest.Bob, "asset_identifier": apitest.Art, "asset_event_type": "transfer",
		"value": map[string]any{"hex": value, "repr": "u9"}, "tx_id": tx.TxID().String(), "tx_index": 0.0, "block_height": 61.0, "event_index": 1.0,
	}
	for event, about := range map[string][]any{"nft-event": {}, "nft-asset-event": {apitest.Art, value}, "nft-collection-event": {apitest.Art}} {
		for name, m := range c.wait(event, all, isEvent(event)) {
			if want := append(about[:len(about):len(about)], nft); !reflect.DeepEqual(m.Args, want) {
				t.Errorf("%s, %s: got %v, want %v", name, event, m.Args, want)
			}
		}
	}
	c.wait("the event of the polling client", names[3:], isEvent("nft-event"))
	for name, m := range c.wait("the name of the event", []string{"bare"}, func(m message) bool { return m.Event == "nft-asset-event" && m.Name != "" }) {
		check.Equal(t, name, m.Name, "nft-asset-event:"+apitest.Art+"+"+value)
	}

	// Bad topics.
	c.command("bad")
	var errors []string
	c.wait("three answers", []string{"bare"}, func(m message) bool {
		if m.What == "bad" {
			errors = append(errors, fmt.Sprint(m.Error))
		}
		return len(errors) >= 3
	})
	check.Equal(t, "bad topics", strings.Join(errors[:3], ", "), "Invalid topic: blocks, Invalid topic: transaction:0x12, Invalid topic: want a text, or a list of texts")
	for client, want := range map[string]string{"new": "Invalid topic: nonsense", "other": "Invalid namespace"} {
		check.Equal[any](t, client+" is refused", c.wait(client+" is refused", []string{client}, says("refused"))[client].Error, want)
	}

	// A revert, and a lost connection.
	c.forget()
	c.command("drop")
	c.wait("disconnected", names, says("disconnected"))
	c.wait("connected again", names, says("reconnected"))
	site.Block(62)
	site.Tip(62)
	block = decoded(t, k.Get("/extended/v1/block/by_height/62").Body)
	for name, m := range c.wait("the next block", names, isEvent("block")) {
		if !reflect.DeepEqual(m.Args[0], block) {
			t.Errorf("%s: got the block %v, want %v", name, m.Args[0], block)
		}
	}

	// Who leaves a topic gets no more of it.
	c.forget()
	c.command("unsubscribe")
	c.wait("unsubscribed", names, says("unsubscribed"))
	c.forget()
	site.Block(63)
	site.Mine(163, apitest.MinedTx{Tx: apitest.Transfer(t, 8), Events: []apitest.MinedEvent{
		{Kind: "nft_transfer_event", Asset: apitest.Art, Sender: apitest.Alice, Recipient: apitest.Bob, Value: token},
	}})
	site.Tip(63)
	c.wait("the event", names, isEvent("nft-event")) // which comes after the block
	for _, m := range c.seen {
		if isEvent("block")(m) {
			t.Errorf("%s was told of the block", m.Client)
		}
	}
}

// What waits to be mined, and balances, reach them, too.
func TestClientsFollowTheMempool(t *testing.T) {
	t.Parallel()
	log := replay.NewLog(t)
	replay.Start(t, log, apitest.NewChain(t), balances.New(nil), mempool.New())
	made := synthchain.New(synthchain.Config{Seed: 3, SigningSample: 1000})
	replay.Append(t, log, replay.Take(10, made.Next)...)
	replay.Wait(t, log)
	k, server := apitest.NewLive(t, apitest.Readers(t, log.Pool()), readapi.Config{})
	tx := apitest.Transfer(t, 3)
	address := apitest.Alice // who sends it
	c := startClients(t, server, map[string]string{
		"transaction": tx.TxID().String(), "address": address, "asset": apitest.Art, "value": "0x0100000000000000000000000000000009",
	})
	c.wait("subscribed", names, says("subscribed"))
	replay.Append(t, log, apitest.Announce(tx))
	official := names[:3]
	waiting := c.wait("waits", official, isEvent("mempool"))
	list := decoded(t, k.Get("/extended/v1/address/"+address+"/mempool").Body).(map[string]any)["results"].([]any)
	for _, event := range []string{"mempool", "transaction"} {
		for name, m := range c.wait(event, official, isEvent(event)) {
			if len(m.Args) != 1 || !slices.ContainsFunc(list, func(tx any) bool { return reflect.DeepEqual(m.Args[0], tx) }) {
				t.Errorf("%s, %s: got %v, want %v", name, event, m.Args, list)
			}
		}
	}
	check.Equal(t, "clients", len(waiting), len(official))
	// What it offers to pay is pending for its sender.
	for name, m := range c.wait("balance", official, isEvent("address-stx-balance")) {
		body, _ := m.Args[1].(map[string]any)
		if m.Args[0] != address || body["address"] != address || body["estimated_balance"] != "-1430" { // 1250 and the fee, 180
			t.Errorf("%s: got %v", name, m.Args)
		}
	}
}
