package picture_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"strata/internal/testkit/must"
	"strata/metadata/picture"
)

func TestOpenStore(t *testing.T) {
	data := t.TempDir()
	if store, err := picture.OpenStore("", data); store != nil || err != nil {
		t.Errorf("nothing: got %v, %v", store, err)
	}
	if left, err := os.ReadDir(data); err != nil || len(left) > 0 {
		t.Errorf("nothing: OpenStore created %v, %v", left, err)
	}
	elsewhere := filepath.Join(t.TempDir(), "a", "b")
	for address, root := range map[string]string{"dir": filepath.Join(data, "images"), "dir://" + elsewhere: elsewhere} {
		if _, err := picture.OpenStore(address, data); err != nil {
			t.Error(err)
		}
		if info, err := os.Stat(root); err != nil || !info.IsDir() {
			t.Errorf("%s: no folder %s: %v", address, root, err)
		}
	}
	for _, address := range []string{
		"s3://KEY:SECRET@127.0.0.1:9000/bucket", "s3://127.0.0.1/bucket/and/prefix/?region=eu-1&tls=true", "s3://K:S%40%2F@127.0.0.1/bucket?tls=0",
	} {
		if store, err := picture.OpenStore(address, data); err != nil || store == nil {
			t.Errorf("%s: got %v, %v", address, store, err)
		}
	}
}

// An error says what to write instead. It never reveals the secret, even if a mistake has put it in another place.
func TestOpenStoreRefuses(t *testing.T) {
	for address, why := range map[string]string{
		"folder":                               "want nothing, dir",
		"DIR":                                  "want nothing, dir",
		"dir://relative":                       "three slashes",
		"dir://":                               "three slashes",
		"dir:/one":                             "want nothing, dir",
		"http://KEY:SECRET@127.0.0.1/":         "want nothing, dir",
		"KEY:SECRET@127.0.0.1/bucket":          "want nothing, dir",
		"s3://":                                "host and bucket",
		"s3://127.0.0.1":                       "host and bucket",
		"s3:///bucket":                         "host and bucket",
		"s3://KEY:SECRET@/bucket":              "host and bucket",
		"s3://KEY:SECRET":                      "a number for PORT",
		"s3://KEY:SECRET/bucket":               "a number for PORT",
		"s3://KEY:SECRET:/bucket":              "a number for PORT",
		"s3://KEY@127.0.0.1/bucket":            "KEY:SECRET@",
		"s3://:SECRET@127.0.0.1/bucket":        "empty",
		"s3://KEY:@127.0.0.1/bucket":           "empty",
		"s3://KEY:SEC/RET@127.0.0.1/bucket":    "%2F",
		"s3://KEY:1/SECRET@127.0.0.1/bucket":   "%2F",
		"s3://KEY:SECRET#x@127.0.0.1/bucket":   "%23",
		"s3://KEY:SECRET?x=1@127.0.0.1/bucket": "%3F",
		"s3://KEY:SECRET%zz@127.0.0.1/bucket":  "%25",
		"s3://KEY:SECRET@127.0.0.1:x/bucket":   "a number for PORT",
		"s3://K:SECRET@127.0.0.1/b?tls=maybe":  "true or false",
		"s3://K:SECRET@127.0.0.1/b?ssl=true":   "region and tls",
		"s3://K:SECRET@127.0.0.1/b?tls=%zz":    "what follows the ?",
		"s3://K:SECRET@127.0.0.1/b#x":          "%23",
	} {
		store, err := picture.OpenStore(address, t.TempDir())
		if err == nil || !strings.Contains(err.Error(), why) || store != nil {
			t.Errorf("%s: got %v, %v; want an error that says %q", address, store, err, why)
			continue
		}
		// The advice itself contains the words KEY and SECRET.
		if said := strings.ReplaceAll(err.Error(), "KEY:SECRET@", ""); strings.Contains(said, "SEC") || strings.Contains(said, "RET") {
			t.Errorf("%s: the error reveals the secret: %v", address, err)
		}
	}
}

func TestOpenStoreNoFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must.Do(t, os.WriteFile(file, nil, 0o600))
	if store, err := picture.OpenStore("dir://"+file+"/images", ""); err == nil || store != nil || !strings.Contains(err.Error(), file) {
		t.Errorf("got %v, %v", store, err)
	}
}

func FuzzOpenStore(f *testing.F) {
	for _, rest := range []string{"@127.0.0.1:9000/bucket/prefix?region=x&tls=false", "@h/b", "/@h/b", "?@h/b", "#@h/b", "", "/", "%", "@h:x/b", "@h/b@c", ":@h/b", ":/00"} {
		f.Add(rest)
	}
	data := f.TempDir()
	f.Fuzz(func(t *testing.T, rest string) {
		_, err := picture.OpenStore("s3://key:Zq9Zq9"+rest, data)
		if strings.Contains(rest, "Zq9") {
			return // the text is also in a part that is not secret
		}
		if err != nil && strings.Contains(err.Error(), "Zq9") {
			t.Errorf("the error reveals the secret: %v", err)
		}
	})
}
