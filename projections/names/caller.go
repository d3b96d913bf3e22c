package names

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"strata/domain/clarity"
	"strata/domain/names"
	"strata/domain/nodeevent"
	"strata/domain/transaction"
	"strata/projections"
)

// power is what a contract may do by itself or through contracts that it names.
type power struct{ renews, prices, registry bool }

func (p power) or(other power) power {
	return power{p.renews || other.renews, p.prices || other.prices, p.registry || other.registry}
}

// caller is a contract with powers. One that only names the registry is none.
type caller struct {
	height int64 // of the deployment
	power
}

// callers are all callers on the canonical chain, by contract: few, because the source of one of the contracts has the name
// of a function that prints nothing.
type callers map[string]caller

// readCallers reads the callers from the table.
func (b *batch) readCallers(ctx context.Context) error {
	b.callers = callers{}
	rows, err := b.tx.Query(ctx, b.sql(`SELECT contract_id, height, renews, prices, registry FROM {schema}.caller`))
	if err != nil {
		return fmt.Errorf("read the callers of the registry: %w", err)
	}
	var contract string
	var c caller
	if _, err := pgx.ForEachRow(rows, []any{&contract, &c.height, &c.renews, &c.prices, &c.registry}, func() error {
		b.callers[contract] = c
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

// deploy notes the deployed contract if it is a caller. A contract can only name contracts that were deployed before it.
func (b *batch) deploy(step *projections.Step, tx *nodeevent.Transaction, decoded *transaction.Transaction) {
	of, ok := decoded.Deploys()
	if !ok || names.IsContract(of) {
		return
	}
	var code []byte
	switch p := decoded.Payload.(type) {
	case *transaction.SmartContract:
		code = p.Code
	case *transaction.VersionedSmartContract:
		code = p.Code
	}
	source := names.ReadSource(of.Address.String(), code)
	can := power{source.Renews, source.Prices, source.Registry}
	for _, named := range source.Names {
		can = can.or(b.callers[named].power)
	}
	if !can.renews && !can.prices {
		return
	}
	contract := of.String()
	b.callers[contract] = caller{step.Height, can}
	b.deployed = append(b.deployed, []any{step.Height, step.BlockSeq, int32(tx.Index), can.renews, can.prices, can.registry, contract})
}

// reached returns the powers of the contract that a transaction calls or deploys, and of those that it passes as arguments.
func (b *batch) reached(tx *transaction.Transaction) (can power) {
	if deployed, ok := tx.Deploys(); ok {
		return b.callers[deployed.String()].power
	}
	call, ok := tx.Payload.(*transaction.ContractCall)
	if !ok || names.IsContract(call.Contract) { // the registry calls no other contract
		return power{}
	}
	can = b.callers[call.Contract.String()].power
	for argument := range call.Arguments.All() {
		for p := range argument.Contracts() {
			can.registry = can.registry || names.IsContract(p)
			can = can.or(b.callers[p.String()].power)
		}
	}
	return can
}

// act is what a transaction may have made the registry do that nothing shows.
type act struct {
	// burners burned STX, and may have renewed names; empty unless a contract can renew.
	burners []string
	prices  bool
	sender  clarity.Principal
}

// actKey identifies a row of the table act.
type actKey struct {
	subject string
	height  int64
}

// actRow is the rest of a row of the table act.
type actRow struct {
	seq, clock int64
	tx         int32
	txid       []byte
	registry   string
}

// actOf returns what a successful transaction may have done; nil for nothing.
func (b *batch) actOf(tx *transaction.Transaction, events []*nodeevent.Event) any {
	if len(b.callers) == 0 {
		return nil
	}
	can := b.reached(tx)
	if !can.registry {
		return nil
	}
	a := &act{prices: can.prices, sender: clarity.Principal{Address: tx.Sender()}}
	for _, e := range events {
		if burn, ok := e.Data.(*nodeevent.STXBurn); ok && can.renews {
			a.burners = append(a.burners, projections.Text(burn.Sender))
		}
	}
	if len(a.burners) == 0 && !a.prices {
		return nil
	}
	return a
}

// loadSubjects finds the names and the namespaces that acts may have changed.
func (b *batch) loadSubjects(ctx context.Context) error {
	holders, importers := map[string]bool{}, map[string]bool{}
	for i := range b.facts {
		a, ok := b.facts[i].what.(*act)
		if !ok {
			continue
		}
		for _, burner := range a.burners {
			holders[burner] = true
		}
		if a.prices {
			importers[a.sender.String()] = true
		}
	}
	if len(holders)+len(importers) == 0 {
		return nil
	}
	queries := &pgx.Batch{}
	queries.Queue(b.sql(`SELECT name FROM {schema}.name WHERE holder = ANY ($1) AND listed`), slices.Sorted(maps.Keys(holders))).Query(projections.EachValue(b.touch))
	if len(importers) > 0 {
		queries.Queue(b.sql(`SELECT namespace FROM {schema}.namespace WHERE n = 1 AND (importer = ANY ($1) OR importer LIKE '%.%')`), slices.Sorted(maps.Keys(importers))).
			Query(projections.EachValue(func(namespace string) { b.namespaces[namespace] = nil }))
	}
	if err := b.tx.SendBatch(ctx, queries).Close(); err != nil {
		return fmt.Errorf("look for what contracts may have changed: %w", err)
	}
	return nil
}

// acted notes which names and namespaces an act may have changed. A contract that acts for itself may be any of those that
// the transaction reaches.
func (b *batch) acted(f *fact, a *act) {
	row := actRow{f.step.BlockSeq, f.clock, int32(f.tx.Index), f.tx.TxID[:], names.ContractOf(a.sender)}
	for text, s := range b.names {
		if holder := s.currentHolder(); s.listed() && holder != nil && slices.Contains(a.burners, *holder) {
			b.acts[actKey{text, f.step.Height}] = row
		}
	}
	for namespace, s := range b.namespaces {
		if a.prices && s != nil && s.CanUpdatePriceFunction && (s.importer == a.sender.String() || strings.Contains(s.importer, ".")) {
			b.acts[actKey{namespace, f.step.Height}] = row
		}
	}
}

// actRows returns the rows of the table act.
func (b *batch) actRows() (rows [][]any) {
	for key, a := range b.acts {
		b.unsettled[key.subject] = true
		rows = append(rows, []any{key.height, a.seq, a.clock, a.tx, a.txid, key.subject, a.registry})
	}
	return rows
}
