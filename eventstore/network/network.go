// Package network keeps which network the log is of. The first start or import writes it beside the log; from then on, a
// server of another network does not start, and archives of another network are not imported. Without that, one would
// fold events of two chains into the same tables.
//
// What nodes post is always stored, whatever network it is of: a node stops until its event is acknowledged.
package network

import (
	"context"
	"errors"
	"fmt"

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
	if standard := of(name(e.Log)); standard != e.Log {
		id = fmt.Sprintf(" --chain-id %#x", e.Log.ChainID)
	}
	return fmt.Sprintf("the log is of %s, and this server is configured for %s; start it with --network %s%s, or with another database",
		Text(e.Log), Text(e.Want), name(e.Log), id)
}

// Text names a network for people.
func Text(n transaction.Network) string { return fmt.Sprintf("%s (chain id %#x)", name(n), n.ChainID) }

func name(n transaction.Network) string {
	if n.Version == transaction.VersionMainnet {
		return "mainnet"
	}
	return "testnet"
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
	first, known, err := find(ctx, log)
	if err != nil {
		return err
	}
	size, err := log.Size(ctx)
	if err != nil {
		return err
	}
	if !known || size == 0 {
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
		ON CONFLICT ((true)) DO UPDATE SET name = excluded.name, chain_id = excluded.chain_id WHERE (SELECT size FROM log.head) = 0`, name(n), int64(n.ChainID))
	if err != nil {
		return n, fmt.Errorf("write the network of the log: %w", err)
	}
	pinned, _, err := Pinned(ctx, log)
	return pinned, err
}

// Limits of find. The first block after genesis has a transaction that tells the network.
const (
	findEvents = 5000
	findBytes  = 32 << 20
)

// find returns the network of the log, or else the one that its first events tell: the log of an older program has no
// network beside it.
func find(ctx context.Context, log *eventstore.Log) (n transaction.Network, known bool, err error) {
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
