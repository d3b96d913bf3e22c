package names_test

import (
	"fmt"
	"testing"

	"strata/domain/clarity"
	"strata/domain/fetch"
	"strata/domain/names"
	"strata/internal/synth/value"
	"strata/internal/testkit/must"
)

// FuzzDecode decodes any value as a print, as the arguments of a call, and as an answer of the registry.
func FuzzDecode(f *testing.F) {
	name := must.Get((names.Name{Label: "bob", Namespace: "id"}).Key())(f)
	hash := must.Get(clarity.NewBuffer(nil))(f)
	for _, v := range []clarity.Value{
		value.Tuple("attachment", value.Tuple("hash", hash, "metadata", name)), value.Tuple("status", hash, "namespace", hash, "properties", value.Tuple("lifetime", clarity.NewUint64(1))),
		clarity.NewOk(value.Tuple("lease-started-at", clarity.NewUint64(7))), clarity.NewErr(clarity.NewUint64(2008)), name,
	} {
		f.Add(v.Encode(), "name-renewal", "(contract-call? 'SP000000000000000000002Q6VF78.bns name-renewal)")
	}
	f.Fuzz(func(t *testing.T, raw []byte, function, source string) {
		names.ReadSource("SP000000000000000000002Q6VF78", []byte(source))
		v, err := clarity.DecodeAll(raw)
		if err != nil {
			return
		}
		if c, ok := names.DecodePrint(v).(*names.Change); ok && !c.Name.Valid() {
			t.Errorf("a change is about %q", c.Name)
		}
		if l, ok := names.DecodePrint(v).(*names.Launch); ok && (l.Price.Base == nil || l.Lifetime == nil) {
			t.Errorf("a launch has no properties: %+v", l)
		}
		if r, ok := names.DecodeCall(function, v.Elements()).(*names.SilentRenewal); ok && !r.Name.Valid() {
			t.Errorf("a renewal is about %q", r.Name)
		}
		for _, subject := range []names.Subject{{Name: names.Name{Namespace: "id"}}, {Name: names.Name{Label: "bob", Namespace: "id"}}} {
			want := must.Get(subject.Want("SP000000000000000000002Q6VF78.bns"))(t)
			body := fetch.Body(fmt.Sprintf(`{"okay":true,"result":%q}`, v.Hex()))
			r := &fetch.Report{Want: want, Exchanges: []fetch.Exchange{{Status: 200, Body: body}}}
			if started, problem := names.ReadLease(r); problem == nil && started != nil && started.Sign() < 0 {
				t.Errorf("a lease began at %s", started)
			}
			if p, problem := names.ReadProperties(r); problem == nil && p != nil && p.Price.Buckets[0] == nil {
				t.Errorf("properties have no buckets: %+v", p)
			}
		}
	})
}
