package chain

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"strata/domain/fetch"
	"strata/domain/token"
	"strata/projections"
)

// fetchedInterface is the interface of a contract as a node answered a request for it.
type fetchedInterface struct {
	seq      int64 // of the report
	contract string
	text     string
	keys     [][]byte
}

// takeInterface takes the interface that a report brings. Nodes with disable_contract_interface leave interfaces out of their
// events, and the projections of tokens want those of all contracts, because only the interface says which is a token.
func (b *batch) takeInterface(item projections.LogItem) {
	report, ok := item.Record.(*fetch.Report)
	if !ok || report.Want.Kind != fetch.ContractInterface {
		return
	}
	read, problem := token.ReadInterface(report)
	if problem != nil {
		return
	}
	e, _ := report.Last()
	b.rows.interfaces = append(b.rows.interfaces, fetchedInterface{
		item.Seq, projections.Text(report.Want.Contract), projections.Text(string(e.Body)), projections.FunctionKeys(read),
	})
	b.touched = nil // calls in any block are shown with it
}

// writeInterfaces gives interfaces to the deployments before their reports that have none. They may be on any fork: a contract
// is rarely deployed with different code on two forks, and then the later deployment has a report of its own.
func (b *batch) writeInterfaces(ctx context.Context, r *rows) error {
	if len(r.interfaces) == 0 {
		return nil
	}
	queries := &pgx.Batch{}
	for _, i := range r.interfaces {
		queries.Queue(b.sql(`
			UPDATE {schema}.contract SET interface = $3, interface_seq = $2, functions = $4
			WHERE contract_id = $1 AND source_seq < $2 AND interface IS NULL`), i.contract, i.seq, i.text, i.keys)
	}
	if err := b.tx.SendBatch(ctx, queries).Close(); err != nil {
		return fmt.Errorf("write %d interfaces: %w", len(r.interfaces), err)
	}
	return nil
}
