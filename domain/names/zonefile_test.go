package names_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"strata/domain/names"
)

// inner is the zonefile of a subdomain.
const inner = "$ORIGIN alice.bob.id\n$TTL 3600\n_http._tcp URI 10 1 \"https://gaia.example/é\"\n"

// subdomains is the zonefile of a name with subdomains, in the form that registrars write.
func subdomains(text string) string {
	encoded := base64.StdEncoding.EncodeToString([]byte(inner))
	return fmt.Sprintf(text, encoded[:20], encoded[20:])
}

func TestParseZonefile(t *testing.T) {
	t.Parallel()
	const owner = "SP000000000000000000002Q6VF78"
	for name, tc := range map[string]struct {
		text     string
		resolver string
		want     []string // label owner seqn parts content-is-inner
	}{
		"a registrar's": {
			text: subdomains("$ORIGIN bob.id\n$TTL 3600\nalice TXT \"owner=" + owner + "\" \"seqn=3\" \"parts=2\" \"zf0=%s\" \"zf1=%s\"\n" +
				"_resolver URI 10 1 \"https://registrar.example\"\n"),
			resolver: "https://registrar.example", want: []string{"alice " + owner + " 3 2 true"},
		},
		"parts in another order, class and time to live": {
			text: subdomains("alice 300 IN TXT \"parts=2\" \"zf1=%[2]s\" \"zf0=%[1]s\" \"owner=" + owner + "\""),
			want: []string{"alice " + owner + " 0 2 true"},
		},
		"in parentheses, with comments": {
			text: subdomains("alice TXT ( \"owner=" + owner + "\" ; who\n \"zf0=%s\"\n \"zf1=%s\" )\n; nothing"),
			want: []string{"alice " + owner + " 0 0 true"},
		},
		"without an owner": {text: "alice TXT \"seqn=0\"\npubkey TXT \"pubkey:data:0\"\n"},
		"several, and a name that continues": {
			text: "a TXT \"owner=x\"\n\tTXT \"owner=y\" \"seqn=1\"\nb TXT owner=z seqn=-1\n",
			want: []string{"a x 0 0 false", "a y 1 0 false", "b z 0 0 false"},
		},
		"names that nobody can look up": {text: "a.b TXT \"owner=x\"\n@ A 1.2.3.4\nc\u00a0d TXT owner=x\n" + strings.Repeat("l", 200) + " TXT owner=x"},
		"another resolver":              {text: "_http URI 10 1 \"https://no.example\"\nmy_resolver URI 10 1 yes\nresolver URI 10 1 later", resolver: "yes"},
		"a resolver without a target":   {text: "resolver URI 10\n"},
		"unknown types":                 {text: "a BOGUS TXT \"owner=x\"\n"},
		"quotes that never end":         {text: "a TXT \"owner=x\nb TXT \"owner=y\"", want: []string{"a x 0 0 false", "b y 0 0 false"}},
		"nothing":                       {},
	} {
		z := names.ParseZonefile([]byte(tc.text))
		if z.Resolver != tc.resolver {
			t.Errorf("%s: got the resolver %q, want %q", name, z.Resolver, tc.resolver)
		}
		var got []string
		for _, s := range z.Subdomains {
			got = append(got, fmt.Sprintf("%s %s %d %d %t", s.Label, s.Owner, s.Sequence, s.Parts, string(s.Content) == inner))
		}
		if fmt.Sprint(got) != fmt.Sprint(tc.want) {
			t.Errorf("%s: got %v, want %v", name, got, tc.want)
		}
	}
}

// The hash of a subdomain's zonefile is the second half of SHA-256, as stacks-blockchain-api has it.
func TestSubdomainHash(t *testing.T) {
	t.Parallel()
	s := names.Subdomain{Content: []byte("abc")}
	if got, want := hex.EncodeToString(s.Hash()), "b00361a396177a9cb410ff61f20015ad"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func FuzzParseZonefile(f *testing.F) {
	f.Add([]byte(subdomains("$ORIGIN bob.id\n$TTL 3600\nalice TXT \"owner=SP1\" \"seqn=0\" \"parts=2\" \"zf0=%s\" \"zf1=%s\"\n_resolver URI 10 1 \"https://r.example\"")))
	f.Add([]byte("a TXT (\n\"owner=\\\"x\" ; ))\n b TXT"))
	f.Add([]byte("\xff TXT \"owner=\xc3\x28\"\n\x00 TXT owner=\x00 zf0=="))
	f.Fuzz(func(t *testing.T, content []byte) {
		z := names.ParseZonefile(content)
		for _, s := range z.Subdomains {
			if s.Label == "" || strings.ContainsAny(s.Label+s.Owner, " \x00\n") || s.Owner == "" || !utf8.ValidString(s.Label+s.Owner) || strings.Contains(s.Label, ".") {
				t.Errorf("subdomain %q of %q", s.Label, s.Owner)
			}
			if len(s.Hash()) != 16 || s.Sequence < 0 || s.Parts < 0 || len(s.Content) > len(content) {
				t.Errorf("subdomain %+v", s)
			}
		}
		if strings.Count(z.Resolver, "\n") > 0 {
			t.Errorf("resolver %q", z.Resolver)
		}
	})
}
