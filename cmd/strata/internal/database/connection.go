package database

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/edge"
)

// A machine that vanishes without a word, and a network that swallows packets, are noticed by both ends of a connection within
// about half a minute, instead of the hours that systems take by default. On Unix sockets, these settings have no effect.
const (
	keepAliveIdle     = 15 * time.Second
	keepAliveInterval = 5 * time.Second
	keepAliveCount    = 3
	// unacknowledged is how long data that was sent may be without an acknowledgement of the other end.
	unacknowledged = 30 * time.Second
)

// harden makes both ends of a connection notice that the other one is gone.
func harden(config *pgx.ConnConfig) {
	parameters := config.RuntimeParams
	parameters["tcp_keepalives_idle"] = seconds(keepAliveIdle)
	parameters["tcp_keepalives_interval"] = seconds(keepAliveInterval)
	parameters["tcp_keepalives_count"] = fmt.Sprint(keepAliveCount)
	parameters["tcp_user_timeout"] = fmt.Sprint(unacknowledged.Milliseconds())
	dialer := &net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: keepAliveIdle, Interval: keepAliveInterval, Count: keepAliveCount},
		Control:         controlSocket,
	}
	config.DialFunc = edge.Dial(dialer)
}

func seconds(d time.Duration) string { return fmt.Sprint(int64(d / time.Second)) }

// poolerMode is the execution mode of statements that works through a pooler that gives a session's transactions to different
// connections: no statement is prepared by name.
const poolerMode = "cache_describe"

// endpoint is how to connect to a database.
type endpoint struct {
	url string
	// pooled says that a pooler such as PgBouncer is between, which refuses the settings of sessions.
	pooled bool
	// clients is how many connections the server has for its clients in all; 0 if that is not known.
	clients int
}

// find connects once and returns how to connect from then on.
func find(ctx context.Context, databaseURL string) (endpoint, error) {
	config, err := pgxpool.ParseConfig(databaseURL)
	if err != nil {
		return endpoint{}, fmt.Errorf("database url: %w", err)
	}
	settings(config.ConnConfig)
	conn, err := pgx.ConnectConfig(ctx, config.ConnConfig)
	switch {
	case err == nil:
		defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
		e := endpoint{url: databaseURL}
		err := conn.QueryRow(ctx, `SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int`).Scan(&e.clients)
		if err != nil {
			return e, fmt.Errorf("ask the database for its maximum of connections: %w", err)
		}
		return e, nil
	case refusesSettings(err):
		return endpoint{url: withExecMode(databaseURL), pooled: true}, nil // no statement is to be prepared by name
	}
	return endpoint{url: databaseURL}, nil // whoever connects next says what is wrong
}

// refusesSettings reports whether a connection failed because a pooler does not pass settings of sessions on.
func refusesSettings(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && strings.Contains(refused.Message, "unsupported startup parameter")
}

// withExecMode adds the execution mode of statements to a URL, or to a list of keywords and values, unless it has one.
func withExecMode(databaseURL string) string {
	const key = "default_query_exec_mode"
	parsed, err := url.Parse(databaseURL)
	switch {
	case strings.Contains(databaseURL, key):
		return databaseURL
	case err != nil || parsed.Scheme == "":
		return databaseURL + " " + key + "=" + poolerMode
	}
	query := parsed.Query()
	query.Set(key, poolerMode)
	parsed.RawQuery = query.Encode()
	return parsed.String()
}

// idleMost is for how long a transaction may wait for this process before the server ends it. Those that hold locks which other
// processes wait for set less; see package locks.
const (
	idleParameter = "idle_in_transaction_session_timeout"
	idleMost      = 5 * time.Minute
)

// settings sets what every session needs.
func settings(config *pgx.ConnConfig) {
	config.RuntimeParams["search_path"] = ""
	config.RuntimeParams["application_name"] = "strata"
	if config.RuntimeParams[idleParameter] == "" { // what the URL says counts
		config.RuntimeParams[idleParameter] = fmt.Sprint(idleMost.Milliseconds())
	}
	harden(config)
}

// throughPooler removes the settings that a pooler refuses. Statements name their schemas, so an empty search path only
// makes mistakes fail; the pooler's own settings decide about its connections.
func throughPooler(config *pgx.ConnConfig) {
	config.RuntimeParams = map[string]string{"application_name": config.RuntimeParams["application_name"]}
}
