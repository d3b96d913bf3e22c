package rosetta_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"strata/domain/transaction"
	"strata/eventstore"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/must"
	"strata/readapi/rosetta"
	"strata/rig/apitest"
	"strata/rig/replay"
)

// cliVariable names the standard's own tool, rosetta-cli; make outside TEST=rosetta builds it and sets the variable.
const cliVariable = "STRATA_ROSETTA_CLI"

// postsVariable is the number of posts of the made-up chain that the tool follows.
const postsVariable = "STRATA_ROSETTA_POSTS"

// tool runs rosetta-cli in a folder of its own.
type tool struct {
	*testing.T
	path, dir string
	config    map[string]any
}

// newTool returns the tool for an API at a URL. It skips the test where there is no tool.
func newTool(t *testing.T, network, online, offline string) *tool {
	t.Helper()
	path := os.Getenv(cliVariable)
	if path == "" {
		t.Skip("make outside TEST=rosetta runs this: " + cliVariable + " names no rosetta-cli")
	}
	r := &tool{t, path, t.TempDir(), map[string]any{
		"network": map[string]any{"blockchain": "stacks", "network": network}, "online_url": online, "http_timeout": 60, "max_retries": 3,
		"tip_delay": 1_000_000_000, "coin_supported": false, "data_directory": "data",
		"construction": map[string]any{"offline_url": offline, "constructor_dsl_file": "stacks.ros", "results_output_file": "construction.json"},
	}}
	r.write("stacks.ros", []byte(strings.ReplaceAll(workflows, "NETWORK", network)))
	return r
}

func (r *tool) write(name string, content []byte) {
	r.Helper()
	must.Do(r, os.WriteFile(filepath.Join(r.dir, name), content, 0o600))
}

// run runs a command of the tool and returns what it printed.
func (r *tool) run(command ...string) string {
	r.Helper()
	r.write("config.json", must.Get(json.Marshal(r.config))(r))
	ctx, cancel := context.WithTimeout(r.Context(), time.Hour)
	defer cancel()
	program := exec.CommandContext(ctx, r.path, append(command, "--configuration-file", filepath.Join(r.dir, "config.json"))...)
	program.Dir = r.dir
	var printed bytes.Buffer
	program.Stdout, program.Stderr = &printed, &printed
	if err := program.Run(); err != nil {
		r.Fatalf("rosetta-cli %v: %v\n%s", command, err, lastLines(printed.String()))
	}
	return printed.String()
}

func lastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(len(lines)-60, 0):], "\n")
}

// checkSpec runs check:spec, which prints what fails and exits with 0 all the same.
func (r *tool) checkSpec() {
	r.Helper()
	if printed := r.run("check:spec", "--all"); strings.Contains(printed, "Failure") || !strings.Contains(printed, "Success") {
		r.Errorf("check:spec: got %s", lastLines(printed))
	}
}

// checkData runs check:data from the first block, without exemptions.
func (r *tool) checkData() {
	r.Helper()
	r.endWith(map[string]any{"reconciliation_coverage": map[string]any{"coverage": 1.0, "tip": true}})
	results := r.followed()
	// On a chain of a few blocks, the tool may end before it has written how much it has reconciled, and then says that the
	// reconciliation failed. Where it has failed indeed, it counts that.
	for range 3 {
		if results.Stats.Active+results.Stats.Inactive+results.Stats.Failed > 0 {
			break
		}
		results = r.followed()
	}
	r.judge(results)
}

// endWith says when check:data ends.
func (r *tool) endWith(conditions map[string]any) {
	r.config["data"] = map[string]any{
		"active_reconciliation_concurrency": 8, "inactive_reconciliation_concurrency": 4, "inactive_reconciliation_frequency": 50,
		"coin_tracking_disabled": true, "results_output_file": "data.json", "end_conditions": conditions,
	}
}

// judge fails the test unless check:data found everything right.
func (r *tool) judge(results followed) {
	r.Helper()
	for name, passed := range results.Tests {
		if !passed {
			r.Errorf("check:data: %s failed", name)
		}
	}
	if results.Error != "" || results.EndCondition == nil || len(results.Tests) < 5 || results.Stats.Failed > 0 {
		r.Errorf("check:data: got %+v", results)
	}
	r.Logf("check:data: %+v, ended with %v", results.Stats, results.EndCondition)
}

