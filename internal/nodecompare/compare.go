// Package nodecompare compares the STX balances, locks and nonces of the read tables with what a Stacks node answers for
// the same block.
package nodecompare

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"strata/domain/hash"
	"strata/domain/pox"
	"strata/domain/schema"
	"strata/internal/locks"
)

const (
	// concurrency is the maximum number of concurrent requests to the node.
	concurrency = 16
	// pageRows is the number of accounts that are read from the database at a time.
	pageRows = 1000
)

// Options choose the node and the accounts of a comparison.
type Options struct {
	// URL is the node's RPC address, which must be valid.
	URL string
	// Sample is the number of accounts to compare, chosen at random.
	Sample int
	// Seed chooses the sample: the same seed chooses the same accounts, as long as there are no others. 0 means a random
	// seed.
	Seed int64
	// All compares all accounts. Sample and Seed are ignored then.
	All bool
	// Difference is called for each difference, never concurrently.
	Difference func(Difference)
	// Progress is called after each account, never concurrently.
	Progress func(compared, total int64)
}

// Result describes a complete comparison.
type Result struct {
	// URL is the node's address without its password.
	URL string `json:"url"`
	// BlockHeight and IndexBlockHash identify the block at which accounts were compared: the tip of the read tables.
	BlockHeight    int64       `json:"block_height"`
	IndexBlockHash hash.Hash32 `json:"index_block_hash"`
	// NodeHeight is the height of the node's tip.
	NodeHeight int64 `json:"node_height"`
	// Accounts is the number of accounts in the read tables, and Compared how many of them were compared.
	Accounts int64 `json:"accounts"`
	Compared int64 `json:"compared"`
	// Seed is the seed that chose the accounts; null if all were compared.
	Seed    *int64  `json:"seed"`
	Seconds float64 `json:"seconds"`
}

// Difference is a value of an account that differs between the read tables and the node.
type Difference struct {
	Account string `json:"account"`
	What    string `json:"what" enum:"balance,locked amount,unlock height,nonce" doc:"balance, in µSTX and including what is locked; locked amount, in µSTX; unlock height, of the lock in force, 0 for none; nonce, the next one."`
	Table   string `json:"table" doc:"The value in the read tables, a decimal number."`
	Node    string `json:"node" doc:"The node's value, a decimal number."`
	Seq     *int64 `json:"seq" doc:"The event of the last change in the read tables; null if they have none."`
}

// String describes the difference. It may contain control characters, if the tables do.
func (d Difference) String() string {
	seq := "unknown"
	if d.Seq != nil {
		seq = fmt.Sprint(*d.Seq)
	}
	return fmt.Sprintf("account %s: the %s is %s in the tables, %s at the node (last change: event %s)", d.Account, d.What, d.Table, d.Node, seq)
}

// comparison is a comparison under way.
type comparison struct {
	Options
	Result
	node *client
	// burnHeight and forcedUnlocks are the state of the block that decides which locks are in force.
	burnHeight    int64
	forcedUnlocks pox.ForcedUnlocks
}

// Compare compares accounts of the active version of the projection balances with a node. It reads them in one snapshot
// and asks the node for the block of that snapshot, so that both may advance meanwhile. The snapshot stays open until the end,
// as the result is about one block; a Watch, which runs all the time, keeps none open.
func Compare(ctx context.Context, pool *pgxpool.Pool, options Options) (*Result, error) {
	c := &comparison{Options: options, node: newClient(options.URL)}
	defer c.node.close()
	c.Result.URL = c.node.name
	if !options.All {
		seed := options.Seed
		for seed == 0 {
			seed = rand.Int64N(1 << 31)
		}
		c.Result.Seed = &seed
	}
	start := time.Now()
	snapshot := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err := pgx.BeginTxFunc(ctx, pool, snapshot, func(tx pgx.Tx) error { return c.run(ctx, tx) })
	c.Seconds = time.Since(start).Seconds()
	if err != nil {
		if c.Compared > 0 {
			err = fmt.Errorf("%w; %d accounts were compared before", err, c.Compared)
		}
		return nil, fmt.Errorf("compare with the node at %s: %w", c.node.name, err)
	}
	return &c.Result, nil
}

