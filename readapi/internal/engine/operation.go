package engine

import (
	"fmt"
	"reflect"
	"strconv"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"strata/readapi/internal/answer"
)

// Operation describes an operation of the API.
type Operation struct {
	ID          string // unique; also the operation's name in metrics
	Path        string
	Aliases     []string // undocumented further paths of the operation
	Family      *Family  // nil for none; see Family.Place
	Tag         string
	Summary     string
	Description string // Markdown
	// Class is set to answer.NoStore, or where clients expect something else, answer.TipPlainErrors; see AnswerClass.
	Class answer.Class
	// Dependencies list what answers depend on, unless the input has a method Dependencies; default the tips of the
	// projections that the handler reads.
	Dependencies Dependencies
	// PointRead is set if each of its queries is a look-up or two, so that other reads may share a round trip with it.
	PointRead bool
	// Deprecated adds a Warning header to answers.
	Deprecated bool
	// ContentType is the media type of the answer; default application/json.
	ContentType string
	// FailureBody is the type of the bodies of 404 and 422; default ErrorBody.
	FailureBody reflect.Type
	// Refuse replaces the error for a parameter that does not match its schema, and RefusalBody is the type of the body
	// that results; default ErrorBody.
	Refuse      func(error) error
	RefusalBody reflect.Type
	// Untraced is the reason why answers can't be traced to rows. An operation of Get without one says which rows it shows.
	Untraced string
	// Statuses are the statuses that it may answer besides 200, and besides 500 and 503, which every operation has.
	Statuses []int
}

// AnswerClass returns the class of the answers, which decides how long clients may reuse one without asking again: by default
// until the next block, and for ever if they never change.
func (r *Operation) AnswerClass() answer.Class {
	switch {
	case r.Class != 0:
		return r.Class
	case r.Dependencies.Unchanging:
		return answer.Immutable
	}
	return answer.Tip
}

// Endpoint is an operation that is being served.
type Endpoint struct {
	Operation
	// atPosition is set if answers reflect a position of the log, so that clients may ask for one.
	atPosition bool
	learned    learned
	requests   *prometheus.HistogramVec
	// observers caches the metric of each status that was answered so far: looking it up costs more than observing.
	observers [600]atomic.Pointer[prometheus.Observer]
}

// observer returns the metric of requests that were answered with a status.
func (o *Endpoint) observer(status int) prometheus.Observer {
	if status < 0 || status >= len(o.observers) {
		return o.requests.WithLabelValues(o.ID, strconv.Itoa(status))
	}
	observer := o.observers[status].Load()
	if observer == nil {
		labeled := o.requests.WithLabelValues(o.ID, strconv.Itoa(status))
		observer = &labeled
		o.observers[status].Store(observer)
	}
	return *observer
}

// EventLink returns the path of an event's audit entry.
func EventLink(seq int64) string { return fmt.Sprintf("/audit/v1/events/%d", seq) }

// Instead returns a sentence for the description of a deprecated operation that names its successor.
func Instead(path string) string { return "Use `" + path + "` instead." }
