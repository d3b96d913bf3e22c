package token_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"strata/domain/clarity"
	"strata/domain/fetch"
	"strata/domain/token"
	"strata/internal/synth/value"
)

// show returns the properties on one line, with - for nil.
func show(r token.Read) string {
	text := func(s *string) string {
		if s == nil {
			return "-"
		}
		return fmt.Sprintf("%q", *s)
	}
	line := text(r.URI) + " " + text(r.Name) + " " + text(r.Symbol)
	if r.Decimals == nil {
		line += " -"
	} else {
		line += fmt.Sprint(" ", *r.Decimals)
	}
	if r.TotalSupply == nil {
		return line + " -"
	}
	return line + " " + r.TotalSupply.String()
}

func utf8(s string) clarity.Value { return value.Must(clarity.NewUTF8(s)) }

func decimal(s string) *big.Int {
	n, ok := new(big.Int).SetString(s, 10)
	if !ok {
		panic("not a number: " + s)
	}
	return n
}

// okay returns an exchange in which the node returns a result.
func okay(v clarity.Value) fetch.Exchange {
	return answered(fmt.Sprintf(`{"okay":true,"result":%q}`, v.Hex()))
}

// refused returns an exchange in which the node refuses a call.
func refused(cause string) fetch.Exchange {
	body, err := json.Marshal(map[string]any{"okay": false, "cause": cause})
	if err != nil {
		panic(err)
	}
	return answered(string(body))
}

func answered(body string) fetch.Exchange { return fetch.Exchange{Status: 200, Body: fetch.Body(body)} }

// report returns a report with one exchange for each call, in the order of the calls.
func report(calls []fetch.Call, exchanges ...fetch.Exchange) *fetch.Report {
	r := &fetch.Report{Want: fetch.Want{Kind: fetch.ContractRead, Contract: deed, Calls: calls}, Attempt: 1, Tip: &fetch.Tip{Height: 1}}
	for i, e := range exchanges {
		e.Call = i
		e.Method, e.URL = "POST", "http://127.0.0.1:20443/v2/contracts/call-read/"+calls[i].Function
		r.Exchanges = append(r.Exchanges, e)
	}
	return r
}

var (
	fooURI    = okay(clarity.NewOk(clarity.NewNone()))
	fooName   = okay(clarity.NewOk(value.Text("FooToken")))
	fooSymbol = okay(clarity.NewOk(value.Text("FOO")))
	six       = okay(clarity.NewOk(clarity.NewUint64(6)))
	fooSupply = okay(clarity.NewOk(clarity.NewUint64(1997500000000)))
)

func one() *big.Int { return big.NewInt(1) }

