package engine

import (
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Endpoint is an operation that is being served.
type Endpoint struct {
	Operation
	// atPosition is set if answers reflect a position of the log, so that clients may ask for one.
	atPosition bool
	requests   *prometheus.HistogramVec
	// observers caches the metric of each status that was answered so far: looking it up costs more than observing.
	observers [600]atomic.Pointer[prometheus.Observer]
}

// observe records an answered request in the metrics.
func (o *Endpoint) observe(status int, took time.Duration) {
	if status < 0 || status >= len(o.observers) {
		return
	}
	observer := o.observers[status].Load()
	if observer == nil {
		labeled := o.requests.WithLabelValues(o.ID, strconv.Itoa(status))
		observer = &labeled
		o.observers[status].Store(observer)
	}
	(*observer).Observe(took.Seconds())
}
