package postgres

import (
	"os"
	"testing"
)

func TestParsePidFile(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       pidFile
		ok         bool
	}{
		{"Whole", "4711\n/d/data\n1700000000\n5432\n/d/socket\n\n   1234      5678\nready   \n",
			pidFile{pid: 4711, port: 5432, socket: "/d/socket"}, true},
		{"JustBegun", "4711\n/d/data\n1700000000\n5432\n", pidFile{pid: 4711, port: 5432}, true},
		{"OnlyThePid", "4711\n", pidFile{pid: 4711}, true},
		{"Empty", "", pidFile{}, false},
		{"NoNumber", "postgres\n", pidFile{}, false},
		{"SingleUserServer", "-4711\n", pidFile{}, false},
		{"EverybodysParent", "1\n", pidFile{}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, ok := parsePidFile(tc.text)
			if got != tc.want || ok != tc.ok {
				t.Errorf("got %+v, %t, want %+v, %t", got, ok, tc.want, tc.ok)
			}
		})
	}
}

func TestKinOfAStranger(t *testing.T) {
	if got := ownershipOf(os.Getpid(), t.TempDir()); got != foreign {
		t.Errorf("this process: got %d, want foreign", got)
	}
}

func FuzzParsePidFile(f *testing.F) {
	f.Add("4711\n/d/data\n1700000000\n5432\n/d/socket\n\n   1234      5678\nready   \n")
	f.Add("4711")
	f.Add("\n\n\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		if p, ok := parsePidFile(text); ok && p.pid <= 1 {
			t.Errorf("%q: process id %d could be signalled", text, p.pid)
		}
	})
}