// followed is what the tool says at the end of check:data.
type followed struct {
	Error        string          `json:"error"`
	EndCondition map[string]any  `json:"end_condition"`
	Tests        map[string]bool `json:"tests"`
	Stats        struct {
		Blocks       int64   `json:"blocks"`
		Orphans      int64   `json:"orphans"`
		Transactions int64   `json:"transactions"`
		Operations   int64   `json:"operations"`
		Accounts     int64   `json:"accounts"`
		Active       int64   `json:"active_reconciliations"`
		Inactive     int64   `json:"inactive_reconciliations"`
		Exempt       int64   `json:"exempt_reconciliations"`
		Failed       int64   `json:"failed_reconciliations"`
		Skipped      int64   `json:"skipped_reconciliations"`
		Coverage     float64 `json:"reconciliation_coverage"`
	} `json:"stats"`
}

// followed runs check:data from the first block.
func (r *tool) followed() (results followed) {
	r.Helper()
	data := filepath.Join(r.dir, "data")
	must.Do(r, os.RemoveAll(data))
	must.Do(r, os.Mkdir(data, 0o700))
	r.run("check:data")
	body := must.Get(os.ReadFile(filepath.Join(r.dir, "data.json")))(r)
	must.Do(r, json.Unmarshal(body, &results))
	return results
}

// TestConformanceData lets rosetta-cli follow a made-up chain with forks in both dialects.
func TestConformanceData(t *testing.T) {
	posts := 200
	if text := os.Getenv(postsVariable); text != "" {
		posts = must.Get(strconv.Atoi(text))(t)
	}
	inEachDialect(t, func(t *testing.T, prefix string) {
		config := synthchain.Everything(41, synthchain.V40)
		config.SigningSample, config.Accounts, config.Maturity, config.Network = 1000, 12, 5, synthchain.Testnet
		made := synthchain.New(config)
		all := replay.Take(posts, made.Next)
		checkWith(t, "testnet", prefix, all)
	})
}

// inEachDialect runs a test for both dialects.
func inEachDialect(t *testing.T, test func(t *testing.T, prefix string)) {
	t.Helper()
	for _, prefix := range []string{rosetta.MeshPath, rosetta.LegacyPath} {
		t.Run(strings.Trim(strings.ReplaceAll(prefix, "/", "-"), "-"), func(t *testing.T) { test(t, prefix) })
	}
}

// TestConformanceReorganisations lets it follow a chain that grows meanwhile and abandons blocks that it has read.
func TestConformanceReorganisations(t *testing.T) {
	if os.Getenv(postsVariable) == "" {
		t.Skip("make outside TEST=rosetta runs this")
	}
	const posts, first, most = 400, 100, 4
	config := synthchain.Everything(47, synthchain.V40)
	config.SigningSample, config.Accounts, config.Maturity, config.Network, config.ForkProbability = 1000, 12, 5, synthchain.Testnet, 0.2
	made := synthchain.New(config)
	var all []replay.Post
	pauses := map[int]bool{} // before posts that abandon the newest block
	for i := range posts {
		if i < first || len(pauses) == most {
			all = append(all, made.Next())
			continue
		}
		before := made.Tip()
		all = append(all, made.Next())
		if made.Tip() != before && !slices.Contains(made.Expected().Blocks, before) {
			pauses[i] = true
		}
	}
	if len(pauses) == 0 {
		t.Fatal("the chain abandons no block")
	}

	inEachDialect(t, func(t *testing.T, prefix string) { followGrowing(t, prefix, all, first, pauses, made.Tip().Height) })
}

