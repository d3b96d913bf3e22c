package soak

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// Report is what came of a run.
type Report struct {
	rows   [][2]string
	Broken []string // the rules that were broken; none if all is well
}

// Print writes the table, and then what was broken.
func (r *Report) Print(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)
	_, _ = fmt.Fprintf(table, "| what\t| result\t|\n|---\t|---\t|\n")
	for _, row := range r.rows {
		_, _ = fmt.Fprintf(table, "| %s\t| %s\t|\n", row[0], row[1])
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, text := range r.Broken {
		if _, err := fmt.Fprintf(out, "\nBROKEN: %s\n", text); err != nil {
			return err
		}
	}
	return nil
}

func (r *Report) row(what, format string, args ...any) {
	r.rows = append(r.rows, [2]string{what, fmt.Sprintf(format, args...)})
}

// growthSampled is the shortest run of which the last third is compared with the first: a server that has just started grows.
const growthSampled = 2 * time.Minute

func (s *soak) report() *Report {
	r := &Report{}
	r.row("duration", "%s", s.ended.Sub(s.began).Round(time.Second))
	r.row("events posted", "%d, %.1f a second; %d attempts had to be repeated", s.feed.total.accepted, float64(s.feed.total.accepted)/s.ended.Sub(s.began).Seconds(), s.feed.retries)
	r.row("events in the log", "%d without a gap, %d of them stored again because an answer was lost", s.checked.events, s.checked.duplicates)
	r.row("events lost", "%d", s.checked.lost)
	r.row("events that nobody posted", "%d", s.checked.foreign)
	r.row("strata verify", "%s", s.checked.verified)
	s.reportFetched(r)
	s.reportReaders(r, "reads", &s.readers)
	s.reportReaders(r, "costly reads of attackers", &s.costly)
	r.row("other attacks", "%d slow senders, %d deaf readers, %d connections held open, %d deaf streams",
		s.attacks.slowSenders.Load(), s.attacks.deafReaders.Load(), s.attacks.flooded.Load(), s.attacks.deafStreams.Load())
	r.row("kills of the server (SIGKILL)", "%d; it ended %d times by itself", s.kills, s.exits)
	r.row("… until it was ready again", "%s", s.recovered.process)
	r.row("restarts of Postgres", "%d", len(s.recovered.database))
	r.row("… until the server was ready again", "%s", s.recovered.database)
	if s.disk != nil {
		became := "went on"
		if s.recovered.panicked {
			became = "ended, and was started again"
		}
		r.row("disk of the database", "%d MiB in use at the end of the load", s.diskUsed>>20)
		r.row("disk full to the floor", "%s, in which %d attempts to post an event were refused", s.diskFullFor(), s.recovered.refused)
		r.row("… until events were taken again", "%s", s.recovered.floor)
		r.row("disk full to the last byte", "%s; Postgres %s", s.diskFullFor(), became)
		r.row("… until the server was ready again", "%s", s.recovered.disk)
	} else {
		r.row("disk full", "%s", s.noDisk)
	}
	if s.redis != nil {
		r.row("stops of Redis", "%d", s.redisStops)
	}
	r.row("nodes down, failing or slow", "%d times", s.flaps)
	r.row("read tables at the head of the log after the load", "%s", s.recovered.log.Round(10*time.Millisecond))
	for _, f := range s.figures {
		first, last := f.thirds(s.began, s.ended)
		r.row(f.name+", first and last third", "%.0f (at most %.0f), then %.0f (at most %.0f)", first.median, first.most, last.median, last.most)
		if s.Duration >= growthSampled && f.grown(first, last) {
			s.broken("%s grew from %.0f to %.0f", f.name, first.median, last.median)
		}
	}
	r.Broken = s.violations
	return r
}

// reportFetched adds what was fetched for tokens.
func (s *soak) reportFetched(r *Report) {
	f := &s.fetched
	r.row("events of the server itself", "%d, about %d reads of contracts and %d documents that came; the gateway got %d requests", f.events, f.reads, f.documents, s.gateway.requests.Load())
	var failed []string
	for _, class := range slices.Sorted(maps.Keys(f.failed)) {
		failed = append(failed, fmt.Sprintf("%d %s", f.failed[class], class))
	}
	r.row("… requests for documents that failed", "%s", cmp.Or(strings.Join(failed, ", "), "none"))
	r.row("… rows at the end", "%d tokens, %d of them read from their contracts; %d documents, and %d that have not come", f.rows.tokens, f.rows.read, f.rows.documents, f.rows.unavailable)
	r.row("… nothing due any more after the load", "%s, besides %d of processes that were killed", f.settled.Round(10*time.Millisecond), f.interrupted)
	if f.documents == 0 || f.rows.documents == 0 {
		s.broken("no document of a token was fetched")
	}
}

// reportReaders adds the answers and the classes of errors that readers got.
func (s *soak) reportReaders(r *Report, what string, got *readers) {
	total := 0
	for _, n := range got.answers {
		total += n
	}
	if total == 0 {
		s.broken("%s: none was made", what)
		return
	}
	slices.Sort(got.latency)
	if len(got.latency) > 0 {
		r.row(what, "%d; %d with 200, %d with 404, %d with 422; p50 %s, p99 %s", total, got.answers[200], got.answers[404], got.answers[422],
			got.latency[len(got.latency)/2].Round(100*time.Microsecond), got.latency[len(got.latency)*99/100].Round(100*time.Microsecond))
	}
	classes, examples := map[string]int{}, map[string]failure{}
	for _, f := range got.failures {
		class, ok := s.timeline.class(f)
		classes[class]++
		if !ok {
			examples[class] = f
		}
	}
	for _, class := range slices.Sorted(maps.Keys(classes)) {
		r.row("… "+class, "%d", classes[class])
	}
	if n := classes[crowded]; got != &s.costly && float64(n) > crowdedShare*float64(total) {
		s.broken("%s: %d of %d were refused because too many reads waited, more than %g", what, n, total, crowdedShare)
	}
	// Attackers who ask for more than there is may be sent away, but never without a word.
	for class, f := range examples {
		if got == &s.costly && f.status == 503 && f.retryAfter {
			continue
		}
		s.broken("%s: %d times %s, for example %s at %.2fs after %s: %s", what, classes[class], class, f.target, f.from.Sub(s.began).Seconds(),
			f.to.Sub(f.from).Round(time.Millisecond), strings.TrimSpace(f.text))
	}
	if got.lost > 0 {
		s.broken("%s: %d more requests failed than can be kept", what, got.lost)
	}
}
