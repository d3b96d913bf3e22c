package names_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/domain/clarity"
	"strata/domain/fetch"
	domain "strata/domain/names"
	"strata/internal/synth/value"
	"strata/rig/body"
	"strata/rig/replay"
)

// asked is the time of all reports.
var asked = time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)

// report is the report of an attempt to fetch a zonefile.
func report(zonefile string, exchanges ...fetch.Exchange) replay.Post {
	r := fetch.Report{Want: fetch.AttachmentWant(domain.ZonefileHash([]byte(zonefile))), Attempt: 1, StartedAt: asked, FinishedAt: asked, Exchanges: exchanges}
	text, err := r.Encode()
	if err != nil {
		panic(err)
	}
	return replay.Post{Path: fetch.PathReport, Body: text}
}

func answered(status int, text string) fetch.Exchange {
	return fetch.Exchange{Method: "GET", URL: "http://node/v2/attachments/", Status: status, Body: fetch.Body(text), StartedAt: asked}
}

// served is how nodes answer a zonefile.
func served(zonefile string) fetch.Exchange {
	text, err := json.Marshal(map[string]any{"attachment": map[string]string{"content": hex.EncodeToString([]byte(zonefile))}})
	if err != nil {
		panic(err)
	}
	return answered(200, string(text))
}

