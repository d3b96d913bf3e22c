package admin

import (
	"context"
	"fmt"
	"net/http"

	"strata/projections"
	"strata/projections/version"
)

// status is the status of a version with its lag.
type status struct {
	version.Status
	Lag int64 `json:"lag" doc:"Items of its input that the version has not folded yet."`
}

type statusList struct {
	Projections []status `json:"projections" nullable:"false" doc:"All versions of all projections, by name and number."`
}

type projectionStatus struct {
	Name     string   `json:"name"`
	Rules    *int     `json:"rules" doc:"The number of the rules that this process has; null when it has no code for the projection."`
	Versions []status `json:"versions" nullable:"false" doc:"By number."`
}

func (a *API) registerStatus() {
	register(a, operation{
		method: http.MethodGet, path: "", id: "list-projections", summary: "All versions of all read tables",
		about: "The position, lag and size of each, and the error that stopped it.",
	}, func(ctx context.Context, _ *struct{}) (*statusList, error) {
		all, err := a.statuses(ctx, "")
		return &statusList{all}, err
	})
	register(a, operation{
		method: http.MethodGet, path: "/{name}", id: "get-projection", summary: "The versions of a read table", refusals: []int{http.StatusNotFound},
	}, func(ctx context.Context, in *projectionInput) (*projectionStatus, error) {
		all, err := a.statuses(ctx, in.Name)
		if err != nil {
			return nil, err
		}
		p := &projectionStatus{Name: in.Name, Versions: all}
		if rules, ok := a.config.Lines.Rules()[in.Name]; ok {
			p.Rules = &rules
		} else if len(all) == 0 {
			return nil, fmt.Errorf("projection %q: %w", in.Name, projections.ErrUnknown)
		}
		return p, nil
	})
}

// statuses returns those of the versions of a projection, or of all projections when name is empty.
func (a *API) statuses(ctx context.Context, name string) ([]status, error) {
	all, err := version.Statuses(ctx, a.config.Pool)
	if err != nil {
		return nil, err
	}
	own := []status{}
	for _, s := range all {
		if name == "" || s.Name == name {
			own = append(own, status{s, s.Lag()})
		}
	}
	return own, nil
}
