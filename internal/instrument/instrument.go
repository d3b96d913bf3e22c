// Package instrument registers metrics.
package instrument

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
)

// Registered registers c and returns it. If the registry already has such a collector, Registered returns that one, so
// that several components of a kind share their metrics. Without a registry it returns c.
func Registered[C prometheus.Collector](registry prometheus.Registerer, c C) C {
	if registry == nil {
		return c
	}
	err := registry.Register(c)
	var already prometheus.AlreadyRegisteredError
	if errors.As(err, &already) {
		if earlier, ok := already.ExistingCollector.(C); ok {
			return earlier
		}
	}
	return c
}
