package pipeline

import (
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// copyMin is how many rows are sent with the COPY protocol. It takes round trips of its own and the server sets it up
// anew each time; from there on that costs less than INSERT does.
const copyMin = 128

// argsMax is the largest number of arguments of a statement.
const argsMax = 65535

// insertSize returns how many of the next rows one INSERT takes. As each number makes a statement of its own, which the
// server must plan once and remember, there are few: 64, 16, 4 and 1.
func insertSize(rows, columns int) int {
	size := 64
	for size > 1 && (size > rows || size*columns > argsMax) {
		size /= 4
	}
	return size
}

// insertSQL returns the INSERT of a number of rows.
func insertSQL(table pgx.Identifier, columns []string, rows int) string {
	var b strings.Builder
	b.WriteString("INSERT INTO " + table.Sanitize() + " (")
	for i, column := range columns {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(pgx.Identifier{column}.Sanitize())
	}
	b.WriteString(") VALUES ")
	for i := range rows {
		if i > 0 {
			b.WriteString(", ")
		}
		for j := range columns {
			if j == 0 {
				b.WriteString("(")
			} else {
				b.WriteString(", ")
			}
			b.WriteString("$" + strconv.Itoa(i*len(columns)+j+1))
		}
		b.WriteString(")")
	}
	return b.String()
}