func (c *comparison) run(ctx context.Context, tx pgx.Tx) error {
	tables, err := c.readTip(ctx, tx)
	if err != nil {
		return err
	}
	if c.NodeHeight, err = c.node.tipHeight(ctx); err != nil {
		return err
	}
	if c.NodeHeight < c.BlockHeight {
		return fmt.Errorf("it is at block %d, behind the tables, which are at block %d: compare when it has caught up", c.NodeHeight, c.BlockHeight)
	}
	if err := c.declareCursor(ctx, tx, tables); err != nil {
		return err
	}
	return c.compareAccounts(ctx, tx)
}

// readTip reads the tip of the read tables into the result, and returns the schema of the tables.
func (c *comparison) readTip(ctx context.Context, tx pgx.Tx) (tables string, err error) {
	var (
		version int
		height  *int64
		tip     []byte
	)
	err = tx.QueryRow(ctx, `SELECT version, block_height, index_block_hash FROM strata.active JOIN strata.projection USING (name, version) WHERE name = 'balances'`).Scan(&version, &height, &tip)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return "", errors.New("the projection balances has no tables in this database")
	case err != nil:
		return "", fmt.Errorf("read the tip of the balances: %w", err)
	case height == nil || len(tip) != len(c.IndexBlockHash):
		return "", errors.New("the balances are at no block yet")
	}
	c.BlockHeight = *height
	copy(c.IndexBlockHash[:], tip)
	tables = schema.Schema{Name: "balances", Version: version}.String()
	err = tx.QueryRow(ctx, strings.ReplaceAll(`
		SELECT burn_block_height, pox_v1_unlock_height, pox_v2_unlock_height, pox_v3_unlock_height, pox_v4_unlock_height
		FROM {schema}.block WHERE height = $1`, "{schema}", tables), c.BlockHeight).
		Scan(&c.burnHeight, &c.forcedUnlocks[0], &c.forcedUnlocks[1], &c.forcedUnlocks[2], &c.forcedUnlocks[3])
	if err != nil {
		return "", fmt.Errorf("read the tip's Bitcoin height: %w", err)
	}
	return tables, nil
}

// declareCursor counts the accounts, and opens a cursor over those to compare. The sample depends only on the seed and
// the accounts, so that it can be repeated.
func (c *comparison) declareCursor(ctx context.Context, tx pgx.Tx, tables string) error {
	in := func(sql string) string { return strings.ReplaceAll(sql, "{schema}", tables) }
	known := in(`(SELECT account FROM {schema}.holding WHERE asset = 'stx' UNION SELECT account FROM {schema}.signer)`)
	if err := tx.QueryRow(ctx, `SELECT count(*) FROM `+known+` known`).Scan(&c.Accounts); err != nil {
		return fmt.Errorf("count the accounts: %w", err)
	}
	chosen := known
	if seed := c.Result.Seed; seed != nil {
		chosen = fmt.Sprintf(`(SELECT account FROM %s known ORDER BY md5('%d:' || account), account COLLATE "C" LIMIT %d)`, known, *seed, c.Sample)
	}
	_, err := tx.Exec(ctx, in(`DECLARE account NO SCROLL CURSOR FOR `+selectAccounts(chosen)))
	if err != nil {
		return fmt.Errorf("choose accounts: %w", err)
	}
	return nil
}

