package engine

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

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
