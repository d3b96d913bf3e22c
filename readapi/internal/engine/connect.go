package engine

import (
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Prepare configures connections for reading; call it before creating the pool. Queries that are sent together then see
// one snapshot, can't write, and are canceled after statementTimeout (0 means StatementTimeoutDefault).
//
// The engine works with any pool. With a prepared one, most reads take a single round trip, and each connection plans
// each query only once: planning takes longer than execution. Therefore the best plan of a query must not depend on its
// arguments.
func Prepare(config *pgxpool.Config, statementTimeout time.Duration) {
	if statementTimeout <= 0 {
		statementTimeout = StatementTimeoutDefault
	}
	parameters := config.ConnConfig.RuntimeParams
	parameters["default_transaction_isolation"] = "repeatable read"
	parameters["default_transaction_read_only"] = "on"
	parameters["plan_cache_mode"] = "force_generic_plan"
	parameters["statement_timeout"] = strconv.FormatInt(statementTimeout.Milliseconds(), 10)
}
