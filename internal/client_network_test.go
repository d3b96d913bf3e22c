package internal_test

import (
	"net/netip"
	"testing"

	"strata/internal/clientaddr"
)

func TestNetworkOf(t *testing.T) {
	for remote, want := range map[string]string{
		"127.0.0.1:1":          "127.0.0.1/32",
		"[::ffff:127.0.0.1]:1": "127.0.0.1/32",
		"[fe80::1:2%lo]:1":     "fe80::/64",
		"[::1]:9":              "::/64",
	} {
		if got := clientaddr.NetworkOf(remote); got != netip.MustParsePrefix(want) {
			t.Errorf("NetworkOf(%q) = %v, want %v", remote, got, want)
		}
	}
	if got := clientaddr.NetworkOf("nobody"); got.IsValid() {
		t.Errorf("NetworkOf(nobody) = %v", got)
	}
}
