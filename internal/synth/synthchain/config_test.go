package synthchain

import "testing"

func TestContradictionsAreResolved(t *testing.T) {
	for _, tc := range []struct {
		name string
		cfg  Config
		want func(Config) bool
	}{
		{"defaults", Config{}, func(c Config) bool {
			return c.Accounts == 64 && c.Generation == V40 && c.StartBurnHeight == 666050 && c.SigningSample == 1 && c.Maturity == 100
		}},
		{"Nakamoto needs a generation that has it", Config{Nakamoto: true, Generation: V21}, func(c Config) bool { return c.Generation == V30 }},
		{"merged genesis needs an old generation", Config{MergedGenesis: true, Nakamoto: true}, func(c Config) bool {
			return c.Generation == V205 && !c.Nakamoto
		}},
		{"too few accounts", Config{Accounts: 1}, func(c Config) bool { return c.Accounts == 8 }},
		{"range upside down", Config{TxPerBlock: Range{Min: 5, Max: 2}}, func(c Config) bool { return c.TxPerBlock == Range{Min: 5, Max: 5} }},
		{"negative numbers", Config{MaxForkDepth: -1, BlocksPerTenure: -1, TxPerBlock: Range{Min: -3, Max: -2}}, func(c Config) bool {
			return c.MaxForkDepth == 3 && c.BlocksPerTenure == 5 && c.TxPerBlock == Range{}
		}},
		{"nothing but genesis", Config{EmptyGenesisEvery: 1}, func(c Config) bool { return c.EmptyGenesisEvery == 2 }},
		{"negative weights", Config{Mix: Mix{Transfer: -3, Deploy: -1}}, func(c Config) bool { return c.Mix == Mix{} }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := New(tc.cfg)
			if got := c.Config(); !tc.want(got) {
				t.Errorf("got %+v", got)
			}
			for range 50 {
				c.Next()
			}
		})
	}
}
