package document_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"strata/domain/document/internal/json5"
	"strata/internal/testkit/must"
)

const depthMax = 20

func TestRead(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"null", "null", "null"},
		{"booleans", "[true,false]", "[true,false]"},
		{"byte order mark", "\ufeff{}", "{}"},
		{"blanks of every kind", "\t\v\f \u00a0\u2003\u2028\u2029\r\n[\ufeff]", "[]"},
		{"comments", "// a\n[1, /* b * / */ 2] // c", "[1,2]"},
		{"comment ended by any line end", "[1, // a\r2, // b\u20283]", "[1,2,3]"},
		{"trailing commas", "{a: [1,],}", `{"a":[1]}`},
		{"single quotes", `'it"s'`, `"it\"s"`},
		{"unquoted names", `{$_aé1: 1, ünï\u0063ode: 2, null: 3}`, `{"$_aé1":1,"ünïcode":2,"null":3}`},
		{"order of members", `{"z":1,"a":2,"10":3,"9":4}`, `{"z":1,"a":2,"10":3,"9":4}`},
		{"the last of repeated names counts", `{"a":1,"b":2,"a":{"c":3}}`, `{"a":{"c":3},"b":2}`},
		{"escapes", `"\b\f\n\r\t\v\x41\u00e9\'\"\\\/\q"`, `"\b\f\n\r\t\u000bAé'\"\\/q"`},
		{"continued lines", "'a\\\nb\\\r\nc\\\rd\\\u2028e'", `"abcde"`},
		{"line separators in a text", "'\u2028\u2029'", "\"\u2028\u2029\""},
		{"control characters in a text", "'\t\x01'", `"\t\u0001"`},
		{"surrogate pair", `"\ud83d\ude00"`, `"😀"`},
		{"surrogate pair on two lines", "\"\\ud83d\\\n\\ude00\"", `"😀"`},
		{"lone surrogates", `"a\ud83db\ude00c\ud83d\ud83d\ude00\ude00"`, `"abc😀"`},
		{"zeros", "{'a\\0\\u0000\\x00\x00b': '\\0'}", `{"ab":""}`},
		{"names equal without zeros", `{"a":1,"a\u0000":2}`, `{"a":2}`},
		{"not UTF-8", "'a\xffb'", "\"a\uFFFDb\""},
		{"hexadecimal", "[0x1F, -0Xff, +0x00, 0xffffffffffffffffff]", "[31,-255,0,4722366482869645213695]"},
		{"bare points and plus signs", "[.5, 5., +1, -.5e3, 5.E+2]", "[0.5,5,1,-0.5e3,5E+2]"},
		{"numbers that are not finite", "[Infinity, -Infinity, +Infinity, NaN, -NaN, 1e999, -1.5e999, 0x1" + strings.Repeat("0", 256) + "]",
			"[null,null,null,null,null,null,null,null]"},
		{"numbers as written", "[1.50, 1e2, -0, 0.1e-999, 340282366920938463463374607431768211455]",
			"[1.50,1e2,-0,0.1e-999,340282366920938463463374607431768211455]"},
		{"a long integer", strings.Repeat("9", 400), strings.Repeat("9", 400)},
		{"as deep as it may be", strings.Repeat("[", depthMax) + strings.Repeat("]", depthMax),
			strings.Repeat("[", depthMax) + strings.Repeat("]", depthMax)},
		{"depth is not length", "[" + strings.Repeat("[],", 2*depthMax) + "]", "[" + strings.Repeat("[],", 2*depthMax-1) + "[]]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v, err := json5.Read([]byte(tc.in), depthMax)
			if err != nil {
				t.Fatalf("Read(%q): %v", tc.in, err)
			}
			if got := string(v.Append(nil)); got != tc.want {
				t.Errorf("Read(%q) = %s, want %s", tc.in, got, tc.want)
			}
		})
	}
}

