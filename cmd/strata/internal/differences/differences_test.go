package differences

import (
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"strings"
	"testing"

	"strata/cmd/strata/internal/database"
	"strata/cmd/strata/internal/program"
	"strata/internal/nodecompare"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
)

// TestDifferences lists what differs, accepts it with a reason, and tells by its error what is not accepted.
func TestDifferences(t *testing.T) {
	t.Parallel()
	ctx, globals := t.Context(), &program.Globals{LogLevel: slog.LevelError}
	flags := database.Flags{DatabaseURL: pgtest.URL(t), DataDir: t.TempDir()}
	db := must.Get(flags.Create(ctx, globals.Logger()))(t)
	pgtest.AtEnd(t, func() { db.Close(globals.Logger()) })
	list := func() (text string) {
		t.Helper()
		known := must.Get(nodecompare.Read(ctx, db.Pool, math.MaxInt32))(t)
		var table, encoded strings.Builder
		must.Do(t, errors.Join((&List{}).print(&table, known), (&List{JSON: true}).print(&encoded, known)))
		if back := (*nodecompare.Known)(nil); json.Unmarshal([]byte(encoded.String()), &back) != nil || (back == nil) != (known == nil) {
			t.Errorf("got %s, want JSON of %v", encoded.String(), known)
		}
		return table.String()
	}
	if got := list(); !strings.Contains(got, "not compared with a node yet") {
		t.Errorf("got %s", got)
	}
	if err := (&List{Database: flags}).Run(ctx, globals); err != nil {
		t.Errorf("got %v, want nothing that differs", err)
	}
	must.Get(db.Pool.Exec(ctx, `INSERT INTO log.difference (account, what, table_value, node_value, source_seq, height) VALUES ('SP1', 'nonce', 7, 9, 3, 60), ('SP2', 'balance', 1, 2, NULL, 60)`))(t)
	accept := func(account, reason, want string) {
		t.Helper()
		err := (&Accept{Database: flags, Account: account, Reason: reason}).Run(ctx, globals)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s for %q: got %v, want %q", account, reason, err, want)
		}
	}
	accept("SP1", "", "--reason")
	accept("SP3", "a schedule", "not known to differ")
	accept("SP1", "a \x1b[1mschedule", "")
	got := list()
	for _, want := range []string{
		"account SP2: the balance is 1 in the tables, 2 at the node (last change: event unknown)\naccount SP1: the nonce is 7 in the tables, 9 at the node (last change: event 3); accepted on 2",
		": a \uFFFD[1mschedule\n1 accounts differ, and 1 more are accepted",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	var mismatch program.MismatchError
	if err := (&List{Database: flags}).Run(ctx, globals); !errors.As(err, &mismatch) {
		t.Errorf("got %v, want a mismatch", err)
	}
	accept("SP2", "a schedule", "")
	if err := (&List{Database: flags}).Run(ctx, globals); err != nil {
		t.Errorf("got %v, want nothing that is not accepted", err)
	}
}
