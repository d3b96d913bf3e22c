package readapi_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"strata/domain/fetch"
	"strata/domain/token"
	"strata/readapi"
)

// traceOf is a trace as clients read it.
type traceOf struct {
	Path      string
	Operation string
	Status    int
	ReadAt    fields `json:"read_at"`
	Limit     int
	Cursor    struct{ Next, Current *string }
	Rows      []rowOf
	Events    []fields
}

type rowOf struct {
	Table   string
	Version int
	Key     fields
	Values  fields
	Sources []struct {
		Column   string
		Seq      int64
		Pointers []string
	}
}

// column is a column of the row as text, of its key or its values.
func (r rowOf) column(name string) string {
	value, ok := r.Key[name]
	if !ok {
		value = r.Values[name]
	}
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}

// in are the rows of a table, whatever its version.
func (t traceOf) in(table string) (rows []rowOf) {
	projection, name, _ := strings.Cut(table, ".")
	for _, r := range t.Rows {
		if r.Table == fmt.Sprintf("%s_v%d.%s", projection, r.Version, name) {
			rows = append(rows, r)
		}
	}
	return rows
}

func decodeJSON(t testing.TB, text string, value any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(value); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}

func tracePath(path string, others ...string) string {
	return "/audit/v1/trace?path=" + url.QueryEscape(path) + strings.Join(others, "")
}

// tracePage is a page of a trace. It checks what has to be so for each: that the answer was made as it is made otherwise,
// and that each event behind a row is told.
func (s *site) tracePage(path string, others ...string) (traced traceOf) {
	s.t.Helper()
	got := s.get(tracePath(path, others...))
	if got.status != 200 {
		s.t.Fatalf("trace of %s: got %d %s\n%s", path, got.status, got.body, s.log)
	}
	decodeJSON(s.t, got.body, &traced)
	answer := s.get(path)
	if traced.Path != path || traced.Status != answer.status {
		s.t.Errorf("trace of %s: got %s, %d; want status %d", path, traced.Path, traced.Status, answer.status)
	}
	if position := answer.header.Get("Strata-Position"); !strings.HasPrefix(position+";", fmt.Sprintf("log=%v;", traced.ReadAt["log"])) {
		s.t.Errorf("trace of %s: got %v, want %s", path, traced.ReadAt, position)
	}
	told, named := map[int64]bool{}, map[int64]bool{}
	for _, e := range traced.Events {
		seq, _ := e["seq"].(json.Number).Int64()
		told[seq] = true
		event, proof := fmt.Sprintf("/audit/v1/events/%d", seq), fmt.Sprintf("/audit/v1/log/proofs/inclusion?seq=%d", seq)
		if e["event"] != event || e["body"] != event+"/body" || e["proof"] != proof {
			s.t.Errorf("trace of %s: got the links %v of event %d", path, e, seq)
		}
		var itself fields
		decodeJSON(s.t, s.get(event).body, &itself)
		for _, member := range []string{"path", "received_at", "size", "sha256", "content_type"} {
			if e[member] != itself[member] {
				s.t.Errorf("trace of %s: event %d: got %s %v, want %v", path, seq, member, e[member], itself[member])
			}
		}
	}
	for _, r := range traced.Rows {
		if len(r.Sources) == 0 {
			s.t.Errorf("trace of %s: no source of %v", path, r)
		}
		for _, source := range r.Sources {
			named[source.Seq] = true
			if !told[source.Seq] {
				s.t.Errorf("trace of %s: event %d of %s is not told", path, source.Seq, r.Table)
			}
		}
	}
	if len(told) != len(named) {
		s.t.Errorf("trace of %s: got %d events, want %d", path, len(told), len(named))
	}
	return traced
}

// trace is a whole trace, read in pages of a few rows, which must be what a single page has.
func (s *site) trace(path string, limit int) traceOf {
	s.t.Helper()
	all := s.tracePage(path, "&limit="+strconv.Itoa(limit))
	for next := all.Cursor.Next; next != nil; {
		page := s.tracePage(path, "&limit="+strconv.Itoa(limit), "&cursor="+url.QueryEscape(*next))
		if len(page.Rows) == 0 || len(page.Rows) > limit || page.Cursor.Current == nil || *page.Cursor.Current != *next {
			s.t.Fatalf("trace of %s: got %d rows after %s", path, len(page.Rows), *next)
		}
		all.Rows, all.Events = append(all.Rows, page.Rows...), append(all.Events, page.Events...)
		next = page.Cursor.Next
	}
	if whole := s.tracePage(path, "&limit=200"); whole.Cursor.Next == nil && asJSON(s.t, whole.Rows) != asJSON(s.t, all.Rows) {
		s.t.Errorf("trace of %s: got\n%s\nin pages, and\n%s\nat once", path, asJSON(s.t, all.Rows), asJSON(s.t, whole.Rows))
	}
	seen := map[string]bool{}
	for _, r := range all.Rows {
		name := r.Table + asJSON(s.t, r.Key)
		if seen[name] {
			s.t.Errorf("trace of %s: %s comes twice", path, name)
		}
		seen[name] = true
	}
	return all
}

