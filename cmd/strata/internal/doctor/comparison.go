package doctor

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/cmd/strata/internal/program"
	"strata/internal/nodecompare"
)

// differencesShown is the number of differences that are printed. strata differences list has all.
const differencesShown = 5

// comparison reports the accounts that differ from a node's.
func (x *examination) comparison(ctx context.Context, pool *pgxpool.Pool) {
	const subject = "comparison"
	known, err := nodecompare.Read(ctx, pool, differencesShown)
	switch {
	case err != nil:
		x.add(Failure, subject, "Start strata serve, which brings the database up to date.", "%s", program.OneLine(err))
		return
	case known == nil:
		x.add(Note, subject, "Let a server have the role compare and --nodes.", "accounts were not compared with a node yet")
		return
	case known.DifferingAccounts == 0:
		x.add(OK, subject, "", "accounts were compared with a node up to block %d", known.BlockHeight)
	default:
		x.add(Failure, subject, "Look why: docs/runbook.md, StrataAccountDiffers. If a difference is known and harmless:\nstrata differences accept ACCOUNT --reason TEXT",
			"%d accounts differ from the node", known.DifferingAccounts)
	}
	for i := range known.Differences {
		d := &known.Differences[i]
		level := Failure
		if d.Acceptance != nil {
			level = Note
		}
		x.add(level, subject, "", "%s", d)
	}
	if more := known.DifferingAccounts + known.AcceptedAccounts - len(known.Differences); more > 0 {
		x.add(Note, subject, "Run strata differences list.", "%d more accounts differ", more)
	}
}
