package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/cmd/strata/internal/program"
)

// CheckConfig is strata check-config: it takes the settings of strata serve, and starts nothing.
type CheckConfig struct {
	Command `embed:""`
}

// Run checks the settings, and prints those that differ from their defaults.
func (c *CheckConfig) Run(_ context.Context, _ *program.Globals, parsed *kong.Context) error {
	if err := errors.Join(c.check(), c.checkTLS(), c.checkAddresses(), c.checkDatabases()); err != nil {
		return err
	}
	fmt.Println("the settings are good; these differ from their defaults:")
	for _, flag := range parsed.Flags() {
		if value := shown(flag); len(flag.Envs) > 0 && flag.Name != "config" && !isDefault(flag, value) {
			fmt.Printf("%s = %s\n", flag.Name, value)
		}
	}
	return nil
}

// isDefault reports whether a flag has its default, which the text of the value may write in another way.
func isDefault(flag *kong.Flag, value string) bool {
	if flag.Target.IsZero() && flag.Default == "" {
		return true
	}
	if d, ok := flag.Target.Interface().(time.Duration); ok {
		other, err := time.ParseDuration(flag.Default)
		return err == nil && d == other
	}
	absolute, err := filepath.Abs(flag.Default)
	return value == flag.Default || flag.Tag.Type == "path" && err == nil && value == absolute
}

// shown returns the value of a flag, without secrets.
func shown(flag *kong.Flag) string {
	value := fmt.Sprint(flag.Target.Interface())
	if flag.IsSlice() {
		value = strings.Trim(strings.Join(strings.Fields(value), string(max(flag.Tag.Sep, ','))), "[]")
	}
	for _, secret := range []string{"token", "secret", "key", "header"} {
		if strings.HasSuffix(flag.Name, secret) && flag.Name != "log-key" && flag.Name != "tls-key" {
			return "(a secret)"
		}
	}
	if u, err := url.Parse(value); err == nil && u.User != nil {
		return u.Redacted()
	}
	return value
}

// checkTLS reads the certificate.
func (c *CheckConfig) checkTLS() error {
	for _, path := range []string{c.TLSCert, c.TLSKey} {
		if path == "" {
			continue
		}
		f, err := os.Open(path)
		if err != nil {
			return fmt.Errorf("TLS: %w", err)
		}
		_ = f.Close()
	}
	return nil
}

// checkAddresses parses the addresses to listen on.
func (c *CheckConfig) checkAddresses() (err error) {
	for flag, address := range map[string]string{
		"api-addr": c.APIAddr, "observer-addr": c.ObserverAddr, "metrics-addr": c.MetricsAddr, "admin-addr": c.AdminAddr, "bns-addr": c.BNSAddr, "rosetta-addr": c.RosettaAddr,
	} {
		if address == "" {
			continue
		}
		if _, wrong := net.ResolveTCPAddr("tcp", address); wrong != nil {
			err = errors.Join(err, fmt.Errorf("--%s: %w", flag, wrong))
		}
	}
	return err
}

// checkDatabases parses the URLs of databases.
func (c *CheckConfig) checkDatabases() (err error) {
	for _, u := range append([]string{c.Database.DatabaseURL}, c.DatabaseReadURL...) {
		if _, wrong := pgxpool.ParseConfig(u); wrong != nil {
			err = errors.Join(err, fmt.Errorf("database url: %w", wrong))
		}
	}
	return err
}
