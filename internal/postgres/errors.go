package postgres

import (
	"fmt"
	"strings"
)

// NoBinariesError means that no usable PostgreSQL server is installed. Its message is one line that names the package
// to install.
type NoBinariesError struct {
	// Looked has the places that were searched, in order.
	Looked []string
	// Unfit has the installations that cannot be used, each with the reason.
	Unfit []string
	// Hint tells the operator what to do.
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

// VersionError means that the major version of PostgreSQL that created the cluster is not installed any more.
type VersionError struct {
	DataDir string   // PGDATA
	Want    int      // the major version that created it
	Found   []string // the installed versions, such as "16 in /usr/lib/postgresql/16/bin"
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("%s was created by PostgreSQL %d, which is not installed (found: %s): "+
		"install PostgreSQL %d, or point STRATA_POSTGRES_BIN at it",
		e.DataDir, e.Want, strings.Join(e.Found, ", "), e.Want)
}

// AccessError means that the user that must run the server cannot use the cluster's folder.
type AccessError struct {
	Path   string // the folder
	Reason string // who cannot do what
	Hint   string // tells the operator what to do
}

func (e *AccessError) Error() string {
	return fmt.Sprintf("private PostgreSQL in %s: %s: %s", e.Path, e.Reason, e.Hint)
}

// ServerError means that initdb or the server failed. It quotes the last lines of the program's output.
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
