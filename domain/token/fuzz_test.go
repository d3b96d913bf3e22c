package token_test

import (
	"encoding/hex"
	"math"
	"testing"

	"strata/domain/clarity"
	"strata/domain/fetch"
	"strata/domain/token"
	"strata/internal/synth/value"
	"strata/internal/testkit/must"
)

func FuzzNotification(f *testing.F) {
	mainnet := must.Get(hex.DecodeString(mainnetNotice))(f)
	for _, seed := range [][]byte{
		mainnet,
		notice("token-class", value.Text("sft"), "contract-id", value.Buffer(deed), "token-ids", list(unsigned(1, 2)...), "update-mode", utf8("dynamic"), "ttl", clarity.NewUint64(60)).Raw(),
		value.Tuple("type", value.Text("sft_mint"), "token-id", clarity.NewUint64(3), "amount", clarity.NewUint64(1000), "recipient", value.Principal(owner).Clarity()).Raw(),
		clarity.NewNone().Raw(),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		v, _, err := clarity.Decode(raw)
		if err != nil {
			return
		}
		if err := check(v); err != nil {
			t.Fatalf("%s: %v", v.Repr(), err)
		}
	})
}

func FuzzReadToken(f *testing.F) {
	for _, seed := range []fetch.Exchange{
		fooURI, fooName, six,
		refused(`Unchecked(NoSuchContract("ABCD.test-nft"))`),
		refused("DivisionByZero\n Stack Trace: \n"),
		answered(`{"okay":true,"result":"0x0e0000000741eda0804200ff"}`),
		{Status: 503, Body: fetch.Body("busy\x00\xff")},
		{Status: 0, Body: fooURI.Body},
	} {
		f.Add([]byte(seed.Body), seed.Status)
	}
	f.Fuzz(func(t *testing.T, body []byte, status int) {
		e := fetch.Exchange{Status: status, Body: body}
		for _, kind := range []token.Kind{token.FT, token.SFT, token.NFT} {
			calls := token.Calls(kind, one())
			exchanges := make([]fetch.Exchange, len(calls))
			for i := range exchanges {
				exchanges[i] = e
			}
			read, problem := token.ReadToken(kind, report(calls, exchanges...))
			if problem != nil {
				checkProblem(t, problem)
				if read != (token.Read{}) {
					t.Fatalf("got %s together with a problem", show(read))
				}
				continue
			}
			if status < 200 || status > 299 {
				t.Fatalf("status %d was read as %s", status, show(read))
			}
			for _, s := range []*string{read.URI, read.Name, read.Symbol} {
				if s != nil && !storable(*s) {
					t.Fatalf("got %q", *s)
				}
			}
			if d := read.Decimals; d != nil && *d < 0 {
				t.Fatalf("got %d decimals", *d)
			}
			if n := read.TotalSupply; n != nil && (n.Sign() < 0 || n.BitLen() > 128) {
				t.Fatalf("got a supply of %s", n)
			}
		}
		id, problem := token.ReadLastTokenID(report([]fetch.Call{token.LastTokenIDCall()}, e))
		if (id == nil) == (problem == nil) {
			t.Fatalf("got %s, %+v", id, problem)
		}
		if problem != nil {
			checkProblem(t, problem)
		}
		i, problem := token.ReadInterface(&fetch.Report{Exchanges: []fetch.Exchange{e}})
		if (i == nil) == (problem == nil) {
			t.Fatalf("got %+v, %+v", i, problem)
		}
		if problem != nil {
			checkProblem(t, problem)
		}
		token.Recognise(i)
	})
}

func checkProblem(t *testing.T, p *fetch.Problem) {
	t.Helper()
	if p.Severity < fetch.Waiting || p.Severity > fetch.Wrong || p.Reason == fetch.ReasonNone || p.Detail == "" || !storable(p.Detail) || len(p.Detail) > math.MaxInt16 {
		t.Fatalf("got %+v", p)
	}
}
