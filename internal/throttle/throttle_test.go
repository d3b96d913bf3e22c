package throttle

import (
	"net/netip"
	"testing"
)

func TestAllow(t *testing.T) {
	throttle := New(0.001, 2)
	defer throttle.Close()
	for i := range 2 {
		if _, ok := throttle.Allow("127.0.0.1:1000"); !ok {
			t.Fatalf("request %d of a burst of 2 was refused", i)
		}
	}
	wait, ok := throttle.Allow("127.0.0.1:2000")
	if ok || wait <= 0 {
		t.Errorf("third request of a burst of 2: wait %v, ok %v", wait, ok)
	}
	if _, ok := throttle.Allow("127.0.0.2:1000"); !ok {
		t.Error("the limit of one client refuses another client")
	}
}

func TestClientOf(t *testing.T) {
	tests := []struct{ remote, want string }{
		{"127.0.0.1:1", "127.0.0.1/32"},
		{"[::ffff:127.0.0.1]:1", "127.0.0.1/32"},
		{"[fe80::1:2%lo]:1", "fe80::/64"},
		{"[::1]:9", "::/64"},
	}
	for _, tt := range tests {
		if got := clientOf(tt.remote); got != netip.MustParsePrefix(tt.want) {
			t.Errorf("clientOf(%q) = %v, want %v", tt.remote, got, tt.want)
		}
	}
	if got := clientOf("nobody"); got.IsValid() {
		t.Errorf("clientOf(nobody) = %v", got)
	}
}
