package brc20

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/ordinals"
	"strata/readapi/internal/schema"
)

// tickerOf is a ticker in a request, in any case, as the tables have it.
func tickerOf(text string) string { return ordinals.Bounded(strings.ToLower(text)) }

// tickerParameter names a token in a path.
type tickerParameter string

// Schema implements huma.SchemaProvider.
func (tickerParameter) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Description: "The ticker of the token, in any case.", Examples: []any{"ordi"}}
}

// BRC20Input names a token.
type BRC20Input struct {
	Ticker tickerParameter `path:"ticker"`
}

// tickerList are tickers in a request.
type tickerList []string

// Schema implements huma.SchemaProvider.
func (tickerList) Schema(huma.Registry) *huma.Schema {
	return schema.ListOf("Tickers, in any case. To ask for several, repeat the parameter.", tickerParameter("").Schema(nil))
}

// values are the tickers as the tables have them, each once; nil for none.
func (l tickerList) values() (tickers []string) {
	for _, text := range l {
		tickers = append(tickers, tickerOf(text))
	}
	slices.Sort(tickers)
	return slices.Compact(tickers)
}

// tickerPrefixes are what tickers in a request begin with.
type tickerPrefixes []string

// Schema implements huma.SchemaProvider.
func (tickerPrefixes) Schema(huma.Registry) *huma.Schema {
	return schema.ListOf("What the tickers begin with, in any case. To ask for several, repeat the parameter.", tickerParameter("").Schema(nil))
}

// ranges are the tickers with these prefixes: those from least up to, but not including, beyond, in the order of the
// bytes. No two overlap. filters is false when all tickers are among them.
func (l tickerPrefixes) ranges() (least, beyond []string, filters bool) {
	prefixes := make([]string, len(l))
	for i, text := range l {
		prefixes[i] = strings.ToLower(text)
	}
	slices.Sort(prefixes)
	for i, prefix := range prefixes {
		if prefix == "" {
			return nil, nil, false
		}
		if i > 0 && strings.HasPrefix(prefix, least[len(least)-1]) {
			continue // a longer one of the same
		}
		least, beyond = append(least, prefix), append(beyond, afterPrefix(prefix))
	}
	return least, beyond, len(prefixes) > 0
}

// beyondTickers is greater than any ticker that the tables have.
var beyondTickers = strings.Repeat(string(utf8.MaxRune), ordinals.BoundedMost/utf8.UTFMax+1)

// afterPrefix is the least text that is greater than all that begin with a prefix. The order of texts by their bytes is
// that by their characters.
func afterPrefix(prefix string) string {
	for prefix != "" {
		last, size := utf8.DecodeLastRuneInString(prefix)
		prefix = prefix[:len(prefix)-size]
		if last++; last == 0xd800 { // surrogates are no characters
			last = 0xe000
		}
		if last <= utf8.MaxRune {
			return prefix + string(last)
		}
	}
	return beyondTickers
}

// inRanges is a condition on a column with a ticker, of two arguments: the ranges of prefixes. Nulls are no filter.
func inRanges(column, least, beyond string) string {
	return `(` + least + `::text[] IS NULL OR EXISTS (
		SELECT FROM unnest(` + least + `::text[], ` + beyond + `::text[]) AS range (least, beyond)
		WHERE ` + column + ` >= range.least COLLATE "C" AND ` + column + ` < range.beyond COLLATE "C"))`
}

// operationKinds are the kinds of operations, each at the number that the tables have for it.
var operationKinds = []string{
	1: string(ordinals.BRC20KindDeploy), 2: string(ordinals.BRC20KindMint), 3: string(ordinals.BRC20KindTransfer), 4: string(ordinals.BRC20KindTransferSend),
}

// operationList are kinds of operations in a request.
type operationList []string

// Schema implements huma.SchemaProvider.
func (operationList) Schema(huma.Registry) *huma.Schema {
	item := &huma.Schema{Type: huma.TypeString, Examples: []any{operationKinds[1]}}
	for _, kind := range operationKinds[1:] {
		item.Enum = append(item.Enum, kind)
	}
	return schema.ListOf("Kinds of operations. To ask for several, repeat the parameter.", item)
}

// values are the numbers of the kinds, each once; none for all.
func (l operationList) values() []int16 {
	var kinds []int16
	for kind, name := range operationKinds {
		if kind > 0 && slices.Contains(l, name) {
			kinds = append(kinds, int16(kind))
		}
	}
	if len(kinds) == len(operationKinds)-1 {
		return nil
	}
	return kinds
}
