// Package filter decides which things of a block somebody has subscribed to. A filter is JSON: conditions with all, any and not.
package filter

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"
)

// Bounds of a filter. Each bounds the work of one look at one thing.
const (
	MaxBytes  = 64 << 10
	maxDepth  = 8
	maxNodes  = 200
	maxValues = 1000
)

// Error says what is wrong with a filter, and where.
type Error struct {
	Pointer string // JSON pointer (RFC 6901); empty for the whole
	Reason  string
}

func (e *Error) Error() string {
	if e.Pointer == "" {
		return "the filter: " + e.Reason
	}
	return e.Pointer + ": " + e.Reason
}

// Filter is a compiled filter. It is safe for concurrent use.
type Filter struct{ root node }

// Match reports whether a thing matches.
func (f *Filter) Match(t *Thing) bool { return f.root.match(t) }

// node is a part of a filter.
type node interface {
	match(t *Thing) bool
	// keys are keys of things of which each thing that matches has one at least.
	keys() []string
}

type (
	allNode  []node
	anyNode  []node
	notNode  struct{ of node }
	leafNode struct {
		kinds  map[string]bool
		fields []fieldMatcher
	}
	// fieldMatcher is the condition on a field.
	fieldMatcher struct {
		name string
		as   fieldType
		path []string // in a Clarity value
		want matcher
	}
)

func (n allNode) match(t *Thing) bool {
	for _, of := range n {
		if !of.match(t) {
			return false
		}
	}
	return true
}

func (n anyNode) match(t *Thing) bool {
	for _, of := range n {
		if of.match(t) {
			return true
		}
	}
	return false
}

func (n notNode) match(t *Thing) bool { return !n.of.match(t) }

func (n *leafNode) match(t *Thing) bool {
	if !slices.ContainsFunc(t.kinds, func(kind string) bool { return n.kinds[kind] }) {
		return false
	}
	for i := range n.fields {
		if !n.fields[i].match(t) {
			return false
		}
	}
	return true
}

func (f *fieldMatcher) match(t *Thing) bool {
	switch f.as {
	case number:
		n := t.number(f.name)
		return n != nil && f.want.number(n)
	case principal:
		return slices.ContainsFunc([]string{t.Sender(), t.Recipient(), t.Contract(), t.Sponsor()}, func(p string) bool { return p != "" && f.want.text(p) })
	case value:
		text, ok := scalarAt(t.Value(), f.path)
		return ok && f.want.scalar(text)
	case argument:
		arguments := t.Arguments()
		n := 0
		if _, err := fmt.Sscanf(f.path[0], "%d", &n); err != nil || n >= len(arguments) {
			return false
		}
		text, ok := scalarAt(arguments[n], f.path[1:])
		return ok && f.want.scalar(text)
	}
	text := t.text(f.name)
	return text != "" && f.want.text(text)
}

// matcher is what a field has to be: one of some texts, a text with a part, or a number within bounds.
type matcher struct {
	texts    map[string]bool
	part     func(s string) bool // nil for none
	min, max *big.Int
}

func (m *matcher) text(s string) bool { return m.texts[s] || m.part != nil && m.part(s) }

func (m *matcher) number(n *big.Int) bool {
	if m.texts != nil {
		return m.texts[n.String()]
	}
	return (m.min == nil || n.Cmp(m.min) >= 0) && (m.max == nil || n.Cmp(m.max) <= 0)
}

// scalar matches the text of a Clarity value.
func (m *matcher) scalar(s string) bool {
	if m.min == nil && m.max == nil {
		return m.text(s)
	}
	n, ok := new(big.Int).SetString(s, 10)
	return ok && m.number(n)
}

// fieldType says what conditions a field takes.
type fieldType int

const (
	text fieldType = iota
	number
	principal // any of those that a thing has to do with
	value     // path into a Clarity value
	argument  // path whose first part is the number of an argument
)

var (
	ofTx = map[string]fieldType{
		"txid": text, "status": text, "sender": text, "sponsor": text, "fee": number, "nonce": number, "principal": principal, "height": number,
	}
	ofEvent = map[string]fieldType{"txid": text, "tx_sender": text, "principal": principal, "height": number}
)

func with(fields map[string]fieldType, more map[string]fieldType) map[string]fieldType {
	fields = maps.Clone(fields)
	maps.Copy(fields, more)
	return fields
}

