package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"strata/internal/testkit/must"
)

// shape is a kind of JSON values, as testdata/v3.shapes writes it.
type shape struct {
	text    string // a base kind, the name of a definition, or texts separated by slashes
	members []shapeMember
	object  bool
	list    *shape
	null    bool
}

type shapeMember struct {
	name            string
	optional, added bool // added by Strata
	shape           *shape
}

// shapes are the definitions of v3.shapes, and the answers of operations.
type shapes struct{ definitions, operations map[string]*shape }

func readShapes(t *testing.T) shapes {
	t.Helper()
	s := shapes{map[string]*shape{}, map[string]*shape{}}
	text := regexp.MustCompile(`(?m)^#.*$|\n +`).ReplaceAllString(string(must.Get(os.ReadFile("testdata/v3.shapes"))(t)), " ")
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		into := s.definitions
		name, definition, ok := strings.Cut(line, " := ")
		if ok {
			into = s.operations
		} else if name, definition, ok = strings.Cut(line, " = "); !ok {
			t.Fatalf("v3.shapes: no definition: %s", line)
		}
		p := &shapeParser{rest: definition}
		into[name] = p.shape()
		if p.rest != "" {
			t.Fatalf("v3.shapes: %s: %q is left", name, p.rest)
		}
	}
	return s
}

// shapeParser reads a shape from the beginning of a text.
type shapeParser struct{ rest string }

var word = regexp.MustCompile(`^[A-Za-z0-9_/]+`)

func (p *shapeParser) take(prefix string) (ok bool) {
	p.rest, ok = strings.CutPrefix(p.rest, prefix)
	return ok
}

func (p *shapeParser) word() string {
	found := word.FindString(p.rest)
	p.rest = p.rest[len(found):]
	return found
}

func (p *shapeParser) shape() *shape {
	var s shape
	switch {
	case p.take("page("):
		texts := &shape{text: "str", null: true}
		cursor := &shape{object: true, members: []shapeMember{{"next", false, false, texts}, {"previous", false, false, texts}, {"current", false, false, texts}}}
		number := &shape{text: "int"}
		s = shape{object: true, members: []shapeMember{{"total", false, false, number}, {"limit", false, false, number}, {"cursor", false, false, cursor},
			{"results", false, false, &shape{list: p.shape()}}}}
		p.take(")")
	case p.take("["):
		s.list = p.shape()
		p.take("]")
	case p.take("{"):
		for s.object = true; !p.take("}") && p.rest != ""; p.take(" ") {
			m := shapeMember{added: p.take("+"), name: p.word()}
			m.optional = p.take("?")
			p.take(":")
			m.shape = p.shape()
			s.members = append(s.members, m)
		}
	default:
		s.text = p.word()
	}
	s.null = p.take("|null")
	return &s
}

// resolved returns a shape, or its definition.
func (s shapes) resolved(of *shape) *shape {
	definition := s.definitions[of.text]
	if definition == nil {
		return of
	}
	all := *definition
	all.null = of.null
	return &all
}

