package register_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"strata/internal/testkit/check"
	"strata/readapi/internal/register"
)

// Two lists of steps stand side by side: chain_v1 with balances_v1, balances_v2 and ft_v1, and chain_v2 with balances_v3,
// balances_v4 and ft_v2. A third one has nobody who folds it. The first of each are active.
func TestChoose(t *testing.T) {
	t.Parallel()
	w := newWriter(t, databases.New(t), 0)
	for name, versions := range map[string]int{"chain": 3, "balances": 4, "ft": 2} {
		for number := 1; number <= versions; number++ {
			w.register(name, number)
		}
	}
	w.register("ordinals", 1)
	w.exec(`UPDATE strata.projection SET input = 'log' WHERE name = 'ordinals'`)
	w.exec(`UPDATE strata.projection SET input = 'chain_v2' WHERE name = 'balances' AND version > 2 OR name = 'ft' AND version = 2`)
	w.exec(`UPDATE strata.projection SET rules = 9 WHERE version = 2`)
	s := read(t, w.pool)
	before := describe(s)
	for _, tc := range []struct {
		numbers map[string]int
		want    string
		err     error
	}{
		{map[string]int{}, "balances_v1 chain_v1 ft_v1 ordinals_v1", nil},
		{map[string]int{"balances": 1}, "balances_v1 chain_v1 ft_v1 ordinals_v1", nil},
		{map[string]int{"balances": 2}, "balances_v2 chain_v1 ft_v1 ordinals_v1", nil},
		{map[string]int{"balances": 2, "chain": 1}, "balances_v2 chain_v1 ft_v1 ordinals_v1", nil},
		// What folds another list brings that along, and that its other followers.
		{map[string]int{"balances": 3}, "balances_v3 chain_v2 ft_v2 ordinals_v1", nil},
		{map[string]int{"ft": 2}, "balances_v4 chain_v2 ft_v2 ordinals_v1", nil},
		{map[string]int{"chain": 2}, "balances_v4 chain_v2 ft_v2 ordinals_v1", nil},
		{map[string]int{"chain": 2, "balances": 3, "ordinals": 1}, "balances_v3 chain_v2 ft_v2 ordinals_v1", nil},
		{map[string]int{"chain": 1, "balances": 3}, "", register.ErrApart},
		{map[string]int{"ft": 1, "balances": 3}, "", register.ErrApart},
		{map[string]int{"chain": 3}, "", register.ErrApart},
		{map[string]int{"balances": 5}, "", register.ErrNoVersion},
		{map[string]int{"nft": 1}, "", register.ErrNoProjection},
	} {
		made, err := s.Choose(tc.numbers)
		if !errors.Is(err, tc.err) || err != nil && tc.err == nil {
			t.Errorf("%v: got error %v, want %v", tc.numbers, err, tc.err)
		}
		if err != nil || tc.err != nil {
			continue
		}
		check.Equal(t, fmt.Sprintf("%v", tc.numbers), describe(made), tc.want)
		for _, v := range made.Versions {
			if v.Active != (made.Active(v.Name) == v) {
				t.Errorf("%v: %s says that active is %t", tc.numbers, v.Schema(), v.Active)
			}
			if v.Active && strings.Count(made.Schemas(), v.Schema()) != 1 {
				t.Errorf("%v: the schemas are %s", tc.numbers, made.Schemas())
			}
		}
	}
	if got := describe(s); got != before {
		t.Errorf("a choice changed the state from %s to %s", before, got)
	}
	w.exec(`DELETE FROM strata.projection WHERE name = 'chain' AND version = 2`)
	if _, err := read(t, w.pool).Choose(map[string]int{"ft": 2}); !errors.Is(err, register.ErrApart) || !strings.Contains(err.Error(), "chain_v2, which is gone") {
		t.Errorf("what folds the steps of a version that is gone: got %v", err)
	}
}

// describe names the active versions.
func describe(s *register.State) string {
	var names []string
	for _, v := range s.Versions {
		if v.Active {
			names = append(names, schemaName(v.Name, v.Number))
		}
	}
	return strings.Join(names, " ")
}
