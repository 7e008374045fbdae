package doctor

import (
	"context"
	"errors"
	"fmt"

	"warp/internal/cli/app"
	"warp/internal/cli/drivecmd"
	"warp/internal/cli/rdb"
	"warp/internal/cli/tracker"
	"warp/internal/core/nightreport"
	"warp/internal/core/text"
	"warp/internal/engine/forge"
	"warp/internal/engine/policy/drive"
	"warp/internal/sys/git"
)

// level checks that the automation level is set.
func level(x exam) []Finding {
	s, err := x.drive.Project.Settings()
	if err != nil {
		return nil // another check reports it
	}
	ends := map[int]string{2: "2: a drive ends in a pull request", 3: "3: a drive merges"}[s.Level]
	if ends == "" {
		return []Finding{problem("level", "not set", "warp level 2 (pull requests) or warp level 3 (merges)")}
	}
	return []Finding{ok("level", ends)}
}

// engine returns a drive's engine without agents, which changes nothing.
func (x exam) engine(issues forge.Tracker) (*drive.Engine, error) {
	e, err := drivecmd.ProverEngine(x.app, x.drive, issues)
	if err != nil {
		return nil, err
	}
	e.Passed, e.Tell = func(string) {}, func(n drive.Note) {
		if n.Kind == drive.Remark {
			x.app.Note("%s", n.Text)
		}
	}
	return e, nil
}

// checkTracker requires a tracker that responds and has approved issues ready to work on.
func checkTracker(x exam) []Finding {
	ctx, cancel := context.WithTimeout(x.ctx, callTimeout)
	defer cancel()
	t, err := tracker.Open(ctx, x.app, x.drive)
	if err != nil {
		return []Finding{problem("tracker", err.Error(), "")}
	}
	e, err := x.engine(t)
	if err != nil {
		if errors.Is(err, git.ErrNotRepo) {
			return nil // another check reports it
		}
		return []Finding{problem("issues", err.Error(), "")}
	}
	plan, err := e.Survey(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("%s does not respond within %v", t.Name(), callTimeout)
	}
	if err != nil {
		return []Finding{problem("tracker", err.Error(), "")}
	}
	return append([]Finding{ok("tracker", t.Name()+" responds")}, x.judgePlan(e, plan)...)
}

// judgePlan reports what a night would drive, and what it would pass over.
func (x exam) judgePlan(e *drive.Engine, plan []nightreport.Issue) (out []Finding) {
	driven, passed := nightreport.Split(plan)
	v, err := x.drive.Read()
	unfinished := err == nil && v.State.Phase.Active()
	switch {
	case len(driven) == 0 && unfinished:
		out = append(out, ok("issues", "#"+v.State.Issue()+" is unfinished, and is resumed"))
	case len(driven) == 0:
		out = append(out, problem("issues", "no approved issue can be worked on", "warp issue new writes one, warp issue approve NUMBER approves it"))
	default:
		list := make([]string, len(driven))
		for i, d := range driven {
			list[i] = "#" + d.Number
		}
		out = append(out, ok("issues", text.Count(len(list), "approved issue")+" can be driven: "+text.List(list, 10)))
	}
	if len(driven) == 1 && !unfinished { // it is driven in this work tree, not in a separate one
		e.Issue = driven[0].Number
		ctx, cancel := context.WithTimeout(x.ctx, callTimeout) // it asks the remote
		defer cancel()
		if o := e.Fit(ctx); o != nil && ctx.Err() == nil { // another check reports an unresponsive remote
			out = append(out, problem("issue #"+o.Issue, o.Why, o.Do))
		}
	}
	for _, p := range passed {
		out = append(out, warning("issue #"+p.Number, "passed over: "+p.Passed, p.Do))
	}
	return out
}

// remote requires one that can be pushed to.
func remote(x exam) []Finding {
	tree, err := app.OpenTree(x.drive)
	if err != nil {
		return nil // another check reports it
	}
	name, found, err := tree.Remotes().Choose(x.ctx)
	switch {
	case err != nil:
		return []Finding{problem("remote", err.Error(), "")}
	case !found:
		return []Finding{warning("remote", "there is none", "with one, a drive is pushed after each commit and survives the loss of this machine")}
	}
	if err := tree.Remotes().CheckPush(x.ctx, name, callTimeout); err != nil {
		return []Finding{problem("remote", err.Error(), "git push --dry-run "+name+" HEAD must work without a prompt")}
	}
	return []Finding{ok("remote", name+" can be pushed to")}
}

// bridge requires working channels to people if remote mode is on.
func bridge(x exam) []Finding {
	ctx, cancel := context.WithTimeout(x.ctx, callTimeout)
	defer cancel()
	list, err := rdb.Check(ctx, x.app, x.drive)
	if err != nil {
		return []Finding{problem("bridge", err.Error(), "fix it, or warp rdb off")}
	}
	var out []Finding
	for _, c := range list {
		if c.Trouble != "" {
			out = append(out, warning("bridge", c.Name+": "+c.Trouble, "warp rdb test sends a message and waits for it"))
		} else {
			out = append(out, ok("bridge", c.Name+" can be reached (warp rdb test sends a message)"))
		}
	}
	return out
}
