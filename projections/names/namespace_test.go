package names_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"strata/domain/clarity"
	domain "strata/domain/names"
	"strata/internal/synth/value"
	"strata/rig/body"
	"strata/rig/replay"
)

// unlaunched is what get-namespace-properties answers of a namespace that is revealed, but not launched.
func unlaunched() clarity.Value {
	inner, _ := pricedAt(2, true).Inner()
	properties, _ := inner.Field("properties")
	fields := []any{"launched-at", clarity.NewNone()}
	for _, name := range []string{"namespace-import", "revealed-at", "lifetime", "can-update-price-function", "price-function"} {
		field, _ := properties.Field(name)
		fields = append(fields, name, field)
	}
	return clarity.NewOk(value.Tuple("namespace", value.Buffer("id"), "properties", value.Tuple(fields...)))
}

// TestNamespaceBeforeTheLog has a log that begins above the launch of a namespace, whose names prove that it exists.
func TestNamespaceBeforeTheLog(t *testing.T) {
	t.Parallel()
	registered := owner.Did(given(owner.Address()), printed(domain.Register, owner, first))
	ground := []replay.Post{block(body.Genesis, ""), block("a1", body.Genesis), block("a2", "a1", registered), block("a3", "a2")}
	revoked := owner.Did(printed(domain.Revoke, owner, ""))
	missing := clarity.NewErr(clarity.NewInt64(1005))
	priced := called("namespace-update-function-price", append([]clarity.Value{value.Buffer("id")}, numbers(20)...)...)
	for name, tc := range map[string]struct {
		above                   []replay.Post
		rows, wants, properties []string
	}{
		"imported only": {
			[]replay.Post{block("b2", "a1", owner.Did(given(owner.Address()), printed(domain.Import, owner, first))), block("b3", "b2"), block("b4", "b3")}, nil, nil, nil,
		},
		"asked for":             {nil, nil, []string{"id 2 0 0"}, nil},
		"read":                  {[]replay.Post{said("id", "a3", pricedAt(5, true))}, []string{"1 3 3 1 7 5 0"}, nil, []string{"id 3"}},
		"read at its name":      {[]replay.Post{said("id", "a2", pricedAt(5, true))}, []string{"1 2 2 1 7 5 0"}, nil, []string{"id 2"}},
		"read below its name":   {[]replay.Post{said("id", "a1", pricedAt(5, true))}, nil, []string{"id 3 0 0"}, nil},
		"unknown":               {[]replay.Post{said("id", "a3", missing)}, nil, []string{"id 2 1 0"}, nil},
		"not launched":          {[]replay.Post{said("id", "a3", unlaunched())}, nil, []string{"id 2 1 0"}, nil},
		"launched later":        {[]replay.Post{block("a4", "a3", owner.Did(launched()))}, []string{"1 4 4 1 7 2 -"}, nil, nil},
		"revoked":               {[]replay.Post{block("a4", "a3", revoked)}, nil, nil, nil},
		"reverted":              {[]replay.Post{block("b2", "a1"), block("b3", "b2"), block("b4", "b3")}, nil, nil, nil},
		"the reading reverted":  {[]replay.Post{said("id", "a3", pricedAt(5, true)), block("b3", "a2"), block("b4", "b3")}, nil, []string{"id 2 0 0"}, nil},
		"another namespace":     {[]replay.Post{said("btc", "a3", pricedAt(5, true))}, nil, []string{"id 2 0 0"}, nil},
		"prices changed since":  {[]replay.Post{block("a4", "a3", priced), said("id", "a3", pricedAt(5, true))}, nil, []string{"id 4 0 0"}, nil},
		"read after the change": {[]replay.Post{block("a4", "a3", priced), said("id", "a4", pricedAt(6, true))}, []string{"1 4 4 1 7 6 0"}, nil, []string{"id 4"}},
		"prices change later": {
			[]replay.Post{said("id", "a3", pricedAt(5, true)), block("a4", "a3", priced)}, []string{"1 3 3 1 7 5 0", "2 4 3 1 7 20 -"}, nil, []string{"id 3"},
		},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			posts := append(ground[:len(ground):len(ground)], tc.above...)
			rig.InBatches(t, posts, []int{1, 3, 100}, func(tx pgx.Tx, size int) {
				for _, rows := range []struct {
					of, query string
					want      []string
				}{
					{"rows", `SELECT concat_ws(' ', n, height, ready_height, launched_at, lifetime, price_base, coalesce(exchange::text, '-')) FROM {schema}.namespace ORDER BY n`, tc.rows},
					{"wants", `SELECT concat_ws(' ', subject, min_height, attempts, waits) FROM {schema}.want WHERE subject IS NOT NULL ORDER BY 1`, tc.wants},
					{"readings", `SELECT concat_ws(' ', subject, height) FROM {schema}.reading ORDER BY 1`, tc.properties},
				} {
					if got := rig.Texts(t, tx, rows.query); !slices.Equal(got, rows.want) {
						t.Errorf("batches of %d: got %s %q, want %q", size, rows.of, got, rows.want)
					}
				}
			})
		})
	}
}
