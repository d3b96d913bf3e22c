package soak

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"strata/internal/testkit/must"
	"strata/internal/testkit/serverrig"
	"strata/internal/testkit/short"
)

// TestSoak is a short run with little load: it exercises the soak itself, and all faults once. Where no
// disk can be mounted, none is filled.
func TestSoak(t *testing.T) {
	short.Skip(t, "takes a minute and a half")
	program := filepath.Join(t.TempDir(), "strata")
	must.Do(t, serverrig.Build(t.Context(), program))
	report, err := Run(t.Context(), Config{
		Program: program, Duration: 30 * time.Second, KillEvery: 7 * time.Second, FlapFor: time.Second, Rate: 10, Readers: 6, Attackers: 2, Flood: 20, Seed: 1,
		Progress: t.Output(),
	})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	must.Do(t, report.Print(&text))
	t.Logf("\n%s", &text)
	if len(report.Broken) > 0 {
		t.Errorf("%d rules were broken", len(report.Broken))
	}
	rows := []string{"events lost", "strata verify", "documents that came", "kills of the server", "restarts of Postgres", "goroutines, first and last third"}
	if strings.Contains(text.String(), "needs root") {
		t.Log("the disk is not filled: none can be mounted here")
	} else {
		rows = append(rows, "disk full to the floor", "disk full to the last byte")
	}
	for _, row := range rows {
		if !strings.Contains(text.String(), row) {
			t.Errorf("the table lacks the row %q", row)
		}
	}
}

func TestLogIsComparedWithPosts(t *testing.T) {
	once, twice, never, foreign := posted{path: "/once"}, posted{path: "/twice"}, posted{path: "/never"}, posted{path: "/foreign"}
	posts := map[posted]*deliveries{
		once:  {accepted: 1, attempts: 1},
		twice: {accepted: 1, attempts: 2}, // the answer to the first attempt was lost
		never: {accepted: 0, attempts: 3}, // none was stored
	}
	for _, tc := range []struct {
		name   string
		stored map[posted]int
		want   checked
	}{
		{"all is well", map[posted]int{once: 1, twice: 1}, checked{}},
		{"stored again", map[posted]int{once: 1, twice: 2}, checked{duplicates: 1}},
		{"stored, and never accepted", map[posted]int{once: 1, twice: 1, never: 1}, checked{duplicates: 1}},
		{"lost", map[posted]int{twice: 1}, checked{lost: 1}},
		{"more often than posted", map[posted]int{once: 3, twice: 1}, checked{foreign: 2}},
		{"nobody posted it", map[posted]int{once: 1, twice: 1, foreign: 4}, checked{foreign: 4}},
	} {
		var got checked
		if got.compare(posts, tc.stored); got != tc.want {
			t.Errorf("%s: got %+v, want %+v", tc.name, got, tc.want)
		}
	}
}

func TestErrorsAreExcusedByTheirCauses(t *testing.T) {
	var line timeline
	end := line.begin(databaseDown)
	during := time.Now()
	end()
	after := during.Add(time.Hour)
	line.spans = append(line.spans, &span{cause: diskFull, from: after.Add(time.Hour), to: after.Add(time.Hour)})
	full := after.Add(time.Hour)
	for _, tc := range []struct {
		name string
		f    failure
		ok   bool
	}{
		{"503 while the database is down", failure{from: during, to: during, status: 503, retryAfter: true}, true},
		{"503 that does not say when to come again", failure{from: during, to: during, status: 503}, false},
		{"503 later", failure{from: after, to: after, status: 503, retryAfter: true}, false},
		{"500 while the database is down", failure{from: during, to: during, status: 500}, false},
		{"no answer, although only the database is down", failure{from: during, to: during}, false},
		{"refused in a crowd", failure{from: after, to: after, status: 503, retryAfter: true, text: `{"error":"` + overloaded + `"}`}, true},
		{"503 while the disk is full", failure{from: full, to: full, status: 503, retryAfter: true}, true},
		{"no answer, although only the disk is full", failure{from: full, to: full}, false},
		{"a request that lasts from before until after", failure{from: during.Add(-time.Hour), to: after, status: 503, retryAfter: true}, true},
	} {
		if class, ok := line.class(tc.f); ok != tc.ok {
			t.Errorf("%s: got %q, excused %t, want %t", tc.name, class, ok, tc.ok)
		}
	}
}

func TestGrowthIsFound(t *testing.T) {
	began := time.Now()
	for _, tc := range []struct {
		name string
		last float64
		want bool
	}{{"flat", 100, false}, {"within the slack", 190, false}, {"grown", 400, true}} {
		f := &figure{name: "file descriptors", slack: 100}
		for i := range 30 {
			value := 100.0
			if i >= 20 {
				value = tc.last
			}
			f.values = append(f.values, sample{began.Add(time.Duration(i) * time.Second), value})
		}
		first, last := f.thirds(began, began.Add(30*time.Second))
		if got := f.grown(first, last); got != tc.want {
			t.Errorf("%s: from %v to %v: got %t, want %t", tc.name, first, last, got, tc.want)
		}
	}
}
