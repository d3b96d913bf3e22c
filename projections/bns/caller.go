package bns

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"strata/domain/bns"
	"strata/domain/transaction"
)

// power is what an agent, a contract that may call the registry in ways that print nothing, may do.
type power struct{ sets, renews bool }

func (p power) or(other power) power { return power{p.sets || other.sets, p.renews || other.renews} }

// caller is a contract whose call may make agents act: itself, or those that it names, directly or through others.
type caller struct {
	height int64
	agents map[string]power
}

// callers are all callers on the canonical chain, by contract: few, because a contract that can call the registry has
// the name of the function in its source.
type callers map[string]caller

// powers returns the powers of a principal, if it is an agent.
func (all callers) powers(principal string) (power, bool) {
	p, ok := all[principal].agents[principal]
	return p, ok
}

// readCallers reads the callers from the table.
func (b *batch) readCallers(ctx context.Context) error {
	b.callers = callers{}
	rows, err := b.tx.Query(ctx, b.sql(`SELECT contract_id, agent, height, sets, renews FROM {schema}.caller`))
	if err != nil {
		return fmt.Errorf("read the callers of the registry: %w", err)
	}
	var contract, agent string
	var height int64
	var p power
	if _, err := pgx.ForEachRow(rows, []any{&contract, &agent, &height, &p.sets, &p.renews}, func() error {
		if b.callers[contract].agents == nil {
			b.callers[contract] = caller{height, map[string]power{}}
		}
		b.callers[contract].agents[agent] = p
		return nil
	}); err != nil {
		return fmt.Errorf("read the callers of the registry: %w", err)
	}
	return nil
}

// forgetCallers forgets the callers that were deployed at a height or above.
func (b *batch) forgetCallers(from int64) {
	maps.DeleteFunc(b.callers, func(_ string, c caller) bool { return c.height >= from })
}

// deploy notes the deployed contract if it may make agents act. A contract can only name contracts that were deployed
// before it.
func (b *batch) deploy(tx *transaction.Transaction, code []byte, block *blockFacts, t *transactionFacts) {
	of, _ := tx.Deploys()
	contract := of.String()
	source := bns.ReadSource(of.Address.String(), code)
	agents := map[string]power{}
	for _, named := range source.Names {
		for agent, p := range b.callers[named].agents {
			agents[agent] = p
		}
	}
	if source.SetsPrimary || source.Renews {
		agents[contract] = power{source.SetsPrimary, source.Renews}
	}
	if len(agents) == 0 || b.contracts.IsNames(contract) {
		return
	}
	b.callers[contract] = caller{block.step.Height, agents}
	for _, agent := range slices.Sorted(maps.Keys(agents)) {
		p := agents[agent]
		b.deployed = append(b.deployed, []any{block.step.Height, block.step.BlockSeq, int32(t.index), p.sets, p.renews, contract, agent, t.pointer})
	}
}

// reached returns the agents that a transaction may make act: those that the contract it calls or deploys reaches, and
// those that contracts reach which it passes as arguments. A contract that is being deployed has no name before it gets
// one.
func (b *batch) reached(tx *transaction.Transaction, facts []fact) map[string]power {
	if len(b.callers) == 0 {
		return nil
	}
	reached := map[string]power{}
	add := func(contract string) { maps.Copy(reached, b.callers[contract].agents) }
	if deployed, ok := tx.Deploys(); ok {
		contract := deployed.String()
		add(contract)
		if !slices.ContainsFunc(facts, func(f fact) bool { m, ok := f.what.(*tokenMove); return ok && m.to == contract }) {
			delete(reached, contract)
		}
	}
	if call, ok := tx.Payload.(*transaction.ContractCall); ok {
		add(call.Contract.String())
		for argument := range call.Arguments.All() {
			for contract := range argument.Contracts() {
				add(contract.String())
			}
		}
	}
	return reached
}

// act is a block in which an agent may have acted.
type act struct {
	power
	source
	height int64
}

// actKey identifies an act.
type actKey struct {
	agent  string
	height int64
}

// actsOf notes the acts that a successful transaction may consist of. An agent that renews a name burns STX.
func (b *batch) actsOf(tx *transaction.Transaction, block *blockFacts, t *transactionFacts) {
	for agent, p := range b.reached(tx, t.facts) {
		p.renews = p.renews && slices.ContainsFunc(t.facts, func(f fact) bool {
			burn, ok := f.what.(*stxBurn)
			return ok && burn.sender == agent
		})
		if p == (power{}) {
			continue
		}
		key := actKey{agent, block.step.Height}
		b.acts[key] = act{b.acts[key].or(p), source{block.step.BlockSeq, t.index, t.pointer}, block.step.Height}
		b.unsettled[agent] = true
	}
}

// writeActs writes the callers and the acts of blocks.
func (b *batch) writeActs(ctx context.Context) error {
	if err := b.copy(ctx, "caller", "height source_seq tx_index sets renews contract_id agent pointer", b.deployed); err != nil {
		return err
	}
	var rows [][]any
	for key, a := range b.acts {
		rows = append(rows, []any{key.height, a.seq, int32(a.tx), a.sets, a.renews, key.agent, a.pointer})
	}
	b.deployed, b.acts = nil, map[actKey]act{}
	return b.copy(ctx, "act", "height source_seq tx_index sets renews agent pointer", rows)
}
