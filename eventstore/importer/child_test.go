package importer_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore"
	"strata/eventstore/importer"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtraffic"
)

// childEnv makes the test binary import the files it names (after the database's URL) instead of testing.
const childEnv = "STRATA_IMPORTER_CHILD"

// bnsV1Child in the place of the first file makes it import the export of Stacks 1.0 in the folder that follows.
const bnsV1Child = "bns-v1"

// diesEnv makes the child kill itself before or after one of its writes to the database: the one of this number.
const diesEnv = "STRATA_IMPORTER_CHILD_DIES"

func TestMain(m *testing.M) {
	if args := os.Getenv(childEnv); args != "" {
		if err := importAsChild(strings.Split(args, "\n")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func importAsChild(args []string) error {
	ctx := context.Background()
	config, err := pgxpool.ParseConfig(args[0])
	if err != nil {
		return err
	}
	if left, err := strconv.ParseInt(os.Getenv(diesEnv), 10, 64); err == nil {
		dieAfter(config.ConnConfig, left)
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return err
	}
	defer pool.Close()
	log := eventstore.Open(pool, eventstore.Config{})
	defer log.Close()
	if args[1] == bnsV1Child {
		_, err = importer.ImportBNSv1(ctx, log, importer.BNSv1Options{Dir: args[2]}.WithSizes(500, 3))
		return err
	}
	_, err = importer.Import(ctx, log, files(args[1:]...).WithBatchEvents(100))
	return err
}

// dieAfter kills this process with SIGKILL when its connections have written to the database as often: before an even write, and
// after an odd one.
func dieAfter(config *pgx.ConnConfig, writes int64) {
	var left atomic.Int64
	left.Store(writes)
	pgtraffic.Through(&config.Config, func(conn net.Conn) net.Conn { return &mortal{conn, &left, writes%2 == 0} })
}

type mortal struct {
	net.Conn
	left   *atomic.Int64
	before bool
}

func (m *mortal) Write(b []byte) (n int, err error) {
	last := m.left.Add(-1) == 0
	if !last || !m.before {
		n, err = m.Conn.Write(b)
	}
	if last {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
	return n, err
}

// logAt opens the log in the database at url.
func logAt(t testing.TB, url string) *eventstore.Log {
	t.Helper()
	pool := must.Get(pgxpool.New(context.Background(), url))(t)
	t.Cleanup(pool.Close)
	log := eventstore.Open(pool, eventstore.Config{})
	t.Cleanup(log.Close)
	return log
}
