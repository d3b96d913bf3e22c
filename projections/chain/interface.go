package chain

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

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
			WHERE contract_id = $1 AND source_seq < $2 AND interface IS NULL`), i.Contract, i.Seq, i.Text, i.Functions)
	}
	if err := b.tx.SendBatch(ctx, queries).Close(); err != nil {
		return fmt.Errorf("write %d interfaces: %w", len(r.interfaces), err)
	}
	return nil
}
