package postgres

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// url returns the connection string of a user and a database, by the server's socket.
func (s server) url(user, database string) string {
	q := url.Values{"host": {s.socket}, "port": {strconv.Itoa(port)}, "sslmode": {"disable"}}
	// In a query, libpq and pgx read "+" as a plus sign, not as a space.
	raw := strings.ReplaceAll(q.Encode(), "+", "%20")
	u := url.URL{Scheme: "postgres", User: url.User(user), Path: "/" + database, RawQuery: raw}
	return u.String()
}

// bootstrap creates the application's role and database if they are missing. Each step can be repeated, so a kill
// between them does no harm.
func (s server) bootstrap(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, s.url(AdminUser, AdminUser))
	if err != nil {
		return fmt.Errorf("prepare private PostgreSQL: %w", err)
	}
	defer conn.Close(ctx) //nolint:errcheck // all statements have completed
	for _, step := range []struct{ exists, create string }{
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
		if _, err := conn.Exec(ctx, step.create); err != nil {
			return fmt.Errorf("prepare private PostgreSQL: %s: %w", step.create, err)
		}
	}
	return nil
}
