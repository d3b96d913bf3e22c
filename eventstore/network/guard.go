package network

import (
	"context"
	"fmt"

	"strata/domain/nodeevent"
	"strata/domain/transaction"
	"strata/eventstore"
)

// ForeignError means that an imported event is of another network than the log.
type ForeignError struct {
	Path, Origin string
	Log, Event   transaction.Network
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("the event at %s with origin %q is of %s, and the log of %s; import it into a database of its own",
		e.Path, e.Origin, e.Event, e.Log)
}

// Guard refuses imported events of another network than that of the log. If the log is of none yet, the first event that
// tells one decides.
type Guard struct {
	events *eventstore.Log
	log    transaction.Network
	known  bool
}

// NewGuard returns a guard of a log.
func NewGuard(ctx context.Context, log *eventstore.Log) (*Guard, error) {
	size, err := log.Size(ctx)
	if err != nil {
		return nil, err
	}
	g := &Guard{events: log}
	if size > 0 {
		g.log, g.known, err = Find(ctx, log)
	}
	return g, err
}

// Admit returns a *ForeignError if one of the events, which are about to be appended, is of another network.
func (g *Guard) Admit(ctx context.Context, events []eventstore.Incoming) error {
	for _, e := range events {
		body, inMemory := e.Body.Bytes()
		if !inMemory {
			continue
		}
		n, tells := nodeevent.Network(e.Path, body)
		if !tells {
			continue
		}
		if !g.known {
			pinned, err := settle(ctx, g.events, n)
			if err != nil {
				return err
			}
			g.log, g.known = pinned, true
		}
		if n != g.log {
			return &ForeignError{Path: e.Path, Origin: e.Origin, Log: g.log, Event: n}
		}
	}
	return nil
}
