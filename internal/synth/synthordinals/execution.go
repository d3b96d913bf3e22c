package synthordinals

import (
	"strata/domain/ordinals"
)

// execution fills a block with transactions. The same plans on the same world give the same block, so it draws nothing
// at random.
type execution struct {
	w       *world
	network ordinals.Network
	live    int
	b       *block

	fees    uint64         // of the transactions so far
	toMiner []stretch      // the sats of the subsidy and of these fees
	inFees  []inscribedSat // the inscribed sats of these fees, with offsets in the output of the coinbase transaction
}

func newExecution(w *world, cfg Config, b *block) *execution {
	b.transactions, b.mined = nil, nil
	return &execution{
		w: w, network: cfg.Network, live: cfg.Live, b: b,
		toMiner: []stretch{{first: ordinals.FirstSat(b.height), count: ordinals.Subsidy(b.height)}},
	}
}

// replay fills a block that returns to the branch.
func (x *execution) replay(list []minedPlan) {
	for _, m := range list {
		x.mine(m.plan, m.index)
	}
	x.finish()
}

// mine executes a plan, whose inputs must exist.
func (x *execution) mine(p *plan, index uint32) {
	t := &transaction{id: p.id, index: index, fee: p.inValue() - p.outValue()}
	x.b.transactions = append(x.b.transactions, t)
	x.b.mined = append(x.b.mined, minedPlan{p, index})
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
			stretches: x.toMiner, inscribed: x.inFees, matures: x.b.height + coinbaseMaturity,
		})
		x.w.spendable.Add(x.reward())
	}
	x.w.forget(x.live, x.b.height)
}

// number numbers the inscriptions that match. finish calls it last for those in the fees, as the indexer finds them
// last.
func (x *execution) number(matches func(*reveal) bool) {
	for _, t := range x.b.transactions {
		for _, r := range t.reveals {
			if matches(r) {
				r.number = x.w.number(r.curse != "", x.b.height, x.network)
			}
		}
	}
}

// reward returns the miner's output.
func (x *execution) reward() outpoint { return outpoint{tx: x.b.coinbase} }
