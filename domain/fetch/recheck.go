package fetch

import (
	"cmp"
	"errors"
	"fmt"
	"time"
)

// Recheck is what several reports say that came at about the same time and found nothing new, in one event. What they have in
// common is said once, so that each costs the log little more than its want. The other reports on the same wants say what
// there is.
type Recheck struct {
	// Tip is the block at which all contracts were read; nil if no contract was.
	Tip *Tip `json:"tip,omitempty"`
	// Gateway is that of all requests, which were answered with status 200; empty if the URIs themselves were requested.
	Gateway string `json:"gateway,omitempty"`
	// StartedAt is when the first attempt began, and FinishedAt when the last one ended.
	StartedAt  time.Time `json:"started_at"`
	FinishedAt time.Time `json:"finished_at"`
	Unchanged  []Checked `json:"unchanged"`
}

// Checked is a want whose content did not change.
type Checked struct {
	Want Want `json:"want"`
	// Attempt is left out if it is the first.
	Attempt int `json:"attempt,omitempty"`
	// Seq is the event of the report that has the content.
	Seq int64 `json:"seq"`
}

// Add adds a report, and says whether it did: the report has to have found nothing new, at the first request, and at the same
// block and gateway as the others.
func (r *Recheck) Add(report *Report) bool {
	if len(report.Exchanges) != 1 || report.Image != nil {
		return false
	}
	e := report.Exchanges[0]
	switch {
	case e.Unchanged == nil || e.Failure != "" || e.Status != statusOK:
		return false
	case len(r.Unchanged) == 0:
		r.Tip, r.Gateway, r.StartedAt, r.FinishedAt = report.Tip, e.Gateway, report.StartedAt, report.FinishedAt
	case !sameTip(r.Tip, report.Tip) || r.Gateway != e.Gateway:
		return false
	}
	if report.StartedAt.Before(r.StartedAt) {
		r.StartedAt = report.StartedAt
	}
	if report.FinishedAt.After(r.FinishedAt) {
		r.FinishedAt = report.FinishedAt
	}
	checked := Checked{Want: report.Want, Seq: e.Unchanged.Seq}
	if report.Attempt != 1 {
		checked.Attempt = report.Attempt
	}
	r.Unchanged = append(r.Unchanged, checked)
	return true
}

func sameTip(a, b *Tip) bool { return a == b || a != nil && b != nil && *a == *b }

// Reports returns the reports, with the times of all together.
func (r *Recheck) Reports() []*Report {
	reports := make([]*Report, len(r.Unchanged))
	for i, c := range r.Unchanged {
		reports[i] = &Report{
			Want: c.Want, Attempt: cmp.Or(c.Attempt, 1), Tip: r.Tip, StartedAt: r.StartedAt, FinishedAt: r.FinishedAt,
			Exchanges: []Exchange{{Gateway: r.Gateway, Status: statusOK, Unchanged: &Unchanged{Seq: c.Seq}}},
		}
	}
	return reports
}

// Encode returns the body of the event.
func (r *Recheck) Encode() ([]byte, error) { return encode(r) }

// DecodeRecheck decodes the body of an event.
func DecodeRecheck(b []byte) (*Recheck, error) { return decode("recheck", b, new(Recheck)) }

func (r *Recheck) validate() error {
	if len(r.Unchanged) == 0 {
		return errors.New("recheck: /unchanged: want one or more")
	}
	for i, report := range r.Reports() {
		if err := report.validate(); err != nil {
			return fmt.Errorf("recheck: /unchanged/%d: %w", i, err)
		}
	}
	return nil
}
