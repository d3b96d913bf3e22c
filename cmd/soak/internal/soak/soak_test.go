package soak

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"strata/internal/testkit/must"
	"strata/internal/testkit/serverrig"
	"strata/internal/testkit/short"
)

// TestSoak is a short run with little load: it exercises the soak itself, and kills the server some times.
func TestSoak(t *testing.T) {
	short.Skip(t, "takes a minute")
	program := filepath.Join(t.TempDir(), "strata")
	must.Do(t, serverrig.Build(t.Context(), program))
	report, err := Run(t.Context(), Config{
		Program: program, Duration: 30 * time.Second, KillEvery: 7 * time.Second, Rate: 10, Readers: 6, Attackers: 2, Flood: 20, Seed: 1,
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
	for _, row := range []string{"events lost", "strata verify", "kills of the server", "goroutines, first and last third"} {
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

func TestErrorsAreExcusedByKills(t *testing.T) {
	now := time.Now()
	s := &soak{down: []span{{now, now.Add(time.Second)}}}
	again := http.Header{"Retry-After": {"1"}}
	for _, tc := range []struct {
		name   string
		answer serverrig.Reply
		after  time.Duration
		ok     bool
	}{
		{"503 after a kill", serverrig.Reply{Status: 503, Header: again}, 0, true},
		{"503 that does not say when to come again", serverrig.Reply{Status: 503}, 0, false},
		{"503 later", serverrig.Reply{Status: 503, Header: again}, time.Hour, false},
		{"500 after a kill", serverrig.Reply{Status: 500}, 0, false},
		{"no answer after a kill", serverrig.Reply{}, 0, true},
		{"no answer later", serverrig.Reply{}, time.Hour, false},
		{"refused in a crowd", serverrig.Reply{Status: 503, Header: again, Body: []byte(`{"error":"` + overloaded + `"}`)}, time.Hour, true},
		{"an empty answer", serverrig.Reply{Status: 200}, 0, false},
	} {
		if class, ok := s.class(tc.answer, now.Add(tc.after), now.Add(tc.after)); ok != tc.ok {
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
