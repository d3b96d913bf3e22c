package engine

import (
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Prepare sets up connections for reading, before the pool is made: what is sent together sees one snapshot, writes
// nothing, and takes no longer than so long (zero: StatementTimeoutDefault). An API works with any pool; with one like
// this most of its reads take a single round trip, and each query is planned but once on a connection: to plan one takes
// longer than to run it. How a query is run must therefore not hang on its arguments.
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