// followGrowing lets the tool follow a chain of which it first sees a part, up to a height. Before some posts, the chain waits
// for it.
func followGrowing(t *testing.T, prefix string, all []replay.Post, first int, pauses map[int]bool, height uint64) {
	t.Helper()
	log := replay.NewLog(t)
	replay.Append(t, log, all[:first]...)
	t.Cleanup(replay.Start(t, log, apitest.NewChain(t), everything()...))
	s := newSite(t, log, "testnet", prefix, rosetta.Config{})
	looks := make(chan struct{}) // the tool looks for the newest block
	online := served(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.handler.ServeHTTP(w, r)
		if strings.HasSuffix(r.URL.Path, "/network/status") {
			select {
			case looks <- struct{}{}:
			default: // nobody waits for it
			}
		}
	}))
	r := newTool(t, "testnet", online+prefix, served(t, offline(t, "testnet", prefix).handler)+prefix)
	replay.Wait(t, log)
	stop := make(chan struct{})
	var growing sync.WaitGroup
	growing.Go(func() {
		for i, post := range all[first:] {
			if pauses[first+i] {
				replay.Wait(t, log)
				for range 2 { // it follows to the newest block between the two
					select {
					case <-looks:
					case <-stop:
						return
					}
				}
			}
			replay.Append(t, log, post)
		}
	})
	defer growing.Wait()
	defer close(stop)
	r.endWith(map[string]any{"index": height})
	results := r.followed()
	r.judge(results)
	if results.Stats.Orphans == 0 {
		t.Error("the tool has seen no abandoned block")
	}
}

// TestConformanceRecordings lets it follow what real nodes sent.
func TestConformanceRecordings(t *testing.T) {
	if os.Getenv(postsVariable) == "" {
		t.Skip("make outside TEST=rosetta runs this")
	}
	files := must.Get(filepath.Glob(filepath.Join(replay.SharedData(t), "events", "*.tsv.gz")))(t)
	for _, file := range files {
		name := filepath.Base(file)
		network := networkOf(name)
		t.Run(name, func(t *testing.T) {
			inEachDialect(t, func(t *testing.T, prefix string) {
				// The node of this recording began with accounts that its first block does not show, so their balances can't be
				// known, and the tool refuses them where they are negative. Requests and answers have the standard's form anyway.
				if name == "mainnet-reorg-scenario1.tsv.gz" {
					newChecked(t, network, prefix, replay.Recording(t, name)).checkSpec()
					return
				}
				checkWith(t, network, prefix, replay.Recording(t, name))
			})
		})
	}
	const epochs = "nakamoto-epoch4.tsv.gz"
	t.Run(epochs, func(t *testing.T) {
		inEachDialect(t, func(t *testing.T, prefix string) { checkWith(t, "testnet", prefix, replay.Archive(t, "node", epochs)) })
	})
}

// checkWith runs check:spec and check:data over what a node posted.
func checkWith(t *testing.T, network, prefix string, posts []replay.Post) {
	t.Helper()
	r := newChecked(t, network, prefix, posts)
	r.checkSpec()
	r.checkData()
}

// newChecked returns the tool for a server that has what a node posted.
func newChecked(t *testing.T, network, prefix string, posts []replay.Post) *tool {
	t.Helper()
	log := replay.NewLog(t)
	online, cold := served(t, newSite(t, log, network, prefix, rosetta.Config{}).handler), served(t, offline(t, network, prefix).handler)
	r := newTool(t, network, online+prefix, cold+prefix)
	fold(t, log, posts...)
	return r
}

// miner is a node that mines each transaction that it is sent, in a block of its own.
type miner struct {
	testing.TB
	mu     sync.Mutex
	log    *eventstore.Log
	height int64
	nonces map[string]uint64
}

func (m *miner) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case r.URL.Path == "/v2/transactions":
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		tx, err := transaction.Decode(raw)
		if err == nil {
			err = tx.Verify()
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		p, ok := tx.Payload.(*transaction.TokenTransfer)
		if !ok || tx.Nonce() != m.nonces[tx.Sender().String()] {
			http.Error(w, `{"error":"transaction rejected","reason":"BadNonce"}`, http.StatusBadRequest)
			return
		}
		m.nonces[tx.Sender().String()]++
		m.mine(mined{raw: raw, events: []event{moved(tx.Sender().String(), p.Recipient.String(), p.Amount)}})
		_ = json.NewEncoder(w).Encode(strings.TrimPrefix(tx.TxID().String(), "0x"))
	case strings.HasPrefix(r.URL.Path, "/v2/accounts/"):
		account, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/v2/accounts/"), "?")
		_ = json.NewEncoder(w).Encode(map[string]any{"balance": "0x00", "nonce": m.nonces[account]})
	default:
		http.NotFound(w, r)
	}
}

// mine posts the next block.
func (m *miner) mine(transactions ...mined) {
	m.height++
	b := newBlock{name: strconv.FormatInt(m.height, 10), parent: strconv.FormatInt(m.height-1, 10), height: m.height, burnHeight: 100 + m.height, transactions: transactions}
	replay.Append(m.TB, m.log, b.post(m.TB))
}

