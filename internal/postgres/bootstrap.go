package postgres

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// url is the connection string of a user and database on the server's socket.
func (s server) url(user, database string) string {
	q := url.Values{"host": {s.socket}, "port": {strconv.Itoa(port)}, "sslmode": {"disable"}}
	// libpq and pgx take a "+" in a query for a plus sign.
	raw := strings.ReplaceAll(q.Encode(), "+", "%20")
	u := url.URL{Scheme: "postgres", User: url.User(user), Path: "/" + database, RawQuery: raw}
	return u.String()
}

// bootstrap makes the application's role and database where they are missing. Each step can be repeated, so a kill
// between them does no harm.
func (s server) bootstrap(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, s.url(AdminUser, AdminUser))
	if err != nil {
		return fmt.Errorf("prepare private PostgreSQL: %w", err)
	}
	defer conn.Close(ctx) //nolint:errcheck // every statement has been answered
	for _, step := range []struct{ exists, make string }{
		{
			"SELECT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = $1)",
			"CREATE ROLE " + AppUser + " LOGIN",
		},
		{
			"SELECT EXISTS (SELECT FROM pg_catalog.pg_database WHERE datname = $1)",
			"CREATE DATABASE " + AppDatabase + " OWNER " + AppUser,
		},
	} {
		var exists bool
		if err := conn.QueryRow(ctx, step.exists, AppUser).Scan(&exists); err != nil {
			return fmt.Errorf("prepare private PostgreSQL: %w", err)
		}
		if exists {
			continue
		}
		if _, err := conn.Exec(ctx, step.make); err != nil {
			return fmt.Errorf("prepare private PostgreSQL: %s: %w", step.make, err)
		}
	}
	return nil
}
