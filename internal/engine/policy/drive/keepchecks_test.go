package drive_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"warp/internal/core/evidence"
	"warp/internal/engine/agent"
	"warp/internal/engine/policy/drive"
)

// tapSuite is a suite that names its tests; a test with the line "# only" runs alone.
const tapSuite = `mkdir tests && echo true > tests/one_test.sh
cat > tap.sh <<'END'
n=0
only=$(grep -ls '^# only' tests/*_test.sh)
for t in ${only:-tests/*_test.sh}; do
  n=$((n + 1))
  if sh $t; then echo "ok $n - $t"; else echo "not ok $n - $t"; f=1; fi
done
echo "1..$n"
exit ${f:-0}
END
git add -A && git commit -q -m 'test: named'`

var anyCheckName = regexp.MustCompile(`warp_[0-9a-f]+_ac0[12]`)

// checking plays a checker: each criterion has a check that its file is there, with more lines.
func checking(t *testing.T, task agent.Task, keepAs, lines string) any {
	var list []any
	for i, name := range anyCheckName.FindAllString(task.Prompt, len(task.Criteria)) {
		id := task.Criteria[i]
		script := fmt.Sprintf("%s\n[ -e %s.txt ] || { echo example 1: no %s.txt; exit 1; }\n", lines, id, id)
		if err := os.WriteFile(filepath.Join(task.Dir, name+".sh"), []byte(script), 0o644); err != nil {
			t.Error(err)
		}
		list = append(list, map[string]any{"id": id, "kind": []string{"shape"}, "contract": "there is " + id + ".txt", "command": "sh " + name + ".sh", "keep_as": strings.ReplaceAll(keepAs, "ID", id)})
	}
	return map[string]any{"criteria": list}
}

func TestWhereAGreenCheckJoins(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ keepAs, lines, prepare, said string }{
		"at its place":            {keepAs: "tests/ID_test.sh"},
		"taken":                   {keepAs: "tests/one_test.sh", said: "its place is taken"},
		"taken by a link":         {keepAs: "out/tests/x_test.sh", prepare: "ln -s .. out; mkdir -p .git/info; echo out >> .git/info/exclude", said: "its place is taken"},
		"ignored":                 {keepAs: "tests/x_test.log", said: "git ignores its place"},
		"no test's":               {keepAs: "docs/x.md", said: "its place is none of a test"},
		"odd":                     {keepAs: "tests/-x_test.sh", said: "git does not take its place on every system"},
		"stored differently":      {keepAs: "tests/x_test.sh", lines: "# line\r\n", prepare: "mkdir -p .git/info; echo '*.sh text eol=lf' > .git/info/attributes", said: "with other line ends, or through a filter"},
		"not run":                 {keepAs: "spec/x_spec.rb", said: "does not run them at their places"},
		"fails there":             {keepAs: "tests/x_test.sh", lines: `case "$0" in tests/*) exit 1;; esac`, said: "and passes without"},
		"loses the other tests":   {keepAs: "tests/x_test.sh", lines: "# only", said: "and passes without"},
		"decides how tests run":   {keepAs: "tests/tap.sh", prepare: "true", said: "a file at its place decides how tests run"},
		"where a hook forbids":    {keepAs: "tests/ID_test.sh", prepare: "mkdir -p .git/hooks; printf '#!/bin/sh\\n! git diff --cached --name-only | grep -q tests/AC\\n' > .git/hooks/pre-commit; chmod 755 .git/hooks/pre-commit", said: "the repository's commit hooks reject or change them"},
		"tests that have no name": {keepAs: "tests/ID_test.sh", prepare: "echo 'echo fine' > tap.sh; git commit -qam 'test: nameless'", said: "does not name its tests"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, one)
			s.sh(tapSuite)
			settings := map[string]any{"checks": "auto", "test_command": "sh tap.sh"}
			if name == "decides how tests run" {
				settings["protected"] = []string{"tests/tap.sh"}
			}
			s.settings(settings)
			if c.prepare != "" {
				s.sh(c.prepare)
			}
			s.does = func(task agent.Task) any {
				if task.Role == agent.Check {
					return checking(t, task, c.keepAs, c.lines)
				}
				return nil
			}
			s.drive(drive.Options{Issue: "1"}, evidence.Merged)
			if c.said == "" {
				if have := s.sh("git show main:tests/AC-01_test.sh"); !strings.Contains(have, "example 1: no AC-01.txt") {
					t.Errorf("main has %q", have)
				}
				s.want("the work tree", s.sh("git status --porcelain"), "")
				return
			}
			if !strings.Contains(s.log(), c.said) || strings.Contains(s.log(), "join its commit") {
				t.Errorf("%q is not said:\n%s", c.said, s.log())
			}
		})
	}
}

