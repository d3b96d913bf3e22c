// Package network keeps which network the log is of, and whether its history may begin above genesis. The setting, a node or
// the first block writes the network beside the log. After that, a server of another network does not start, and archives of
// another network are not imported. Without that, one would fold events of two chains into the same tables.
//
// What nodes post is always stored, whatever network it is of: a node stops until its event is acknowledged. The projection
// chain puts events of another network into quarantine.
package network

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/domain/nodeevent"
	"strata/domain/transaction"
	"strata/eventstore"
)

// ConflictError means that a server is configured for another network than that of the log.
type ConflictError struct {
	Log, Want transaction.Network
}

func (e *ConflictError) Error() string {
	id := ""
	if standard := of(e.Log.Name()); standard != e.Log {
		id = fmt.Sprintf(" --chain-id %#x", e.Log.ChainID)
	}
	return fmt.Sprintf("the log is of %s, and this server is configured for %s; start it with --network %s%s, or with another database",
		e.Log, e.Want, e.Log.Name(), id)
}

// of returns the public network of that name.
func of(name string) transaction.Network {
	if name == "mainnet" {
		return transaction.Mainnet
	}
	return transaction.Testnet
}

// New returns the network with these addresses, those of mainnet or testnet, and this chain id.
func New(name string, chainID uint32) transaction.Network {
	n := of(name)
	n.ChainID = chainID
	return n
}

// Pinned returns the network of the log. It is unknown until a server or an import has begun.
func Pinned(ctx context.Context, log *eventstore.Log) (n transaction.Network, known bool, err error) {
	var (
		addresses string
		id        int64
	)
	err = log.Pool().QueryRow(ctx, `SELECT name, chain_id FROM log.network`).Scan(&addresses, &id)
	if errors.Is(err, pgx.ErrNoRows) {
		return n, false, nil
	}
	if err != nil {
		return n, false, fmt.Errorf("read the network of the log: %w", err)
	}
	return New(addresses, uint32(id)), true, nil //nolint:gosec // the table has a check
}

// Settle pins the network of a server, unless the log has one already. It returns a *ConflictError if the log is of
// another network.
func Settle(ctx context.Context, log *eventstore.Log, want transaction.Network) error {
	first, known, err := Find(ctx, log)
	if err != nil {
		return err
	}
	if !known {
		first = want
	}
	pinned, err := settle(ctx, log, first)
	if err != nil {
		return err
	}
	if pinned != want {
		return &ConflictError{Log: pinned, Want: want}
	}
	return nil
}

// settle pins a network, unless the log has one already, and returns the one that counts. As long as the log is empty,
// the last one counts: nothing is lost.
func settle(ctx context.Context, log *eventstore.Log, n transaction.Network) (transaction.Network, error) {
	_, err := log.Pool().Exec(ctx, `
		INSERT INTO log.network (name, chain_id) VALUES ($1, $2)
		ON CONFLICT ((true)) DO UPDATE SET name = excluded.name, chain_id = excluded.chain_id WHERE (SELECT size FROM log.head) = 0`, n.Name(), int64(n.ChainID))
	if err != nil {
		return n, fmt.Errorf("write the network of the log: %w", err)
	}
	pinned, _, err := Pinned(ctx, log)
	return pinned, err
}

// Limits of Find. The first block after genesis has a transaction that tells the network.
const (
	findEvents = 5000
	findBytes  = 32 << 20
)

// Find returns the network of the log, or else the one that its first events tell: the log of an older program has no
// network beside it. An empty log has none: what an earlier start wrote beside it is removed.
func Find(ctx context.Context, log *eventstore.Log) (n transaction.Network, known bool, err error) {
	size, err := log.Size(ctx)
	if err != nil {
		return n, false, err
	}
	if size == 0 {
		if _, err := log.Pool().Exec(ctx, `DELETE FROM log.network WHERE (SELECT size FROM log.head) = 0`); err != nil {
			return n, false, fmt.Errorf("forget the network of an empty log: %w", err)
		}
	}
	if n, known, err = Pinned(ctx, log); err != nil || known {
		return n, known, err
	}
	for after := int64(0); after < findEvents; {
		events, err := log.Read(ctx, eventstore.Range{After: after, Events: 500, Bytes: findBytes, Paths: nodeevent.NetworkPaths()})
		if err != nil || len(events) == 0 {
			return n, false, err
		}
		for _, e := range events {
			if n, known := nodeevent.Network(e.Path, e.Body); known {
				return n, true, nil
			}
		}
		after = events[len(events)-1].Seq
	}
	return n, false, nil
}

// BeginAnywhere lets the chain begin with any block after the newest event of the log, and reports whether it could not
// before. What was folded until then stays as it is, so that each fold of the log has the same result. If the log has events,
// another one is appended, after which blocks that have waited are folded.
func BeginAnywhere(ctx context.Context, log *eventstore.Log) (changed bool, err error) {
	size, err := log.Size(ctx)
	if err != nil {
		return false, err
	}
	done, err := log.Pool().Exec(ctx, `INSERT INTO log.partial_history (after_seq) VALUES ($1) ON CONFLICT ((true)) DO NOTHING`, size)
	if err != nil {
		return false, fmt.Errorf("write that the history may begin above genesis: %w", err)
	}
	if done.RowsAffected() == 0 || size == 0 {
		return done.RowsAffected() > 0, nil
	}
	_, err = log.Append(ctx, eventstore.Incoming{
		ReceivedAt: time.Now(), Source: "strata", Path: partialHistoryPath, ContentType: "application/json",
		Body: eventstore.NewBody(fmt.Appendf(nil, `{"after_seq":%d}`, size)),
	})
	return true, err
}

// partialHistoryPath is the path of the event that BeginAnywhere appends. Nothing reads its body.
const partialHistoryPath = "strata:partial-history"
