package staking

import (
	"context"
	"net/http"
	"strconv"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
)

type minerRewardsInput struct {
	param.PrincipalInput
	Limit  int    `query:"limit" minimum:"1" maximum:"50" default:"20" doc:"Rows of a page."`
	Cursor string `query:"cursor" pattern:"^[0-9]{1,10}$" doc:"The first cycle of the page."`
}

// Dependencies replaces those of param.PrincipalInput by the tips of all that is read: the cycles are not only made of the
// account's lists.
func (in *minerRewardsInput) Dependencies() engine.Dependencies { return engine.Dependencies{} }

type minerEarned struct {
	Count    int64         `json:"count" doc:"Number of rewards."`
	Coinbase schema.Amount `json:"coinbase" doc:"µSTX, as all amounts."`
	Fees     schema.Amount `json:"fees"`
	Total    schema.Amount `json:"total"`
}

type minerEarnedSTX struct {
	STX minerEarned `json:"stx"`
}

// minerReward is what an account earned as a miner in a cycle.
type minerReward struct {
	Cycle   int64          `json:"cycle"`
	Rewards minerEarnedSTX `json:"rewards"`
}

// minerRewardPage has no total: cycles in which the account earned nothing are left out, and are not counted.
type minerRewardPage struct {
	Limit   int               `json:"limit"`
	Cursor  page.KeysetCursor `json:"cursor"`
	Results []minerReward     `json:"results" nullable:"false"`
}

type minerRewardRow struct {
	cycle, n, before int64
	coinbase, fees   string
}

// minerRewardsSQL selects the cycles in which the account $1 was credited rewards, the newest first: at most $5 from the
// cycle $4 on, of cycles that begin at $2 and are $3 Bitcoin blocks long. It goes from the last reward of a cycle to the last
// one before the cycle. What was earned between them is the difference of their sums.
const minerRewardsSQL = `
	SELECT ARRAY[x.source_seq], x.cycle, x.n, x.before, x.coinbase, x.fees FROM (
	WITH RECURSIVE
	owner AS (SELECT a.id FROM {accounts}.account a WHERE a.account = $1),
	last AS (
		SELECT * FROM (
			SELECT r.n, r.source_seq, r.coinbase_sum, r.fees_sum, floor((b.burn_block_height - $2::bigint)::numeric / $3::bigint)::bigint AS cycle
			FROM {accounts}.miner_reward r JOIN {staking}.block b USING (height)
			WHERE r.account = (SELECT id FROM owner) AND ($4::bigint IS NULL OR r.height < coalesce((
				SELECT f.height FROM {staking}.block f WHERE f.burn_block_height >= $2::bigint + ($4::bigint + 1) * $3::bigint ORDER BY f.burn_block_height, f.height LIMIT 1
			), 9223372036854775807))
			ORDER BY r.n DESC LIMIT 1
		) newest
		UNION ALL
		SELECT r.n, r.source_seq, r.coinbase_sum, r.fees_sum, r.cycle
		FROM last l CROSS JOIN LATERAL (
			SELECT r.n, r.source_seq, r.coinbase_sum, r.fees_sum, floor((b.burn_block_height - $2::bigint)::numeric / $3::bigint)::bigint AS cycle
			FROM {accounts}.miner_reward r JOIN {staking}.block b USING (height)
			WHERE r.account = (SELECT id FROM owner) AND r.n < l.n AND r.height < (
				SELECT f.height FROM {staking}.block f WHERE f.burn_block_height >= $2::bigint + l.cycle * $3::bigint ORDER BY f.burn_block_height, f.height LIMIT 1
			)
			ORDER BY r.n DESC LIMIT 1
		) r
	)
	SELECT l.source_seq, l.cycle, l.n::bigint, coalesce(lead(l.n) OVER w, 0)::bigint AS before, (l.coinbase_sum - coalesce(lead(l.coinbase_sum) OVER w, 0))::text AS coinbase,
	       (l.fees_sum - coalesce(lead(l.fees_sum) OVER w, 0))::text AS fees
	FROM (SELECT * FROM last LIMIT $5::bigint + 1) l WINDOW w AS (ORDER BY l.cycle DESC)
	) x ORDER BY x.cycle DESC`

// tracedMinerReward traces the rewards of miners.
var tracedMinerReward = &engine.TraceTable{
	Projection: "accounts", Name: "miner_reward", Key: "account n", NewestFirst: []string{"t.n"}, Values: "height coinbase:text fees:text coinbase_sum:text fees_sum:text earned_in:hex",
	Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY['/matured_miner_rewards/' || t.position]`}},
}

func (a *api) registerMinerRewards() {
	engine.Get(a.Engine, engine.Operation{
		ID: "list-staking-miner-rewards", Path: prefix + "/miners/{principal}/rewards", Tag: tag,
		Summary: "What an account earned as a miner, by reward cycle, newest first",
		Description: "Matured rewards only, in the cycle of the block that credits them: 100 blocks or tenures after they were earned. Cycles without a reward are left out. " +
			"On a network other than mainnet the list is empty until an event of pox-5 tells when cycles begin.",
		Statuses: []int{http.StatusBadRequest},
	}, a.listMinerRewards)
}

func (a *api) listMinerRewards(ctx context.Context, s *engine.Snapshot, in *minerRewardsInput) (*minerRewardPage, error) {
	body := &minerRewardPage{Limit: in.Limit, Results: []minerReward{}}
	if _, ok := tipHeight(s); !ok || s.Active("accounts") == nil {
		return body, nil
	}
	b := newBatch(s)
	clockOf := a.queueClock(b)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	c, ok := clockOf()
	if !ok {
		return body, nil
	}
	var from *int64
	if in.Cursor != "" {
		n := number(in.Cursor)
		from = &n
	}
	b = newBatch(s)
	rows := engine.Query(b, func(r *minerRewardRow) []any { return []any{&r.cycle, &r.n, &r.before, &r.coinbase, &r.fees} },
		minerRewardsSQL, string(in.Principal), c.FirstHeight, c.CycleLength, from, int64(in.Limit))
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	shown := rows.Rows[:min(len(rows.Rows), in.Limit)]
	text := func(r *minerRewardRow) *string {
		cycle := strconv.FormatInt(r.cycle, 10)
		return &cycle
	}
	for i := range shown {
		r := &shown[i]
		body.Results = append(body.Results, minerReward{r.cycle, minerEarnedSTX{minerEarned{
			r.n - r.before, schema.Amount(r.coinbase), schema.Amount(r.fees), schema.AddAmounts(r.coinbase, r.fees),
		}}})
	}
	if len(shown) > 0 {
		body.Cursor.Current = text(&shown[0])
		if len(rows.Rows) > in.Limit {
			body.Cursor.Next = text(&rows.Rows[in.Limit])
		}
		s.TraceRows(func() []engine.Lookup {
			return []engine.Lookup{{
				Name: "reward", Table: tracedMinerReward,
				Where:       `t.account = (SELECT a.id FROM {accounts}.account a WHERE a.account = $1) AND t.n > $2::int AND t.n <= $3::int`,
				Args:        []any{string(in.Principal), shown[len(shown)-1].before, shown[0].n},
				NewestFirst: []string{"t.n"},
			}}
		})
	}
	return body, nil
}
