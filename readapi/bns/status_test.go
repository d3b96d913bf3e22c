package bns

import (
	"testing"

	"strata/readapi/internal/schema"
)

// TestStatus checks statuses and validity around the heights at which they change, for an expiry of 10,000.
func TestStatus(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		height  int64
		revoked bool
		status  string
		valid   bool
		left    int64
	}{
		{1, false, statusActive, true, 9999},
		{10_000 - 4320, false, statusActive, true, 4320},
		{10_000 - 4319, false, statusSoon, true, 4319},
		{10_000, false, statusSoon, true, 0},
		{10_001, false, statusGrace, false, -1},
		{15_000, false, statusGrace, false, -5000},
		{15_001, false, statusExpired, false, -5001},
		{10_000, true, statusRevoked, true, 0},
	} {
		r := &nameRow{expires: schema.Ptr[int64](10_000), revoked: tc.revoked}
		if got := r.status(tc.height); got != tc.status || r.valid(tc.height) != tc.valid || r.blocksLeft(tc.height) != tc.left {
			t.Errorf("height %d: got %s, %t and %d", tc.height, got, r.valid(tc.height), r.blocksLeft(tc.height))
		}
	}
	endless := &nameRow{}
	if got := endless.status(1 << 40); got != statusActive || !endless.valid(1<<40) || endless.blocksLeft(5) != 0 || endless.expiry() != 0 {
		t.Errorf("a name that never expires is %s", got)
	}
}