// fieldsOf has the fields of each kind.
var fieldsOf = map[string]map[string]fieldType{
	"block":         {"height": number, "burn_block_height": number, "index_block_hash": text},
	"transaction":   with(ofTx, map[string]fieldType{"contract": text}),
	"call":          with(ofTx, map[string]fieldType{"contract": text, "function": text, "arguments": argument}),
	"deployment":    with(ofTx, map[string]fieldType{"contract": text}),
	"coinbase":      ofTx,
	"tenure_change": with(ofTx, map[string]fieldType{"cause": text}),
	"print":         with(ofEvent, map[string]fieldType{"contract": text, "topic": text, "value": value, "repr": text}),
	"stx_transfer":  with(ofEvent, map[string]fieldType{"sender": text, "recipient": text, "amount": number}),
	"stx_mint":      with(ofEvent, map[string]fieldType{"recipient": text, "amount": number}),
	"stx_burn":      with(ofEvent, map[string]fieldType{"sender": text, "amount": number}),
	"stx_lock":      with(ofEvent, map[string]fieldType{"sender": text, "amount": number, "unlock_height": number, "contract": text}),
	"ft_transfer":   with(ofEvent, map[string]fieldType{"asset": text, "contract": text, "sender": text, "recipient": text, "amount": number}),
	"ft_mint":       with(ofEvent, map[string]fieldType{"asset": text, "contract": text, "recipient": text, "amount": number}),
	"ft_burn":       with(ofEvent, map[string]fieldType{"asset": text, "contract": text, "sender": text, "amount": number}),
	"nft_transfer":  with(ofEvent, map[string]fieldType{"asset": text, "contract": text, "sender": text, "recipient": text, "value": value}),
	"nft_mint":      with(ofEvent, map[string]fieldType{"asset": text, "contract": text, "recipient": text, "value": value}),
	"nft_burn":      with(ofEvent, map[string]fieldType{"asset": text, "contract": text, "sender": text, "value": value}),
}

// Kinds are the names of all kinds of things.
func Kinds() []string { return slices.Sorted(maps.Keys(fieldsOf)) }

// compiler compiles a filter.
type compiler struct{ nodes, values int }

// Compile compiles a filter. The error is an *Error.
func Compile(text []byte) (*Filter, error) {
	if len(text) > MaxBytes {
		return nil, &Error{"", fmt.Sprintf("it has %d bytes, and may have %d", len(text), MaxBytes)}
	}
	c := &compiler{}
	root, err := c.node(text, "", 0)
	if err != nil {
		return nil, err
	}
	return &Filter{root}, nil
}

func (c *compiler) node(text json.RawMessage, at string, depth int) (node, error) {
	if c.nodes++; c.nodes > maxNodes {
		return nil, &Error{at, fmt.Sprintf("it has more than %d conditions", maxNodes)}
	}
	if depth > maxDepth {
		return nil, &Error{at, fmt.Sprintf("it is nested more than %d times", maxDepth)}
	}
	members, err := object(text, at)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"all", "any", "not"} {
		of, ok := members[name]
		if !ok {
			continue
		}
		if len(members) > 1 {
			return nil, &Error{at, name + " stands alone: put further conditions into it"}
		}
		return c.combination(name, of, at+"/"+name, depth)
	}
	return c.leaf(members, at)
}

func (c *compiler) combination(name string, of json.RawMessage, at string, depth int) (node, error) {
	if name == "not" {
		inner, err := c.node(of, at, depth+1)
		return notNode{inner}, err
	}
	var list []json.RawMessage
	if err := json.Unmarshal(of, &list); err != nil || len(list) == 0 {
		return nil, &Error{at, "want a list of conditions that is not empty"}
	}
	var inner []node
	for i, one := range list {
		n, err := c.node(one, fmt.Sprintf("%s/%d", at, i), depth+1)
		if err != nil {
			return nil, err
		}
		inner = append(inner, n)
	}
	if name == "all" {
		return allNode(inner), nil
	}
	return anyNode(inner), nil
}

func (c *compiler) leaf(members map[string]json.RawMessage, at string) (node, error) {
	kinds, err := c.texts(members["kind"], at+"/kind")
	if err != nil || len(kinds) == 0 {
		return nil, &Error{at + "/kind", "want all, any or not, or a kind, or several, of " + strings.Join(Kinds(), ", ")}
	}
	n := &leafNode{kinds: kinds}
	for kind := range kinds {
		if fieldsOf[kind] == nil {
			return nil, &Error{at + "/kind", fmt.Sprintf("there is no kind %q; there are %s", kind, strings.Join(Kinds(), ", "))}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if name == "kind" {
			continue
		}
		as := text
		for _, kind := range slices.Sorted(maps.Keys(kinds)) {
			var ok bool
			if as, ok = fieldsOf[kind][name]; !ok {
				return nil, &Error{at + "/" + escape(name), fmt.Sprintf("%s has no field %q; it has %s", kind, name, strings.Join(slices.Sorted(maps.Keys(fieldsOf[kind])), ", "))}
			}
		}
		fields, err := c.field(name, as, members[name], at+"/"+escape(name))
		if err != nil {
			return nil, err
		}
		n.fields = append(n.fields, fields...)
	}
	return n, nil
}

// field compiles the condition on a field, or those on parts of a Clarity value.
func (c *compiler) field(name string, as fieldType, condition json.RawMessage, at string) (fields []fieldMatcher, err error) {
	if as != value && as != argument {
		want, err := c.matcher(condition, as, at)
		return []fieldMatcher{{name: name, as: as, want: want}}, err
	}
	paths, err := object(condition, at)
	if err != nil {
		return nil, err
	}
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		below := at + "/" + escape(path)
		f := fieldMatcher{name: name, as: as}
		if path != "" {
			f.path = strings.Split(path, ".")
		}
		if as == argument && (len(f.path) == 0 || strings.Trim(f.path[0], "0123456789") != "" || len(f.path[0]) > 3) {
			return nil, &Error{below, "want the number of an argument, from 0, perhaps with a path behind it, as in 1.amount"}
		}
		if f.want, err = c.matcher(paths[path], as, below); err != nil {
			return nil, err
		}
		fields = append(fields, f)
	}
	if len(fields) == 0 {
		return nil, &Error{at, "want an object with a path and what is to be there, as in {\"action\": \"swap\"}"}
	}
	return fields, nil
}