// pointed is what the body of an event has at a pointer.
func (s *site) pointed(seq int64, pointer string) any {
	s.t.Helper()
	got := s.get(fmt.Sprintf("/audit/v1/events/%d/body", seq))
	if got.status != 200 {
		s.t.Fatalf("body of event %d: got %d %s", seq, got.status, got.body)
	}
	var value any
	decodeJSON(s.t, got.body, &value)
	if pointer == "" {
		return value
	}
	for _, part := range strings.Split(pointer, "/")[1:] {
		switch v := value.(type) {
		case map[string]any:
			member, ok := v[part]
			if !ok {
				s.t.Fatalf("event %d has nothing at %s", seq, pointer)
			}
			value = member
		case []any:
			n, err := strconv.Atoi(part)
			if err != nil || n >= len(v) {
				s.t.Fatalf("event %d has nothing at %s", seq, pointer)
			}
			value = v[n]
		default:
			s.t.Fatalf("event %d has nothing at %s", seq, pointer)
		}
	}
	return value
}

// facts are what the events behind a column of a row have at the pointers.
func (s *site) facts(r rowOf, column string) (facts []any) {
	s.t.Helper()
	for _, source := range r.Sources {
		if source.Column == column {
			for _, pointer := range source.Pointers {
				facts = append(facts, s.pointed(source.Seq, pointer))
			}
		}
	}
	if len(facts) == 0 {
		s.t.Fatalf("%s of %s %v has no facts: %v", column, r.Table, r.Key, r.Sources)
	}
	return facts
}

// fact is the only one of them, an object.
func (s *site) fact(r rowOf, column string) fields {
	s.t.Helper()
	facts := s.facts(r, column)
	object, ok := facts[0].(fields)
	if len(facts) != 1 || !ok {
		s.t.Fatalf("%s of %s %v: got %v, want one object", column, r.Table, r.Key, facts)
	}
	return object
}

// one is the only row of a table.
func (s *site) one(t traceOf, table string) rowOf {
	s.t.Helper()
	rows := t.in(table)
	if len(rows) != 1 {
		s.t.Fatalf("trace of %s: got %d rows of %s, want 1: %v", t.Path, len(rows), table, t.Rows)
	}
	return rows[0]
}

