package admin

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"

	"strata/projections"
	"strata/projections/version"
)

type estimateInput struct {
	Name     string `path:"name" doc:"The projection, such as ft." pattern:"^[a-z][a-z0-9_]*$" maxLength:"63" example:"ft"`
	To       int    `query:"to" minimum:"0" maximum:"1073741823" doc:"The number that the version would get; 0 for that of its rules or, when that is taken, the next."`
	Throttle int    `query:"throttle" minimum:"0" doc:"Maximum items per second for each version; 0 for no limit."`
}

type estimate struct {
	version.Estimate
	Fits bool `json:"fits" doc:"Whether the disk has room for it; true when that is not known."`
}

type rebuildInput struct {
	Name string `path:"name" doc:"The projection, such as ft." pattern:"^[a-z][a-z0-9_]*$" maxLength:"63" example:"ft"`
	Body *rebuildRequest
}

type rebuildRequest struct {
	To       int  `json:"to,omitempty" minimum:"0" maximum:"1073741823" doc:"The number that the version gets; 0 for that of its rules or, when that is taken, the next."`
	Throttle int  `json:"throttle,omitempty" minimum:"0" doc:"Maximum items per second for each version; 0 for no limit."`
	Force    bool `json:"force,omitempty" doc:"Build it even if the disk does not seem to have room for it."`
}

func (in *rebuildInput) attributes() []slog.Attr {
	attributes := []slog.Attr{slog.String("projection", in.Name)}
	if in.Body != nil {
		attributes = append(attributes, slog.Int("to", in.Body.To), slog.Int("throttle", in.Body.Throttle), slog.Bool("force", in.Body.Force))
	}
	return attributes
}

type rebuildAnswer struct {
	Made     []projections.Schema `json:"made" nullable:"false" doc:"The versions that are being built; with a leader, also those of the projections that fold its steps."`
	Estimate estimate             `json:"estimate"`
}

type throttleInput struct {
	Name    string `path:"name" doc:"The projection, such as ft." pattern:"^[a-z][a-z0-9_]*$" maxLength:"63" example:"ft"`
	Version int    `path:"version" doc:"The number of the version." minimum:"1" maximum:"1073741823" example:"2"`
	Body    throttleRequest
}

func (in *throttleInput) attributes() []slog.Attr {
	return []slog.Attr{slog.String("projection", in.schema().String()), slog.Int("per_second", in.Body.PerSecond)}
}

func (in *throttleInput) schema() projections.Schema {
	return projections.Schema{Name: in.Name, Version: in.Version}
}

type throttleRequest struct {
	PerSecond int `json:"per_second" minimum:"0" doc:"Maximum items per second, from about a second later on; 0 for no limit."`
}

func (a *API) registerRebuild() {
	register(a, operation{
		method: http.MethodGet, path: "/{name}/rebuild", id: "estimate-rebuild", summary: "What a rebuild will need",
		about:    "Rows, bytes and time, judged by the versions that are there; nothing is built.",
		refusals: []int{http.StatusNotFound, http.StatusConflict},
	}, func(ctx context.Context, in *estimateInput) (*estimate, error) {
		return a.estimate(ctx, options(in.Name, in.To, in.Throttle))
	})
	register(a, operation{
		method: http.MethodPost, path: "/{name}/rebuild", id: "rebuild-projection", summary: "Build a read table beside the active one",
		about: "The new version is registered. A process with this program's code that folds the log builds it, from the log alone, and goes on after a restart. " +
			"It becomes active on command only.",
		status: http.StatusAccepted, refusals: []int{http.StatusNotFound, http.StatusConflict, http.StatusInsufficientStorage},
	}, a.rebuild)
	register(a, operation{
		method: http.MethodPost, path: "/{name}/versions/{version}/throttle", id: "throttle-version", summary: "Limit how fast a version is built",
		refusals: []int{http.StatusNotFound},
	}, func(ctx context.Context, in *throttleInput) (*status, error) {
		if err := version.SetThrottle(ctx, a.config.Pool, in.schema(), limit(in.Body.PerSecond)); err != nil {
			return nil, err
		}
		return a.version(ctx, in.schema())
	})
}

func (a *API) rebuild(ctx context.Context, in *rebuildInput) (*rebuildAnswer, error) {
	request := rebuildRequest{}
	if in.Body != nil {
		request = *in.Body
	}
	o := options(in.Name, request.To, request.Throttle)
	needed, err := a.estimate(ctx, o)
	if err != nil {
		return nil, err
	}
	if !needed.Fits && !request.Force {
		return nil, &failureError{
			StatusCode: http.StatusInsufficientStorage, Reason: http.StatusText(http.StatusInsufficientStorage),
			Message: fmt.Sprintf("It needs about %d bytes, and the disk has %d left", needed.Bytes, *needed.FreeBytes),
			Advice:  `Free space, for example by dropping a version that nobody needs; or send "force": true`,
		}
	}
	made, err := version.Rebuild(ctx, a.config.Pool, a.config.Lines, o)
	if err != nil {
		return nil, err
	}
	return &rebuildAnswer{made, *needed}, nil
}

func (a *API) estimate(ctx context.Context, o version.RebuildOptions) (*estimate, error) {
	e, err := version.EstimateRebuild(ctx, a.config.Pool, a.config.Lines, o, a.config.DataDir)
	if err != nil {
		return nil, err
	}
	return &estimate{e, e.Fits()}, nil
}

func options(name string, to, throttle int) version.RebuildOptions {
	return version.RebuildOptions{Name: name, To: to, Throttle: limit(throttle)}
}

// limit returns a throttle as package version takes it.
func limit(perSecond int) *int {
	if perSecond == 0 {
		return nil
	}
	return &perSecond
}

// version returns the status of one version.
func (a *API) version(ctx context.Context, i projections.Schema) (*status, error) {
	all, err := a.statuses(ctx, i.Name)
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		if s.Schema() == i {
			return &s, nil
		}
	}
	return nil, fmt.Errorf("projection %s: %w", i, version.ErrNotRegistered)
}
