// Package postgres runs the private PostgreSQL cluster that strata uses when no database is configured.
//
// Start finds the server's binaries, creates the cluster at its first use, starts the server or finds it running, and
// returns the connection strings. All files are in one folder:
//
//	<DataDir>/postgres/           the home: mode 0700, owned by the user that runs the server
//	                 data/        PGDATA
//	                 socket/      the Unix socket (a link to a short temporary folder if the path is too long)
//	                 server.log   the server's output
//	                 lock         locked while the server is being started or stopped
//	                 users        locked, shared, by every process that uses the cluster
//
// A cluster stays with the major version of PostgreSQL that created it. The log moves to another one as an archive.
//
// # Access
//
// There is no TCP port. The socket's folder has mode 0700, so only its owner and root can connect, and authentication
// is "trust". The application is the role "strata", which owns the database "strata" and is no superuser. The superuser
// is "postgres".
//
// # Lifetime
//
// The server is a separate process in its own session: neither Ctrl-C in the terminal nor a kill -9 of strata ends it.
// The next Start finds it through postmaster.pid, checks through the socket that it serves this folder, and uses it.
//
// Several processes may use one cluster. Each holds a shared flock on "users", which the kernel releases when the
// process ends, even if it is killed. Stop tries to lock "users" exclusively. If that succeeds, no other process uses
// the cluster and Stop stops the server. It makes no difference which process started the server.
//
// # Root
//
// PostgreSQL refuses to run as root. Under root the server runs as the owner of the home or, for a new home, as the
// user postgres or else nobody. If that user cannot reach the data directory, for example in a checkout under /root,
// the home is created under /var/lib/strata, and <DataDir>/postgres is a link to it. This package never loosens the
// permissions of a folder that strata did not create.
package postgres