// Every operation either has a trace or says why it has none.
func TestEveryReadIsTraced(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	inPath := regexp.MustCompile(`\{([^}]+)\}`)
	examples := map[string]string{
		"height_or_hash": "20", "seq": "1", "principal": p1, "token_id": "1", "id": "0", "ordinal": "0", "ticker": "ordi", "address": alice,
		"level": "0", "n": "000", "size": "1", "asset_identifier": p1 + "::x", "token": p1 + "::x",
		"tx_id": id(txHash, 20).String(), "block_hash": id(blockHash, 20).String(), "height": "20", "contract_id": p1,
		"hash": id(txHash, 20).String(), "burn_block_hash": id(burnHash, 20).String(), "burn_block_height": "120", "timestamp": "1700000000", "tenure_height": "20",
		"network": "mainnet", "pool_principal": p1, "cycle_number": "1", "signer_key": strings.Repeat("02", 33),
	}
	queries := map[string]string{"searchTokens": "?contract=" + p1, "getTransfersPerBlock": "?block=1", "get-log-inclusion-proof": "?seq=1", "get-log-consistency-proof": "?from=1&to=2",
		"get-transactions": "?tx_id=" + id(txHash, 20).String(), "list-events": "?tx_id=" + id(txHash, 20).String(), "get-contract-statuses": "?contract_id=" + p1,
		"list-balance-changes":    "?tx_id=" + id(txHash, 20).String(),
		"list-contracts-by-trait": "?trait_abi=" + url.QueryEscape(`{"functions":[]}`), "list-nft-holdings": "?principal=" + alice,
		"list-nft-history": "?asset_identifier=" + url.QueryEscape(art) + "&value=0x03", "list-nft-mints": "?asset_identifier=" + url.QueryEscape(art)}
	traced, untraced := 0, 0
	for path, item := range s.api.OpenAPI().Paths {
		if item.Get == nil {
			continue
		}
		target := inPath.ReplaceAllStringFunc(path, func(name string) string {
			example := examples[name[1:len(name)-1]]
			if strings.HasPrefix(path, "/v2/") {
				return "x"
			}
			if example == "" {
				t.Fatalf("%s: no example of %s", path, name)
			}
			return example
		}) + queries[item.Get.OperationID]
		switch got := s.get(tracePath(target)); {
		case got.status == 400 && strings.Contains(got.body, " has no rows to trace: "):
			untraced++
		case got.status == 200 && strings.Contains(got.body, `"operation":"`+item.Get.OperationID+`"`):
			traced++
		default:
			t.Errorf("%s, %s: got %d %s\nwant a trace, or why there is none", item.Get.OperationID, target, got.status, got.body)
		}
	}
	if traced < 20 || untraced < 5 {
		t.Errorf("got %d operations with a trace and %d without", traced, untraced)
	}
	for _, path := range []string{"/", "/docs", "/openapi.json", "/openapi.yaml", "/metrics", "/v2/info", "/v3/x", tracePath("/extended")} {
		if got := s.get(tracePath(path)); got.status != 400 || !strings.Contains(got.body, "has no rows to trace: ") {
			t.Errorf("%s: got %d %s, want why it has no trace", path, got.status, got.body)
		}
	}
}

func TestTraceRefuses(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	for _, tc := range []struct {
		target string
		status int
		want   string
	}{
		{"/audit/v1/trace", 400, "path"},
		{"/audit/v1/trace?path=", 400, "path"},
		{tracePath("extended/v2/blocks"), 400, "is not a path of this API"},
		{tracePath("http://127.0.0.1:1/extended/v2/blocks"), 400, "no other host"},
		{tracePath("https://example.com/extended/v2/blocks"), 400, "no other host"},
		{tracePath("//example.com/extended/v2/blocks"), 400, "no other host"},
		{tracePath("/extended/v2/blocks/%zz"), 400, "is not a path of this API"},
		{tracePath("/\x00"), 400, "path"},
		{tracePath("/nothing"), 404, "this API has no /nothing"},
		{tracePath("/extended/../extended/v2/blocks"), 404, "this API has no "},
		{tracePath("/metadata/v1/refresh"), 404, "this API has no "},
		{tracePath("/ordinals/v1/sats"), 404, "this API has no "},
		{tracePath("/ordinals/v1/sats/"), 400, "Invalid satoshi"},
		{tracePath("/extended/v2/blocks?limit=1000"), 400, "/extended/v2/blocks?limit=1000: "},
		{tracePath("/ordinals/v1/inscriptions?limit=1000"), 400, "limit"},
		{tracePath("/extended/v2/blocks/20", "&limit=201"), 400, "limit"},
		{tracePath("/extended/v2/blocks/20", "&cursor=1"), 400, "cursor"},
		{tracePath("/extended/v2/blocks/20", "&cursor=1:nothing"), 400, "begin again without one"},
		{tracePath("/extended/v2/blocks/20", "&cursor=1.1:block"), 400, "begin again without one"},
		{tracePath("/extended/v1/address/"+alice+"/stx", "&cursor=1.1:ledger+of+stx"), 400, "begin again without one"},
	} {
		got := s.get(tc.target)
		var body struct {
			StatusCode int
			Message    string
		}
		decodeJSON(t, got.body, &body)
		if got.status != tc.status || body.StatusCode != tc.status || !strings.Contains(body.Message, tc.want) {
			t.Errorf("%s: got %d %s, want %d and %q", tc.target, got.status, got.body, tc.status, tc.want)
		}
	}
}