func TestReadError(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"nothing", " \n", "line 2, column 1: want a value, got the end"},
		{"only a comment", "/* a */", "want a value, got the end"},
		{"no end of a comment", "[ /* a ", "column 3: the comment does not end"},
		{"no end of a text", "['a", "column 2: the text does not end"},
		{"no end after a backslash", `'\`, `want a character after "\", got the end`},
		{"end of line in a text", "'a\nb'", "a line ends within a text"},
		{"no end of an array", "[1", `want "," or "]", got the end`},
		{"two commas", "[1,,2]", "want a value, got ','"},
		{"wrong bracket", "[1}", `got '}'`},
		{"no colon", "{\n  é 1}", `line 2, column 5: want ":", got '1'`},
		{"no name", "{1: 2}", "want a name, got '1'"},
		{"escape in a name", `{\x41: 1}`, `want "u"`},
		{"escaped blank in a name", `{\u0020: 1}`, `want a name, got '\\'`},
		{"no value", "{a:}", "want a value, got '}'"},
		{"two values", "1 2", "want the end, got '2'"},
		{"unknown word", "undefined", "want a value, got 'u'"},
		{"leading zero", "01", "no digit after a leading zero"},
		{"sign alone", "-", "want a value, got '-'"},
		{"point alone", ".", "want a value"},
		{"empty exponent", "1e+", "digits of an exponent"},
		{"empty hexadecimal", "0xg", "want hexadecimal digits, got 'g'"},
		{"bad hexadecimal escape", `"\u12g4"`, "want 4 hexadecimal digits"},
		{"short hexadecimal escape", `"\x1`, "want 2 hexadecimal digits"},
		{"octal escape", `"\01"`, "before a digit"},
		{"digit escape", `"\1"`, "before a digit"},
		{"zero byte", "[\x00]", `got '\x00'`},
		{"too deep", strings.Repeat("[", depthMax+1) + strings.Repeat("]", depthMax+1), "nested too deeply"},
		{"far too deep", strings.Repeat(`{"a":[`, 100_000), "nested too deeply"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v, err := json5.Read([]byte(tc.in), depthMax)
			if err == nil {
				t.Fatalf("Read = %s, want an error", v.Append(nil))
			}
			if !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %q, want it to contain %q", err, tc.want)
			}
		})
	}
}

func TestMapText(t *testing.T) {
	v := must.Get(json5.Read([]byte(`{"a":["a",{"a":"a"}],"b":1}`), depthMax))(t)
	before := string(v.Append(nil))
	if got, want := string(v.MapText(strings.ToUpper).Append(nil)), `{"a":["A",{"a":"A"}],"b":1}`; got != want {
		t.Errorf("MapText = %s, want %s", got, want)
	}
	if after := string(v.Append(nil)); after != before {
		t.Errorf("MapText changed its receiver from %s to %s", before, after)
	}
}

// FuzzRead checks that a value is JSON for the standard library, that it reads as itself, and that all JSON is JSON5.
func FuzzRead(f *testing.F) {
	f.Add([]byte("// a\n{a: 'b', \"c\": [0x1F, .5, -Infinity, 1e2,], d: {e: null,},}"))
	f.Add([]byte(`{"a":"\ud83d\ude00\u0000","b":[true,false,123456789012345678901234567890]}`))
	f.Add([]byte("\ufeff['a\\\nb', /* c */ +1]"))
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := json5.Read(b, depthMax)
		if err != nil {
			if json.Valid(b) && !strings.Contains(err.Error(), "nested too deeply") {
				t.Fatalf("Read(%q): %v, and it is JSON", b, err)
			}
			return
		}
		once := v.Append(nil)
		if !json.Valid(once) {
			t.Fatalf("Read(%q) = %s, which is not JSON", b, once)
		}
		if strings.Contains(string(once), `\u0000`) && !strings.Contains(string(once), `\\u0000`) {
			t.Fatalf("Read(%q) = %s holds U+0000", b, once)
		}
		again, err := json5.Read(once, depthMax)
		if err != nil {
			t.Fatalf("Read(%s): %v", once, err)
		}
		if twice := again.Append(nil); string(twice) != string(once) {
			t.Fatalf("Read(%s) = %s", once, twice)
		}
	})
}

func ExampleRead() {
	v, err := json5.Read([]byte("{name: 'Foo', edition: 0x10, /* of many */}"), depthMax)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(v.Append(nil)))
	// Output: {"name":"Foo","edition":16}
}
