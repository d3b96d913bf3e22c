package lake

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// viewsName is the file with the statements that make DuckDB show the tables.
const viewsName = "duckdb.sql"

// views returns these statements. Paths are relative: DuckDB runs in the folder of the lake.
func (m *manifest) views() string {
	var b strings.Builder
	fmt.Fprintf(&b, "-- Written by strata lake: the tables as of the Stacks block at height %d. Run in this folder: duckdb -init %s\n", m.Height, viewsName)
	for _, name := range slices.Sorted(maps.Keys(m.Tables)) {
		var paths []string
		for _, f := range m.Tables[name].Files {
			paths = append(paths, "'"+f.Path+"'")
		}
		if len(paths) > 0 {
			fmt.Fprintf(&b, "CREATE OR REPLACE VIEW %s AS SELECT * FROM read_parquet([%s]);\n", name, strings.Join(paths, ", "))
		}
	}
	return b.String()
}
