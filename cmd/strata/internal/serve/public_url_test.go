package serve

import "testing"

func TestPublicURL(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		store, url string
		api, ok    bool
		base       string
	}{
		"no images":               {"", "", true, true, ""},
		"images without a URL":    {"dir", "", true, false, ""},
		"no role that shows them": {"dir", "", false, true, ""},
		"images":                  {"dir", "https://api.example.org", true, true, "https://api.example.org"},
		"below a path":            {"dir", "http://10.0.0.1:8080/strata/", true, true, "http://10.0.0.1:8080/strata"},
		"a URL without images":    {"", "https://api.example.org", true, true, ""},
		"no scheme":               {"dir", "api.example.org", true, false, ""},
		"no host":                 {"dir", "https:///images", true, false, ""},
		"another scheme":          {"dir", "ftp://api.example.org", true, false, ""},
		"a query":                 {"dir", "https://api.example.org?x=1", true, false, ""},
		"a secret":                {"dir", "https://a:b@api.example.org", true, false, ""},
	} {
		flags := metadataFlags{ImageStore: tc.store, PublicURL: tc.url}
		err := flags.checkPublicURL(tc.api)
		if (err == nil) != tc.ok {
			t.Errorf("%s: got %v", name, err)
		}
		if base := flags.imageBase(); err == nil && base != tc.base {
			t.Errorf("%s: got the base %q, want %q", name, base, tc.base)
		}
	}
}
