package workflow

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"warp/internal/engine/forge"
)

// Name, MakeLabels, Create and OpenPull implement what is used of a tracker.
func (p *scene) Name() string { return "local" }

func (p *scene) MakeLabels(context.Context, []forge.Label) error { return nil }

// Create files an issue with the same mark once, as trackers do.
func (p *scene) Create(_ context.Context, n forge.NewIssue) (forge.Issue, error) {
	var away error
	if p.away != nil {
		if away = p.away(n); away != nil && !errors.Is(away, errAfter) {
			return forge.Issue{}, away
		}
	}
	at := slices.IndexFunc(p.issues, func(o forge.NewIssue) bool { return o.Once != "" && o.Once == n.Once })
	if at < 0 {
		at = len(p.issues)
		p.issues = append(p.issues, n)
	}
	return forge.Issue{Number: at + 1, URL: fmt.Sprintf("https://example.invalid/%d", at+1)}, away
}

// errAfter is a tracker that breaks off after it has filed something.
var errAfter = errors.New("unexpected EOF")

func (p *scene) OpenPull(_ context.Context, n forge.NewPull) (forge.Pull, error) {
	p.pulls = append(p.pulls, n)
	return forge.Pull{Number: len(p.pulls)}, nil
}
