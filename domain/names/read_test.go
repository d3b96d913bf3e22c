package names_test

import (
	"fmt"
	"slices"
	"testing"

	"strata/domain/clarity"
	"strata/domain/fetch"
	"strata/domain/names"
	"strata/internal/testkit/must"
)

const registry = "SP000000000000000000002Q6VF78.bns"

// wanted is the want for a subject.
func wanted(t *testing.T, subject string) fetch.Want {
	t.Helper()
	s := must.Get(names.ParseSubject(subject))(t)
	return must.Get(s.Want(registry))(t)
}

func TestSubjects(t *testing.T) {
	t.Parallel()
	for _, subject := range []string{"bob.btc", "btc"} {
		w := wanted(t, subject)
		if err := w.Validate(); err != nil {
			t.Errorf("%s: %v", subject, err)
		}
		if got, ok := names.SubjectOf(w); !ok || got.String() != subject {
			t.Errorf("%s: got %v, %t", subject, got, ok)
		}
		other := w
		other.Contract = "SP2QEZ06AGJ3RKJPBV14SY1V5BBFNAW33D96YPGZF.BNS-V2"
		if got, ok := names.SubjectOf(other); ok {
			t.Errorf("%s of another contract: got %v", subject, got)
		}
		for _, calls := range [][]fetch.Call{
			nil, slices.Repeat(w.Calls, 2), {{Function: "get-owner", Arguments: w.Calls[0].Arguments}}, {{Function: w.Calls[0].Function}},
			{{Function: w.Calls[0].Function, Arguments: []string{"0x", "0x"}}}, {fetch.NewCall(w.Calls[0].Function, clarity.NewNone())},
		} {
			other := w
			other.Calls = calls
			if got, ok := names.SubjectOf(other); ok {
				t.Errorf("%s with the calls %v: got %v", subject, calls, got)
			}
		}
	}
	for _, text := range []string{"", ".btc", "a.b.c", "Bob"} {
		if s, err := names.ParseSubject(text); err == nil {
			t.Errorf("%q is the subject %v", text, s)
		}
	}
	for principal, want := range map[string]string{
		"SP2QEZ06AGJ3RKJPBV14SY1V5BBFNAW33D96YPGZF": registry, "SM3KNVZS30WM7F89SXKVVFY4SN9RMPZZ9FX929N0V.x": registry,
		"ST2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKQYAC0RQ": "ST000000000000000000002AMW42H.bns",
	} {
		p := must.Get(clarity.ParsePrincipal(principal))(t)
		if got := names.ContractOf(p); got != want {
			t.Errorf("%s: got %s, want %s", principal, got, want)
		}
	}
}

// TestReadAnswers reads what the registry answers, and what it can't have answered.
func TestReadAnswers(t *testing.T) {
	t.Parallel()
	report := func(subject string, v clarity.Value) *fetch.Report {
		body := fetch.Body(fmt.Sprintf(`{"okay":true,"result":%q}`, v.Hex()))
		return &fetch.Report{Want: wanted(t, subject), Exchanges: []fetch.Exchange{{Status: 200, Body: body}}}
	}
	tuple := func(name string, v clarity.Value) clarity.Value {
		return must.Get(clarity.NewTuple(clarity.Field{Name: name, Value: v}))(t)
	}
	failed := clarity.NewErr(clarity.NewUint64(2008))
	if started, problem := names.ReadLease(report("bob.btc", clarity.NewOk(tuple("lease-started-at", clarity.NewUint64(7))))); problem != nil || started.Int64() != 7 {
		t.Errorf("got %v, %v, want 7", started, problem)
	}
	if started, problem := names.ReadLease(report("bob.btc", failed)); problem != nil || started != nil {
		t.Errorf("an expired name: got %v, %v", started, problem)
	}
	if properties, problem := names.ReadProperties(report("btc", failed)); problem != nil || properties != nil {
		t.Errorf("an unknown namespace: got %v, %v", properties, problem)
	}
	for _, v := range []clarity.Value{
		clarity.NewUint64(1), clarity.NewNone(), clarity.NewOk(clarity.NewUint64(1)), clarity.NewOk(tuple("lease-started-at", clarity.NewNone())),
		clarity.NewSome(tuple("lease-started-at", clarity.NewUint64(7))), clarity.NewOk(tuple("properties", tuple("lifetime", clarity.NewUint64(1)))),
	} {
		if started, problem := names.ReadLease(report("bob.btc", v)); problem == nil {
			t.Errorf("the lease %s: got %v", v.Repr(), started)
		}
		if properties, problem := names.ReadProperties(report("btc", v)); problem == nil {
			t.Errorf("the properties %s: got %v", v.Repr(), properties)
		}
	}
}

func TestReadSource(t *testing.T) {
	t.Parallel()
	const deployer = "SP2QEZ06AGJ3RKJPBV14SY1V5BBFNAW33D96YPGZF"
	for source, want := range map[string]names.Source{
		`(contract-call? '` + registry + ` name-renewal 0x00)`:                   {Renews: true, Registry: true},
		`(contract-call? '` + registry + ` namespace-update-function-price)`:     {Prices: true, Registry: true},
		`(contract-call? of namespace-revoke-function-price-edition 0x00)`:       {Prices: true},
		`(contract-call? .vault renew) ;; or 'SP000000000000000000002Q6VF78.pox`: {Names: []string{deployer + ".vault", "SP000000000000000000002Q6VF78.pox"}},
		`(ok true)`: {},
	} {
		if got := names.ReadSource(deployer, []byte(source)); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: got %+v, want %+v", source, got, want)
		}
	}
}
