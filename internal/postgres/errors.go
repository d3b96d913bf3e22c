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

// VersionError means that the major version of PostgreSQL that created the cluster is not installed, or not any more.
type VersionError struct {
	DataDir string   // PGDATA
	Want    int      // the major version that created it
	Looked  []string // the places that were searched, in order
	Found   []string // the installed versions, such as "16 in /usr/lib/postgresql/16/bin"
	Install string   // how to install the version that is wanted
}

func (e *VersionError) Error() string {
	found := "none"
	if len(e.Found) > 0 {
		found = strings.Join(e.Found, ", ")
	}
	msg := fmt.Sprintf("%s was created by PostgreSQL %d, which is not installed (found in %s: %s): %s, or set %s to the folder of its binaries",
		e.DataDir, e.Want, strings.Join(e.Looked, ", "), found, e.Install, BinEnv)
	if len(e.Found) > 0 {
		msg += fmt.Sprintf("; with %d and a newer version installed side by side, strata upgrade-postgres moves the folder to the newer one", e.Want)
	}
	return msg
}

// UnfinishedError means that an upgrade of the cluster to another major version runs, or was interrupted.
type UnfinishedError struct {
	Dir      string // the cluster's folder
	From, To int    // major versions
}

func (e *UnfinishedError) Error() string {
	return fmt.Sprintf("private PostgreSQL in %s: its upgrade from PostgreSQL %d to %d has not finished: if it does not run any more, "+
		"finish it with strata upgrade-postgres, or undo it with strata upgrade-postgres --abort", e.Dir, e.From, e.To)
}

// InUseError means that other processes use a cluster that is to be upgraded.
type InUseError struct {
	Dir     string   // the cluster's folder
	Holders []string // such as "process 4711 (strata serve)"; empty if the system does not tell
}

func (e *InUseError) Error() string {
	holders := "another process"
	if len(e.Holders) > 0 {
		holders = strings.Join(e.Holders, ", ")
	}
	return fmt.Sprintf("private PostgreSQL in %s is in use by %s: stop that first", e.Dir, holders)
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
