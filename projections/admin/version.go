package admin

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"strata/projections"
	"strata/projections/version"
)

type verification struct {
	version.Verification
	OK bool `json:"ok" doc:"It is fit for readers."`
}

type switches struct {
	Switches []version.Switch `json:"switches" nullable:"false" doc:"What readers see from now on, all since one moment. Empty when it was active already."`
}

type dropped struct {
	Dropped projections.Schema `json:"dropped"`
}

type resumed struct {
	Resumed string `json:"resumed"`
}

func (a *API) registerVersions() {
	register(a, operation{
		method: http.MethodPost, path: "/{name}/versions/{version}/verify", id: "verify-version", summary: "Whether a version is fit for readers",
		about: "It has caught up, could read what the active one could, has its indexes, names an event of the log in each row, and what its code says of its rows holds. " +
			"All of its tables are read.",
		refusals: []int{http.StatusNotFound, http.StatusConflict},
	}, func(ctx context.Context, in *versionInput) (*verification, error) {
		d, err := a.config.Lines.Definition(in.Name)
		if err != nil {
			return nil, err
		}
		v, err := version.Verify(ctx, a.config.Pool, d, in.schema())
		v.Findings = append([]version.Finding{}, v.Findings...)
		return &verification{v, v.OK()}, err
	})
	register(a, operation{
		method: http.MethodPost, path: "/{name}/versions/{version}/activate", id: "activate-version", summary: "Let readers see a version",
		about: "With all that belongs to it, in one moment, and without stopping any reader. Refused while it is behind, with 409, or when it is not fit for readers, with 422 " +
			"and what is wrong.",
		refusals: []int{http.StatusNotFound, http.StatusConflict, http.StatusUnprocessableEntity},
	}, func(ctx context.Context, in *versionInput) (*switches, error) {
		made, err := version.Activate(ctx, a.config.Pool, a.config.Lines, []projections.Schema{in.schema()})
		return switched(made), err
	})
	register(a, operation{
		method: http.MethodPost, path: "/{name}/rollback", id: "rollback-projection", summary: "Let readers see what was active before",
		refusals: []int{http.StatusNotFound, http.StatusConflict},
	}, func(ctx context.Context, in *projectionInput) (*switches, error) {
		if _, err := a.config.Lines.Definition(in.Name); err != nil {
			return nil, err
		}
		made, err := version.Rollback(ctx, a.config.Pool, a.config.Lines, in.Name)
		return switched(made), err
	})
	register(a, operation{
		method: http.MethodDelete, path: "/{name}/versions/{version}", id: "drop-version", summary: "Take a version away, with its tables",
		refusals: []int{http.StatusNotFound, http.StatusConflict},
	}, func(ctx context.Context, in *versionInput) (*dropped, error) {
		return &dropped{in.schema()}, version.Drop(ctx, a.config.Pool, in.schema())
	})
	register(a, operation{
		method: http.MethodPost, path: "/{name}/resume", id: "resume-projection", summary: "Let a projection that has stopped try again",
		refusals: []int{http.StatusNotFound, http.StatusConflict},
	}, a.resume)
}

func switched(made []version.Switch) *switches {
	return &switches{append([]version.Switch{}, made...)}
}

func (a *API) resume(ctx context.Context, in *projectionInput) (*resumed, error) {
	all, err := a.statuses(ctx, in.Name)
	switch {
	case err != nil:
		return nil, err
	case len(all) == 0:
		return nil, fmt.Errorf("projection %q: %w", in.Name, projections.ErrUnknown)
	case !slices.ContainsFunc(all, func(s status) bool { return s.State == version.StateFailed }):
		return nil, fmt.Errorf("no version of projection %s has stopped", in.Name)
	}
	return &resumed{in.Name}, version.Resume(ctx, a.config.Pool, in.Name)
}
