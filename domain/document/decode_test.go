package document_test

import (
	"reflect"
	"strings"
	"testing"

	"strata/domain/document"
	"strata/internal/testkit/must"

	"pgregory.net/rapid"
)

// decodeTwice runs both implementations of Decode, which must agree.
func decodeTwice(t interface{ Fatalf(string, ...any) }, b []byte) (ok bool) {
	got, ok := document.ReadStored(b)
	want, err := document.DecodeByEncoding(b)
	if ok != (err == nil) {
		t.Fatalf("%q in one pass: %t, by encoding: %v", b, ok, err)
	}
	if ok && !reflect.DeepEqual(got, want) {
		t.Fatalf("%q in one pass: %+v, by encoding: %+v", b, got, want)
	}
	return ok
}

func TestDecodeInOnePass(t *testing.T) {
	members := func(n int) string {
		var names []string
		for i := range n {
			names = append(names, `"`+strings.Repeat("a", i)+`":0`)
		}
		return strings.Join(names, ",")
	}
	value := func(v string) string { return `{"properties":{"p":` + v + `}}` }
	locales := func(n int) string {
		list := strings.Repeat(`,"`, n)
		for i := range n {
			list = strings.Replace(list, `,"`, `,'`+strings.Repeat("l", i+1)+`"`, 1)
		}
		return `{"localization":{"uri":"u","default":"d","locales":[` + strings.TrimPrefix(strings.ReplaceAll(list, "'", `"`), ",") + `]}}`
	}
	nested := func(n int) string { return value(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	for _, tc := range []struct {
		in   string
		want bool
	}{
		{`{}`, true}, {``, false}, {`{`, false}, {`{}}`, false}, {`[]`, false}, {`{,"name":"a"}`, false}, {`{"name":"a",}`, false},
		{`{"name":"a","description":"","image":"b"}`, true}, {`{"name":""}`, false}, {`{"image":""}`, false}, {`{"image":"b","name":"a"}`, false},
		{`{"attributes":[{"trait_type":"a","display_type":"","value":null}]}`, true}, {`{"attributes":[]}`, false},
		{`{"attributes":[{"trait_type":"","value":0}]}`, false}, {`{"attributes":[{"trait_type":"a","value":0},]}`, false},
		{`{"properties":{}}`, false}, {`{"properties":{"a":1,"a":1}}`, false}, {`{"properties":{"":{}}}`, true}, {`{"properties":{"a":1,}}`, false},
		{locales(0), true}, {locales(1), true}, {locales(document.LocalesMax), true}, {locales(document.LocalesMax + 1), false},
		{`{"localization":{"uri":"u","default":"d","locales":["d"]}}`, false}, {`{"localization":{"uri":"u","default":"d","locales":["a","a"]}}`, false},
		{nested(100), true}, {nested(101), false},
		{value(`{` + members(40) + `}`), true}, {value(`{` + members(40) + `,"a":0}`), false}, {value(`{` + members(16) + `,"a":0}`), false},
		{value(`[{"a":{"a":0},"b":0},{"a":0}]`), true}, {value(`{"a":{"b":0},"b":0,"b":0}`), false}, {value(`{"\n":0,"\u000a":0}`), false},
		{value(`[-0,0.0,1E+2,-1e-9,123456789012345678901234567890,1.0]`), true}, {value(`01`), false}, {value(`-`), false}, {value(`1.`), false},
		{value(`.5`), false}, {value(`1e999`), false}, {value(`+1`), false}, {value(`1e`), false}, {value(`[,]`), false}, {value(`[1,]`), false},
		{value(`{"a":0,}`), false}, {value(`nul`), false}, {value(`[1 ]`), false}, {value(`"`), false}, {value(`"\`), false},
		{value(`"\"\\\b\f\n\r\t\u0001\u001f` + "\x7f\u2028" + `</>"`), true}, {value(`"\/"`), false}, {value(`"\u0000"`), false}, {value(`"\u0009"`), false},
		{value(`"\u001F"`), false}, {value(`"\u0020"`), false}, {value(`"\ud800"`), false}, {value("\"\t\""), false}, {value("\"\xff\""), false},
	} {
		if got := decodeTwice(t, []byte(tc.in)); got != tc.want {
			t.Errorf("%.200s is in the stored form: %t", tc.in, got)
		}
	}
}

// Both implementations decode any encoded document, and agree on a document with one change.
func TestDecodeImplementationsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := anyDocument().Draw(t, "document").Encode()
		if !decodeTwice(t, b) {
			t.Fatalf("%s is not in the stored form", b)
		}
		begin := rapid.IntRange(0, len(b)-1).Draw(t, "begin")
		end := rapid.IntRange(begin, min(begin+2, len(b))).Draw(t, "end")
		replacement := rapid.SampledFrom(strings.Split(`" \ , : { } [ ] 0 1 - . e n \u0001 " " a`, " ")).Draw(t, "replacement")
		decodeTwice(t, []byte(string(b[:begin])+replacement+string(b[end:])))
	})
}

// FuzzDecode checks that both implementations of Decode agree on any bytes.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"name":"a\n\u001f","description":"","image":"b","attributes":[{"trait_type":"c","display_type":"d","value":[-1.5e2,{"e":null}]}],` +
		`"properties":{"f":true,"g":{}},"localization":{"uri":"h","default":"i","locales":["j","k"]}}`))
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		decodeTwice(t, b)
		if d, err := document.ParseLocalised(b); err == nil && !decodeTwice(t, d.Encode()) {
			t.Fatalf("the encoding of %q is not in the stored form", b)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	d := must.Get(document.Parse([]byte(englishBody)))(b)
	stored := d.Encode()
	for name, decode := range map[string]func(){
		"OnePass":    func() { document.ReadStored(stored) },
		"ByEncoding": func() { _, _ = document.DecodeByEncoding(stored) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				decode()
			}
		})
	}
}
