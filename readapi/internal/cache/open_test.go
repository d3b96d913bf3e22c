package cache_test

import (
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"strata/internal/testkit/check"
	"strata/readapi/internal/cache"
)

func TestOpen(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, url, address string
		read, dial         time.Duration
		retries            int
	}{
		{"defaults", "redis://user:secret@127.0.0.1:7000/2", "127.0.0.1:7000", cache.ReadTimeoutDefault, cache.DialTimeoutDefault, 0},
		{"no port", "redis://127.0.0.1", "127.0.0.1:6379", cache.ReadTimeoutDefault, cache.DialTimeoutDefault, 0},
		{"TLS", "rediss://127.0.0.1:7000", "127.0.0.1:7000", cache.ReadTimeoutDefault, cache.DialTimeoutDefault, 0},
		{"Unix socket", "unix:///run/redis.sock?db=3", "/run/redis.sock", cache.ReadTimeoutDefault, cache.DialTimeoutDefault, 0},
		{"own times", "redis://127.0.0.1:7000?read_timeout=1s&dial_timeout=2s&max_retries=2", "127.0.0.1:7000", time.Second, 2 * time.Second, 2},
		{"cluster=false", "redis://127.0.0.1:7000?cluster=false", "127.0.0.1:7000", cache.ReadTimeoutDefault, cache.DialTimeoutDefault, 0},
	} {
		client, ok := cache.Inner(open(t, test.url)).(*redis.Client)
		if !ok {
			t.Errorf("%s: not a client of one server", test.name)
			continue
		}
		o := client.Options()
		if o.Addr != test.address || o.ReadTimeout != test.read || o.DialTimeout != test.dial || o.MaxRetries != test.retries ||
			!o.ContextTimeoutEnabled || (o.TLSConfig != nil) != strings.HasPrefix(test.url, "rediss:") {
			t.Errorf("%s: address %s, read %v, dial %v, %d retries, context %v, TLS %v",
				test.name, o.Addr, o.ReadTimeout, o.DialTimeout, o.MaxRetries, o.ContextTimeoutEnabled, o.TLSConfig != nil)
		}
	}
}

func TestOpenCluster(t *testing.T) {
	t.Parallel()
	for url, addresses := range map[string]string{
		"redis://127.0.0.1:7000?cluster=true":                                    "127.0.0.1:7000",
		"redis://127.0.0.1:7000?addr=127.0.0.1:7001&addr=127.0.0.1:7002":         "127.0.0.1:7000 127.0.0.1:7001 127.0.0.1:7002",
		"redis://127.0.0.1:7000?addr=127.0.0.1:7001&cluster=true&read_timeout=1": "127.0.0.1:7000 127.0.0.1:7001",
	} {
		client, ok := cache.Inner(open(t, url)).(*redis.ClusterClient)
		if !ok {
			t.Errorf("%s: not a client of a cluster", url)
			continue
		}
		check.Equal(t, url+": nodes", strings.Join(client.Options().Addrs, " "), addresses)
	}
}

func TestOpenSentinel(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"redis://127.0.0.1:7000?master_name=main",
		"redis://127.0.0.1:7000?master_name=main&addr=127.0.0.1:7001",
	} {
		client, ok := cache.Inner(open(t, url)).(*redis.Client)
		if !ok || client.Options().Addr != "FailoverClient" {
			t.Errorf("%s: not a client of sentinels", url)
		}
	}
	if _, ok := cache.Inner(open(t, "redis://127.0.0.1:7000?master_name=main&route_randomly=true")).(*redis.ClusterClient); !ok {
		t.Error("route_randomly isn't followed")
	}
}

func TestOpenErrors(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"":                                     "scheme",
		"http://127.0.0.1:6379":                "http://127.0.0.1:6379",
		"redis://user:S3CRET@127.0.0.1:6379/x": "redis://127.0.0.1:6379/x",
		"redis://user:S3CRET@127.0.0.1:6379?what=is":     "unexpected option: what",
		"redis://user:S3CRET@127.0.0.1:port":             "can't be parsed",
		"redis://user:S3/CRET@127.0.0.1:6379":            "percent-encoded",
		"redis://user:12/S3CRET@127.0.0.1:6379":          "percent-encoded",
		"redis://user:12?S3CRET@127.0.0.1:6379":          "percent-encoded",
		"redis://user:12#S3CRET@127.0.0.1:6379?x=1":      "",
		"redis://127.0.0.1?master_name=":                 "master_name",
		"redis://127.0.0.1?master_name=m&x=S3CRET":       "unexpected option: x",
		"redis://127.0.0.1?cluster=perhaps":              "cluster",
		"unix:///run/redis.sock?cluster=true":            "scheme",
		"redis://127.0.0.1?pool_size=-1":                 "pool_size",
		"redis://127.0.0.1?pool_size=99999999999":        "pool_size",
		"redis://127.0.0.1?addr=nowhere":                 "nowhere",
		"redis://127.0.0.1?pipeline_read_buffer_size=-9": "pipeline_read_buffer_size",
	} {
		client, err := cache.Open(url)
		if err == nil {
			_ = client.Close()
			if want != "" {
				t.Errorf("%s: no error, want one with %q", url, want)
			}
			continue
		}
		if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "S3CRET") {
			t.Errorf("%s: error %q, want one with %q and without the password", url, err, want)
		}
	}
}

// FuzzOpen holds that no URL makes Open panic, and no error tells the password.
func FuzzOpen(f *testing.F) {
	const mark = "S3CR3T"
	f.Add("redis", "user", "password", "127.0.0.1:6379/0")
	f.Add("rediss", "", "pa/ss", "127.0.0.1:6379?cluster=true")
	f.Add("redis", "u@v", "pa?ss#", "127.0.0.1?addr=127.0.0.1:1&pool_size=-5")
	f.Add("redis", "", "%", "127.0.0.1?master_name=m&password=x&route_randomly=1")
	f.Add("unix", "", "1/2", "/run/redis.sock?db=x")
	f.Fuzz(func(t *testing.T, scheme, user, password, rest string) {
		if strings.Contains(scheme+user+rest, mark) || strings.Contains(rest, "min_idle_conns") { // which connects at once
			t.Skip()
		}
		client, err := cache.Open(scheme + "://" + user + ":" + mark + password + mark + "@" + rest)
		if err != nil {
			if strings.Contains(err.Error(), mark) {
				t.Errorf("the error tells the password: %v", err)
			}
			return
		}
		if err := client.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
}
