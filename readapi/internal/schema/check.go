package schema

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/ordinals"
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

// isInteger matches the text form of an integer of any size.
var isInteger = regexp.MustCompile(`^-?[0-9]+$`)

// AnySizeFormat is the schema format of integers beyond 64 bits. The types that read them check their range.
const AnySizeFormat = "uint128"

// Check derives a check of a parameter's values from its schema. The check returns what is wrong with them, worded as in the
// reference implementations (JSON-schema validation by ajv); nil for nothing.
func Check(s *huma.Schema) func(values []string) []string {
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
	item := Check(s.Items)
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
		checks[i] = Check(s)
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

// AnyText is the extension of the schema of texts that may hold NUL. The type that reads such a text replaces it, because
// Postgres refuses it as text.
const AnyText = "x-any-text"

func textCheck(s *huma.Schema) func(string) string {
	pattern := PatternOf(s)
	_, anyText := s.Extensions[AnyText]
	return func(value string) string {
		switch {
		case !utf8.ValidString(value) || !anyText && strings.IndexByte(value, 0) >= 0:
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
