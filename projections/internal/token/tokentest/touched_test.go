package tokentest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"strata/domain/shard"
	"strata/domain/token"
	"strata/internal/testkit/must"
	"strata/projections"
)

// A step names every token and contract whose answers it changes, including those that share a document.
func TestTouched(t *testing.T) {
	t.Parallel()
	pool := sideBySide.lend(t)
	var named, quiet int
	rapid.Check(t, func(rt *rapid.T) {
		tx := must.Get(pool.Begin(t.Context()))(t)
		defer func() { _ = tx.Rollback(t.Context()) }()
		h := &history{world: newWorld(rt, tx, 1), rt: rt, oracle: oracle{steady: rapid.Bool().Draw(rt, "steady")}, deployed: map[string][]string{}}
		var step projections.Step
		h.folded = func(steps []projections.Step) { step = steps[0] }
		before := map[token.Kind]map[string]string{}
		h.after = func() {
			for _, kind := range kinds {
				now := h.answers(kind)
				names := maps.Clone(before[kind])
				if names == nil {
					names = map[string]string{}
				}
				maps.Copy(names, now)
				for name := range names {
					if before[kind][name] != now[name] && !h.touched[kind].Includes(name) {
						rt.Errorf("step %d, %s of kind %s: %q changed from\n%s to\n%s and is not named", step.Number, step.Kind, kind, name, before[kind][name], now[name])
					}
				}
				before[kind] = now
				named++
				if !h.touched[kind].Includes(shard.Token("nobody", "1")) {
					quiet++
				}
			}
		}
		for range rapid.IntRange(5, 40).Draw(rt, "steps") {
			switch n := h.one("step", 12); {
			case n < 4 || len(h.chain) < 2:
				h.block()
			case n == 4:
				h.reorganise()
			default:
				h.outsideWorld()
			}
		}
		h.finish()
	})
	if quiet < named*9/10 {
		t.Errorf("of %d folds, %d do not touch everything", named, quiet)
	}
}

// answers is all that can be names of each contract and each token of a kind, and of their list, by the names that
// readers use. What is tried next is among it.
func (w *world) answers(kind token.Kind) map[string]string {
	w.t.Helper()
	names := map[string]string{}
	rows, err := w.tx.Query(context.Background(), w.projection(kind).Spec().SQL(`
		SELECT 'contract', contract_id, '', to_jsonb(c)::text || coalesce((
			SELECT jsonb_agg(n ORDER BY n.height, n.tx_index, n.event_index)::text FROM {schema}.notification n WHERE n.contract_id = c.contract_id AND n.token_id IS NULL), '')
		FROM {schema}.contract c
		UNION ALL
		SELECT 'token', t.contract_id, t.token_id::text, to_jsonb(t)::text
			|| coalesce((SELECT jsonb_agg(n ORDER BY n.height, n.tx_index, n.event_index)::text FROM {schema}.notification n WHERE n.contract_id = t.contract_id AND n.token_id = t.token_id), '')
			|| coalesce((SELECT jsonb_agg(jsonb_build_array(r.role, r.locale, d, i, w.due_at, w.attempts, w.severity) ORDER BY r.role, r.locale)::text
				FROM {schema}.reference r
				LEFT JOIN {schema}.document d ON r.role = 'document' AND d.uri_hash = r.uri_hash
				LEFT JOIN {schema}.image i ON r.role = 'image' AND i.uri_hash = r.uri_hash
				LEFT JOIN {schema}.want w ON w.key_hash = sha256(convert_to(r.role || ' ' || coalesce(d.uri, i.uri), 'UTF8'))
				WHERE r.contract_id = t.contract_id AND r.token_id = t.token_id), '')
		FROM {schema}.token t JOIN {schema}.contract c USING (contract_id)`))
	if err != nil {
		w.t.Fatal(err)
	}
	var what, contract, id, answer string
	if _, err := pgx.ForEachRow(rows, []any{&what, &contract, &id, &answer}, func() error {
		if what == "contract" {
			names[shard.Account(contract)] = answer
		} else {
			names[shard.Token(contract, id)] = answer
		}
		return nil
	}); err != nil {
		w.t.Fatal(err)
	}
	_, wants := w.wants(kind)
	for _, s := range wants {
		if id := token.IDOf(s.want.Calls); s.want.Contract != "" && len(s.want.Calls) > 0 && s.want.Calls[0].Function == "get-token-uri" {
			text := "1"
			if id != nil {
				text = id.String()
			}
			name := shard.Token(s.want.Contract, text)
			if _, ok := names[name]; ok {
				names[name] += fmt.Sprint(s.due, s.attempts, s.severity)
			}
		}
	}
	if len(names) > 0 {
		names[shard.Tokens] = fmt.Sprint(slices.Sorted(maps.Keys(names)), slices.Sorted(maps.Values(names)))
	}
	return names
}
