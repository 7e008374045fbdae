package gate

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/engine/agent"
	"warp/internal/engine/judge"
	"warp/internal/engine/step"
	"warp/internal/sys/git"
	"warp/internal/sys/gitwrite"
)

func TestMain(m *testing.M) {
	for _, name := range []string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"} {
		if err := os.Setenv(name, os.DevNull); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// yard is a repository whose tests fail while there is a file named broken.
type yard struct {
	*testing.T
	dir     string
	settled int
}

func newYard(t *testing.T) *yard {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	y := &yard{T: t, dir: filepath.Join(dir, "project")}
	if err := os.Mkdir(y.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	y.sh(`git init -q -b main; git config user.name t; git config user.email t@example.invalid; printf '*.log\ncache/\n' > .gitignore
printf 'if [ -e broken ]; then echo "--- FAIL: TestBroken (0.00s)"; exit 1; fi\n[ ! -e needs ] || [ -e x.log ] || { echo "--- FAIL: TestNeeds (0.00s)"; exit 1; }\n' > test.sh
echo one > code.txt; git add -A; git commit -qm begin; git checkout -q -b work`)
	return y
}

func (y *yard) sh(script string) string {
	y.Helper()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = y.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		y.Fatalf("%s: %v\n%s", script, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (y *yard) repo() git.Repo { return git.Repo{Dir: y.dir} }

func (y *yard) suite() Suite {
	y.Helper()
	return Suite{Command: "sh test.sh", Limit: time.Minute, Redact: func(s string) string { return strings.ReplaceAll(s, "TestBroken", "***") },
		Log:           func(stage string) (string, string) { return filepath.Join(y.dir, "..", stage+".log"), stage + ".log" },
		SnapshotAfter: func(context.Context) error { y.settled++; return nil }}
}

func TestASuiteIsRun(t *testing.T) {
	y := newYard(t)
	r, err := y.suite().Run(t.Context(), judge.Site{Dir: y.dir}, Chunk, "tree")
	if err != nil || !r.Passed || r.Stage != Chunk || r.Tree != "tree" || r.Log != "chunk.log" || y.settled != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	y.sh("touch broken")
	r, err = y.suite().Run(t.Context(), judge.Site{Dir: y.dir}, Final, "tree")
	if err != nil || r.Passed || r.Exit != 1 || !slices.Equal(r.Failing, []string{"TestBroken"}) || strings.Contains(r.Excerpt, "TestBroken") {
		t.Errorf("%+v, %v", r, err)
	}
	s := y.suite()
	s.SnapshotAfter = func(context.Context) error { return errors.New("it does not settle") }
	var unrun *UnrunError
	if _, err := s.Run(t.Context(), judge.Site{Dir: y.dir}, Final, "tree"); !errors.As(err, &unrun) || !strings.Contains(err.Error(), "it does not settle") || errors.Unwrap(err) == nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := y.suite().Run(ctx, judge.Site{Dir: y.dir}, Final, "tree"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Only what is new counts against work whose tests were red before.
func TestCompare(t *testing.T) {
	red := evidence.Tested{Exit: 1, Failing: []string{"TestA"}, Nameless: []string{"panic: old"}, Excerpt: "TestA"}
	nameless := evidence.Tested{Exit: 2, Excerpt: "cannot load"}
	for name, c := range map[string]struct {
		before, now evidence.Tested
		passed      bool
		broke       string
	}{
		"as before":              {red, red, true, ""},
		"it passes":              {red, evidence.Tested{Passed: true}, true, ""},
		"it passed before":       {evidence.Tested{Passed: true}, red, false, ""},
		"it did not end":         {red, evidence.Tested{TimedOut: true}, false, ""},
		"another test":           {red, evidence.Tested{Exit: 1, Failing: []string{"TestA", "TestB"}}, false, "TestB"},
		"another crash":          {red, evidence.Tested{Exit: 1, Failing: []string{"TestA"}, Nameless: []string{"panic: new"}}, false, ""},
		"another exit":           {red, evidence.Tested{Exit: 3, Failing: []string{"TestA"}}, false, ""},
		"an exit that counts":    {evidence.Tested{Exit: 2, Failing: []string{"TestA", "TestB"}}, evidence.Tested{Exit: 1, Failing: []string{"TestA"}}, true, ""},
		"no names, the same":     {nameless, nameless, true, ""},
		"no names, another exit": {nameless, evidence.Tested{Exit: 1, Excerpt: "cannot load"}, false, ""},
	} {
		now := c.now
		Compare(c.before, &now)
		if now.Passed != c.passed || strings.Join(now.Broke, " ") != c.broke || now.Red != (c.passed && !c.now.Passed) {
			t.Errorf("%s: %+v", name, now)
		}
		if strings.HasPrefix(name, "another crash") && !strings.Contains(now.Excerpt, "panic: new") {
			t.Errorf("%s: %q", name, now.Excerpt)
		}
	}
}

func TestDescribe(t *testing.T) {
	for want, r := range map[string]evidence.Tested{
		"x passed in 1.0 s":                 {Passed: true, Seconds: 1},
		"x fails as it did before (1 test)": {Passed: true, Red: true, Failing: []string{"A"}},
		`x: newly failing: "A"`:             {Broke: []string{"A"}},
		"x did not end in time":             {TimedOut: true},
		"x failed with exit code 2":         {Exit: 2},
	} {
		r.Command = "x"
		if have := Describe(r); have != want {
			t.Errorf("%q, not %q", have, want)
		}
	}
}

func TestAVerifier(t *testing.T) {
	y := newYard(t)
	base := y.sh("git rev-parse HEAD^{tree}")
	y.sh("echo two > code.txt; git commit -qam two")
	tree, err := TreeOf(t.Context(), y.repo(), y.sh("git rev-parse HEAD"))
	if err != nil {
		t.Fatal(err)
	}
	w := VerifierInput{Dir: y.dir, Base: base, Tree: tree, Criteria: []string{"AC-01", "AC-02"}}
	for name, c := range map[string]struct {
		answer, unread   string
		wanting, unheard string
	}{
		"met":        {`{"criteria":[{"id":"AC-01","met":true},{"id":"AC-02","met":true}]}`, "", "", ""},
		"one is not": {`{"criteria":[{"id":"AC-01","met":true},{"id":"AC-02","met":false,"reason":"no"}]}`, "", "AC-02 is not met: no", ""},
		"incomplete": {`{"criteria":[{"id":"AC-01","met":true}]}`, "it has no verdict on AC-02", "", "it has no verdict on AC-02"},
		"none":       {"", "it has no JSON object", "", "it has no JSON object"},
	} {
		v := Verifier{Work: workOf(y), Prompt: func(diff string, cut bool) string { return diff },
			Ask: func(_ context.Context, dir string, task agent.Task) (step.Answer, error) {
				if !strings.Contains(task.Prompt, "+two") || !task.ReadOnly || dir != y.dir || task.Role != agent.Verify {
					t.Errorf("%s: asked %+v", name, task)
				}
				return step.Answer{Agent: "a", End: agent.Done, Result: json.RawMessage(c.answer), Standing: step.Standing{Unread: c.unread}}, nil
			}}
		verdicts, err := v.JudgeCriteria(t.Context(), w)
		unheard := new(UnheardError)
		if errors.As(err, &unheard) != (c.unheard != "") || unheard.Why != c.unheard || ListUnmet(verdicts) != c.wanting {
			t.Errorf("%s: %+v, %v", name, verdicts, err)
		}
		var book []evidence.Entry[evidence.Verdict]
		for _, v := range verdicts {
			v.Chunk = 1
			book = append(book, evidence.Entry[evidence.Verdict]{Row: v})
		}
		if got := WasJudged(book, 1, w); got != (name == "met") || WasJudged(book, 2, w) {
			t.Errorf("%s: judged is %v", name, got)
		}
	}
	broken := errors.New("broken")
	v := Verifier{Work: workOf(y), Prompt: func(string, bool) string { return "" }, Ask: func(context.Context, string, agent.Task) (step.Answer, error) { return step.Answer{}, broken }}
	if _, err := v.JudgeCriteria(t.Context(), w); !errors.Is(err, broken) {
		t.Error(err)
	}
	if _, err := v.JudgeCriteria(t.Context(), VerifierInput{Base: "no", Tree: "such"}); err == nil || errors.Is(err, broken) {
		t.Errorf("trees that are not there: %v", err)
	}
}

// What an agent resolves may change what was in conflict and what is the branch's,
// nothing else.
func TestAResolutionIsExamined(t *testing.T) {
	for name, c := range map[string]struct{ does, want string }{
		"as asked":          {"echo both > code.txt; git add -A; git commit -qm work", ""},
		"another file":      {"echo both > code.txt; echo x > other.txt; git add -A; git commit -qm work", `are not the branch's: "other.txt"`},
		"another commit":    {"echo both > code.txt; git add -A; git commit -qm work; git commit -q --allow-empty -m sly", `a commit that is not the branch's: "sly"`},
		"what they renamed": {"echo both > code.txt; echo more >> renamed.txt; git add -A; git commit -qm work", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			y := newYard(t)
			y.sh(`git checkout -q main; seq 9 > long.txt; git add -A; git commit -qm long; git checkout -q -B work; echo ours > code.txt; echo more >> long.txt; git add -A; git commit -qm work
git checkout -q main; echo theirs > code.txt; git mv long.txt renamed.txt; git add -A; git commit -qm theirs; git checkout -q --detach`)
			y.sh(c.does)
			r := Resolution{Tip: y.sh("git rev-parse work"), Target: y.sh("git rev-parse main"), Next: y.sh("git rev-parse HEAD"), Files: []string{"code.txt"}}
			why, err := r.FindStray(t.Context(), y.repo())
			if err != nil || !strings.Contains(why, c.want) || (why == "") != (c.want == "") {
				t.Errorf("%q, %v", why, err)
			}
			r.Target = strings.Repeat("1", 40)
			if _, err := r.FindStray(t.Context(), y.repo()); err == nil {
				t.Error("a target that is not there is fine")
			}
		})
	}
}

func TestAChangeIsChecked(t *testing.T) {
	for name, c := range map[string]struct {
		does, want string
		ignores    bool
	}{
		"honest work":           {"echo two > code.txt", "", false},
		"ignored files":         {"echo '*.txt' >> .gitignore", "", true},
		"a file in a submodule": {"echo x > sub/code.txt", `changes inside a submodule cannot be committed by a drive: "sub"`, false},
		"a commit in there":     {"cd sub; git -c user.name=t -c user.email=t@example.invalid commit -q --allow-empty -m x; git tag -d -q begin 2>/dev/null || true", `"sub"`, false},
		"a person's, before":    {"echo x > sub/code.txt; touch -d 2001-01-01 sub/code.txt", "", false},
		"a deleted one":         {"rm sub/code.txt", `"sub"`, false},
		"a removed submodule":   {"rm -rf sub", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			y := newYard(t)
			y.sh(`git clone -q . ../sub; git -c protocol.file.allow=always submodule add -q "$PWD/../sub" sub; git commit -qm sub; find sub -not -path sub/.git -exec touch -d 2002-01-01 {} +`)
			began := time.Now().Add(-time.Minute)
			base := y.sh("git rev-parse HEAD^{tree}")
			y.sh(c.does)
			tree, err := y.repo().Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			changes, err := y.repo().Trees().Changes(base, tree)
			if err != nil {
				t.Fatal(err)
			}
			why, err := CheckChange(t.Context(), changes, y.dir, began)
			if err != nil || !strings.Contains(why, c.want) || (why == "") != (c.want == "") || EditsIgnores(changes) != c.ignores {
				t.Errorf("%q, %v", why, err)
			}
		})
	}
}

func workOf(y *yard) gitwrite.Tree {
	y.Helper()
	tree, err := gitwrite.Open(y.dir)
	if err != nil {
		y.Fatal(err)
	}
	return tree
}
