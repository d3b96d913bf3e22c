// Package instrument registers metrics.
package instrument

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
)

// Registered returns c, or the collector that an earlier user of the registry registered in its place, so that several
// of a kind in one process count together. Without a registry it is c.
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