// A later part neither undoes what a check proved, nor weakens the check that joined the project.
func TestALaterPartKeepsWhatIsProven(t *testing.T) {
	t.Parallel()
	for checks, undo := range map[string]string{"evidence": "rm AC-01.txt; echo two > AC-02.txt", "auto": "rm AC-01.txt; echo two > AC-02.txt; sed -i 's/-e AC-01.txt/-e code.txt/' tests/AC-01_test.sh"} {
		t.Run(checks, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, two)
			s.sh(tapSuite)
			s.settings(map[string]any{"checks": checks, "test_command": "sh tap.sh", "max_acs_per_commit": 1, "max_coding_cycles": 1})
			s.does = func(task agent.Task) any {
				switch {
				case task.Role == agent.Check:
					return checking(t, task, "tests/ID_test.sh", "")
				case task.Role == agent.Code && task.Chunk == 2:
					return undo
				case task.Role == agent.Fix:
					return "echo again >> AC-02.txt"
				}
				return nil
			}
			s.drive(drive.Options{Issue: "1"}, evidence.Partly)
			want := map[string]string{"evidence": "a test of the contract that you do not see fails: AC-01", "auto": "tests/AC-01_test.sh proved AC-01"}[checks]
			if !strings.Contains(s.log(), want) {
				t.Errorf("%q is not said:\n%s", want, s.log())
			}
		})
	}
}

// Without a contract, level 3 merges nothing on a reader's word; with one that is met before the work,
// coder, verifier and check agree.
func TestWhatNoCheckShows(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		want evidence.Result
		how  string
	}{"no contract": {want: evidence.Pull, how: evidence.ByReading}, "met before": {want: evidence.Merged, how: evidence.BeforeWork}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, two)
			s.settings(map[string]any{"checks": "auto"})
			if name == "met before" {
				s.sh("echo one > AC-01.txt; git add AC-01.txt; git commit -qm 'feat: one'")
			}
			s.does = func(task agent.Task) any {
				switch {
				case task.Role == agent.Check && name == "met before":
					return checking(t, task, "", "")
				case task.Role == agent.Check:
					return agent.Result{End: agent.Crashed, Why: "it broke"}
				case task.Role == agent.Code && name == "met before":
					return does{"echo two > AC-02.txt", map[string]any{"summary": "Two.", "files": []string{"AC-02.txt"}, "done": []string{"AC-01"}}}
				}
				return nil
			}
			s.drive(drive.Options{Issue: "1"}, c.want)
			book := s.book()
			if p := book.Account("1").Criteria[0]; p.ID != "AC-01" || p.Proven == nil || p.Proven.How != c.how {
				t.Errorf("%+v", p.Proven)
			}
		})
	}
}

// What others push can break what a check proved. The drive waits for a person, and resuming it does
// not merge what is still red.
func TestWhatARebaseBreaksIsNotMerged(t *testing.T) {
	t.Parallel()
	s := newScene(t, one).withRemote()
	s.settings(map[string]any{"checks": "evidence"})
	s.does = func(task agent.Task) any {
		switch task.Role {
		case agent.Check:
			return checking(t, task, "", "[ ! -e theirs.txt ] || { echo example 1: theirs.txt; exit 1; }")
		case agent.Verify:
			s.sh(`[ -e ../other ] || { git clone -q ../origin.git ../other && cd ../other && echo theirs > theirs.txt && git add -A &&
				git -c user.name=o -c user.email=o@example.invalid commit -q -m 'feat: theirs' && git push -q origin main; }`)
		}
		return nil
	}
	for range 2 {
		ends := s.drive(drive.Options{Issue: "1"}, evidence.Person)
		if !strings.Contains(ends[0].Why, "does not pass on what would be merged") {
			t.Errorf("%+v", ends[0])
		}
	}
	s.want("the remote", s.sh("git -C ../origin.git log --format=%s main"), "feat: theirs\nchore: begin")
}