func TestCalls(t *testing.T) {
	most := decimal("340282366920938463463374607431768211455")
	for _, tc := range []struct {
		kind token.Kind
		id   *big.Int
		want string
	}{
		{token.FT, nil, "get-token-uri[] get-name[] get-symbol[] get-decimals[] get-total-supply[]"},
		{token.FT, one(), "get-token-uri[] get-name[] get-symbol[] get-decimals[] get-total-supply[]"},
		{token.NFT, one(), "get-token-uri[0x0100000000000000000000000000000001]"},
		{token.NFT, big.NewInt(0), "get-token-uri[0x0100000000000000000000000000000000]"},
		{token.SFT, most, "get-token-uri[0x01ffffffffffffffffffffffffffffffff] get-decimals[0x01ffffffffffffffffffffffffffffffff] " +
			"get-total-supply[0x01ffffffffffffffffffffffffffffffff]"},
		{token.SFT, new(big.Int).Add(most, one()), ""},
		{token.NFT, big.NewInt(-1), ""},
		{token.NFT, nil, ""},
		{"stx", one(), ""},
	} {
		calls := token.Calls(tc.kind, tc.id)
		var got []string
		for _, call := range calls {
			got = append(got, fmt.Sprint(call.Function, call.Arguments))
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%s %s: got %s, want %s", tc.kind, tc.id, got, tc.want)
		}
		want := fetch.Want{Kind: fetch.ContractRead, Contract: deed, Calls: calls}
		if err := want.Validate(); (err == nil) != (tc.want != "") {
			t.Errorf("%s %s: as a want: %v", tc.kind, tc.id, err)
		}
	}
	if got := token.LastTokenIDCall(); got.Function != "get-last-token-id" || len(got.Arguments) != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestReadFT(t *testing.T) {
	most := okay(clarity.NewOk(value.Must(clarity.NewUint(decimal("340282366920938463463374607431768211455")))))
	lost := answered(`{"okay":true,"result":"0x080100000000000000000000000000001774"}`) // (err u6004)
	for _, tc := range []struct {
		name      string
		exchanges []fetch.Exchange
		want      string
	}{
		{"S1 supply", []fetch.Exchange{fooURI, fooName, fooSymbol, six, fooSupply}, `- "FooToken" "FOO" 6 1997500000000`},
		{"T3 supply of err u6004", []fetch.Exchange{fooURI, fooName, fooSymbol, six, lost}, `- "FooToken" "FOO" 6 -`},
		{"S2 supply of err", []fetch.Exchange{fooURI, fooName, fooSymbol, six, okay(clarity.NewErr(clarity.NewUint64(1)))}, `- "FooToken" "FOO" 6 -`},
		{"supply that is refused", []fetch.Exchange{fooURI, fooName, fooSymbol, six, refused("DivisionByZero")}, `- "FooToken" "FOO" 6 -`},
		{"supply of another type", []fetch.Exchange{fooURI, fooName, fooSymbol, six, okay(value.Text("1"))}, `- "FooToken" "FOO" 6 -`},
		{"supply of none", []fetch.Exchange{fooURI, fooName, fooSymbol, six, okay(clarity.NewNone())}, `- "FooToken" "FOO" 6 -`},
		{"supply too large to read", []fetch.Exchange{fooURI, fooName, fooSymbol, six, {Status: 200, Failure: fetch.FailureTooLarge}}, `- "FooToken" "FOO" 6 -`},
		{"largest supply", []fetch.Exchange{fooURI, fooName, fooSymbol, six, most}, `- "FooToken" "FOO" 6 340282366920938463463374607431768211455`},
		{"R7 bare none", []fetch.Exchange{okay(clarity.NewNone()), fooName, fooSymbol, six, fooSupply}, `- "FooToken" "FOO" 6 1997500000000`},
		{
			"zero and empty are values",
			[]fetch.Exchange{okay(value.Text("")), okay(utf8("")), okay(value.Text("")), okay(clarity.NewUint64(0)), okay(clarity.NewUint64(0))},
			`"" "" "" 0 0`,
		},
		{
			"any nesting",
			[]fetch.Exchange{
				okay(clarity.NewSome(clarity.NewOk(clarity.NewSome(utf8("ipfs://é"))))), okay(clarity.NewSome(clarity.NewNone())),
				okay(clarity.NewOk(clarity.NewOk(value.Text("F")))), okay(clarity.NewUint64(2147483647)), okay(clarity.NewSome(clarity.NewUint64(1))),
			},
			`"ipfs://é" - "F" 2147483647 1`,
		},
		{"decimals above 2^31-1", []fetch.Exchange{fooURI, fooName, fooSymbol, okay(clarity.NewUint64(1 << 31)), fooSupply}, `- "FooToken" "FOO" - 1997500000000`},
		{"decimals above 2^63-1", []fetch.Exchange{fooURI, fooName, fooSymbol, most, fooSupply}, `- "FooToken" "FOO" - 1997500000000`},
		{
			"what Postgres can't store",
			[]fetch.Exchange{
				answered(`{"okay":true,"result":"0x0e0000000741eda0804200ff"}`), // A, half of a surrogate pair, B, NUL, no UTF-8
				answered(`{"okay":true,"result":"0x0d000000034100c3"}`),
				answered(`{"okay":true,"result":"0x0e00000003efbfbd"}`), // a genuine U+FFFD
				six, fooSupply,
			},
			`"AB" "A" "` + "\ufffd" + `" 6 1997500000000`,
		},
	} {
		got, problem := token.ReadToken(token.FT, report(token.Calls(token.FT, nil), tc.exchanges...))
		if problem != nil || show(got) != tc.want {
			t.Errorf("%s: got %s, %+v, want %s", tc.name, show(got), problem, tc.want)
		}
	}
}

func TestReadSFT(t *testing.T) {
	calls := token.Calls(token.SFT, one())
	got, problem := token.ReadToken(token.SFT, report(calls, fooURI, six, okay(clarity.NewOk(clarity.NewUint64(200200200)))))
	if problem != nil || show(got) != "- - - 6 200200200" {
		t.Errorf("S3: got %s, %+v", show(got), problem)
	}
	got, problem = token.ReadToken(token.SFT, report(calls, fooURI, six, refused("Unchecked(UndefinedFunction(\"get-total-supply\"))")))
	if problem != nil || show(got) != "- - - 6 -" {
		t.Errorf("without a supply: got %s, %+v", show(got), problem)
	}
	got, problem = token.ReadToken(token.SFT, report(calls, fooURI, okay(clarity.NewErr(clarity.NewUint64(1))), fooSupply))
	if problem != nil || show(got) != "- - - - 1997500000000" || got.Lack == nil || got.Lack.Reason != fetch.ReasonClarity {
		t.Errorf("decimals of err: got %s, %+v, %+v, want the rest", show(got), got.Lack, problem)
	}
}

func TestReadNFT(t *testing.T) {
	for _, tc := range []struct {
		name     string
		exchange fetch.Exchange
		want     string // empty for a problem
		severity fetch.Severity
		reason   fetch.Reason
	}{
		{"URI", okay(clarity.NewOk(clarity.NewSome(value.Text("http://m.io/{id}.json")))), `"http://m.io/{id}.json" - - - -`, 0, 0},
		{"URI of ok none", okay(clarity.NewOk(clarity.NewNone())), "- - - - -", 0, 0},
		{"R7 bare none", okay(clarity.NewNone()), "- - - - -", 0, 0},
		{"URI of err", okay(clarity.NewErr(clarity.NewNone())), "", fetch.Wrong, fetch.ReasonClarity},
		{"URI of some err", okay(clarity.NewSome(clarity.NewErr(value.Text("a")))), "", fetch.Wrong, fetch.ReasonClarity},
		{"R6 uint for a string", okay(clarity.NewOk(clarity.NewUint64(5))), "", fetch.Wrong, fetch.ReasonClarity},
		{"buffer for a string", okay(value.Must(clarity.NewBuffer([]byte("a")))), "", fetch.Wrong, fetch.ReasonClarity},

		{"T14 R2", refused(`Unchecked(NoSuchContract("ABCD.test-nft"))`), "", fetch.Troubled, fetch.ReasonClarity},
		{"T14 newer", refused(`RuntimeCheck(NoSuchContract("ABCD.test-nft"))`), "", fetch.Troubled, fetch.ReasonClarity},
		{"T14 bare", refused(`NoSuchContract("ABCD.test-nft")`), "", fetch.Troubled, fetch.ReasonClarity},
		{"R1", refused("Runtime(Foo(Bar))"), "", fetch.Troubled, fetch.ReasonClarity},
		{"the node's own", refused(`Internal(Expect("no database"))`), "", fetch.Troubled, fetch.ReasonClarity},
		{"R3", refused("Unchecked(Foo(Bar))"), "", fetch.Wrong, fetch.ReasonClarity},
		{"R3 newer", refused("RuntimeCheck(Foo(Bar))"), "", fetch.Wrong, fetch.ReasonClarity},
		{"undefined function", refused(`RuntimeCheck(UndefinedFunction("get-token-uri"))`), "", fetch.Wrong, fetch.ReasonClarity},
		{"NoSuchContract as an argument", refused(`Unchecked(UndefinedFunction("NoSuchContract"))`), "", fetch.Wrong, fetch.ReasonClarity},
		{"type error", refused(`Unchecked(TypeError(UIntType, BoolType))`), "", fetch.Wrong, fetch.ReasonClarity},
		{"error at run time", refused("DivisionByZero\n Stack Trace: \nSP.a:b\n"), "", fetch.Wrong, fetch.ReasonClarity},
		{"not read-only", refused("NotReadOnly"), "", fetch.Wrong, fetch.ReasonClarity},
		{"cost", refused("Unchecked(CostBalanceExceeded(ExecutionCost { runtime: 1 }, ExecutionCost { runtime: 0 }))"), "", fetch.Waiting, fetch.ReasonClarity},
		{"memory", refused("RuntimeCheck(MemoryBalanceExceeded(2, 1))"), "", fetch.Waiting, fetch.ReasonClarity},
		{"time", refused("RuntimeCheck(ExecutionTimeExpired)"), "", fetch.Waiting, fetch.ReasonClarity},

		{"R4", fetch.Exchange{Status: 500, Body: fetch.Body("oops")}, "", fetch.Waiting, fetch.ReasonUnknown},
		{"budget", fetch.Exchange{Status: 400, Body: fetch.Body("Execution budget exceeded")}, "", fetch.Troubled, fetch.ReasonClarity},
		{"unknown tip", fetch.Exchange{Status: 404, Body: fetch.Body("Chain tip not found")}, "", fetch.Waiting, fetch.ReasonUnknown},
		{"redirect", fetch.Exchange{Status: 302}, "", fetch.Waiting, fetch.ReasonUnknown},
		{"no connection", fetch.Exchange{Failure: fetch.FailureConnection}, "", fetch.Waiting, fetch.ReasonUnknown},
		{"timeout within the body", fetch.Exchange{Status: 200, Body: fetch.Body(`{"okay":`), Failure: fetch.FailureTimeout}, "", fetch.Waiting, fetch.ReasonUnknown},
		{"no response", fetch.Exchange{}, "", fetch.Waiting, fetch.ReasonUnknown},
		{"too large", fetch.Exchange{Status: 200, Failure: fetch.FailureTooLarge}, "", fetch.Wrong, fetch.ReasonMetadataTooLarge},
		{"too large a failure", fetch.Exchange{Status: 502, Failure: fetch.FailureTooLarge}, "", fetch.Waiting, fetch.ReasonUnknown},

		{"R5 not JSON", answered("<html>"), "", fetch.Waiting, fetch.ReasonUnknown},
		{"R5 empty", answered(""), "", fetch.Waiting, fetch.ReasonUnknown},
		{"R5 other JSON", answered(`{"error":"busy"}`), "", fetch.Waiting, fetch.ReasonUnknown},
		{"R5 array", answered(`[]`), "", fetch.Waiting, fetch.ReasonUnknown},
		{"R5 no result", answered(`{"okay":true}`), "", fetch.Waiting, fetch.ReasonUnknown},
		{"R5 no cause", answered(`{"okay":false}`), "", fetch.Waiting, fetch.ReasonUnknown},
		{"R5 no hex", answered(`{"okay":true,"result":"0xzz"}`), "", fetch.Waiting, fetch.ReasonUnknown},
		{"R5 no value", answered(`{"okay":true,"result":"0x0a"}`), "", fetch.Waiting, fetch.ReasonUnknown},
		{"R5 more than a value", answered(`{"okay":true,"result":"0x0909"}`), "", fetch.Waiting, fetch.ReasonUnknown},
	} {
		got, problem := token.ReadToken(token.NFT, report(token.Calls(token.NFT, one()), tc.exchange))
		if tc.want != "" {
			if problem != nil || show(got) != tc.want {
				t.Errorf("%s: got %s, %+v, want %s", tc.name, show(got), problem, tc.want)
			}
			continue
		}
		if problem == nil || problem.Severity != tc.severity || problem.Reason != tc.reason || got != (token.Read{}) {
			t.Errorf("%s: got %s, %+v, want severity %d and reason %d", tc.name, show(got), problem, tc.severity, tc.reason)
			continue
		}
		if !strings.HasPrefix(problem.Detail, "POST http://127.0.0.1:20443/v2/contracts/call-read/get-token-uri: ") {
			t.Errorf("%s: got detail %q", tc.name, problem.Detail)
		}
	}
}

// One property that the contract fails to state does not lose the others.
func TestReadTokenInPart(t *testing.T) {
	trap, none := refused("DivisionByZero"), refused(`RuntimeCheck(UndefinedFunction("get-symbol"))`)
	for _, tc := range []struct {
		name      string
		exchanges []fetch.Exchange
		want      string
		missing   string
	}{
		{"a trap", []fetch.Exchange{fooURI, fooName, trap, six, fooSupply}, `- "FooToken" - 6 1997500000000`, "symbol"},
		{"no such function", []fetch.Exchange{fooURI, fooName, none, six, fooSupply}, `- "FooToken" - 6 1997500000000`, "symbol"},
		{"only decimals", []fetch.Exchange{trap, trap, none, six, trap}, `- - - 6 -`, "token_uri name symbol total_supply"},
	} {
		r := report(token.Calls(token.FT, nil), tc.exchanges...)
		got, problem := token.ReadToken(token.FT, r)
		if problem != nil || show(got) != tc.want || got.Lack == nil || got.Lack.Severity != fetch.Wrong {
			t.Errorf("%s: got %s, %+v, %+v, want %s", tc.name, show(got), got.Lack, problem, tc.want)
		}
		var missing []string
		for _, m := range token.MissingOf(token.FT, r) {
			missing = append(missing, m.Field)
		}
		if strings.Join(missing, " ") != tc.missing {
			t.Errorf("%s: got %v missing, want %s", tc.name, missing, tc.missing)
		}
	}
}

// A property that a node fails to ask, for whatever reason, does not lose the others: for each kind and each property, the read
// has all that was answered, and says that another attempt may bring the rest.
func TestReadTokenBesideEachCause(t *testing.T) {
	answers := map[string]fetch.Exchange{
		"get-token-uri": okay(value.Text("http://m.io/1.json")), "get-name": fooName, "get-symbol": fooSymbol, "get-decimals": six, "get-total-supply": fooSupply,
	}
	shown := map[string]string{
		"get-token-uri": `"http://m.io/1.json"`, "get-name": `"FooToken"`, "get-symbol": `"FOO"`, "get-decimals": "6", "get-total-supply": "1997500000000",
	}
	causes := map[string]struct {
		exchange fetch.Exchange
		severity fetch.Severity
	}{
		"no contract":     {refused(`RuntimeCheck(NoSuchContract("a.b"))`), fetch.Troubled},
		"the node":        {refused(`Internal(Expect("no database"))`), fetch.Troubled},
		"cost overflow":   {refused("RuntimeCheck(CostOverflow)"), fetch.Waiting},
		"cost balance":    {refused("Unchecked(CostBalanceExceeded(ExecutionCost { runtime: 1 }, ExecutionCost { runtime: 0 }))"), fetch.Waiting},
		"cost of nothing": {refused(`Unchecked(CostComputationFailed("x"))`), fetch.Waiting},
		"memory":          {refused("RuntimeCheck(MemoryBalanceExceeded(2, 1))"), fetch.Waiting},
		"time":            {refused("ExecutionTimeExpired"), fetch.Waiting},
		"no function":     {refused(`RuntimeCheck(UndefinedFunction("x"))`), fetch.Wrong},
		"a trap":          {refused("DivisionByZero"), fetch.Wrong},
		"writes":          {refused("NotReadOnly"), fetch.Wrong},
		"err":             {okay(clarity.NewErr(clarity.NewUint64(1))), fetch.Wrong},
		"over budget":     {fetch.Exchange{Status: 400, Body: fetch.Body("Execution budget exceeded")}, fetch.Troubled},
		"unknown block":   {fetch.Exchange{Status: 404}, fetch.Waiting},
		"busy":            {fetch.Exchange{Status: 503}, fetch.Waiting},
		"no connection":   {fetch.Exchange{Failure: fetch.FailureConnection}, fetch.Waiting},
		"not JSON":        {answered("<html>"), fetch.Waiting},
	}
	for _, kind := range []token.Kind{token.FT, token.SFT, token.NFT} {
		calls := token.Calls(kind, one())
		for failing := range calls {
			for name, cause := range causes {
				what := fmt.Sprintf("%s, %s: %s", kind, calls[failing].Function, name)
				exchanges := make([]fetch.Exchange, len(calls))
				var want []string
				for _, function := range []string{"get-token-uri", "get-name", "get-symbol", "get-decimals", "get-total-supply"} {
					i := slices.IndexFunc(calls, func(c fetch.Call) bool { return c.Function == function })
					switch {
					case i < 0:
						want = append(want, "-")
					case i == failing:
						exchanges[i], want = cause.exchange, append(want, "-")
					default:
						exchanges[i], want = answers[function], append(want, shown[function])
					}
				}
				got, problem := token.ReadToken(kind, report(calls, exchanges...))
				if len(calls) == 1 {
					if problem == nil || problem.Severity != cause.severity || got != (token.Read{}) {
						t.Errorf("%s: got %s, %+v, want severity %d", what, show(got), problem, cause.severity)
					}
					continue
				}
				if problem != nil || show(got) != strings.Join(want, " ") {
					t.Errorf("%s: got %s, %+v, want %v", what, show(got), problem, want)
				}
				// A supply that the contract does not state, or that costs too much, is not tried again.
				settled := calls[failing].Function == "get-total-supply" && (cause.severity == fetch.Wrong || cause.exchange.Status == fetch.StatusOverBudget)
				if settled != (got.Lack == nil) || !settled && got.Lack.Severity != cause.severity || got.LacksForNow() != (!settled && cause.severity != fetch.Wrong) {
					t.Errorf("%s: got %+v as what it lacks, want severity %d", what, got.Lack, cause.severity)
				}
			}
		}
	}
}

// Of several problems, the one that may be over soonest counts.
func TestReadTokenWithProblems(t *testing.T) {
	wrong, troubled, waiting := refused("DivisionByZero"), refused(`Unchecked(NoSuchContract("a.b"))`), fetch.Exchange{Status: 503}
	for _, tc := range []struct {
		name      string
		exchanges []fetch.Exchange
		shown     string // empty if nothing is read
		want      fetch.Severity
	}{
		{"wrong, then waiting", []fetch.Exchange{wrong, fooName, troubled, six, waiting}, `- "FooToken" - 6 -`, fetch.Waiting},
		{"waiting, then wrong", []fetch.Exchange{waiting, fooName, wrong, six, fooSupply}, `- "FooToken" - 6 1997500000000`, fetch.Waiting},
		{"troubled and wrong", []fetch.Exchange{wrong, fooName, troubled, wrong, fooSupply}, `- "FooToken" - - 1997500000000`, fetch.Troubled},
		{"nothing but a supply", []fetch.Exchange{wrong, wrong, wrong, wrong, fooSupply}, "- - - - 1997500000000", fetch.Wrong},
		{"not all asked", []fetch.Exchange{fooURI, fooName, fooSymbol, six}, `- "FooToken" "FOO" 6 -`, fetch.Waiting},
		{"nothing, as the node is down", []fetch.Exchange{waiting, wrong, troubled, wrong, wrong}, "", fetch.Waiting},
		{"nothing asked", nil, "", fetch.Waiting},
	} {
		got, problem := token.ReadToken(token.FT, report(token.Calls(token.FT, nil), tc.exchanges...))
		if tc.shown == "" {
			if problem == nil || problem.Severity != tc.want || got != (token.Read{}) {
				t.Errorf("%s: got %s, %+v, want severity %d", tc.name, show(got), problem, tc.want)
			}
			continue
		}
		if problem != nil || show(got) != tc.shown || got.Lack == nil || got.Lack.Severity != tc.want {
			t.Errorf("%s: got %s, %+v, %+v, want %s and severity %d", tc.name, show(got), got.Lack, problem, tc.shown, tc.want)
		}
	}
	if _, problem := token.ReadToken("stx", report(token.Calls(token.FT, nil), fooURI)); problem == nil || problem.Severity != fetch.Wrong {
		t.Errorf("unknown kind: got %+v", problem)
	}
	if _, problem := token.ReadToken(token.NFT, &fetch.Report{}); problem == nil || problem.Severity != fetch.Waiting {
		t.Errorf("report without calls: got %+v", problem)
	}
}

// A report of the supply alone does not lack what it did not ask for.
func TestMissingSupply(t *testing.T) {
	r := report(token.SupplyCalls(token.SFT, one()), refused("RuntimeCheck(ExecutionTimeExpired)"))
	if missing := token.MissingOf(token.SFT, r); len(missing) != 1 || missing[0].Field != "total_supply" || missing[0].Problem.Severity != fetch.Waiting {
		t.Errorf("got %+v", missing)
	}
}

// The last exchange for a call counts, and says when to retry.
func TestReadRetries(t *testing.T) {
	r := report(token.Calls(token.NFT, one()), fetch.Exchange{Status: 429, Header: map[string]string{"retry-after": "120"}})
	_, problem := token.ReadToken(token.NFT, r)
	if problem == nil || problem.Severity != fetch.Waiting || problem.RetryAfter != 2*time.Minute {
		t.Errorf("got %+v, want to wait 2 minutes", problem)
	}
	r.Exchanges = append(r.Exchanges, okay(value.Text("a")))
	if got, problem := token.ReadToken(token.NFT, r); problem != nil || show(got) != `"a" - - - -` {
		t.Errorf("got %s, %+v", show(got), problem)
	}
}

// The detail of a problem has a bounded length, and Postgres can hold it.
func TestReadDetail(t *testing.T) {
	for name, e := range map[string]fetch.Exchange{
		"cause":  refused("Foo\x00" + strings.Repeat("é", 1000)),
		"body":   {Status: 500, Body: fetch.Body("\x00\xff" + strings.Repeat("é", 1000))},
		"result": okay(utf8(strings.Repeat("é", 1000))),
	} {
		calls, read := token.Calls(token.NFT, one()), func(r *fetch.Report) *fetch.Problem {
			_, problem := token.ReadToken(token.NFT, r)
			return problem
		}
		if name == "result" {
			calls, read = []fetch.Call{token.LastTokenIDCall()}, func(r *fetch.Report) *fetch.Problem {
				_, problem := token.ReadLastTokenID(r)
				return problem
			}
		}
		problem := read(report(calls, e))
		if problem == nil || len(problem.Detail) > 500 || !storable(problem.Detail) || !strings.HasSuffix(problem.Detail, "…") {
			t.Errorf("%s: got %+v", name, problem)
		}
	}
}

func TestReadLastTokenID(t *testing.T) {
	for _, tc := range []struct {
		name     string
		exchange fetch.Exchange
		want     string // empty for a problem
		severity fetch.Severity
	}{
		{"number", okay(clarity.NewOk(clarity.NewUint64(3))), "3", 0},
		{"zero", okay(clarity.NewOk(clarity.NewUint64(0))), "0", 0},
		{"largest", answered(`{"okay":true,"result":"0x0701ffffffffffffffffffffffffffffffff"}`), "340282366920938463463374607431768211455", 0},
		{"none", okay(clarity.NewOk(clarity.NewNone())), "", fetch.Wrong},
		{"err", okay(clarity.NewErr(clarity.NewUint64(3))), "", fetch.Wrong},
		{"int", okay(clarity.NewInt64(3)), "", fetch.Wrong},
		{"no contract", refused(`Unchecked(NoSuchContract("a.b"))`), "", fetch.Troubled},
		{"no node", fetch.Exchange{Failure: fetch.FailureConnection}, "", fetch.Waiting},
	} {
		got, problem := token.ReadLastTokenID(report([]fetch.Call{token.LastTokenIDCall()}, tc.exchange))
		switch {
		case tc.want != "" && (problem != nil || got == nil || got.String() != tc.want):
			t.Errorf("%s: got %s, %+v, want %s", tc.name, got, problem, tc.want)
		case tc.want == "" && (got != nil || problem == nil || problem.Severity != tc.severity):
			t.Errorf("%s: got %s, %+v, want severity %d", tc.name, got, problem, tc.severity)
		}
	}
}

func TestReadInterface(t *testing.T) {
	read := func(exchanges ...fetch.Exchange) (string, *fetch.Problem) {
		i, problem := token.ReadInterface(&fetch.Report{
			Want: fetch.Want{Kind: fetch.ContractInterface, Contract: deed}, Attempt: 1, Exchanges: exchanges,
		})
		if i == nil || len(i.FungibleTokens) == 0 {
			return "", problem
		}
		return i.FungibleTokens[0].Name, problem
	}
	if name, problem := read(answered(`{"functions":[],"fungible_tokens":[{"name":"MEME"}]}`)); name != "MEME" || problem != nil {
		t.Errorf("R8: got %q, %+v", name, problem)
	}
	if name, problem := read(fetch.Exchange{Status: 503}, answered(`{"functions":[],"fungible_tokens":[{"name":"MEME"}]}`)); name != "MEME" || problem != nil {
		t.Errorf("second answer: got %q, %+v", name, problem)
	}
	for _, tc := range []struct {
		name      string
		exchanges []fetch.Exchange
		want      fetch.Severity
	}{
		{"no contract", []fetch.Exchange{{Status: 404, Body: fetch.Body("No contract interface data found")}}, fetch.Troubled},
		{"node's error", []fetch.Exchange{{Status: 500}}, fetch.Waiting},
		{"bad request", []fetch.Exchange{{Status: 400}}, fetch.Troubled},
		{"no connection", []fetch.Exchange{{Failure: fetch.FailureConnection}}, fetch.Waiting},
		{"too large", []fetch.Exchange{{Failure: fetch.FailureTooLarge}}, fetch.Wrong},
		{"not JSON", []fetch.Exchange{answered("<html>")}, fetch.Waiting},
		{"null", []fetch.Exchange{answered("null")}, fetch.Waiting},
		{"other JSON", []fetch.Exchange{answered(`{"error":"busy"}`)}, fetch.Waiting},
		{"nothing asked", nil, fetch.Waiting},
	} {
		if name, problem := read(tc.exchanges...); problem == nil || problem.Severity != tc.want {
			t.Errorf("%s: got %q, %+v, want severity %d", tc.name, name, problem, tc.want)
		}
	}
}

// A supply call that exceeds the node's budget counts as failed. The other properties of the token are read.
func TestSupplyOverBudget(t *testing.T) {
	calls := token.Calls(token.SFT, big.NewInt(7))
	r := &fetch.Report{Want: fetch.Want{Kind: fetch.ContractRead, Contract: "SP000000000000000000002Q6VF78.t", Calls: calls}}
	for i, call := range calls {
		e := fetch.Exchange{Call: i, Method: "POST", Status: 200, Body: fetch.Body(`{"okay":true,"result":"0x09"}`)}
		switch call.Function {
		case "get-decimals":
			e.Body = fetch.Body(`{"okay":true,"result":"0x070100000000000000000000000000000006"}`)
		case "get-total-supply":
			e.Status, e.Body = 400, fetch.Body("Execution budget exceeded")
		}
		r.Exchanges = append(r.Exchanges, e)
	}
	read, problem := token.ReadToken(token.SFT, r)
	if problem != nil || read.Decimals == nil || *read.Decimals != 6 || read.TotalSupply != nil {
		t.Errorf("got %+v, %+v", read, problem)
	}
}

func TestSupplyCalls(t *testing.T) {
	id, _ := new(big.Int).SetString("340282366920938463463374607431768211455", 10)
	calls := token.SupplyCalls(token.SFT, id)
	if len(calls) != 1 || calls[0].Function != "get-total-supply" || token.IDOf(calls).Cmp(id) != 0 {
		t.Errorf("got %v about %v", calls, token.IDOf(calls))
	}
	if calls := token.SupplyCalls(token.NFT, id); calls != nil {
		t.Errorf("an NFT has no supply, got %v", calls)
	}
	if id := token.IDOf(token.Calls(token.FT, nil)); id != nil {
		t.Errorf("calls of an FT name no id, got %v", id)
	}
	for body, want := range map[string]string{
		`{"okay":true,"result":"0x070100000000000000000000000000001774"}`: "6004",
		`{"okay":true,"result":"0x080100000000000000000000000000001774"}`: "",
		`{"okay":true,"result":"0x09"}`:                                   "",
	} {
		got, problem := token.ReadSupply(&fetch.Report{
			Want:      fetch.Want{Kind: fetch.ContractRead, Contract: "SP000000000000000000002Q6VF78.t", Calls: calls[:0:0]},
			Exchanges: []fetch.Exchange{{Status: 200, Body: fetch.Body(body)}},
		})
		if got != nil || problem == nil {
			t.Errorf("not asked: got %v", got)
		}
		got, problem = token.ReadSupply(&fetch.Report{
			Want:      fetch.Want{Kind: fetch.ContractRead, Contract: "SP000000000000000000002Q6VF78.t", Calls: token.SupplyCalls(token.FT, nil)},
			Exchanges: []fetch.Exchange{{Status: 200, Body: fetch.Body(body)}},
		})
		if want == "" && (problem == nil || got != nil) || want != "" && (problem != nil || got.String() != want) {
			t.Errorf("%s: got %v, %+v, want %q", body, got, problem, want)
		}
	}
}
