package pipeline

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// copyMin is how many rows are sent with the COPY protocol. It takes round trips of its own and the server sets it up
// anew each time; from there on that costs less than INSERT does.
const copyMin = 128

// insertion returns the INSERT of rows, and its arguments: the values of one row, or an array for each column. The
// statement is the same for any number of rows, so that the server plans it once. It returns an empty text when a column
// has arrays, which an array of them would mix up.
func insertion(table pgx.Identifier, columns []string, types columnTypes, rows [][]any) (sql string, args []any) {
	names := make([]string, len(columns))
	for i, column := range columns {
		names[i] = pgx.Identifier{column}.Sanitize()
	}
	into := "INSERT INTO " + table.Sanitize() + " (" + strings.Join(names, ", ") + ") "
	if len(rows) == 1 {
		return into + "VALUES (" + listed(len(columns), "$") + ")", rows[0]
	}
	arrays, values := make([]string, len(columns)), make([]string, len(columns))
	for i, column := range columns {
		typ := types[column]
		if typ == "" || strings.HasSuffix(typ, "[]") {
			return "", nil
		}
		values[i] = "c" + strconv.Itoa(i+1)
		array, written := columnOf(rows, i)
		if written && typ != "text" {
			values[i] += "::" + typ
			typ = "text"
		}
		arrays[i] = fmt.Sprintf("$%d::%s[]", i+1, typ)
		args = append(args, array)
	}
	return into + "SELECT " + strings.Join(values, ", ") + " FROM unnest(" + strings.Join(arrays, ", ") + ") AS u (" + listed(len(columns), "c") + ")", args
}

// columnOf returns the values of a column, and reports whether they are texts.
func columnOf(rows [][]any, column int) (values []any, text bool) {
	values = make([]any, len(rows))
	for i, row := range rows {
		values[i] = row[column]
		switch row[column].(type) {
		case string, *string:
			text = true
		}
	}
	return values, text
}

// listed returns prefix1, prefix2 and so on.
func listed(n int, prefix string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = prefix + strconv.Itoa(i+1)
	}
	return strings.Join(all, ", ")
}
