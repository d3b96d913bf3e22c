package engine

import (
	"encoding/binary"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"strata/domain/ordinals"
	"strata/readapi/internal/schema"
)

// SatFormat is the schema format of satoshi numbers: decimal digits, optionally followed by an exponent.
const SatFormat = "satoshi"

// satCheck returns what is wrong with a satoshi number; empty for nothing.
func satCheck(value string) string {
	if _, err := ordinals.ParseSat(value); err == nil {
		return ""
	}
	number, err := strconv.ParseFloat(value, 64)
	switch {
	case math.IsInf(number, 0) && isInteger.MatchString(value): // an integer, though too long to be parsed
	case err != nil, number != math.Trunc(number), math.IsInf(number, 0):
		return "must be integer"
	}
	switch {
	case number < 0:
		return "must be >= 0"
	case number >= float64(ordinals.Supply):
		return fmt.Sprintf("must be < %d", uint64(ordinals.Supply))
	}
	return "must be integer" // a notation that ParseSat does not support
}

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
				name: p.Name, label: "params/" + p.Name, inPath: true, required: true, failures: SchemaCheck(p.Schema),
			})
		case "query":
			if p.Name == minPosition { // route has checked it, and it does not belong to the canonical form
				continue
			}
			query = append(query, parameterCheck{
				name: p.Name, label: "querystring/" + p.Name, required: p.Required, byDefault: defaultOf(p.Schema), failures: SchemaCheck(p.Schema),
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

// isInteger matches the text form of an integer of any size.
var isInteger = regexp.MustCompile(`^-?[0-9]+$`)

// AnySizeFormat is the schema format of integers beyond 64 bits. The types that read them check their range.
const AnySizeFormat = "uint128"

// SchemaCheck derives a check from a schema. The check returns what is wrong with a parameter's values, nil for nothing.
func SchemaCheck(s *huma.Schema) func(values []string) []string {
	if len(s.AnyOf) > 0 {
		return unionCheck(s.AnyOf)
	}
	switch s.Type {
	case huma.TypeInteger, huma.TypeNumber:
		return scalar(s.Type, numberCheck(s))
	case huma.TypeBoolean:
		return scalar(s.Type, func(value string) string {
			if value != "true" && value != "false" {
				return "must be boolean"
			}
			return ""
		})
	case huma.TypeArray:
		return listCheck(s)
	default:
		return scalar(huma.TypeString, textCheck(s))
	}
}

// listCheck checks a parameter that may be repeated. A comma is part of an item, not a separator.
func listCheck(s *huma.Schema) func(values []string) []string {
	item := SchemaCheck(s.Items)
	return func(values []string) []string {
		if s.MaxItems != nil && len(values) > *s.MaxItems {
			return []string{fmt.Sprintf("must NOT have more than %d items", *s.MaxItems)}
		}
		for i, value := range values {
			if failures := item([]string{value}); failures != nil {
				for j, f := range failures {
					failures[j] = fmt.Sprintf("/%d %s", i, f)
				}
				return failures
			}
		}
		return nil
	}
}

// scalar turns the check of one value into that of a parameter, which it refuses when it is repeated.
func scalar(kind string, check func(string) string) func([]string) []string {
	return func(values []string) []string {
		if len(values) > 1 {
			return []string{"must be " + kind}
		}
		if failure := check(values[0]); failure != "" {
			return []string{failure}
		}
		return nil
	}
}

func unionCheck(alternatives []*huma.Schema) func([]string) []string {
	checks := make([]func([]string) []string, len(alternatives))
	for i, s := range alternatives {
		checks[i] = SchemaCheck(s)
	}
	return func(values []string) []string {
		var failures []string
		for _, check := range checks {
			failed := check(values)
			if failed == nil {
				return nil
			}
			failures = append(failures, failed...)
		}
		return append(failures, "must match a schema in anyOf")
	}
}

func numberCheck(s *huma.Schema) func(string) string {
	switch s.Format {
	case SatFormat:
		return satCheck
	case AnySizeFormat:
		return func(value string) string {
			if !isInteger.MatchString(value) {
				return "must be integer"
			}
			return ""
		}
	}
	return func(value string) string {
		number, err := strconv.ParseFloat(value, 64) // inexact beyond 2^53, which suffices for comparison with small bounds
		if s.Type == huma.TypeInteger && !isInteger.MatchString(value) || err != nil {
			return "must be " + s.Type
		}
		if s.Minimum != nil && number < *s.Minimum {
			return "must be >= " + strconv.FormatFloat(*s.Minimum, 'f', -1, 64)
		}
		if s.Maximum != nil && number > *s.Maximum {
			return "must be <= " + strconv.FormatFloat(*s.Maximum, 'f', -1, 64)
		}
		if s.Type == huma.TypeInteger {
			if _, err := strconv.ParseInt(value, 10, 64); err != nil {
				return "must be integer" // it does not fit into 64 bits
			}
		}
		return ""
	}
}

func textCheck(s *huma.Schema) func(string) string {
	pattern := schema.PatternOf(s)
	return func(value string) string {
		switch {
		case !utf8.ValidString(value) || strings.IndexByte(value, 0) >= 0:
			return "must be string" // Postgres refuses it as text
		case len(s.Enum) > 0 && !oneOf(s.Enum, value):
			if len(s.Enum) == 1 {
				return "must be equal to constant"
			}
			return "must be equal to one of the allowed values"
		case pattern != nil && !pattern.MatchString(value):
			return fmt.Sprintf(`must match pattern "%s"`, pattern)
		case s.MaxLength != nil && utf8.RuneCountInString(value) > *s.MaxLength:
			return fmt.Sprintf("must NOT have more than %d characters", *s.MaxLength)
		}
		return ""
	}
}

func oneOf(allowed []any, value string) bool {
	for _, a := range allowed {
		if a == value {
			return true
		}
	}
	return false
}