// An answer that is a failure has a trace, too: without rows where there are none.
func TestTraceOfFailures(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	for _, path := range []string{"/extended/v2/blocks/9", "/extended/v1/address/" + alice + "/stx?until_block=9", "/extended/v1/address/nobody/stx", "/audit/v1/events/9999"} {
		answer := s.get(path)
		if answer.status/100 != 4 {
			t.Fatalf("%s: got %d", path, answer.status)
		}
		if answer.status == 400 { // a parameter that matches no schema is refused before
			if got := s.get(tracePath(path)); got.status != 400 {
				t.Errorf("%s: got %d %s", path, got.status, got.body)
			}
			continue
		}
		if traced := s.tracePage(path); len(traced.Rows) != 0 {
			t.Errorf("%s: got %v, want no rows", path, traced.Rows)
		}
	}

	tokens := newTokenSite(t)
	tokens.tokenTip(7)
	tokens.contract(token.FT, p1, nil)
	tokens.unread(token.FT, p1, "1", columns{"reason": 109, "failed_seq": 310})
	tokens.want(token.FT, tokenWant(token.FT, p1, 1), fetch.Wrong, 2)
	got := tokens.get(tracePath("/metadata/v1/ft/" + p1))
	var traced traceOf
	decodeJSON(t, got.body, &traced)
	if traced.Status != 422 || tokens.one(traced, "ft.token").Sources[1].Seq != 310 || len(traced.in("ft.want")) != 1 {
		t.Errorf("got %s, want status 422 and the report of the failure", got.body)
	}
}

// A trace is of the state at which it says that it was read, and is made anew when there is another one.
func TestTraceFollows(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	s.exec(`INSERT INTO log.event SELECT seq + 1, received_at, size, body_seq, sha256, source, path, content_type, origin, body FROM log.event WHERE seq = $1`, lastHeight+100)
	k := newKeeper(t, s.pool, readapi.Config{})
	path := "/extended/v1/address/" + bob + "/stx"
	before := k.tracePage(path)
	if again := k.get(tracePath(path)); again.status != 200 || len(before.in("balances.ledger")) != 1 {
		t.Fatalf("got %d, %v", again.status, before.Rows)
	}
	s.change(2, 55, bob, "stx", "stx", 7, 307, 0, 307, 0, 0)
	s.block(lastHeight + 1)
	s.tip(lastHeight + 1)
	// The API looks at the register now and then. Once the answer itself is the new one, the trace is of the same state.
	eventually(t, "the answer has the change", func() bool {
		return strings.Contains(k.get(path).header.Get("Strata-Position"), fmt.Sprintf("height=%d;", lastHeight+1))
	})
	eventually(t, "the trace has the change", func() bool {
		traced := k.tracePage(path)
		return len(traced.in("balances.ledger")) == 2 && k.one(traced, "balances.holding").column("balance") == "307" &&
			fmt.Sprint(traced.ReadAt["height"]) == strconv.Itoa(lastHeight+1)
	})
}

// What the log and the register themselves say is traced as well.
func TestTraceOfAudit(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	for _, path := range []string{"/audit/v1/events/3", "/audit/v1/events/3/body"} {
		traced := s.trace(path, 1)
		if len(traced.Rows) != 1 || traced.Rows[0].Table != "log.event" || traced.Rows[0].Version != 0 || traced.Rows[0].column("seq") != "3" {
			t.Errorf("%s: got %v", path, traced.Rows)
		}
		if sources := traced.Rows[0].Sources; len(sources) != 2 || sources[0].Seq != 3 || sources[1].Seq != 2 {
			t.Errorf("%s: got %v, want the event and the one that has its bytes", path, sources)
		}
	}
	s.exec(`INSERT INTO strata.quarantine (name, version, seq, path, pointer, reason) VALUES ('chain', 1, 7, '/new_block', '/n', 'odd'), ('balances', 1, 6, '/new_block', '', 'odd')`)
	traced := s.trace("/audit/v1/quarantine", 1)
	if len(traced.Rows) != 2 || traced.Rows[0].column("name") != "balances" || traced.Rows[1].Table != "strata.quarantine" {
		t.Fatalf("got %v", traced.Rows)
	}
	if n := s.facts(traced.Rows[1], "seq"); !slices.Equal(n, []any{json.Number("7")}) {
		t.Errorf("got %v at the pointer of what is quarantined, want 7", n)
	}
	negative := s.trace("/audit/v1/negative-balances", 2).in("balances.negative_balance")
	if len(negative) != 3 {
		t.Fatalf("got %v", negative)
	}
	for _, r := range negative {
		if want := map[string]int64{"15": 115, "20": 120, "30": 130}[r.column("height")]; r.Sources[0].Seq != want || len(r.Sources[0].Pointers) != 1 {
			t.Errorf("%v: got %v, want event %d", r.Key, r.Sources, want)
		}
	}
}
