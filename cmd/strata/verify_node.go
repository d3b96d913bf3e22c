package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"strata/domain/hash"
	"strata/projections"
)

// nodeRequests is how many requests a node gets at the same time.
const nodeRequests = 16

// nodePage is how many accounts are read at a time.
const nodePage = 1000

// verifiedNode is what was compared with a node.
type verifiedNode struct {
	URL            string      `json:"url"`
	BlockHeight    int64       `json:"block_height"`
	IndexBlockHash hash.Hash32 `json:"index_block_hash"`
	NodeHeight     int64       `json:"node_height"`
	Accounts       int64       `json:"accounts"`
	Compared       int64       `json:"compared"`
	// Seed that has chosen the accounts; null when all were compared.
	Seed    *int64  `json:"seed"`
	Seconds float64 `json:"seconds"`
}

func (n *verifiedNode) print(b *bytes.Buffer) {
	fmt.Fprintf(b, "node %s, at block %d: balances and nonces of %d of %d accounts at block %d %s, in %.1f s", visible(n.URL), n.NodeHeight, n.Compared, n.Accounts, n.BlockHeight, n.IndexBlockHash, n.Seconds)
	if n.Seed != nil {
		fmt.Fprintf(b, " (--seed %d)", *n.Seed)
	}
	b.WriteByte('\n')
}

// accountDifference is what the tables and a node don't say alike of an account.
type accountDifference struct {
	Account string `json:"account"`
	// What is "balance", in µSTX with what is locked, or "nonce", the next one.
	What  string `json:"what"`
	Table string `json:"table"`
	Node  string `json:"node"`
	// Seq is the event of the last change that the tables know; null when they know none.
	Seq *int64 `json:"seq"`
}

func (d *accountDifference) String() string {
	return visible(fmt.Sprintf("account %s: the %s is %s in the tables, %s at the node (last change: event %s)", d.Account, d.What, d.Table, d.Node, seqText(d.Seq)))
}

// activeVersions are the versions of projections that readers see.
func activeVersions(ctx context.Context, pool *pgxpool.Pool) (map[string]int, error) {
	rows, err := pool.Query(ctx, `SELECT name, version FROM strata.active`)
	if err != nil {
		return nil, fmt.Errorf("read which read tables are active: %w", err)
	}
	active := map[string]int{}
	var name string
	var version int
	if _, err := pgx.ForEachRow(rows, []any{&name, &version}, func() error {
		active[name] = version
		return nil
	}); err != nil {
		return nil, fmt.Errorf("read which read tables are active: %w", err)
	}
	return active, nil
}

// verifyNode compares accounts with a node, at the block that the tables stand at. They are read in one snapshot, so that they may go on
// meanwhile: the node is asked for that block, whatever its own tip is.
func (c *verifyCommand) verifyNode(ctx context.Context, db *database, report *verifyReport) error {
	node := newNodeClient(c.AgainstNode)
	defer node.close()
	n := &verifiedNode{URL: node.name}
	if !c.AllAccounts {
		seed := c.Seed
		for seed == 0 {
			seed = newSeed()
		}
		n.Seed = &seed
	}
	begin := time.Now()
	bar := newVerifyBar("node", "accounts")
	defer bar.done()
	err := pgx.BeginTxFunc(ctx, db.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		schema, err := n.readTip(ctx, tx)
		if err != nil {
			return err
		}
		if n.NodeHeight, err = node.tipHeight(ctx); err != nil {
			return err
		}
		if n.NodeHeight < n.BlockHeight {
			return fmt.Errorf("it is at block %d, behind the tables, which are at block %d: compare when it has caught up", n.NodeHeight, n.BlockHeight)
		}
		total := int64(c.Sample)
		if err := n.declare(ctx, tx, schema, c.Sample); err != nil {
			return err
		}
		if c.AllAccounts || total > n.Accounts {
			total = n.Accounts
		}
		return n.compare(ctx, tx, node, func(d *accountDifference) { report.add(&verifyDifference{Account: d}) }, func() { bar.show(n.Compared, total, 0) })
	})
	n.Seconds = time.Since(begin).Seconds()
	if err != nil {
		if n.Compared > 0 {
			err = fmt.Errorf("%w; %d accounts were compared before", err, n.Compared)
		}
		return fmt.Errorf("compare with the node at %s: %w", node.name, err)
	}
	report.Node = n
	return nil
}

