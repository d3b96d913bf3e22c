package synthordinals

import (
	"strata/domain/ordinals"
)

// execution fills a block. The same plans on the same world make the same block, so it draws nothing at random.
type execution struct {
	w       *world
	network ordinals.Network
	live    int
	b       *block

	fees    uint64    // so far
	toMiner []stretch // the sats of these fees
	inFees  []carried // the inscribed ones, by position in the output of the coinbase transaction
}

func newExecution(w *world, cfg Config, b *block) *execution {
	b.transactions, b.mined = nil, nil
	return &execution{
		w: w, network: cfg.Network, live: cfg.Live, b: b,
		toMiner: []stretch{{first: ordinals.FirstSat(b.height), count: ordinals.Subsidy(b.height)}},
	}
}

// again fills a block that returns.
func (x *execution) again(list []mined) {
	for _, m := range list {
		x.mine(m.plan, m.index)
	}
	x.finish()
}

// mine executes a plan. Its inputs must be there.
func (x *execution) mine(p *plan, index uint32) {
	t := &transaction{id: p.id, index: index, fee: p.inValue() - p.outValue()}
	x.b.transactions = append(x.b.transactions, t)
	x.b.mined = append(x.b.mined, mined{p, index})
	flow := x.open(p)
	flow.reveal(t)
	flow.move(t)
	flow.close()
	x.fees += t.fee
}

// finish numbers the inscriptions and pays the miner.
func (x *execution) finish() {
	x.number(func(r *reveal) bool { return r.to.kind != ordinals.SpentInFees })
	x.number(func(r *reveal) bool { return r.to.kind == ordinals.SpentInFees })
	if len(x.inFees) > 0 {
		x.w.outputs.Set(x.reward(), &output{
			payee: payee{value: ordinals.Subsidy(x.b.height) + x.fees}, kind: ordinals.SpentInFees,
			stretches: x.toMiner, carried: x.inFees, matures: x.b.height + coinbaseMaturity,
		})
		x.w.spendable.Add(x.reward())
	}
	x.w.forget(x.live, x.b.height)
}

// number numbers some of the inscriptions. Those in the fees come last, because the indexer meets them last.
func (x *execution) number(which func(*reveal) bool) {
	for _, t := range x.b.transactions {
		for _, r := range t.reveals {
			if which(r) {
				r.number = x.w.number(r.curse != "", x.b.height, x.network)
			}
		}
	}
}

// reward is the miner's output.
func (x *execution) reward() outpoint { return outpoint{tx: x.b.coinbase} }