// TestConformanceConstruction lets rosetta-cli make accounts and transfers against a node that mines them.
func TestConformanceConstruction(t *testing.T) {
	log := replay.NewLog(t)
	m := &miner{TB: t, log: log, height: -1, nonces: map[string]uint64{}}
	m.mine(mined{raw: bootTransaction(t), events: []event{minted(address(alice), 1_000_000_000), minted(address(bob), 1_000_000_000)}})
	m.mine()
	t.Cleanup(replay.Start(t, log, apitest.NewChain(t), everything()...))
	online := served(t, newSite(t, log, "testnet", rosetta.MeshPath, rosetta.Config{NodeRPC: m}).handler)
	r := newTool(t, "testnet", online+rosetta.MeshPath, served(t, offline(t, "testnet", rosetta.MeshPath).handler)+rosetta.MeshPath)
	replay.Wait(t, log)
	construction, _ := r.config["construction"].(map[string]any)
	construction["stale_depth"], construction["broadcast_limit"] = 30, 3
	construction["prefunded_accounts"] = []any{map[string]any{
		"privkey": strings.TrimSuffix(alice.Hex(), "01"), "account_identifier": map[string]any{"address": address(alice)}, "curve_type": "secp256k1",
		"currency": map[string]any{"symbol": "STX", "decimals": 6},
	}}
	construction["end_conditions"] = map[string]any{"create_account": 2, "transfer": 3}
	stop := make(chan struct{})
	var mining sync.WaitGroup
	mining.Go(func() { // blocks without transactions let the tool count confirmations
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				m.mu.Lock()
				m.mine()
				m.mu.Unlock()
			}
		}
	})
	defer mining.Wait()
	defer close(stop)
	r.run("check:construction")
	body := must.Get(os.ReadFile(filepath.Join(r.dir, "construction.json")))(t)
	var results struct {
		Error string `json:"error"`
		Stats struct {
			Confirmed int `json:"transactions_confirmed"`
			Failed    int `json:"failed_broadcasts"`
		} `json:"stats"`
	}
	if err := json.Unmarshal(body, &results); err != nil || results.Error != "" || results.Stats.Confirmed < 3 || results.Stats.Failed > 0 {
		t.Errorf("check:construction: got %s (%v)", body, err)
	}
	t.Logf("check:construction: %s", body)
}

// workflows are the accounts and transfers that check:construction makes.
const workflows = `
request_funds(1){
  find_account{
    currency = {"symbol":"STX","decimals":6};
    account = find_balance({"minimum_balance":{"value":"0","currency":{{currency}}},"create_limit":1});
  },
  request{
    funded = find_balance({"account_identifier":{{account.account_identifier}},"minimum_balance":{"value":"1000000","currency":{{currency}}}});
  }
}
create_account(1){
  create{
    network = {"blockchain":"stacks","network":"NETWORK"};
    key = generate_key({"curve_type":"secp256k1"});
    account = derive({"network_identifier":{{network}},"public_key":{{key.public_key}}});
    save_account({"account_identifier":{{account.account_identifier}},"keypair":{{key}}});
  }
}
transfer(1){
  transfer{
    transfer.network = {"blockchain":"stacks","network":"NETWORK"};
    currency = {"symbol":"STX","decimals":6};
    sender = find_balance({"minimum_balance":{"value":"1000000","currency":{{currency}}}});
    amount = random_number({"minimum":"1","maximum":"10000"});
    debit = 0 - {{amount}};
    recipient = find_balance({"not_account_identifier":[{{sender.account_identifier}}],"minimum_balance":{"value":"0","currency":{{currency}}},"create_limit":50,"create_probability":50});
    transfer.confirmation_depth = "1";
    transfer.operations = [
      {"operation_identifier":{"index":0},"type":"fee","account":{{sender.account_identifier}},"amount":{"value":"-180","currency":{{currency}}}},
      {"operation_identifier":{"index":1},"type":"token_transfer","account":{{sender.account_identifier}},"amount":{"value":{{debit}},"currency":{{currency}}}},
      {"operation_identifier":{"index":2},"type":"token_transfer","account":{{recipient.account_identifier}},"amount":{"value":{{amount}},"currency":{{currency}}}}
    ];
  }
}
`
