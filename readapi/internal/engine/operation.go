package engine

import (
	"strconv"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

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
