package topic

import "strata/eventstore"

// Wake returns what wakes the subscriptions.
func (s *Subscriber) Wake() *eventstore.Wake { return s.config.Wake }
