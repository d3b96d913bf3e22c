package synthchain

import (
	"strata/domain/hash"
	"strata/internal/synth/synthchain/internal/nodejson"
	"strata/internal/synth/synthchain/internal/vm"
)

// pool is the mempool.
type pool struct {
	batch [][]byte      // raw transactions for the next post
	stale []hash.Hash32 // announced transactions, mined or not: a node drops both kinds
}

// poolSize is the maximum length of pool.stale.
const poolSize = 64

// announce sometimes adds a transaction to the mempool post before it is mined. If the transaction replaces another
// one, that is announced first, and its drop is posted before the transaction.
func (c *Chain) announce(o *vm.Operation) {
	if !c.random.Chance(c.cfg.MempoolProbability) {
		return
	}
	if r := o.Replaces; r != nil {
		c.pool.batch = append(c.pool.batch, r.Raw)
		c.flushPool()
		c.deliver(c.drop("ReplaceByFee", &o.Txid, r.Txid), nil)
	}
	c.pool.batch = append(c.pool.batch, o.Raw)
	c.remember(o.Txid)
	if c.random.IntN(3) > 0 {
		c.flushPool()
	}
}

// remember stores a transaction id for a later drop.
func (c *Chain) remember(txid hash.Hash32) {
	if len(c.pool.stale) < poolSize {
		c.pool.stale = append(c.pool.stale, txid)
		return
	}
	c.pool.stale[c.random.IntN(poolSize)] = txid
}

// flushPool queues the mempool post, if it has transactions.
func (c *Chain) flushPool() {
	if len(c.pool.batch) == 0 {
		return
	}
	body := nodejson.MempoolTransactions(c.pool.batch)
	c.pool.batch = c.pool.batch[:0]
	c.deliver(delivery{post: Post{Path: "/new_mempool_tx", Body: body}}, nil)
}

// dropSome queues the drop of some announced transactions. Some of them were mined long ago.
func (c *Chain) dropSome() {
	if len(c.pool.stale) == 0 {
		return
	}
	n := 1 + c.random.IntN(min(len(c.pool.stale), 5))
	reasons := []string{"StaleGarbageCollect", "StaleGarbageCollect", "TooExpensive", "Problematic"}
	c.deliver(c.drop(reasons[c.random.IntN(len(reasons))], nil, c.pool.stale[:n]...), nil)
	c.pool.stale = append(c.pool.stale[:0], c.pool.stale[n:]...)
}

func (c *Chain) drop(reason string, by *hash.Hash32, dropped ...hash.Hash32) delivery {
	return delivery{post: Post{Path: "/drop_mempool_tx", Body: c.encoder.DroppedTransactions(reason, by, dropped)}}
}

// announceStray announces a transaction that is never mined.
func (c *Chain) announceStray(x *vm.Execution) {
	stray := c.planner.Stray(x)
	if stray == nil {
		return
	}
	c.pool.batch = append(c.pool.batch, stray.Raw)
	c.flushPool()
	c.remember(stray.Txid)
}
