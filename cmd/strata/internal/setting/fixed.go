package setting

import "strings"

// fixed are settings of earlier versions, by their flags, with what holds now: nobody had a better value than the program.
var fixed = map[string]string{
	"body-limit":                 "512 MiB",
	"body-memory":                "64 MiB",
	"body-files":                 "4 GiB",
	"observer-connections":       "1,024, a quarter of them from one address",
	"max-streams":                "20,000",
	"max-streams-per-client":     "10,000",
	"max-connections":            "32,768",
	"max-connections-per-client": "16,384",
	"read-lag-limit":             "5s",
	"database-read-connections":  "as many as --database-connections",
	"node-queue":                 "256 requests",
	"node-queue-wait":            "2s",
	"node-body-limit":            "10 MB",
	"node-connect-timeout":       "2s",
	"node-light-timeout":         "5s",
	"node-medium-timeout":        "10s",
	"node-heavy-timeout":         "35s",
	"node-stall-timeout":         "15s",
	"node-probe-interval":        "2s",
	"node-probe-timeout":         "1s",
	"node-lag-blocks":            "3 blocks",
	"node-lag-time":              "30s",
	"broadcast-rate-limit":       "that of --node-rate-limit",
	"costly-rate-limit":          "that of --rate-limit",
	"cold-reads":                 "twice the processors, and at most half of the connections",
	"replaced-gateways":          "those that documents name most",
	"fetch-per-host":             "a quarter of --fetch-concurrency",
	"fetch-per-contract":         "50,000 a day",
	"fetch-bytes-per-contract":   "64 MiB a day",
	"log-checkpoint-interval":    "10s",
	"compare-accounts":           "5 accounts",
	"compare-rate":               "10 requests a second",
	"forwarded-header":           "X-Forwarded-For",
	"tls-for":                    "the API, and the administration API where other machines can reach it",
	"nats-subject":               "that of the stream, which is strata.log for STRATA_LOG",
	"nats-replicas":              "those of the stream, which begins with one",
	"nats-keep":                  "that of the stream, which begins with 24h",
	"nats-keep-bytes":            "that of the stream, which begins with 1 GiB",
	"faucet-per-client":          "no limit but that of each Stacks address, in version 1",
	"shutdown-grace":             "30s",
}

// FixedFlag says what holds instead of the first of the arguments of a command line that is such a setting; empty if none is.
func FixedFlag(args []string) string {
	for _, arg := range args {
		if arg == "--" {
			break
		}
		name, isFlag := strings.CutPrefix(arg, "--")
		name, _, _ = strings.Cut(name, "=")
		if now := fixed[name]; isFlag && now != "" {
			return "--" + name + " is fixed now (" + now + ")"
		}
	}
	return ""
}

// Fixed says what holds instead of such a setting, as the end of a sentence; empty for any other name.
func Fixed(flag string) string {
	if now := fixed[flag]; now != "" {
		return ", which is fixed now (" + now + ")"
	}
	return ""
}

// Refused returns why a program must not start with variables that once protected it: to go on without their effect would weaken it
// in silence. It returns an empty text if there are none.
func Refused(lookup func(string) (string, bool)) string {
	if header, _ := lookup("STRATA_FORWARDED_HEADER"); strings.EqualFold(header, "Forwarded") {
		return "STRATA_FORWARDED_HEADER is fixed now: addresses of clients are read from X-Forwarded-For, which your proxies would have to write in place of Forwarded. Change that, then remove the variable"
	}
	listeners, _ := lookup("STRATA_TLS_FOR")
	for listener := range strings.SplitSeq(listeners, ",") {
		if listener == "observer" || listener == "metrics" {
			return "STRATA_TLS_FOR is fixed now: the listener " + listener + " has no TLS. Put it behind a proxy that has, or on an address that only trusted machines reach, then remove the variable"
		}
	}
	return ""
}