// TestZonefilesThatNeverCome raises a want for each zonefile that an operation names, and gives it up when the zonefile
// comes or when no operation is left that names it.
func TestZonefilesThatNeverCome(t *testing.T) {
	t.Parallel()
	register := block("a2", "a1", owner.Did(given(owner.Address()), printed(domain.Register, owner, first)))
	update := block("a3", "a2", owner.Did(printed(domain.Update, owner, second)))
	base := []replay.Post{block(body.Genesis, ""), block("a1", body.Genesis, owner.Did(launched())), register}
	away := fetch.Exchange{Method: "GET", URL: "http://node/", Failure: fetch.FailureConnection, Error: "refused", StartedAt: asked}
	hashed := func(zonefile string) string {
		h := domain.ZonefileHash([]byte(zonefile))
		return hex.EncodeToString(h[:3])
	}
	// A want is hash, attempts, waits, reason and how long after the reports it is due; 0 for one that waits for its block's time.
	fresh := func(zonefile string) string { return hashed(zonefile) + " 0 0 0 block" }
	for name, tc := range map[string]struct {
		posts []replay.Post
		wants []string
		found []string
	}{
		"nothing came":        {nil, []string{fresh(first)}, nil},
		"it came":             {[]replay.Post{attached("a2", first, nil)}, nil, []string{first}},
		"a second one":        {[]replay.Post{update}, []string{fresh(first), fresh(second)}, nil},
		"the same once more":  {[]replay.Post{block("a3", "a2", owner.Did(printed(domain.Update, owner, first)))}, []string{fresh(first)}, nil},
		"served":              {[]replay.Post{report(first, served(first))}, nil, []string{first}},
		"served as bytes":     {[]replay.Post{report(first, answered(200, first))}, nil, []string{first}},
		"served as text":      {[]replay.Post{report(first, answered(200, fmt.Sprintf(`{"attachment":"0x%x"}`, first)))}, nil, []string{first}},
		"served by another":   {[]replay.Post{report(first, answered(404, "no"), served(first))}, nil, []string{first}},
		"served before":       {[]replay.Post{report(second, served(second)), update}, []string{fresh(first)}, []string{second}},
		"not served":          {[]replay.Post{report(first, answered(404, "no"))}, []string{hashed(first) + " 1 0 200 24:00:00"}, nil},
		"not offered":         {[]replay.Post{report(first, answered(501, "no"))}, []string{hashed(first) + " 1 0 200 24:00:00"}, nil},
		"not served again":    {[]replay.Post{report(first, answered(404, "no")), report(first, answered(404, "no"))}, []string{hashed(first) + " 2 0 200 7 days"}, nil},
		"another zonefile":    {[]replay.Post{report(first, served(second))}, []string{hashed(first) + " 1 0 201 24:00:00"}, nil},
		"nonsense":            {[]replay.Post{report(first, answered(200, `{"attachment":[1]}`))}, []string{hashed(first) + " 1 0 201 24:00:00"}, nil},
		"the node is away":    {[]replay.Post{report(first, away)}, []string{hashed(first) + " 0 1 202 00:00:05"}, nil},
		"the node fails":      {[]replay.Post{report(first, answered(500, "no")), report(first, away)}, []string{hashed(first) + " 0 2 202 00:00:10"}, nil},
		"one away, one not":   {[]replay.Post{report(first, away, answered(404, "no"), away)}, []string{hashed(first) + " 1 0 200 24:00:00"}, nil},
		"it came after all":   {[]replay.Post{report(first, answered(404, "no")), attached("a2", first, nil)}, nil, []string{first}},
		"a late failure":      {[]replay.Post{attached("a2", first, nil), report(first, answered(404, "no"))}, nil, []string{first}},
		"answered twice":      {[]replay.Post{report(first, served(first)), report(first, served(first))}, nil, []string{first}},
		"reverted and raised": {[]replay.Post{update, report(second, away), block("b3", "a2"), block("b4", "b3", owner.Did(printed(domain.Update, owner, second)))}, []string{fresh(first), hashed(second) + " 0 1 202 00:00:05"}, nil},
		"reverted":            {[]replay.Post{update, report(second, away), block("b3", "a2"), block("b4", "b3")}, []string{fresh(first)}, nil},
		"named again by a renewal that prints nothing": {
			[]replay.Post{block("a3", "a2", called("name-renewal", value.Buffer("id"), value.Buffer("bob"), clarity.NewUint64(1), clarity.NewNone(), clarity.NewNone()))}, []string{fresh(first)}, nil,
		},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			slices.Sort(tc.wants)
			rig.InBatches(t, append(base[:len(base):len(base)], tc.posts...), []int{1, 3, 100}, func(tx pgx.Tx, size int) {
				got := rig.Texts(t, tx, `
					SELECT concat_ws(' ', left(encode(zonefile_hash, 'hex'), 6), attempts, waits, reason,
						CASE WHEN due_at < '2026-01-02 UTC' THEN 'block' ELSE (due_at - '2026-01-02 UTC'::timestamptz)::text END)
					FROM {schema}.want ORDER BY 1`)
				for i := range got {
					got[i] = strings.Replace(got[i], "1 day", "24:00:00", 1)
				}
				if !slices.Equal(got, tc.wants) {
					t.Errorf("batches of %d: got wants %q, want %q", size, got, tc.wants)
				}
				if got := rig.Texts(t, tx, `SELECT convert_from(content, 'UTF8') FROM {schema}.zonefile ORDER BY 1`); !slices.Equal(got, tc.found) {
					t.Errorf("batches of %d: got zonefiles %q, want %q", size, got, tc.found)
				}
			})
		})
	}
}

// TestWantsAreDueLater gives a zonefile an hour to come by itself.
func TestWantsAreDueLater(t *testing.T) {
	t.Parallel()
	tx := rig.Begin(t)
	post := body.Block{
		Name: "a1", Parent: body.Genesis, Burn: "100a", Transactions: []body.Transaction{owner.Did(given(owner.Address()), printed(domain.Register, owner, first))},
		Members: map[string]any{"block_time": 1_700_000_000, "tenure_height": 1},
	}.Post()
	rig.FoldPosts(t, tx, []replay.Post{block(body.Genesis, ""), post}, 2)
	h := domain.ZonefileHash([]byte(first))
	if got, want := rig.Texts(t, tx, `SELECT extract(epoch FROM due_at)::bigint || ' ' || want FROM {schema}.want WHERE subject IS NULL`), []string{`1700003600 {"kind":"attachment","hash":"` + hex.EncodeToString(h[:]) + `"}`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
