package importer_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/eventstore"
	"strata/eventstore/importer"
)

// childEnv makes the test binary import the files it names (after the database's URL) instead of testing.
const childEnv = "STRATA_IMPORTER_CHILD"

// bnsV1Child in the place of the first file makes it import the export of Stacks 1.0 in the folder that follows.
const bnsV1Child = "bns-v1"

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
	pool, err := pgxpool.New(ctx, args[0])
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

// logAt opens the log in the database at url.
func logAt(t testing.TB, url string) *eventstore.Log {
	t.Helper()
	pool, err := pgxpool.New(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	log := eventstore.Open(pool, eventstore.Config{})
	t.Cleanup(log.Close)
	return log
}
