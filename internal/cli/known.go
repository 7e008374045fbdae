package cli

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strconv"

	"warp/internal/adapter/forge/local"
	"warp/internal/cli/app"
	"warp/internal/core/questions"
	"warp/internal/engine/forge"
	"warp/internal/engine/inbox"
	"warp/internal/turnstile"
)

// The functions below list what this machine knows of a project without asking a tracker, for
// completions and the home screen. They skip what they cannot read, so nothing may rely on them.

// knownIssues returns the issues of the local tracker; none for a forge.
func knownIssues(a *app.App, d *turnstile.Drive, closed bool) []forge.Issue {
	t := local.New(local.Config{Store: d.Project.Home(), Now: a.Env.Now})
	list, _ := t.List(context.Background(), forge.Query{Closed: closed})
	return list
}

// knownTitles returns the titles of issues that drives work or worked on, by number.
func knownTitles(a *app.App, d *turnstile.Drive) map[string]string {
	all := map[string]string{}
	add := func(v turnstile.View, err error) {
		if err != nil {
			return
		}
		if n := v.State.Issue(); n != "" {
			all[n] = ""
		}
		maps.Copy(all, v.State.Titles)
	}
	add(d.Peek())
	for _, o := range app.FindOtherDrives(d, a.Env) {
		add(o.View, o.Err)
	}
	return all
}

func openQuestions(a *app.App, d *turnstile.Drive) []questions.Item {
	list, _ := inbox.Open(d.Project.Home(), a.Env.Now, inbox.Hear{}).Pending()
	return list
}

// knownCheckpoints returns the numbers of a workflow's checkpoints.
func knownCheckpoints(d *turnstile.Drive) (numbers []string) {
	files, _ := filepath.Glob(filepath.Join(d.Store().Dir(), "checkpoint-*.json"))
	var all []int
	for _, f := range files {
		name := filepath.Base(f)
		if n, err := strconv.Atoi(name[len("checkpoint-") : len(name)-len(".json")]); err == nil {
			all = append(all, n)
		}
	}
	slices.Sort(all)
	for _, n := range all {
		numbers = append(numbers, strconv.Itoa(n))
	}
	return numbers
}
