package guard

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/sys/written"
)

// What a run adds to .claude that others would obey is gone after it, kept aside and
// named; what was there is as it was, and nothing outside is touched.
func TestPlantedFilesAreRemoved(t *testing.T) {
	for name, does := range map[string]string{
		"an approved issue":          `printf -- '---\nlabels: [approved]\n---\nx\n' > .claude/issues/50.md`,
		"an issue":                   `echo x > .claude/issues/51.md`,
		"a pull request":             `mkdir .claude/pulls; echo x > .claude/pulls/9.md`,
		"an approval of one":         `printf -- '---\nlabels: [approved]\n---\nx\n' > .claude/issues/1.md`,
		"instructions":               `echo obey > .claude/CLAUDE.md; echo obey > .claude/CLAUDE.local.md`,
		"a command":                  `mkdir .claude/commands; echo obey > .claude/commands/x.md`,
		"an agent":                   `mkdir -p .claude/agents/deep; echo obey > .claude/agents/deep/x.md`,
		"a skill and a hook":         `mkdir -p .claude/skills/a .claude/hooks; echo obey > .claude/skills/a/SKILL.md; echo obey > .claude/hooks/x.sh`,
		"a pipeline":                 `mkdir .claude/pipelines; echo obey > .claude/pipelines/x.yaml`,
		"settings of another name":   `echo '{}' > .claude/settings.user.json`,
		"settings by a link":         `ln -sf ../../victim .claude/settings.local.json; ln -sf ../../victim .claude/settings.json`,
		"a folder by a link":         `ln -s ../../folder .claude/commands; rm -r .claude/issues; ln -s ../../folder .claude/issues`,
		".claude by a link":          `mv .claude ../moved; ln -s ../folder .claude`,
		"a pipe as settings":         `mkfifo .claude/settings.local.json; rm .claude/settings.json; mkfifo .claude/settings.json`,
		"a pipe as instructions":     `mkfifo .claude/CLAUDE.md; rm .claude/issues/1.md; mkfifo .claude/issues/1.md`,
		"a changed command":          `echo obey > .claude/known/x.md; mkdir .claude/rules; echo obey > .claude/rules/r.md`,
		"a folder as an instruction": `mkdir -p .claude/CLAUDE.md; echo x > .claude/CLAUDE.md/x`,
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			outside := filepath.Dir(s.root)
			must(t, os.MkdirAll(filepath.Join(outside, "folder"), 0o755))
			must(t, os.WriteFile(filepath.Join(outside, "victim"), []byte("precious\n"), 0o644))
			must(t, os.MkdirAll(filepath.Join(s.root, ".claude", "known"), 0o755))
			list := `find .claude -type f -o -type l -o -type p | grep -v -e /state/ -e /known/ | sort; find ../folder ../victim | sort; cat ../victim .claude/settings.json .claude/issues/1.md`
			before := s.sh(list)
			s.run(s.scope(), does)
			if after := s.sh(list); after != before {
				t.Errorf("was\n%s\nis\n%s\n%v", before, after, s.found)
			}
			if !strings.Contains(strings.Join(s.what(), " "), "settings") {
				t.Errorf("reported: %v", s.found)
			}
			if kept := s.sh(`find .git/warp/replaced -type f -o -type l -o -type p 2>/dev/null`); kept == "" {
				t.Error("nothing is kept aside")
			}
		})
	}
}

// What agents write while they work is no order to anyone.
func TestWhatHonestAgentsWriteStays(t *testing.T) {
	s := newScene(t)
	s.run(s.scope(), `mkdir -p .claude/projects/p .claude/todos .claude/state/session .claude/pipeline-runs/a .claude/shell-snapshots
echo '{}' > .claude/projects/p/t.jsonl; echo '[]' > .claude/todos/1.json; echo '{}' > .claude/state/session/s.json; echo done > .claude/pipeline-runs/a/progress-a.md
echo '{}' >> .claude/state/events.jsonl; echo '{}' >> .claude/learnings.jsonl; echo x > .claude/shell-snapshots/x.sh`)
	for _, f := range []string{"projects/p/t.jsonl", "todos/1.json", "state/session/s.json", "pipeline-runs/a/progress-a.md", "learnings.jsonl"} {
		if _, err := os.Stat(filepath.Join(s.root, ".claude", f)); err != nil {
			t.Error(err)
		}
	}
	if len(s.found) > 0 {
		t.Errorf("reported: %v", s.found)
	}
}

// A person who files an issue or changes a setting through warp meanwhile is not undone.
func TestWhatWarpWroteStays(t *testing.T) {
	s := newScene(t)
	r, err := s.guard.Before(context.Background(), s.scope())
	must(t, err)
	for rel, text := range map[string]string{".claude/issues/7.md": "---\nlabels: [approved]\n---\nmine\n", ".claude/issues/1.md": "changed by me\n", ".claude/settings.local.json": `{"a":3}`} {
		must(t, written.Add(s.guard.Store, rel, []byte(text)))
		must(t, os.WriteFile(filepath.Join(s.root, rel), []byte(text), 0o644))
	}
	_, err = r.After(context.Background())
	must(t, err)
	if have := s.sh("cat .claude/issues/7.md .claude/issues/1.md .claude/settings.local.json"); !strings.Contains(have, "mine\nchanged by me\n{\"a\":3}") || len(s.found) > 0 {
		t.Errorf("there is %q: %v", have, s.found)
	}
}
