package serve

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// common are the settings that most servers need, and that --help shows; --help-all shows the others, too.
var common = []string{
	"roles", "network", "observer-addr", "observer-secret", "ordhook-token", "database-url", "database-read-url", "database-connections", "data-dir",
	"nodes", "node-concurrency", "node-rate-limit", "api-addr", "redis-url", "tls-cert", "tls-key", "trusted-proxies", "ipfs-gateways", "image-store", "public-url",
	"rate-limit", "cache-memory", "disk-floor", "lag-limit", "admin-addr", "admin-token", "metrics-addr", "config", "log-level", "log-format",
}

// helpAll is the flag that shows all settings.
type helpAll bool

// BeforeReset implements kong's hook: it prints the help, and ends the program.
func (helpAll) BeforeReset(app *kong.Kong, ctx *kong.Context) error {
	if err := kong.DefaultHelpPrinter(kong.HelpOptions{Compact: true, ValueFormatter: kong.DefaultHelpValueFormatter}, ctx); err != nil {
		return err
	}
	app.Exit(0)
	return nil
}

// Help is the end of the help text; kong calls it.
func (*Command) Help() string {
	return "Each setting is a flag, a key of the file that --config names, and a variable: STRATA_ and its name in capitals, with _ for -."
}

// Help prints the help of a command: for those with the settings of a server, the common ones, each in a sentence.
func Help(options kong.HelpOptions, ctx *kong.Context) error {
	command := ctx.Selected()
	if options.Summary || command == nil || !slices.ContainsFunc(command.Flags, func(f *kong.Flag) bool { return f.Name == "help-all" }) {
		return kong.DefaultHelpPrinter(options, ctx)
	}
	for _, level := range command.AllFlags(true) {
		for _, flag := range level {
			if len(flag.Envs) > 0 && !slices.Contains(common, flag.Name) {
				flag.Hidden = true
				defer func() { flag.Hidden = false }()
			}
		}
	}
	options.ValueFormatter = func(value *kong.Value) string {
		sentence, _, _ := strings.Cut(value.Help, ". ")
		return strings.TrimSuffix(sentence, ".") + "."
	}
	return kong.DefaultHelpPrinter(options, ctx)
}
