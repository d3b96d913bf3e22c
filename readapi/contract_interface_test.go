package readapi_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/domain/fetch"
	"strata/domain/transaction"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/must"
	"strata/projections/accounts"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// stripped returns a post as a node with disable_contract_interface sends it, and reports of the interfaces that it left out.
func stripped(t *testing.T, post replay.Post) (replay.Post, []replay.Post) {
	t.Helper()
	if post.Path != "/new_block" {
		return post, nil
	}
	members, list := map[string]json.RawMessage{}, []map[string]json.RawMessage{}
	apitest.DecodeJSON(t, string(post.Body), &members)
	apitest.DecodeJSON(t, string(members["transactions"]), &list)
	encode := func(value any) []byte {
		text := must.Get(json.Marshal(value))(t)
		return text
	}
	var reports []replay.Post
	for _, tx := range list {
		for _, name := range []string{"contract_interface", "contract_abi"} {
			if text := string(tx[name]); text == "" || text == "null" {
				continue
			}
			var status string
			apitest.DecodeJSON(t, string(tx["status"]), &status)
			if contract := deployedBy(t, tx["raw_tx"]); status == "success" && contract != "" {
				reports = append(reports, answered(t, contract, string(tx[name])))
			}
			tx[name] = json.RawMessage(`null`)
		}
	}
	members["transactions"] = encode(list)
	return replay.Post{Path: post.Path, Body: encode(members)}, reports
}

// answered is the report of the interface that a node answers with.
func answered(t *testing.T, contract, text string) replay.Post {
	t.Helper()
	at := time.Unix(1_700_000_000, 0).UTC()
	report := fetch.Report{
		Want: fetch.Want{Kind: fetch.ContractInterface, Contract: contract}, Attempt: 1, StartedAt: at, FinishedAt: at,
		Exchanges: []fetch.Exchange{{Method: "GET", URL: "http://node/", Status: 200, Body: fetch.Body(text), StartedAt: at}},
	}
	body := must.Get(report.Encode())(t)
	return replay.Post{Path: fetch.PathReport, Body: body}
}

// deployedBy returns the contract that a transaction deploys; empty for none.
func deployedBy(t *testing.T, text json.RawMessage) string {
	t.Helper()
	var digits string
	apitest.DecodeJSON(t, string(text), &digits)
	raw := must.Get(hex.DecodeString(strings.TrimPrefix(digits, "0x")))(t)
	tx, err := transaction.Decode(raw)
	if err != nil {
		return ""
	}
	contract, ok := tx.Deploys()
	if !ok {
		return ""
	}
	return contract.String()
}

