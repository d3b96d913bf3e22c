package engine

import (
	"encoding/binary"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"strata/readapi/internal/schema"
)

// parameterChecks are the checks of one operation's parameters: first those of the path, then those of the query, each
// in the order of declaration. They are derived from the documented schemas, so the documentation can't differ from the
// checks. Failures are worded as in the reference implementations (JSON-schema validation by ajv). Only the first
// parameter that fails is reported; a union reports the failures of all its alternatives.
type parameterChecks []parameterCheck

type parameterCheck struct {
	name     string
	label    string // querystring/limit
	inPath   bool
	required bool
	// byDefault is the value that stands for a missing parameter.
	byDefault string
	failures  func(values []string) []string
}

func newParameterChecks(parameters []*huma.Param) parameterChecks {
	var path, query parameterChecks
	for _, p := range parameters {
		switch p.In {
		case "path":
			path = append(path, parameterCheck{
				name: p.Name, label: "params/" + p.Name, inPath: true, required: true, failures: schema.Check(p.Schema),
			})
		case "query":
			if p.Name == minPosition { // route has checked it, and it does not belong to the canonical form
				continue
			}
			query = append(query, parameterCheck{
				name: p.Name, label: "querystring/" + p.Name, required: p.Required, byDefault: defaultOf(p.Schema), failures: schema.Check(p.Schema),
			})
		}
	}
	return append(path, query...)
}

// check validates the parameters of a request. It returns the operation's parameters in canonical form: equal for all
// requests with the same meaning.
func (checks parameterChecks) check(ctx huma.Context) (canonical []byte, err error) {
	if len(checks) == 0 {
		return nil, nil
	}
	r, _ := humago.Unwrap(ctx)
	var query url.Values
	if r.URL.RawQuery != "" {
		query = r.URL.Query()
	}
	for i := range checks {
		c := &checks[i]
		var values []string
		if c.inPath {
			values = []string{r.PathValue(c.name)}
		} else if values = query[c.name]; len(values) == 0 {
			if c.required {
				return nil, Invalid("querystring must have required property '%s'", c.name)
			}
			canonical = appendValues(canonical, c.byDefault)
			continue
		}
		if failures := c.failures(values); failures != nil {
			for i, f := range failures {
				if !strings.HasPrefix(f, "/") { // a failure of a list item begins with the item's path
					f = " " + f
				}
				failures[i] = c.label + f
			}
			return nil, Invalid("%s", strings.Join(failures, ", "))
		}
		canonical = appendValues(canonical, values...)
	}
	return canonical, nil
}

// appendValues appends the values of one parameter. The encoding is unambiguous: no other values have the same one.
func appendValues(b []byte, values ...string) []byte {
	b = binary.AppendUvarint(b, uint64(len(values)))
	for _, value := range values {
		b = binary.AppendUvarint(b, uint64(len(value)))
		b = append(b, value...)
	}
	return b
}

// defaultOf returns the default of a parameter as a request would write it; empty when there is none.
func defaultOf(s *huma.Schema) string {
	if s.Default == nil {
		return ""
	}
	return fmt.Sprint(s.Default)
}

// IgnoredHeader names, in an answer, the parameters of the request that its operation does not know.
const IgnoredHeader = "Strata-Ignored-Parameters"

// Bounds of the header's value: names, and bytes of a name.
const (
	ignoredMost     = 10
	ignoredNameMost = 64
)

// queryParameters returns the names of the parameters that an operation reads from the query.
func queryParameters(parameters []*huma.Param) map[string]bool {
	known := map[string]bool{}
	for _, p := range parameters {
		if p.In == "query" {
			known[p.Name] = true
		}
	}
	return known
}

// unknownParameters returns the header that names the parameters of a query that are not known; nil if all are. If the
// engine is strict, they are an error (400).
func (e *Engine) unknownParameters(known map[string]bool, query string) (header []string, err error) {
	var unknown []string
	for query != "" {
		var part string
		part, query, _ = strings.Cut(query, "&")
		name, _, _ := strings.Cut(part, "=")
		if strings.ContainsAny(name, "%+") {
			if plain, err := url.QueryUnescape(name); err == nil {
				name = plain
			}
		}
		if name != "" && !known[name] {
			unknown = append(unknown, name)
		}
	}
	if unknown == nil {
		return nil, nil
	}
	slices.Sort(unknown)
	unknown = slices.Compact(unknown)
	if e.Config.StrictParameters {
		return nil, Invalid("querystring must NOT have additional property '%s'", shownName(unknown[0]))
	}
	more := len(unknown) - ignoredMost
	unknown = unknown[:min(len(unknown), ignoredMost)]
	for i, name := range unknown {
		unknown[i] = shownName(name)
	}
	value := strings.Join(unknown, ", ")
	if more > 0 {
		value += ", ... (" + strconv.Itoa(more) + " more)"
	}
	return []string{value}, nil
}

// shownName returns a parameter's name in a form that may stand in a header and in a list: escaped as in a query, apart from
// brackets, and cut if it is long.
func shownName(name string) string {
	name = strings.NewReplacer("%5B", "[", "%5D", "]").Replace(url.QueryEscape(name))
	if len(name) > ignoredNameMost {
		return name[:ignoredNameMost] + "..."
	}
	return name
}

// setIgnored sets the header that names ignored parameters, if there are any.
func setIgnored(header http.Header, ignored []string) {
	if ignored != nil {
		header[IgnoredHeader] = ignored
	}
}
