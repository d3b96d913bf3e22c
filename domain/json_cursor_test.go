package domain_test

import (
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"strata/domain/hash"
	"strata/domain/internal/jsoncursor"
	"strata/domain/lossy"
	"strata/internal/testkit/must"
)

// read reads a whole body with a new cursor.
func read(body string, read func(*jsoncursor.Cursor)) error {
	var c jsoncursor.Cursor
	c.Start([]byte(body), lossy.String)
	read(&c)
	return c.Finish()
}

// object reads an object and calls member with the name of each member.
func object(body string, member func(c *jsoncursor.Cursor, name string)) error {
	return read(body, func(c *jsoncursor.Cursor) {
		c.NeedValue(c.Object(func(name []byte) { member(c, string(name)) }), "an object")
	})
}

func parseUint(text []byte) (uint64, bool) {
	n, err := strconv.ParseUint(string(text), 10, 64)
	return n, err == nil
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %+v, want %+v", what, got, want)
	}
}

func TestReaders(t *testing.T) {
	t.Parallel()
	const digits = "0123456789abcdef0123456789abcdef01234567"
	body := `{"string":"a\u0062c", "name":"n", "true":true, "raw": {"x" : [1] } , "hex":"0x0aFF", "plain":"0aff", "empty":"",
		"hash20":"` + digits + `", "hash32":"0x` + digits + digits[:24] + `", "number":12, "digits":"7", "list":["a","b"], "none":[],
		"unknown":[{"deep":[]}], "\u0065scaped":1}`
	got := map[string]any{}
	must.Do(t, object(body, func(c *jsoncursor.Cursor, name string) {
		var text string
		var b bool
		switch name {
		case "string":
			got[name] = []any{c.String(&text), text}
		case "name":
			got[name] = []any{c.Name(&text), text}
		case "true":
			got[name] = []any{c.Bool(&b), b}
		case "raw":
			got[name] = string(c.Raw())
		case "hex", "plain", "empty":
			got[name] = c.Hex()
		case "hash20":
			got[name] = *jsoncursor.Optional(c.Hash20)
		case "hash32":
			got[name] = *jsoncursor.Optional(c.Hash32)
		case "number", "digits":
			n, present := c.Uint(8, parseUint)
			got[name] = []any{present, n}
		case "list", "none":
			got[name] = jsoncursor.List(c, func(s *string) { c.Name(s) })
		case "escaped":
			digits, present := c.Digits("digits")
			got[name] = []any{present, string(digits)}
		default:
			c.Skip()
		}
	}))
	hash32 := must.Get(hash.Parse32(digits + digits[:24]))(t)
	hash20 := must.Get(hash.Parse20(digits))(t)
	same(t, "members", got, map[string]any{
		"string": []any{true, "abc"}, "name": []any{true, "n"}, "true": []any{true, true}, "raw": `{"x" : [1] }`,
		"hex": []byte{10, 255}, "plain": []byte{10, 255}, "empty": []byte{}, "hash20": hash20, "hash32": hash32,
		"number": []any{true, uint64(12)}, "digits": []any{true, uint64(7)}, "list": []string{"a", "b"}, "none": []string{},
		"escaped": []any{true, "1"},
	})
}

func TestNullCountsAsMissing(t *testing.T) {
	t.Parallel()
	for name, read := range map[string]func(*jsoncursor.Cursor) (present bool){
		"Object": func(c *jsoncursor.Cursor) bool { return c.Object(func([]byte) {}) },
		"Array":  func(c *jsoncursor.Cursor) bool { return c.Array(func() {}) },
		"List":   func(c *jsoncursor.Cursor) bool { return jsoncursor.List(c, func(*int) {}) != nil },
		"String": func(c *jsoncursor.Cursor) bool { return c.String(new(string)) },
		"Name":   func(c *jsoncursor.Cursor) bool { return c.Name(new(string)) },
		"Bool":   func(c *jsoncursor.Cursor) bool { return c.Bool(new(bool)) },
		"Raw":    func(c *jsoncursor.Cursor) bool { return c.Raw() != nil },
		"Hex":    func(c *jsoncursor.Cursor) bool { return c.Hex() != nil },
		"Hash20": func(c *jsoncursor.Cursor) bool { return jsoncursor.Optional(c.Hash20) != nil },
		"Hash32": func(c *jsoncursor.Cursor) bool { return jsoncursor.Optional(c.Hash32) != nil },
		"Uint": func(c *jsoncursor.Cursor) bool {
			_, present := c.Uint(64, parseUint)
			return present
		},
	} {
		present := true
		if err := object(`{"x":null}`, func(c *jsoncursor.Cursor, _ string) { present = read(c) }); err != nil || present {
			t.Errorf("%s: got present %v, %v", name, present, err)
		}
	}
}

func TestFieldErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, body string
		read       func(c *jsoncursor.Cursor)
		want       string
	}{
		{"object", `{"x":[]}`, func(c *jsoncursor.Cursor) { c.Object(func([]byte) {}) }, `/x: want an object, got "[]"`},
		{"array", `{"x":5}`, func(c *jsoncursor.Cursor) { c.Array(func() {}) }, `/x: want an array, got "5"`},
		{"string", `{"x":5}`, func(c *jsoncursor.Cursor) { c.String(new(string)) }, `/x: want a string, got "5"`},
		{"name", `{"x":{}}`, func(c *jsoncursor.Cursor) { c.Name(new(string)) }, `/x: want a string, got "{}"`},
		{"bool", `{"x":"true"}`, func(c *jsoncursor.Cursor) { c.Bool(new(bool)) }, `/x: want true or false, got "\"true\""`},
		{"hex kind", `{"x":5}`, func(c *jsoncursor.Cursor) { c.Hex() }, `/x: want a hex string, got "5"`},
		{"hex", `{"x":"0x0"}`, func(c *jsoncursor.Cursor) { c.Hex() }, `/x: want a hex string, got "0x0": encoding/hex: odd length hex string`},
		{"number kind", `{"x":true}`, func(c *jsoncursor.Cursor) { c.Uint(8, parseUint) }, `/x: want a whole number, got "true"`},
		{"number", `{"x":"-1"}`, func(c *jsoncursor.Cursor) { c.Uint(8, parseUint) }, `/x: want a whole number of at most 8 bits, got "-1"`},
		{"range", `{"x":256}`, func(c *jsoncursor.Cursor) { c.Uint(8, parseUint) }, `/x: want a whole number of at most 8 bits, got "256"`},
		{"element", `{"x":[[],[1,2,true]]}`, func(c *jsoncursor.Cursor) {
			c.Array(func() { c.Array(func() { c.Uint(64, parseUint) }) })
		}, `/x/1/2: want a whole number, got "true"`},
		{"escaped path", `{"a/b~c":5}`, func(c *jsoncursor.Cursor) { c.String(new(string)) }, `/a~1b~0c: want a string, got "5"`},
		{"missing member", `{"x":{"y":1}}`, func(c *jsoncursor.Cursor) {
			c.Object(func([]byte) { c.Skip() })
			c.Need(false, "z", "a thing")
		}, `/x/z: want a thing, got nothing`},
		{"null", `{"x":null}`, func(c *jsoncursor.Cursor) { c.NeedValue(c.Array(func() {}), "a thing") }, `/x: want a thing, got "null"`},
		{"one of several", `{"x":1}`, func(c *jsoncursor.Cursor) {
			c.Skip()
			c.NeedOne("either", true, false, true)
		}, `/x: want either, got 2 of them`},
		{"count", `{"x":[1]}`, func(c *jsoncursor.Cursor) {
			c.Array(c.Skip)
			c.WrongCount("two elements", "another number of elements")
		}, `/x: want two elements, got another number of elements`},
		{"long value", `{"x":"` + strings.Repeat("y", 100) + `"}`, func(c *jsoncursor.Cursor) { c.Hex() },
			`/x: want a hex string, got "` + strings.Repeat("y", 80) + `"… (100 bytes): encoding/hex: invalid byte: U+0079 'y'`},
		{"first error", `{"x":[1,true,2]}`, func(c *jsoncursor.Cursor) {
			c.Array(func() { c.String(new(string)) })
			c.Fail(&jsoncursor.FieldError{Want: "no error"})
		}, `/x/0: want a string, got "1"`},
		{"end of the body", `{"x":`, (*jsoncursor.Cursor).Skip, `/x: want valid JSON, got the end of the body: unexpected EOF at byte 5`},
		{"syntax", `{"x":[1,<]}`, (*jsoncursor.Cursor).Skip, `/x/1: want valid JSON, got something else: invalid character '<' at start of value at byte 8`},
		{"more than one value", `{} {}`, (*jsoncursor.Cursor).Skip, `body: want one JSON value, got more after it`},
		{"no object", `7`, (*jsoncursor.Cursor).Skip, `body: want an object, got "7"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := object(tt.body, func(c *jsoncursor.Cursor, _ string) { tt.read(c) })
			var field *jsoncursor.FieldError
			if !errors.As(err, &field) || err.Error() != tt.want {
				t.Errorf("got %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestFieldErrorUnwraps(t *testing.T) {
	t.Parallel()
	if err := read("", (*jsoncursor.Cursor).Skip); !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		t.Errorf("got %v, want the end of the body as its cause", err)
	}
}

func TestFailedCursorDoesNothing(t *testing.T) {
	t.Parallel()
	err := object(`{"x":5,"y":6}`, func(c *jsoncursor.Cursor, name string) {
		if name == "y" {
			t.Error("the cursor goes on after an error")
		}
		var text string
		c.String(&text)
		if !c.Failed() || c.Peek() != 0 || c.Raw() != nil || c.Between(0, 1) != nil || c.Array(func() {}) {
			t.Error("the cursor reads after an error")
		}
	})
	if err == nil || err.Error() != `/x: want a string, got "5"` {
		t.Errorf("got %v", err)
	}
}

func TestErrorFarDown(t *testing.T) {
	t.Parallel()
	err := read(strings.Repeat(`{"member":`, 1000)+"<", (*jsoncursor.Cursor).Skip)
	var field *jsoncursor.FieldError
	if !errors.As(err, &field) {
		t.Fatalf("got %v", err)
	}
	if len(field.Path) > 400 || !strings.HasSuffix(field.Path, "/member") {
		t.Errorf("got the path %s", field.Path)
	}
	if len(err.Error()) > 1000 {
		t.Errorf("the message has %d bytes", len(err.Error()))
	}
}

// A cursor that has failed, or was left in the middle of a body, starts anew with the next body.
func TestCursorIsReusable(t *testing.T) {
	t.Parallel()
	var c jsoncursor.Cursor
	for _, body := range []string{`{"x":`, `["a","a",5`, `<`} {
		c.Start([]byte(body), lossy.String)
		c.Array(func() { c.Name(new(string)) })
		if err := c.Finish(); err == nil {
			t.Errorf("%s: got no error", body)
		}
		c.Start([]byte(body), lossy.String)
		c.Peek()

		c.Start([]byte(`["b"]`), lossy.String)
		list := jsoncursor.List(&c, func(s *string) { c.Name(s) })
		if err := c.Finish(); err != nil {
			t.Errorf("after %s: %v", body, err)
		}
		same(t, "after "+body, list, []string{"b"})
	}
}

func TestTextThatIsNotUTF8(t *testing.T) {
	t.Parallel()
	var c jsoncursor.Cursor
	c.Start([]byte("[\"a\xffb\",\"\\u0061\xff\\ud800\"]"), func(text []byte) string { return strings.ToValidUTF8(string(text), "?") })
	list := jsoncursor.List(&c, func(s *string) { c.String(s) })
	must.Do(t, c.Finish())
	same(t, "texts", list, []string{"a?b", "a\ufffd\ufffd"})
}

func TestNamesShareMemory(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1000)
	body := must.Get(json.Marshal([]string{"SP1", "SP1", long, long}))(t)
	var names []string
	must.Do(t, read(string(body), func(c *jsoncursor.Cursor) {
		names = jsoncursor.List(c, func(s *string) { c.Name(s) })
	}))
	same(t, "names", names, []string{"SP1", "SP1", long, long})
	if unsafe.StringData(names[0]) != unsafe.StringData(names[1]) {
		t.Error("equal names do not share their memory")
	}
	if unsafe.StringData(names[2]) == unsafe.StringData(names[3]) {
		t.Error("the table of names keeps a long text")
	}
}

func TestResultsDoNotReferToTheBody(t *testing.T) {
	t.Parallel()
	body := []byte(`["text","name",{"raw":1},"0xff"]`)
	var c jsoncursor.Cursor
	c.Start(body, lossy.String)
	var text, name string
	var raw json.RawMessage
	var hex []byte
	element := 0
	c.Array(func() {
		switch element++; element {
		case 1:
			c.String(&text)
		case 2:
			c.Name(&name)
		case 3:
			raw = c.Raw()
		case 4:
			hex = c.Hex()
		}
	})
	must.Do(t, c.Finish())
	for i := range body {
		body[i] = '-'
	}
	same(t, "results", []any{text, name, string(raw), hex}, []any{"text", "name", `{"raw":1}`, []byte{255}})
}

func TestOffsets(t *testing.T) {
	t.Parallel()
	const body = `{ "x" : [1, 2] ,"hex":"0x0aff","plain":"0aff","escaped":"\u0030aff","none":null}`
	offsets := map[string]int64{}
	var between string
	must.Do(t, object(body, func(c *jsoncursor.Cursor, name string) {
		if name == "x" {
			afterName := c.Offset()
			c.Skip()
			between = string(c.Between(afterName, c.Offset()))
			return
		}
		_, offsets[name] = c.HexAt()
	}))
	same(t, "value of x", between, "[1, 2]")
	first := int64(strings.Index(body, "0aff"))
	same(t, "first digits", offsets, map[string]int64{
		"hex": first, "plain": first + int64(len(`0aff","plain":"`)), "escaped": -1, "none": 0,
	})
}

func TestRepeatedNamesAreAllRead(t *testing.T) {
	t.Parallel()
	var values []string
	must.Do(t, object(`{"x":1,"x":2}`, func(c *jsoncursor.Cursor, _ string) { values = append(values, string(c.Raw())) }))
	same(t, "values", values, []string{"1", "2"})
}

// TestPart reads lists whose elements have to be numbers or objects of numbers, and goes on behind those that are not.
func TestPart(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`[1,"x",3]`: "1 /1 3",
		`[ {"a":1} , {"a":{"b":[{}]},"c":{"d":[1,{"e":2}]}}, 7 ]`: "1 /1/a 7",
		`[[[1],2],5]`:            "/0 5",
		`[{"a":"x","a":2},null]`: "/0/a null",
		`[{"a":"x","b":}]`:       "broken",
		`["x",1`:                 "/0 1 broken",
	} {
		var got []string
		var texts []string
		err := read(body, func(c *jsoncursor.Cursor) {
			c.Array(func() {
				text, err := c.Part(func() {
					if c.Peek() != '{' {
						if n, present := c.Uint(64, parseUint); present {
							got = append(got, strconv.FormatUint(n, 10))
						} else if !c.Failed() {
							got = append(got, "null")
						}
						return
					}
					c.Object(func([]byte) {
						if n, present := c.Uint(64, parseUint); present {
							got = append(got, strconv.FormatUint(n, 10))
						}
					})
				})
				if err != nil {
					got, texts = append(got, err.Path), append(texts, string(text))
				}
			})
		})
		if err != nil {
			got = append(got, "broken")
		}
		same(t, body, strings.Join(got, " "), want)
		for _, text := range texts {
			if !json.Valid([]byte(text)) || !strings.Contains(body, text) {
				t.Errorf("%s: the part is %q", body, text)
			}
		}
	}
}
