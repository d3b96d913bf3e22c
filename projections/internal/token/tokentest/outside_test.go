package tokentest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"strata/domain/clarity"
	"strata/domain/fetch"
	"strata/domain/token"
	"strata/internal/synth/value"
)

// outside holds the answers of nodes and servers.
type outside struct {
	node       map[string]fetch.Exchange // by contract and function, and perhaps the token's id
	interfaces map[string]fetch.Exchange // by contract
	web        map[string]fetch.Exchange // by URI
}

func newOutside() *outside {
	return &outside{map[string]fetch.Exchange{}, map[string]fetch.Exchange{}, map[string]fetch.Exchange{}}
}

func says(v clarity.Value) fetch.Exchange {
	return fetch.Exchange{Status: 200, Body: fetch.Body(fmt.Sprintf(`{"okay":true,"result":%q}`, v.Hex()))}
}

func refuses(cause string) fetch.Exchange {
	return fetch.Exchange{Status: 200, Body: fetch.Body(fmt.Sprintf(`{"okay":false,"cause":%q}`, cause))}
}

func status(code int) fetch.Exchange { return fetch.Exchange{Status: code, Body: fetch.Body("sorry")} }

func has(text string) fetch.Exchange { return fetch.Exchange{Status: 200, Body: fetch.Body(text)} }

// down is the exchange with a host that does not answer.
var down = fetch.Exchange{Failure: fetch.FailureConnection, Error: "connection refused"}

// says sets a contract's answer to a call for all ids or, if function includes an id, for that one.
func (o *outside) says(contract, function string, v clarity.Value) {
	o.node[contract+" "+function] = says(v)
}

// ft sets all answers of a fungible token's contract.
func (o *outside) ft(contract, name, symbol string, decimals, supply uint64, uri clarity.Value) {
	o.says(contract, "get-name", clarity.NewOk(value.Text(name)))
	o.says(contract, "get-symbol", clarity.NewOk(value.Text(symbol)))
	o.says(contract, "get-decimals", clarity.NewOk(clarity.NewUint64(decimals)))
	o.says(contract, "get-total-supply", clarity.NewOk(clarity.NewUint64(supply)))
	o.says(contract, "get-token-uri", clarity.NewOk(uri))
}

// report returns the report of fetching a want at a block.
func (o *outside) report(want fetch.Want, tip *fetch.Tip, at time.Time) *fetch.Report {
	r := &fetch.Report{Want: want, Attempt: 1, StartedAt: at.Add(-time.Second), FinishedAt: at}
	switch want.Kind {
	case fetch.ContractRead:
		r.Tip = tip
		for i, call := range want.Calls {
			e := o.call(want, call)
			e.Call, e.Method, e.URL = i, "POST", "http://node/v2/contracts/call-read/"+call.Function
			r.Exchanges = append(r.Exchanges, e)
		}
	case fetch.ContractInterface:
		e, ok := o.interfaces[want.Contract]
		if !ok {
			e = status(404)
		}
		e.Method, e.URL = "GET", "http://node/v2/contracts/interface/"+want.Contract
		r.Exchanges = []fetch.Exchange{e}
	default:
		e, ok := o.web[want.URI]
		if !ok {
			e = status(404)
		}
		e.Method, e.URL, e.StartedAt = "GET", want.URI, at
		r.Exchanges = []fetch.Exchange{e}
		if want.Kind == fetch.Image && e.Status == 200 {
			digest := sha256.Sum256(e.Body)
			r.Image = &fetch.ImageFacts{SHA256: hex.EncodeToString(digest[:]), ContentType: "image/png", Width: 30, Height: 20}
		}
	}
	return r
}

func (o *outside) call(want fetch.Want, call fetch.Call) fetch.Exchange {
	name := want.Contract + " " + call.Function
	if id := token.IDOf([]fetch.Call{call}); id != nil {
		if e, ok := o.node[name+" "+id.String()]; ok {
			return e
		}
	}
	if e, ok := o.node[name]; ok {
		return e
	}
	return refuses(fmt.Sprintf("RuntimeCheck(UndefinedFunction(%q))", call.Function))
}

// ask folds the report to one want of a kind, as of the newest block.
func (w *world) ask(kind token.Kind, name string) {
	w.t.Helper()
	w.record(w.answer(kind, name))
}

// answer returns the report to one want of a kind, as of the newest block.
func (w *world) answer(kind token.Kind, name string) *fetch.Report {
	w.t.Helper()
	return w.outside.report(w.openWant(kind, name).want, w.tip(), w.now)
}

// settle answers wants of a kind until all that remain have failed or are due later. It returns the names of those that
// it answered.
func (w *world) settle(kind token.Kind) (asked []string) {
	w.t.Helper()
	for range 100 {
		names, rows := w.wants(kind)
		idle := true
		for _, name := range names {
			if s := rows[name]; !s.due.After(w.now) {
				idle = false
				w.record(w.outside.report(s.want, w.tip(), w.now))
				asked = append(asked, name)
			}
		}
		if idle {
			return asked
		}
	}
	w.t.Fatalf("%s: wants do not end: %s", kind, strings.Join(asked, ", "))
	return nil
}