var textKinds = map[string]*regexp.Regexp{
	"str": regexp.MustCompile(``), "hex": regexp.MustCompile(`^0x([0-9a-f]{2})*$`), "hash": regexp.MustCompile(`^0x[0-9a-f]{64}$`),
	"amt": regexp.MustCompile(`^[0-9]+$`), "net": regexp.MustCompile(`^-?[0-9]+$`), "iso": regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`),
}

// problems returns what is wrong with a value, at a path.
func (s shapes) problems(of *shape, value any, path string) (found []string) {
	of = s.resolved(of)
	wrong := func() []string { return []string{fmt.Sprintf("%s is %.80v, want %s", path, value, of.text)} }
	if value == nil {
		if of.null || of.text == "any" {
			return nil
		}
		return []string{path + " is null"}
	}
	switch {
	case of.object:
		object, ok := value.(map[string]any)
		if !ok {
			return []string{path + " is no object"}
		}
		missing := maps.Clone(object)
		for _, m := range of.members {
			delete(missing, m.name)
			if child, ok := object[m.name]; ok {
				found = append(found, s.problems(m.shape, child, path+"/"+m.name)...)
			} else if !m.optional && !m.added {
				found = append(found, path+" lacks "+m.name)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(missing)) {
			found = append(found, path+" has "+name+", which v3.shapes does not")
		}
	case of.list != nil:
		list, ok := value.([]any)
		if !ok {
			return []string{path + " is no list"}
		}
		for i, child := range list {
			found = append(found, s.problems(of.list, child, fmt.Sprintf("%s/%d", path, i))...)
		}
	case of.text == "any":
	case of.text == "int", of.text == "num":
		n, ok := value.(json.Number)
		if _, err := n.Int64(); !ok || of.text == "int" && err != nil {
			return wrong()
		}
	case of.text == "bool":
		if _, ok := value.(bool); !ok {
			return wrong()
		}
	default:
		text, ok := value.(string)
		kind := textKinds[of.text]
		if !ok || kind != nil && !kind.MatchString(text) || kind == nil && !slices.Contains(strings.Split(of.text, "/"), text) {
			return wrong()
		}
	}
	return found
}

// checkShape compares an answer of version 3 with the one that is described.
func (w *world) checkShape(r row, got answer) {
	w.T.Helper()
	expected := w.shapes.operations[r.operation]
	if expected == nil || got.status != 200 {
		return
	}
	decoder := json.NewDecoder(strings.NewReader(string(got.body)))
	decoder.UseNumber()
	var body any
	must.Do(w.T, decoder.Decode(&body))
	for _, problem := range w.shapes.problems(expected, body, "") {
		w.T.Errorf("%s: %s: %s", r.operation, got.target, problem)
	}
}

// description is a schema of the API's description, as JSON.
type description = map[string]any

// described resolves a schema, and reports whether null is one of its values.
func (s shapes) described(all description, schema description) (resolved []description, null bool) {
	if ref, ok := schema["$ref"].(string); ok {
		return s.described(all, all[ref[strings.LastIndex(ref, "/")+1:]].(description))
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		alternatives, _ := schema[key].([]any)
		for _, one := range alternatives {
			if one := one.(description); one["type"] == "null" {
				null = true
			} else {
				inner, innerNull := s.described(all, one)
				resolved, null = append(resolved, inner...), null || innerNull
			}
		}
	}
	if resolved != nil {
		return resolved, null
	}
	if types, ok := schema["type"].([]any); ok {
		schema = maps.Clone(schema)
		schema["type"], null = types[0], slices.Contains(types, any("null"))
	}
	return []description{schema}, null
}

// differences returns what a schema describes otherwise than a shape. Of alternatives, one has to be alike.
func (s shapes) differences(all description, of *shape, schema description, path string) (found []string) {
	of = s.resolved(of)
	if of.text == "any" {
		return nil
	}
	alternatives, null := s.described(all, schema)
	if null && !of.null {
		found = append(found, path+" may be null")
	}
	for i, one := range alternatives {
		other := s.differencesOf(all, of, one, path)
		if len(other) == 0 {
			return found
		}
		if i == 0 {
			found = append(found, other...)
		}
	}
	return found
}

// jsonTypes are the types of the base kinds in a description; all others are texts.
var jsonTypes = map[string][]string{"int": {"integer"}, "num": {"integer", "number"}, "bool": {"boolean"}}

func (s shapes) differencesOf(all description, of *shape, schema description, path string) (found []string) {
	kinds := jsonTypes[of.text]
	switch {
	case of.object:
		kinds = []string{"object"}
	case of.list != nil:
		kinds = []string{"array"}
	case kinds == nil:
		kinds = []string{"string"}
	}
	if kind, _ := schema["type"].(string); !slices.Contains(kinds, kind) {
		return []string{fmt.Sprintf("%s is of type %v, want %s", path, schema["type"], kinds[0])}
	}
	if of.list != nil {
		return s.differences(all, of.list, schema["items"].(description), path+"/0")
	}
	properties, _ := schema["properties"].(description)
	required, _ := schema["required"].([]any)
	rest := maps.Clone(properties)
	for _, m := range of.members {
		delete(rest, m.name)
		switch property, ok := properties[m.name].(description); {
		case !ok:
			found = append(found, path+" lacks "+m.name)
		case !m.optional && !m.added && !slices.Contains(required, any(m.name)):
			found = append(found, path+"/"+m.name+" may be missing")
		default:
			found = append(found, s.differences(all, m.shape, property, path+"/"+m.name)...)
		}
	}
	if of.object {
		for _, name := range slices.Sorted(maps.Keys(rest)) {
			found = append(found, path+" has "+name+", which v3.shapes does not")
		}
	}
	return found
}

// checkDescription compares the description of each operation of version 3 with the answer that is described for it, also
// where this suite has no row to answer.
func (w *world) checkDescription() {
	w.T.Helper()
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string
			Responses   map[string]struct {
				Content map[string]struct{ Schema description }
			}
		}
		Components struct{ Schemas description }
	}
	must.Do(w.T, json.Unmarshal([]byte(w.Get("/openapi.json").Body), &document))
	left := maps.Clone(w.shapes.operations)
	for _, methods := range document.Paths {
		for _, o := range methods {
			expected := left[o.OperationID]
			if expected == nil {
				continue
			}
			delete(left, o.OperationID)
			for _, difference := range w.shapes.differences(document.Components.Schemas, expected, o.Responses["200"].Content["application/json"].Schema, "") {
				w.T.Errorf("the description of %s: %s", o.OperationID, difference)
			}
		}
	}
	for name := range left {
		w.T.Errorf("v3.shapes has %s, which is no operation", name)
	}
}