func (c *compiler) matcher(condition json.RawMessage, as fieldType, at string) (m matcher, err error) {
	if trimmed := bytes.TrimSpace(condition); len(trimmed) == 0 || trimmed[0] != '{' {
		if m.texts, err = c.texts(condition, at); err != nil {
			return m, err
		}
		for t := range m.texts {
			if n, ok := new(big.Int).SetString(t, 10); as == number && (!ok || n.String() != t) {
				return m, &Error{at, fmt.Sprintf("%q is no whole number", t)}
			}
		}
		return m, nil
	}
	members, err := object(condition, at)
	if err != nil {
		return m, err
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		below := at + "/" + escape(name)
		one, err := c.texts(members[name], below)
		if err != nil || len(one) != 1 {
			return m, &Error{below, "want one text or number"}
		}
		t := slices.Collect(maps.Keys(one))[0]
		switch number, isText := as == number || as == value || as == argument, as != number; {
		case isText && m.part == nil && (name == "prefix" || name == "contains"):
			of := map[string]func(s, part string) bool{"prefix": strings.HasPrefix, "contains": strings.Contains}[name]
			m.part = func(s string) bool { return of(s, t) }
		case isText && m.part == nil && name == "matches":
			expression, err := regexp.Compile(t)
			if err != nil {
				return m, &Error{below, err.Error()}
			}
			m.part = expression.MatchString
		case number && (name == "min" || name == "max"):
			n, ok := new(big.Int).SetString(t, 10)
			if !ok {
				return m, &Error{below, fmt.Sprintf("%q is no whole number", t)}
			}
			if name == "min" {
				m.min = n
			} else {
				m.max = n
			}
		default:
			return m, &Error{below, "a text takes a value, a list of them, or one of prefix, contains and matches (a regular expression of RE2); a number takes a value, a list of them, or min, max or both"}
		}
	}
	if m.part == nil == (m.min == nil && m.max == nil) {
		return m, &Error{at, "want one of prefix, contains and matches, or min, max or both"}
	}
	return m, nil
}

// texts reads a text, a whole number, a boolean, or a list of these.
func (c *compiler) texts(condition json.RawMessage, at string) (map[string]bool, error) {
	var list []json.RawMessage
	if json.Unmarshal(condition, &list) != nil {
		list = []json.RawMessage{condition}
	}
	all := map[string]bool{}
	for _, one := range list {
		if c.values++; c.values > maxValues {
			return nil, &Error{at, fmt.Sprintf("the filter has more than %d values", maxValues)}
		}
		var s string
		var n json.Number
		var b bool
		switch {
		case json.Unmarshal(one, &s) == nil && !bytes.Equal(bytes.TrimSpace(one), []byte("null")):
			all[s] = true
		case json.Unmarshal(one, &n) == nil && n != "" && !strings.ContainsAny(n.String(), ".eE"):
			all[n.String()] = true
		case json.Unmarshal(one, &b) == nil && !bytes.Equal(bytes.TrimSpace(one), []byte("null")):
			all[fmt.Sprint(b)] = true
		default:
			return nil, &Error{at, "want a text, a whole number, or a list of them that is not empty"}
		}
	}
	if len(all) == 0 {
		return nil, &Error{at, "want a text, a whole number, or a list of them that is not empty"}
	}
	return all, nil
}

// object reads an object, and refuses members that occur twice.
func object(text json.RawMessage, at string) (map[string]json.RawMessage, error) {
	members := map[string]json.RawMessage{}
	d := json.NewDecoder(bytes.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, &Error{at, "want an object"}
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, &Error{at, err.Error()}
		}
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return nil, &Error{at, err.Error()}
		}
		if _, twice := members[name.(string)]; twice {
			return nil, &Error{at + "/" + escape(name.(string)), "it stands here twice"}
		}
		members[name.(string)] = v
	}
	if _, err := d.Token(); err != nil {
		return nil, &Error{at, err.Error()}
	}
	if d.More() {
		return nil, &Error{at, "something follows the object"}
	}
	return members, nil
}

// escape returns a name as a part of a JSON pointer.
func escape(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }
