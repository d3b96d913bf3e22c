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
	OK bool `json:"ok" doc:"Whether the version is fit for readers."`
}

type switchesAnswer struct {
	Switches []version.Switch `json:"switches" nullable:"false" doc:"The versions that readers see from now on, all from the same moment. Empty when the version was active already."`
}

type dropAnswer struct {
	Dropped projections.Schema `json:"dropped"`
}

type resumeAnswer struct {
	Resumed string `json:"resumed"`
}

func (a *API) registerVersions() {
	register(a, operation{
		method: http.MethodPost, path: "/{name}/versions/{version}/verify", id: "verify-version", summary: "Whether a version is fit for readers",
		about: "It is fit when it has caught up, could read the events that the active version could read, has its indexes, names an event of the log in each row, and " +
			"passes the checks of its code. All of its tables are read.",
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
		method: http.MethodPost, path: "/{name}/versions/{version}/activate", id: "activate-version", summary: "Make readers see a version",
		about: "The switch takes the versions along that belong to it, all at one moment, and stops no reader. It is refused with 409 while the version is behind, and with 422 " +
			"and the findings when the version is not fit for readers.",
		refusals: []int{http.StatusNotFound, http.StatusConflict, http.StatusUnprocessableEntity},
	}, func(ctx context.Context, in *versionInput) (*switchesAnswer, error) {
		switches, err := version.Activate(ctx, a.config.Pool, a.config.Lines, []projections.Schema{in.schema()})
		return answerSwitches(switches), err
	})
	register(a, operation{
		method: http.MethodPost, path: "/{name}/rollback", id: "rollback-projection", summary: "Make readers see what was active before",
		refusals: []int{http.StatusNotFound, http.StatusConflict},
	}, func(ctx context.Context, in *projectionInput) (*switchesAnswer, error) {
		if _, err := a.config.Lines.Definition(in.Name); err != nil {
			return nil, err
		}
		switches, err := version.Rollback(ctx, a.config.Pool, a.config.Lines, in.Name)
		return answerSwitches(switches), err
	})
	register(a, operation{
		method: http.MethodDelete, path: "/{name}/versions/{version}", id: "drop-version", summary: "Drop a version with its tables",
		refusals: []int{http.StatusNotFound, http.StatusConflict},
	}, func(ctx context.Context, in *versionInput) (*dropAnswer, error) {
		return &dropAnswer{in.schema()}, version.Drop(ctx, a.config.Pool, in.schema())
	})
	register(a, operation{
		method: http.MethodPost, path: "/{name}/resume", id: "resume-projection", summary: "Let a projection that has stopped try again",
		refusals: []int{http.StatusNotFound, http.StatusConflict},
	}, a.resume)
}

func answerSwitches(switches []version.Switch) *switchesAnswer {
	return &switchesAnswer{append([]version.Switch{}, switches...)}
}

func (a *API) resume(ctx context.Context, in *projectionInput) (*resumeAnswer, error) {
	all, err := a.statuses(ctx, in.Name)
	switch {
	case err != nil:
		return nil, err
	case len(all) == 0:
		return nil, fmt.Errorf("projection %q: %w", in.Name, projections.ErrUnknown)
	case !slices.ContainsFunc(all, func(s status) bool { return s.State == version.StateFailed }):
		return nil, fmt.Errorf("no version of projection %s has stopped", in.Name)
	}
	return &resumeAnswer{in.Name}, version.Resume(ctx, a.config.Pool, in.Name)
}
