// Package faucet sends STX of a test network to whoever asks, from keys of its own. It signs token transfers and hands
// them to a node. Any number of processes may send from the same keys, if they share a database: they take turns.
package faucet

import (
	"context"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/c32"
	"strata/domain/clarity"
	"strata/domain/hash"
	"strata/domain/transaction"
	"strata/domain/transaction/key"
	"strata/internal/locks"
)

//go:embed tables.sql
var tables string

// The errors that clients see. Any other means that the node or the database failed.
var (
	// ErrAddress is returned for a recipient that is no address of a test network.
	ErrAddress = errors.New("not a Stacks address of a test network")
	// ErrTooMany is returned for a recipient that got enough for now.
	ErrTooMany = errors.New("too many requests")
	// ErrFunds is returned if no key has enough STX.
	ErrFunds = errors.New("no key has enough STX")
	// ErrRefused is returned if the node refuses the transaction for a reason that no other key or nonce mends.
	ErrRefused = errors.New("the node refuses the transaction")
	// ErrMainnet is returned for the node or chain id of mainnet, whose STX are never given away.
	ErrMainnet = errors.New("a faucet is for test networks, and this is mainnet")
)

// What a request gets, and how often, as in stacks-blockchain-api.
const (
	amount         = 500_000_000 // µSTX
	memo           = "faucet"
	leastFee       = 200 // µSTX
	limit          = 5
	limitWindow    = 5 * time.Minute
	stackingLimit  = 1
	stackingWindow = 48 * time.Hour
	// stackingShare is what a request for stacking gets, in tenths of the amount that the node's stacking contract requires.
	stackingShare = 12
)

// pendingMax is how long a sent transaction may wait to be mined. After that, the node's word about the next nonce counts
// again: the transaction may be lost.
const pendingMax = 30 * time.Minute

// nonceTries is the largest number of nonces that are tried with one key, if somebody else sends from it, too.
const nonceTries = 5

// Config configures a Faucet. All fields but HTTP and Logger are required.
type Config struct {
	Pool *pgxpool.Pool
	// Node is the base URL of a node's RPC.
	Node string
	// Keys pay in turn.
	Keys []key.Private
	// ChainID is that of the network; mainnet's is refused.
	ChainID uint32
	HTTP    *http.Client
	Logger  *slog.Logger
}

// Faucet sends STX. It is safe for concurrent use.
type Faucet struct {
	config Config
	node   *node
	keys   map[string]key.Private // by address
}

