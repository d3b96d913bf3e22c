package tokentest

import (
	"fmt"
	"hash/fnv"
	"strings"

	"strata/domain/clarity"
	"strata/domain/fetch"
	"strata/domain/token"
	"strata/internal/synth/value"
)

// oracle decides what nodes and servers answer. The same request at the same time always gets the same answer.
type oracle struct {
	// steady says that answers do not depend on the time of the request.
	steady bool
}

// draw returns a number below n that depends only on words.
func draw(n uint64, words ...string) uint64 {
	h := fnv.New64a()
	for _, word := range words {
		_, _ = h.Write([]byte(word + "\x00"))
	}
	return h.Sum64() % n
}

// isWrong says whether a contract always answers wrongly.
func isWrong(contract string) bool { return strings.HasSuffix(contract, "-wrong") }

// outside returns the answers for a want. The era stands for the time of the request; for a node it is the block.
func (o oracle) outside(want fetch.Want, tip *fetch.Tip, era string) *outside {
	out := newOutside()
	failing := era != "end" // at the end of a history, nodes answer all that they can
	if tip != nil {
		era = tip.IndexBlockHash.String()
	}
	if o.steady {
		era = ""
	}
	switch want.Kind {
	case fetch.ContractRead:
		for _, call := range want.Calls {
			e := o.call(want, call, era)
			if failing && draw(8, want.Contract, call.Function, era, "node") == 0 {
				e = causes["time"]
			}
			out.node[want.Contract+" "+call.Function] = e
		}
	case fetch.ContractInterface:
		if d, ok := deployables[want.Contract]; ok && d.answer != nil {
			out.interfaces[want.Contract] = itself(d.answer)
		}
	case fetch.Document:
		out.web[want.URI] = o.document(want.URI, era)
	case fetch.Image:
		if !strings.HasPrefix(want.URI, "http://bad.io") {
			out.web[want.URI] = has(fmt.Sprint("pixels ", draw(100, want.URI, addressed(want.URI, era))))
		}
	}
	return out
}

// addressed returns the era in which a URI is requested; none for a URI whose content never changes.
func addressed(uri, era string) string {
	if strings.HasPrefix(uri, "ipfs:") {
		return ""
	}
	return era
}

func (o oracle) call(want fetch.Want, call fetch.Call, era string) fetch.Exchange {
	if isWrong(want.Contract) {
		return says(clarity.NewErr(value.Uint(1)))
	}
	id := "-"
	if n := token.IDOf([]fetch.Call{call}); n != nil {
		id = n.String()
	}
	about := []string{want.Contract, id, call.Function}
	switch call.Function {
	case "get-last-token-id": // never lower than in an earlier answer
		return says(okNumber(draw(4, want.Contract)))
	case "get-total-supply":
		if draw(4, about...) == 0 {
			return says(clarity.NewErr(value.Uint(1)))
		}
		return says(okNumber(draw(1000, append(about, era)...)))
	case "get-decimals":
		return says(okNumber(draw(19, append(about, era)...)))
	case "get-token-uri":
		uris := []string{
			"", "http://m.io/all", "http://m.io/{id}", "ipfs://x/{id}", "http://bad.io/x", "http://loc.io/{id}",
			`data:application/json,{"name":"D","image":"http://m.io/d.png"}`, "data:application/json,{nothing",
		}
		if uri := uris[draw(uint64(len(uris)), append(about, era)...)]; uri != "" {
			return says(clarity.NewOk(clarity.NewSome(utf8(uri))))
		}
		return says(okNone)
	}
	return says(clarity.NewOk(value.Text(fmt.Sprintf("%c%d", 'a'+draw(3, append(about, era)...), draw(4, about...)))))
}

func (o oracle) document(uri, era string) fetch.Exchange {
	if strings.HasPrefix(uri, "http://bad.io") || strings.HasSuffix(uri, "/fr") {
		return status(404)
	}
	n := draw(24, uri, addressed(uri, era))
	var parts []string
	if !strings.Contains(uri, "l.io") {
		parts = append(parts, fmt.Sprintf(`"name":"N%d"`, n))
	}
	if image := []string{"", "http://m.io/{id}.png", "ipfs://img/1", "http://bad.io/p"}[n%4]; image != "" {
		parts = append(parts, `"image":"`+image+`"`)
	}
	if strings.Contains(uri, "loc.io") || n%3 == 0 {
		parts = append(parts, `"localization":{"uri":"http://l.io/{id}/{locale}","default":"en","locales":["en","fr","de"]}`)
	}
	return has("{" + strings.Join(parts, ",") + "}")
}

// deployable is a contract that may be deployed, with its interface as in the event and as a node answers it.
type deployable struct {
	raw    []byte
	event  any
	answer []byte
}

var deployables = makeDeployables()

func makeDeployables() map[string]deployable {
	all := map[string]deployable{}
	for name, interfaces := range map[string][2][]byte{
		"coin": {sip010, nil}, "coin-late": {nil, sip010}, "coin-wrong": {sip010, nil},
		"art": {sip009, nil}, "art-late": {nil, sip009}, "art-wrong": {sip009, nil}, "art-never": {nil, nil},
		"deed": {sip013, nil}, "deed-late": {nil, sip013}, "other-late": {nil, noToken},
	} {
		d := deployable{raw: alice.Deploys(name, nil).Raw, answer: interfaces[1]}
		if interfaces[0] != nil {
			d.event = raw(interfaces[0])
		}
		all[alice.Contract(name)] = d
	}
	return all
}
