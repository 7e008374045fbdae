package workflow

import (
	"context"
	"fmt"

	"warp/internal/engine/forge"
)

// Name, MakeLabels, Create and OpenPull implement what is used of a tracker.
func (p *scene) Name() string { return "local" }

func (p *scene) MakeLabels(context.Context, []forge.Label) error { return nil }

func (p *scene) Create(_ context.Context, n forge.NewIssue) (forge.Issue, error) {
	p.issues = append(p.issues, n)
	return forge.Issue{Number: len(p.issues), URL: fmt.Sprintf("https://example.invalid/%d", len(p.issues))}, nil
}

func (p *scene) OpenPull(_ context.Context, n forge.NewPull) (forge.Pull, error) {
	p.pulls = append(p.pulls, n)
	return forge.Pull{Number: len(p.pulls)}, nil
}
