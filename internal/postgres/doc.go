// Package postgres runs the private PostgreSQL cluster that strata uses when no database is configured.
//
// Start finds the server's binaries, makes the cluster at its first use, starts it or takes over the one that
// already runs, and returns how to reach it. Everything lives in one folder:
//
//	<DataDir>/postgres/           the home: mode 0700, owned by the user the server runs as
//	                 data/        PGDATA
//	                 socket/      the Unix socket (a link to a short temporary folder where the path is too long)
//	                 server.log   what the server printed
//	                 lock         held while the cluster is being started or stopped
//	                 users        held, shared, by every process that uses the cluster
//
// # Who may reach it
//
// There is no TCP port. The socket's folder has mode 0700, so only the owner (and root) reaches it, and
// authentication is "trust". The application is the role "strata", owner of the database "strata" and no
// superuser; the superuser is "postgres".
//
// # Life and death
//
// The server is a process of its own, in a session of its own: neither Ctrl-C in the terminal nor a kill -9 of
// strata takes it down. The next Start finds it through postmaster.pid, checks over the socket that it serves this
// very folder, and uses it.
//
// Several processes may use one cluster. Each holds a shared flock on "users", which the kernel gives back however
// the process ends. Stop gives back its own and, if it can then have the lock for itself, nobody is left and it
// stops the server. Whether this process started the server or found it running makes no difference.
//
// # Root
//
// PostgreSQL refuses to run as root. Under root the server runs as the owner of the home or, for a new one, as
// the user postgres, else nobody. Where that user cannot reach the data directory (a checkout under /root), the
// home is made under /var/lib/strata and <DataDir>/postgres links to it; no permission of a folder that strata did
// not make is ever loosened.
package postgres