// TestInterfacesThatNodesLeaveOut compares answers over a chain whose node leaves interfaces out, but answers requests for them,
// with those over the same chain whose node sends them.
func TestInterfacesThatNodesLeaveOut(t *testing.T) {
	t.Parallel()
	generator := synthchain.New(synthchain.Config{Seed: 3, SigningSample: 1000})
	var whole, without, reports []replay.Post
	for range 80 {
		post := generator.Next()
		left, told := stripped(t, post)
		whole, without, reports = append(whole, post), append(without, left), append(reports, told...)
	}
	if len(reports) < 3 {
		t.Fatalf("the chain has only %d contracts", len(reports))
	}
	site := func(t *testing.T, posts []replay.Post) *apitest.Site {
		t.Helper()
		log := replay.NewLog(t)
		replay.Append(t, log, posts...)
		replay.Run(t, log, apitest.NewChain(t), accounts.New())
		return apitest.NewSiteOn(t, log.Pool(), readapi.Config{})
	}
	want := map[string]string{}
	var contracts, targets []string
	t.Run("sent", func(t *testing.T) {
		s := site(t, whole)
		targets = []string{"/extended/v1/tx?limit=50", "/extended/v1/tx?limit=50&type=contract_call"}
		rows := must.Get(s.Pool.Query(t.Context(), schemas.In(`
			SELECT d.contract_id, d.interface FROM {chain}.contract d JOIN {chain}.canonical c ON c.block_seq = d.source_seq WHERE d.interface IS NOT NULL ORDER BY 1`)))(t)
		var contract, text string
		must.Get(pgx.ForEachRow(rows, []any{&contract, &text}, func() error {
			contracts = append(contracts, contract)
			targets = append(targets, "/extended/v1/contract/"+contract, "/extended/v3/smart-contracts/"+contract+"?include=abi")
			if trait := functionsOf(t, text); trait != `{"functions":[]}` {
				targets = append(targets, "/extended/v1/contract/by_trait?limit=50&trait_abi="+url.QueryEscape(trait))
			}
			return nil
		}))(t)
		for _, target := range targets {
			got := s.Get(target)
			want[target] = fmt.Sprint(got.Status, " ", got.Body)
		}
	})
	t.Run("left out", func(t *testing.T) {
		s := site(t, without)
		for _, target := range targets {
			if got := s.Get(target); fmt.Sprint(got.Status, " ", got.Body) == want[target] {
				t.Errorf("%s: got the same without interfaces: %.300s", target, got.Body)
			}
		}
	})
	t.Run("told", func(t *testing.T) {
		s := site(t, append(slices.Clone(without), reports...))
		for _, target := range targets {
			if got := s.Get(target); fmt.Sprint(got.Status, " ", got.Body) != want[target] {
				t.Errorf("%s:\n got %d %.600s\nwant %.600s", target, got.Status, got.Body, want[target])
			}
		}
		target := "/extended/v1/contract/" + contracts[0]
		var report int64
		must.Do(t, s.Pool.QueryRow(t.Context(), schemas.In(`SELECT interface_seq FROM {chain}.contract WHERE contract_id = $1 LIMIT 1`), contracts[0]).Scan(&report))
		if source := s.Get(target).Header.Get("Strata-Source"); !slices.Contains(strings.FieldsFunc(source, func(r rune) bool { return r < '0' || r > '9' }), fmt.Sprint(report)) {
			t.Errorf("%s comes from %q, want the report %d among the events", target, source, report)
		}
		if traced := s.Get(apitest.TracePath(target)).Body; !strings.Contains(traced, `"/exchanges"`) {
			t.Errorf("trace of %s: got %s, want the report", target, traced)
		}
	})
}

// TestDeploymentWithoutInterface replays what a node with disable_contract_interface posted: a deployment, and a call.
func TestDeploymentWithoutInterface(t *testing.T) {
	t.Parallel()
	lines, err := os.ReadFile(filepath.Join(replay.SharedData(t), "cases", "deployment-without-interface.jsonl"))
	if err != nil {
		t.Skip(err)
	}
	log := replay.NewLog(t)
	for line := range strings.Lines(string(lines)) {
		var post struct {
			Path string
			Body json.RawMessage
		}
		apitest.DecodeJSON(t, line, &post)
		replay.Append(t, log, replay.Post{Path: post.Path, Body: post.Body})
	}
	const contract = "ST3PGZRNTZ0NKBTX13EBS3Y4WWN2GB2419NM1PEEE.t"
	const functions = `"functions":[{"name":"transfer","access":"public","args":[{"name":"amount","type":"uint128"},{"name":"sender","type":"principal"},` +
		`{"name":"recipient","type":"principal"},{"name":"memo","type":{"optional":{"buffer":{"length":34}}}}],"outputs":{"type":{"response":{"ok":"bool","error":"uint128"}}}}]`
	replay.Append(t, log, answered(t, contract, `{`+functions+`,"variables":[],"maps":[],"fungible_tokens":[{"name":"t"}],"non_fungible_tokens":[]}`))
	replay.Run(t, log, apitest.NewChain(t), accounts.New())
	s := apitest.NewSiteOn(t, log.Pool(), readapi.Config{Network: "testnet"})
	for target, want := range map[string]string{
		"/extended/v1/contract/" + contract:                                              `"abi":"{\"functions\":[{\"name\":\"transfer\"`,
		"/extended/v1/contract/by_trait?trait_abi=" + url.QueryEscape(`{`+functions+`}`): `"contract_id":"` + contract + `"`,
		"/extended/v1/tx?type=contract_call":                                             `"function_signature":"(define-public (transfer (amount uint) (sender principal) (recipient principal) (memo (optional (buff 34)))))"`,
	} {
		s.ExpectTexts(target, 200, want)
	}
}

// functionsOf returns the functions of an interface, as a trait.
func functionsOf(t *testing.T, text string) string {
	t.Helper()
	var of struct {
		Functions json.RawMessage `json:"functions"`
	}
	apitest.DecodeJSON(t, text, &of)
	return `{"functions":` + string(of.Functions) + `}`
}
