package synthchain

import "strata/domain/hash"

// pool is what the mempool posts are about.
type pool struct {
	batch [][]byte      // announced with the next post
	stale []hash.Hash32 // announced and never mined, or mined: a node forgets both kinds
}

// poolSize bounds the memory of transactions that may be dropped.
const poolSize = 64

// announce sometimes queues a transaction for a mempool post, before it is mined; sometimes after another one that it
// replaces. The drop of that one comes before the transaction itself.
func (c *Chain) announce(o *operation) {
	if !c.chance(c.cfg.MempoolProbability) {
		return
	}
	if r := o.replaces; r != nil {
		c.pool.batch = append(c.pool.batch, r.raw)
		c.flushPool()
		c.deliver(c.drop("ReplaceByFee", &o.txid, r.txid), nil)
	}
	c.pool.batch = append(c.pool.batch, o.raw)
	c.remember(o.txid)
	if c.random.IntN(3) > 0 {
		c.flushPool()
	}
}

// remember keeps a transaction id for a later drop.
func (c *Chain) remember(txid hash.Hash32) {
	if len(c.pool.stale) < poolSize {
		c.pool.stale = append(c.pool.stale, txid)
		return
	}
	c.pool.stale[c.random.IntN(poolSize)] = txid
}

// flushPool queues what is to be announced.
func (c *Chain) flushPool() {
	if len(c.pool.batch) == 0 {
		return
	}
	dst := []byte{'['}
	for i, raw := range c.pool.batch {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendHex(dst, raw)
	}
	c.pool.batch = c.pool.batch[:0]
	c.deliver(delivery{post: Post{Path: "/new_mempool_tx", Body: append(dst, ']')}}, nil)
}

// dropSome drops transactions of the pool: some of them were mined long ago.
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
	dst := []byte(`{"dropped_txids":[`)
	for i, txid := range dropped {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendHex(dst, txid[:])
	}
	dst = append(dst, ']')
	if c.cfg.Generation >= V3109 {
		dst = appendKey(dst, "new_txid")
		if by != nil {
			dst = appendHex(dst, by[:])
		} else {
			dst = append(dst, "null"...)
		}
	}
	dst = appendText(appendKey(dst, "reason"), reason)
	return delivery{post: Post{Path: "/drop_mempool_tx", Body: append(dst, '}')}}
}

// planStray is a transaction that is announced and never mined, since its nonce is too far ahead.
func (c *Chain) planStray(x *execution) {
	from := c.sender(x)
	if from == nil {
		return
	}
	o := c.planTransfer(x)
	if o == nil || o.sponsor != nil {
		return
	}
	stray := &operation{origin: o.origin, nonce: o.nonce + 25, fee: o.fee}
	c.sign(stray, o.payload, allowAll)
	c.pool.batch = append(c.pool.batch, stray.raw)
	c.flushPool()
	c.remember(stray.txid)
}
