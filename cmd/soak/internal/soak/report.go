package soak

import (
	"fmt"
	"io"
	"maps"
	"slices"
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
	took := s.ended.Sub(s.began)
	r.row("duration", "%s", took.Round(time.Second))
	r.row("events posted", "%d, %.1f a second; %d attempts had to be repeated", s.feed.total.accepted, float64(s.feed.total.accepted)/took.Seconds(), s.feed.retries)
	r.row("events in the log", "%d without a gap, %d of them stored again because an answer was lost", s.checked.events, s.checked.duplicates)
	r.row("events lost", "%d", s.checked.lost)
	r.row("events that nobody posted", "%d", s.checked.foreign)
	r.row("strata verify", "%s", s.checked.verified)
	s.reportReaders(r, "reads", &s.readers)
	s.reportReaders(r, "costly reads of attackers", &s.costly)
	r.row("other attacks", "%d slow senders, %d deaf readers, %d connections held open, %d deaf streams",
		s.attacks.slowSenders.Load(), s.attacks.deafReaders.Load(), s.attacks.flooded.Load(), s.attacks.deafStreams.Load())
	r.row("kills of the server (SIGKILL)", "%d", len(s.down))
	if n := len(s.recovered); n > 0 {
		slices.Sort(s.recovered)
		r.row("… until it was ready again", "%s median, %s at most", s.recovered[n/2].Round(10*time.Millisecond), s.recovered[n-1].Round(10*time.Millisecond))
	}
	r.row("read tables at the head of the log after the load", "%s", s.followed.Round(10*time.Millisecond))
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

// reportReaders adds the answers and the failures that readers got.
func (s *soak) reportReaders(r *Report, what string, got *readers) {
	useful := len(got.latency)
	if useful == 0 {
		s.broken("%s: there was no answer", what)
		return
	}
	slices.Sort(got.latency)
	r.row(what, "%d; %d answered, p50 %s, p99 %s", got.answers, useful,
		got.latency[useful/2].Round(100*time.Microsecond), got.latency[useful*99/100].Round(100*time.Microsecond))
	for _, why := range slices.Sorted(maps.Keys(got.failures)) {
		n := got.failures[why]
		r.row("… "+why, "%d", n)
		// Attackers who ask for more than there is may be sent away, but never without a word.
		if example := got.examples[why]; example != "" && (got != &s.costly || why != later) {
			s.broken("%s: %d times %s, for example %s", what, n, why, example)
		}
	}
	if n := got.failures[crowded]; got != &s.costly && float64(n) > crowdedShare*float64(got.answers) {
		s.broken("%s: %d of %d were refused because too many reads waited, more than %g", what, n, got.answers, crowdedShare)
	}
}