// Open creates the tables, if they are not there yet, and returns the faucet.
func Open(ctx context.Context, config Config) (*Faucet, error) {
	if config.ChainID == transaction.Mainnet.ChainID {
		return nil, ErrMainnet
	}
	base, err := url.Parse(config.Node)
	if err != nil || base.Host == "" {
		return nil, fmt.Errorf("the URL of the faucet's node is %q: want http://host:port", config.Node)
	}
	if config.HTTP == nil {
		config.HTTP = &http.Client{Timeout: 10 * time.Second}
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	f := &Faucet{config: config, node: &node{base: base, http: config.HTTP}, keys: map[string]key.Private{}}
	for _, k := range config.Keys {
		f.keys[k.Address(false).String()] = k
	}
	return f, locks.Hold(ctx, config.Pool, 0, func(tx pgx.Tx) error {
		if err := locks.Table(ctx, tx, `public.strata_migration`); err != nil {
			return fmt.Errorf("wait for other faucets: %w", err)
		}
		if _, err := tx.Exec(ctx, tables); err != nil {
			return fmt.Errorf("create the tables of the faucet: %w", err)
		}
		for address := range f.keys {
			if _, err := tx.Exec(ctx, `INSERT INTO faucet.key (place, next_nonce, sent_at, address) VALUES (0, 0, '-infinity', $1) ON CONFLICT DO NOTHING`, address); err != nil {
				return fmt.Errorf("add the key of %s: %w", address, err)
			}
		}
		return nil
	})
}

// Request asks for STX.
type Request struct {
	Address   string
	Stacking  bool   // enough to stack, rather than the usual amount
	Unlimited bool   // however often the address got STX; the request itself does not count either
	Client    string // where the request came from
}

// Sent is a transaction that a node accepted.
type Sent struct {
	ID     hash.Hash32
	Raw    []byte
	Amount uint64 // µSTX
}

// Send sends STX. It returns one of the errors of this package, or another if the node or the database failed.
func (f *Faucet) Send(ctx context.Context, r Request) (*Sent, error) {
	recipient, err := recipientOf(r.Address)
	if err != nil {
		return nil, err
	}
	if err := f.checkNode(ctx); err != nil {
		return nil, err
	}
	var sent *Sent
	err = locks.Hold(ctx, f.config.Pool, 0, func(tx pgx.Tx) error {
		keys, err := f.lock(ctx, tx)
		if err != nil {
			return err
		}
		if !r.Unlimited {
			if err := f.allow(ctx, tx, r); err != nil {
				return err
			}
		}
		least := uint64(amount)
		if r.Stacking {
			if least, err = f.node.stackingMinimum(ctx); err != nil {
				return err
			}
			least = least / 10 * stackingShare
		}
		if sent, err = f.sendFromAny(ctx, tx, keys, recipient, least); err != nil || r.Unlimited {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO faucet.request (sent_at, stacking, address, client) VALUES (clock_timestamp(), $1, $2, $3)`, r.Stacking, r.Address, r.Client)
		return err
	})
	if err != nil {
		return nil, err
	}
	f.config.Logger.LogAttrs(ctx, slog.LevelInfo, "the faucet sent STX", slog.String("address", r.Address), slog.Bool("stacking", r.Stacking), slog.String("txid", sent.ID.String()))
	return sent, nil
}

// recipientOf parses a recipient: an address or a contract of a test network.
func recipientOf(text string) (clarity.Principal, error) {
	p, err := clarity.ParsePrincipal(text)
	if err != nil || p.String() != text || p.Address.Version != c32.TestnetSingle && p.Address.Version != c32.TestnetMulti {
		return p, ErrAddress
	}
	return p, nil
}

// checkNode checks that the node is of the network. A wrong one is never asked to send anything.
func (f *Faucet) checkNode(ctx context.Context) error {
	switch id, err := f.node.networkID(ctx); {
	case err != nil:
		return err
	case id == transaction.Mainnet.ChainID:
		return ErrMainnet
	case id != f.config.ChainID:
		return fmt.Errorf("the faucet's node has network_id %#x, want %#x (--chain-id)", id, f.config.ChainID)
	}
	return nil
}

// lockedKey is a row of faucet.key.
type lockedKey struct {
	address string
	next    int64
	fresh   bool // whether its last transaction may still wait to be mined
}

// lock waits for its turn to send, and returns the keys, the next one first.
func (f *Faucet) lock(ctx context.Context, tx pgx.Tx) ([]lockedKey, error) {
	// In the order of addresses, so that two processes never wait for each other.
	if _, err := tx.Exec(ctx, `SELECT FROM faucet.key ORDER BY address FOR UPDATE`); err != nil {
		return nil, fmt.Errorf("wait for the keys of the faucet: %w", err)
	}
	rows, err := tx.Query(ctx, `SELECT address, next_nonce::bigint, sent_at > clock_timestamp() - $1::interval FROM faucet.key ORDER BY place, address`, pendingMax)
	if err != nil {
		return nil, fmt.Errorf("read the keys of the faucet: %w", err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (k lockedKey, err error) {
		err = row.Scan(&k.address, &k.next, &k.fresh)
		return k, err
	})
	if err != nil {
		return nil, fmt.Errorf("read the keys of the faucet: %w", err)
	}
	var own []lockedKey
	for _, k := range all {
		if _, ok := f.keys[k.address]; ok {
			own = append(own, k)
		}
	}
	return own, nil
}

// allow checks the limits of a request, and forgets requests that no longer count.
func (f *Faucet) allow(ctx context.Context, tx pgx.Tx, r Request) error {
	most, window := limit, limitWindow
	if r.Stacking {
		most, window = stackingLimit, stackingWindow
	}
	var sent int
	if err := tx.QueryRow(ctx, `
		WITH forgotten AS (DELETE FROM faucet.request WHERE sent_at <= clock_timestamp() - $1::interval)
		SELECT (SELECT count(*) FROM faucet.request WHERE address = $2 AND stacking = $3 AND sent_at > clock_timestamp() - $4::interval)`,
		stackingWindow, r.Address, r.Stacking, window).Scan(&sent); err != nil {
		return fmt.Errorf("count the requests for %s: %w", r.Address, err)
	}
	if sent >= most {
		return ErrTooMany
	}
	return nil
}

// sendFromAny sends with the first key that the node accepts a transaction of, and notes its nonce.
func (f *Faucet) sendFromAny(ctx context.Context, tx pgx.Tx, keys []lockedKey, recipient clarity.Principal, amount uint64) (*Sent, error) {
	fee, err := f.node.feeRate(ctx)
	if err != nil {
		return nil, err
	}
	var failed error
	for _, k := range keys {
		sent, next, err := f.sendFrom(ctx, k, recipient, amount, fee)
		if err == nil {
			_, err = tx.Exec(ctx, `
				UPDATE faucet.key SET next_nonce = $2, sent_at = clock_timestamp(), place = (SELECT max(place) + 1 FROM faucet.key) WHERE address = $1`, k.address, next)
			return sent, err
		}
		var refused *refusal
		if !errors.As(err, &refused) || !refused.concernsKey() {
			return nil, err
		}
		if failed == nil || !errors.Is(err, ErrFunds) {
			failed = err
		}
	}
	if failed == nil {
		failed = errors.New("the faucet has no key")
	}
	return nil, failed
}

// sendFrom sends with one key, and returns the nonce after that of the transaction.
func (f *Faucet) sendFrom(ctx context.Context, k lockedKey, recipient clarity.Principal, amount, feeRate uint64) (*Sent, int64, error) {
	nonce, err := f.node.nonce(ctx, k.address)
	if err != nil {
		return nil, 0, err
	}
	if k.fresh && uint64(k.next) > nonce {
		nonce = uint64(k.next)
	}
	for try := 0; ; try++ {
		sent, err := f.broadcast(ctx, f.keys[k.address], nonce, recipient, amount, feeRate)
		if err == nil {
			return sent, int64(nonce) + 1, nil
		}
		var refused *refusal
		if !errors.As(err, &refused) || refused.Reason != reasonNonceWaits || try == nonceTries {
			return nil, 0, err
		}
		nonce++ // somebody else sent with this nonce
	}
}

// broadcast signs a transfer and hands it to the node.
func (f *Faucet) broadcast(ctx context.Context, k key.Private, nonce uint64, recipient clarity.Principal, amount, feeRate uint64) (*Sent, error) {
	draft := transaction.Draft{Network: transaction.Network{Version: transaction.VersionTestnet, ChainID: f.config.ChainID}, Nonce: nonce}
	tx, err := draft.TokenTransfer(recipient, amount, memo)
	if err != nil {
		return nil, err
	}
	tx.Origin.Fee = max(feeRate*uint64(len(tx.Encode())), leastFee)
	if err := transaction.Sign(tx, k); err != nil {
		return nil, err
	}
	raw := tx.Encode()
	if err := f.node.broadcast(ctx, raw); err != nil {
		return nil, fmt.Errorf("send transaction 0x%s: %w", hex.EncodeToString(raw), err)
	}
	return &Sent{tx.TxID(), raw, amount}, nil
}
