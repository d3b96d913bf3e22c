package main

import (
	"slices"
	"strings"
	"testing"

	"strata/cmd/strata/internal/setting"
)

func TestUnknownSettings(t *testing.T) {
	t.Parallel()
	parser, _ := model(t)
	got := setting.Unknown(parser.Model, []string{
		"PATH=/bin", "STRATA_DATABSE_URL=x", "STRATA_NETWORK=testnet", "STRATA_BNS_DEPLOYERS=a", "STRATA_LOG_LEVEL=DEBUG", "STRATA_QUITE_ANOTHER_THING=", "STRATA_APIADDR=y", "STRATA_BODY_LIMIT=1",
	}, nil)
	want := []string{
		"unknown setting STRATA_APIADDR, did you mean STRATA_API_ADDR?", "unknown setting STRATA_BODY_LIMIT, which is fixed now (512 MiB)",
		"unknown setting STRATA_DATABSE_URL, did you mean STRATA_DATABASE_URL?",
		"unknown setting STRATA_QUITE_ANOTHER_THING",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %s, want %s", strings.Join(got, "; "), strings.Join(want, "; "))
	}
}

// What is said to be fixed is no setting any more.
func TestFixedSettings(t *testing.T) {
	t.Parallel()
	parser, _ := model(t)
	for _, leaf := range parser.Model.Leaves(true) {
		for _, level := range leaf.AllFlags(false) {
			for _, flag := range level {
				if now := setting.Fixed(flag.Name); now != "" {
					t.Errorf("%s has --%s%s", leaf.Path(), flag.Name, now)
				}
			}
		}
	}
}

// A server does not start without what a variable protected it with.
func TestProtectionIsNotDropped(t *testing.T) {
	t.Parallel()
	for variable, want := range map[string]string{
		"STRATA_FORWARDED_HEADER=Forwarded":       "X-Forwarded-For",
		"STRATA_FORWARDED_HEADER=X-Forwarded-For": "",
		"STRATA_TLS_FOR=api,observer":             "observer has no TLS",
		"STRATA_TLS_FOR=api":                      "",
	} {
		name, value, _ := strings.Cut(variable, "=")
		got := setting.Refused(func(asked string) (string, bool) {
			if asked != name {
				return "", false
			}
			return value, true
		})
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", variable, got, want)
		}
	}
	if got := finish(t, command(t, t.TempDir(), []string{"STRATA_TLS_FOR=observer"}, "serve")); got.code == 0 || !strings.Contains(got.stderr, "STRATA_TLS_FOR") {
		t.Errorf("got code %d and %q", got.code, got.stderr)
	}
}

// A command says so, and goes on.
func TestUnknownSettingIsSaid(t *testing.T) {
	t.Parallel()
	got := finish(t, command(t, t.TempDir(), []string{"STRATA_LOGLEVEL=DEBUG"}, "openapi"))
	if got.code != 0 || !strings.Contains(got.stderr, "strata: unknown setting STRATA_LOGLEVEL, did you mean STRATA_LOG_LEVEL?") {
		t.Errorf("got code %d and %q", got.code, got.stderr)
	}
	run(t, t.TempDir(), "serve", "--databse-url", "x").fails(t, exitUsage, "--database-url")
}
