package engine

import (
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// operation is a resource that is being served.
type endpoint struct {
	Operation
	// atPosition says that answers reflect a position of the log, so that one may be asked for.
	atPosition bool
	requests   *prometheus.HistogramVec
	// observers are of the statuses that were answered so far, so that a request need not look for its own.
	observers [600]atomic.Pointer[prometheus.Observer]
}

// observe notes a request that was answered.
func (o *endpoint) observe(status int, took time.Duration) {
	if status < 0 || status >= len(o.observers) {
		return
	}
	observer := o.observers[status].Load()
	if observer == nil {
		made := o.requests.WithLabelValues(o.ID, strconv.Itoa(status))
		observer = &made
		o.observers[status].Store(observer)
	}
	(*observer).Observe(took.Seconds())
}