// selectAccounts returns the query of what is compared of chosen accounts, for scanAccount.
func selectAccounts(chosen string) string {
	return `
		SELECT chosen.account, coalesce(h.balance, 0)::text, h.source_seq, coalesce(n.next_nonce, 0)::text, n.source_seq,
		       coalesce(l.amount, 0)::text, coalesce(l.unlock_height, 0), coalesce(l.pox_version, 0), l.source_seq
		FROM ` + chosen + ` chosen
		LEFT JOIN {schema}.holding h ON h.account = chosen.account AND h.asset = 'stx'
		LEFT JOIN LATERAL (
			SELECT next_nonce, source_seq FROM {schema}.signer_nonce n
			WHERE n.signer = (SELECT s.id FROM {schema}.signer s WHERE s.account = chosen.account) ORDER BY height DESC LIMIT 1
		) n ON true
		LEFT JOIN LATERAL (SELECT amount, unlock_height, pox_version, source_seq FROM {schema}.stx_lock l WHERE l.account = chosen.account ORDER BY height DESC, position DESC LIMIT 1) l ON true`
}

func scanAccount(row pgx.CollectableRow) (a account, err error) {
	return a, row.Scan(&a.name, &a.balance, &a.seq, &a.nonce, &a.nonceSeq,
		&a.locked, &a.unlockHeight, &a.poxVersion, &a.lockSeq)
}

// account is an account as the read tables have it.
type account struct {
	name           string
	balance, nonce string
	seq, nonceSeq  *int64
	// The last lock, which may have ended.
	locked       string
	unlockHeight int64
	poxVersion   int
	lockSeq      *int64
}

// lockAt returns the amount that is locked and until when, as a node tells it: "0" and 0 if no lock is in force.
func (a account) lockAt(forced pox.ForcedUnlocks, burnHeight int64) (amount string, unlockHeight int64) {
	if a.locked == "0" || !forced.InForce(a.poxVersion, a.unlockHeight, burnHeight) {
		return "0", 0
	}
	return a.locked, a.unlockHeight
}

// differences returns what differs between an account of the tables and the node's answer.
func (c *comparison) differences(a account, answer nodeAccount) []Difference {
	locked, unlockHeight := a.lockAt(c.forcedUnlocks, c.burnHeight)
	var list []Difference
	for _, d := range []Difference{
		{What: "balance", Table: a.balance, Node: new(big.Int).Add(answer.unlocked, answer.locked).String(), Seq: a.seq},
		{What: "locked amount", Table: locked, Node: answer.locked.String(), Seq: a.lockSeq},
		{What: "unlock height", Table: fmt.Sprint(unlockHeight), Node: fmt.Sprint(answer.unlockHeight), Seq: a.lockSeq},
		{What: "nonce", Table: a.nonce, Node: fmt.Sprint(answer.nonce), Seq: a.nonceSeq},
	} {
		if d.Table != d.Node {
			d.Account = a.name
			list = append(list, d)
		}
	}
	return list
}

// compareAccounts asks the node for each account of the cursor, several at a time.
func (c *comparison) compareAccounts(ctx context.Context, tx pgx.Tx) error {
	total := c.Accounts
	if !c.All {
		total = min(total, int64(c.Sample))
	}
	for {
		rows, err := tx.Query(ctx, fmt.Sprintf(`FETCH %d FROM account`, pageRows))
		if err != nil {
			return fmt.Errorf("read accounts: %w", err)
		}
		page, err := pgx.CollectRows(rows, scanAccount)
		if err != nil {
			return fmt.Errorf("read accounts: %w", err)
		}
		// The database would end a transaction that does nothing for minutes, while a slow node answers.
		stop := locks.KeepAlive(ctx, 0, func(ctx context.Context) error {
			_, err := tx.Exec(ctx, `SELECT`)
			return err
		})
		var mutex sync.Mutex
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(concurrency)
		for _, a := range page {
			group.Go(func() error {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				answer, err := c.node.account(ctx, a.name, c.IndexBlockHash)
				if err != nil {
					return err
				}
				mutex.Lock()
				defer mutex.Unlock()
				for _, difference := range c.differences(a, answer) {
					c.Difference(difference)
				}
				c.Compared++
				c.Progress(c.Compared, total)
				return nil
			})
		}
		err = group.Wait()
		stop()
		if err != nil || len(page) < pageRows {
			return err
		}
	}
}
