package brc20

import (
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/ordinals"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
)

// tickerOf converts a ticker of a request, in any case, to the form that the tables store.
func tickerOf(text string) string { return ordinals.Bounded(storedText(text)) }

// storedText converts a part of a ticker to the form that the tables store, which have U+FFFD in place of NUL. A ticker has four
// or five bytes, and U+FFFD three, so no ticker is taken for another one.
func storedText(text string) string {
	return strings.ReplaceAll(strings.ToLower(text), "\x00", "\uFFFD")
}

// tickerParameter names a token in a path.
type tickerParameter string

// Schema implements huma.SchemaProvider.
func (tickerParameter) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeString, Description: "The ticker of the token, in any case. It may be any text, also with slashes and NUL, each escaped.",
		Extensions: map[string]any{schema.AnyText: true}, Examples: []any{"ordi"},
	}
}

// BRC20Input names a token.
type BRC20Input struct {
	Ticker tickerParameter `path:"ticker"`
}

// tickerList is a list of tickers in a request.
type tickerList []string

// Schema implements huma.SchemaProvider.
func (tickerList) Schema(huma.Registry) *huma.Schema {
	return schema.ListOf("Tickers, in any case. To ask for several, repeat the parameter.", tickerParameter("").Schema(nil))
}

// values returns the distinct tickers in the form that the tables store; nil for none.
func (l tickerList) values() (tickers []string) {
	for _, text := range l {
		tickers = append(tickers, tickerOf(text))
	}
	slices.Sort(tickers)
	return slices.Compact(tickers)
}

// tickerPrefixes is a list of prefixes of tickers in a request.
type tickerPrefixes []string

// Schema implements huma.SchemaProvider.
func (tickerPrefixes) Schema(huma.Registry) *huma.Schema {
	return schema.ListOf("Prefixes of tickers, in any case. To ask for several, repeat the parameter.", tickerParameter("").Schema(nil))
}

// ranges returns disjoint ranges that hold exactly the tickers with these prefixes. Range i goes from least[i]
// (inclusive) to beyond[i] (exclusive), in byte order. filters is false when every ticker matches.
func (l tickerPrefixes) ranges() (least, beyond []string, filters bool) {
	prefixes := make([]string, len(l))
	for i, text := range l {
		prefixes[i] = storedText(text)
	}
	slices.Sort(prefixes)
	for i, prefix := range prefixes {
		if prefix == "" {
			return nil, nil, false
		}
		if i > 0 && strings.HasPrefix(prefix, least[len(least)-1]) {
			continue // the range of the shorter prefix includes it
		}
		least, beyond = append(least, prefix), append(beyond, param.AfterPrefix(prefix))
	}
	return least, beyond, len(prefixes) > 0
}

// inRanges returns the SQL condition that the ticker in a column lies in one of the ranges. least and beyond name the
// two array arguments; null arrays do not filter.
func inRanges(column, least, beyond string) string {
	return `(` + least + `::text[] IS NULL OR EXISTS (
		SELECT FROM unnest(` + least + `::text[], ` + beyond + `::text[]) AS range (least, beyond)
		WHERE ` + column + ` >= range.least COLLATE "C" AND ` + column + ` < range.beyond COLLATE "C"))`
}

// operationList is a list of kinds of operations in a request.
type operationList []string

// Schema implements huma.SchemaProvider.
func (operationList) Schema(huma.Registry) *huma.Schema {
	item := &huma.Schema{Type: huma.TypeString, Examples: []any{string(ordinals.BRC20KindDeploy)}}
	for _, kind := range ordinals.BRC20Kinds[1:] {
		item.Enum = append(item.Enum, string(kind))
	}
	return schema.ListOf("Kinds of operations. To ask for several, repeat the parameter.", item)
}

// values returns the distinct numbers of the kinds; nil when the list has all kinds, or none.
func (l operationList) values() []int16 {
	var kinds []int16
	for kind, name := range ordinals.BRC20Kinds {
		if kind > 0 && slices.Contains(l, string(name)) {
			kinds = append(kinds, int16(kind))
		}
	}
	if len(kinds) == len(ordinals.BRC20Kinds)-1 {
		return nil
	}
	return kinds
}