// readTip finds the tables, and the block that they stand at.
func (n *verifiedNode) readTip(ctx context.Context, tx pgx.Tx) (schema string, err error) {
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
		return "", fmt.Errorf("read at which block the balances are: %w", err)
	case height == nil || len(tip) != len(n.IndexBlockHash):
		return "", errors.New("the balances are at no block yet")
	}
	n.BlockHeight = *height
	copy(n.IndexBlockHash[:], tip)
	return projections.Schema{Name: "balances", Version: version}.String(), nil
}

// declare opens a cursor over the accounts, and counts how many there are. Which are a sample depends on the seed and on nothing but the
// accounts themselves, so that it can be repeated.
func (n *verifiedNode) declare(ctx context.Context, tx pgx.Tx, schema string, sample int) error {
	in := func(sql string) string { return strings.ReplaceAll(sql, "{schema}", schema) }
	known := in(`(SELECT account FROM {schema}.holding WHERE asset = 'stx' UNION SELECT account FROM {schema}.nonce)`)
	if err := tx.QueryRow(ctx, `SELECT count(*) FROM `+known+` known`).Scan(&n.Accounts); err != nil {
		return fmt.Errorf("count the accounts: %w", err)
	}
	chosen := known
	if n.Seed != nil {
		chosen = fmt.Sprintf(`(SELECT account FROM %s known ORDER BY md5('%d:' || account), account COLLATE "C" LIMIT %d)`, known, *n.Seed, sample)
	}
	_, err := tx.Exec(ctx, in(`
		DECLARE account NO SCROLL CURSOR FOR
		SELECT chosen.account, coalesce(h.balance, 0)::text, h.source_seq, coalesce(n.next_nonce, 0)::text, n.source_seq
		FROM `+chosen+` chosen
		LEFT JOIN {schema}.holding h ON h.account = chosen.account AND h.asset = 'stx'
		LEFT JOIN LATERAL (SELECT next_nonce, source_seq FROM {schema}.nonce n WHERE n.account = chosen.account ORDER BY height DESC LIMIT 1) n ON true`))
	if err != nil {
		return fmt.Errorf("choose accounts: %w", err)
	}
	return nil
}

// account is what the tables say of one.
type account struct {
	name           string
	balance, nonce string
	seq, nonceSeq  *int64
}

// compare asks the node for each account of the cursor.
func (n *verifiedNode) compare(ctx context.Context, tx pgx.Tx, node *nodeClient, differs func(*accountDifference), progress func()) error {
	for {
		rows, err := tx.Query(ctx, fmt.Sprintf(`FETCH %d FROM account`, nodePage))
		if err != nil {
			return fmt.Errorf("read accounts: %w", err)
		}
		page, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (a account, err error) {
			return a, row.Scan(&a.name, &a.balance, &a.seq, &a.nonce, &a.nonceSeq)
		})
		if err != nil {
			return fmt.Errorf("read accounts: %w", err)
		}
		var mutex sync.Mutex
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(nodeRequests)
		for _, a := range page {
			group.Go(func() error {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				balance, nonce, err := node.account(ctx, a.name, n.IndexBlockHash)
				if err != nil {
					return err
				}
				mutex.Lock()
				defer mutex.Unlock()
				if want, ok := new(big.Int).SetString(a.balance, 10); !ok || want.Cmp(balance) != 0 {
					differs(&accountDifference{Account: a.name, What: "balance", Table: a.balance, Node: balance.String(), Seq: a.seq})
				}
				if text := fmt.Sprint(nonce); text != a.nonce {
					differs(&accountDifference{Account: a.name, What: "nonce", Table: a.nonce, Node: text, Seq: a.nonceSeq})
				}
				n.Compared++
				progress()
				return nil
			})
		}
		if err := group.Wait(); err != nil || len(page) < nodePage {
			return err
		}
	}
}
