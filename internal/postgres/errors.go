package postgres

import (
	"fmt"
	"strings"
)

// NoBinariesError says that no usable PostgreSQL server is installed. Its message is one line that names what to
// install.
type NoBinariesError struct {
	// Looked are the places that were searched, in order.
	Looked []string
	// Unfit are the installations that were found and can't be used, each with its reason.
	Unfit []string
	// Hint is what the operator can do.
	Hint string
}

func (e *NoBinariesError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "no PostgreSQL server (postgres and initdb, version %d or newer) found in %s",
		MinVersion, strings.Join(e.Looked, ", "))
	if len(e.Unfit) > 0 {
		fmt.Fprintf(&b, " (%s)", strings.Join(e.Unfit, "; "))
	}
	fmt.Fprintf(&b, ": %s", e.Hint)
	return b.String()
}

// VersionError says that the cluster was made by a major version of PostgreSQL that is no longer installed.
type VersionError struct {
	DataDir string   // PGDATA
	Want    int      // the major version that made it
	Found   []string // the installations there are, "16 in /usr/lib/postgresql/16/bin"
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("%s was made by PostgreSQL %d, which is not installed (found: %s): "+
		"install PostgreSQL %d, or point STRATA_POSTGRES_BIN at it",
		e.DataDir, e.Want, strings.Join(e.Found, ", "), e.Want)
}

// AccessError says that the user who has to run the server can't use the cluster's folder.
type AccessError struct {
	Path   string // the folder
	Reason string // who lacks what
	Hint   string // what the operator can do
}

func (e *AccessError) Error() string {
	return fmt.Sprintf("private PostgreSQL in %s: %s: %s", e.Path, e.Reason, e.Hint)
}

// ServerError says that initdb or the server itself failed, with the last lines it printed.
type ServerError struct {
	Op     string // "initdb" or "start the server"
	Dir    string // the cluster's folder
	Output string // the last lines, joined by "; "
	Err    error  // how the process ended
}

func (e *ServerError) Error() string {
	msg := fmt.Sprintf("private PostgreSQL in %s: %s: %s", e.Dir, e.Op, lastLines([]byte(e.Err.Error())))
	if e.Output != "" {
		msg += ": " + e.Output
	}
	return msg
}

func (e *ServerError) Unwrap() error { return e.Err }
