// Package schema names the Postgres schemas that hold read tables, such as "ft_v2" for version 2 of the projection ft.
// It is the only place where such a name is formatted and parsed.
package schema

import (
	"fmt"
	"strconv"
	"strings"
)

// Schema identifies one version of a projection: its tables are in the Postgres schema String. Several versions of one
// projection may stand side by side, built by the same code or by different code.
type Schema struct {
	Name    string `json:"name"`
	Version int    `json:"version"`
}

// separator is between the name of the projection and the number of the version.
const separator = "_v"

// String returns the name of the Postgres schema, such as "ft_v2".
func (s Schema) String() string { return s.Name + separator + strconv.Itoa(s.Version) }

// Quoted returns the name of the Postgres schema, quoted for SQL.
func (s Schema) Quoted() string { return quote(s.String()) }

// Table returns the name of a table in the schema, quoted for SQL.
func (s Schema) Table(name string) string { return s.Quoted() + "." + quote(name) }

// quote quotes an SQL identifier as pgx.Identifier.Sanitize does; this package may not import pgx.
func quote(identifier string) string {
	return `"` + strings.ReplaceAll(strings.ReplaceAll(identifier, "\x00", ""), `"`, `""`) + `"`
}

// Parse is the inverse of String.
func Parse(text string) (Schema, error) {
	at := strings.LastIndex(text, separator)
	if at < 1 {
		return Schema{}, fmt.Errorf("%q is not the schema of a projection (want a name such as ft_v2)", text)
	}
	version, err := strconv.Atoi(text[at+len(separator):])
	if err != nil {
		return Schema{}, fmt.Errorf("%q is not the schema of a projection (want a name such as ft_v2): %w", text, err)
	}
	return Schema{Name: text[:at], Version: version}, nil
}
