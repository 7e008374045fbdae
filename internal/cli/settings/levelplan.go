package settings

import (
	"fmt"
	"slices"

	"warp/internal/core/config"
	"warp/internal/core/lossless"
	"warp/internal/engine/detect"
	"warp/internal/sys/git"
	"warp/internal/turnstile"
)

// LevelPlan is a prepared change of the level.
type LevelPlan struct {
	Path   string // file to change
	Action string // created, changed or unchanged
	Now    config.Rules
	New    config.Rules // the added ones
	Gone   config.Rules
	Ours   config.Rules // recorded as warp's
	Notes  []string
	Apply  func() error // nil if there is nothing to do
}

// PrepareLevel computes what a level changes, and writes nothing. The rules go into the settings of
// the agent's folder: a linked work tree has its own, but shares the main one's level.
func PrepareLevel(d *turnstile.Drive, before *Record, n int) (LevelPlan, error) {
	s, err := d.Project.Settings()
	if err != nil {
		return LevelPlan{}, err
	}
	tests := s.TestCommand
	if tests == "" {
		tests = detect.FindTests(detect.ReadProject(d.Root()))
	}
	p := LevelPlan{Path: config.File, Action: "unchanged", Now: config.RulesOf(n, mainBranch(d), tests)}
	if _, ok := config.RuleOf(tests); tests != "" && !ok {
		p.Notes = append(p.Notes, fmt.Sprintf("no permission rule fits the test command %q, so Claude Code will ask for its parts; put it into a script", tests))
	}
	added := ownRules(before, s.Level)
	text, err := d.Store().ReadFile(config.File)
	if err != nil {
		return LevelPlan{}, err
	}
	out, ours, err := config.Grant(text, p.Now, added)
	if err != nil {
		return LevelPlan{}, err
	}
	p.Ours = ours
	p.New, p.Gone = ruleDifference(text, out), ruleDifference(out, text)
	granted := string(out) == string(text)
	if granted && s.Level == n {
		return p, nil
	}
	p.Action = "changed"
	if len(text) == 0 {
		p.Action = "created"
	}
	p.Apply = func() error {
		if s.Level != n {
			if err := d.Project.SetSetting("level", lossless.NewInt(int64(n))); err != nil {
				return err
			}
		}
		if granted {
			return nil
		}
		return d.Store().EditFile(config.File, func(text []byte) ([]byte, error) {
			out, _, err := config.Grant(text, p.Now, added)
			return out, err
		})
	}
	return p, nil
}

// ownRules returns the rules that warp added. It returns nil if a level is set without a record:
// then rules are recognised by their content.
func ownRules(before *Record, level int) config.Rules {
	switch {
	case before != nil && before.Rules != nil:
		return before.Rules
	case before == nil && level != 0:
		return nil
	}
	return config.Rules{}
}

// mainBranch returns the main branch; "" without a repository.
func mainBranch(d *turnstile.Drive) string {
	repo, err := git.Open(d.Root())
	if err != nil {
		return ""
	}
	name, err := repo.MainBranch()
	if err != nil {
		return ""
	}
	return name
}

// ruleDifference returns the rules in b but not in a.
func ruleDifference(a, b []byte) config.Rules {
	had, has := config.RulesIn(a), config.RulesIn(b)
	diff := config.Rules{}
	for _, list := range config.Lists {
		for _, rule := range has[list] {
			if !slices.Contains(had[list], rule) {
				diff[list] = append(diff[list], rule)
			}
		}
	}
	return diff
}

// readRecord reads the record; an unreadable one becomes a note.
func readRecord(d *turnstile.Drive) (r *Record, note string, err error) {
	text, err := d.Store().ReadFile(RecordFile)
	if err != nil {
		return nil, "", err
	}
	if r, err = ParseRecord(text); err != nil {
		note = err.Error()
	}
	return r, note, nil
}

// writeRecord records which rules are warp's.
func writeRecord(d *turnstile.Drive, before *Record, ours config.Rules) error {
	next := Record{Rules: ours}
	if before != nil {
		next.Files = before.Files
	}
	text, err := next.Text()
	if err != nil {
		return err
	}
	if have, err := d.Store().ReadFile(RecordFile); err != nil || string(have) == string(text) {
		return err
	}
	return d.Store().EditFile(RecordFile, func([]byte) ([]byte, error) { return text, nil })
}
