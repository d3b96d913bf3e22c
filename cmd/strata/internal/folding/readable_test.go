package folding_test

import (
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"strata/cmd/strata/internal/folding"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
)

// forFolds are tables that no read uses, so that earlier rules need not have them.
var forFolds = []string{"chain.unfinished", "bns.act", "bns.caller", "bns.reading", "bns.want", "chain.want", "ft.rest", "sft.rest", "nft.rest", "brc20.below_zero", "mempool.mined"}

// laterColumns are columns that reads use only of versions whose rules have them.
var laterColumns = []string{
	"chain.contract.interface_seq", "chain.contract.functions",
	"chain.undeployed.contract_id", "chain.undeployed.interface", "chain.undeployed.interface_seq", "chain.undeployed.key_hash", "chain.undeployed.proven",
	"chain.undeployed.source_seq",
	"chain.foreign_network.events", "chain.foreign_network.first_seq", "chain.foreign_network.network", "chain.foreign_network.source_seq",
}

// columnsForFolds are columns that no read uses, of any table.
var columnsForFolds = []string{"checked_seq", "in_vain", "wanted_by", "content_digest"}

// TestReadableRules compares the columns of earlier rules, which this program says it can read, with those of its own.
func TestReadableRules(t *testing.T) {
	t.Parallel()
	lines := must.Get(folding.Lines("recommended", slog.New(slog.DiscardHandler), nil))(t)
	conn := pgtest.Connect(t, pgtest.URL(t))
	tables := func(schema, ddl string) []string {
		t.Helper()
		if _, err := conn.Exec(t.Context(), strings.ReplaceAll("CREATE SCHEMA {schema};"+ddl, "{schema}", schema)); err != nil {
			t.Fatalf("the DDL of %s: %v", schema, err)
		}
		return pgtest.Values[string](t, conn, `
			SELECT c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
			FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
			WHERE c.relnamespace = to_regnamespace($1) AND c.relkind = 'r' ORDER BY 1`, schema)
	}
	compared, folders := 0, map[string]string{} // by the tables: the kinds of tokens have the same
	for _, d := range lines.Definitions() {
		if len(d.Readable) == 0 {
			continue
		}
		if folders[d.Spec.Tables] == "" {
			folders[d.Spec.Tables] = filepath.Join("..", "..", "..", "..", "projections", d.Spec.Name, "testdata")
		}
		own := tables("own_"+d.Spec.Name, d.Spec.Tables)
		for _, rules := range d.Readable {
			ddl := must.Get(os.ReadFile(filepath.Join(folders[d.Spec.Tables], fmt.Sprintf("rules_%d.sql", rules))))(t)
			earlier := tables(fmt.Sprintf("earlier_%s_%d", d.Spec.Name, rules), string(ddl))
			for _, column := range own {
				name, _, _ := strings.Cut(d.Spec.Name+"."+column, " ")
				dot := strings.LastIndex(name, ".")
				if !slices.Contains(earlier, column) && !slices.Contains(forFolds, name[:dot]) && !slices.Contains(laterColumns, name) && !slices.Contains(columnsForFolds, name[dot+1:]) {
					t.Errorf("%s says that it reads rules %d, which do not have %s", d.Spec.Name, rules, column)
				}
			}
			compared++
		}
	}
	if compared == 0 {
		t.Error("no earlier rules can be read, although some could when this test was written")
	}
}

// TestTablesForFoldsAreNotRead looks into the code of the reads. What their tests share writes rows as folds do, and is left out.
func TestTablesForFoldsAreNotRead(t *testing.T) {
	t.Parallel()
	must.Do(t, filepath.WalkDir(filepath.Join("..", "..", "..", "..", "readapi"), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && entry.Name() == "apitest" {
			return fs.SkipDir
		}
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, column := range columnsForFolds {
			if strings.Contains(string(text), column) {
				t.Errorf("%s reads the column %s", path, column)
			}
		}
		for _, table := range forFolds {
			name, of, _ := strings.Cut(table, ".")
			if strings.Contains(string(text), "{"+name+"}."+of) {
				t.Errorf("%s reads %s", path, table)
			}
		}
		return err
	}))
}
