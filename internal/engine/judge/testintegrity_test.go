package judge

import (
	"strings"
	"testing"

	"warp/internal/sys/git"
	"warp/internal/testkit/gittest"
)

func TestMain(m *testing.M) { gittest.Main(m) }

const before = gittest.Init + `mkdir -p app/.claude
cat > app/a_test.go <<'E'
package a

import "testing"

func TestA(t *testing.T) {
	if f() != 1 {
		t.Error("f")
	}
}

func TestB(t *testing.T) {
	if f() != 2 {
		t.Error("f")
	}
}
E
cp app/a_test.go app/.claude/b_test.go
echo 'go test ./...' > app/test.sh; echo code > app/a.go; git add -A; git commit -qm before`

func TestReadTests(t *testing.T) {
	for name, c := range map[string]struct {
		does, asked string
		want        []string // parts of why; none: it is honest
	}{
		"nothing":                 {does: "true"},
		"honest work":             {does: "echo more >> app/a.go"},
		"a new test":              {does: "cp app/a_test.go app/c_test.go"},
		"a deleted test file":     {"git rm -q app/a_test.go", "", []string{"tests are weakened", "app/a_test.go"}},
		"a deleted test":          {"sed -i '/TestB/,$d' app/a_test.go", "", []string{"app/a_test.go", "TestB"}},
		"a skipped test":          {`sed -i 's/if f() != 1/t.Skip(); if f() != 1/' app/a_test.go`, "", []string{"app/a_test.go"}},
		"an emptied test":         {`printf 'package a\n\nimport "testing"\n\nfunc TestA(t *testing.T) {}\n\nfunc TestB(t *testing.T) {}\n' > app/a_test.go`, "", []string{"app/a_test.go"}},
		"a moved test":            {does: "git mv app/a_test.go app/c_test.go"},
		"moved and weakened":      {"git mv app/a_test.go app/c_test.go; sed -i '/TestB/,$d' app/c_test.go", "", []string{"TestB"}},
		"allowed":                 {"git rm -q app/a_test.go", "The check of f goes. allow-test-change: app/a_test.go", nil},
		"another is allowed":      {"git rm -q app/a_test.go", "allow-test-change: app/c_test.go", []string{"app/a_test.go"}},
		"only asked for":          {"git rm -q app/a_test.go", "Delete a_test.go", []string{"app/a_test.go"}},
		"allowed by its old name": {"git mv app/a_test.go app/a.txt", "allow-test-change: app/a_test.go", nil},
		"warp's own folder":       {does: "git rm -q app/.claude/b_test.go"},
		"a rerouted script":       {"echo exit 0 > app/test.sh", "", []string{"the work changes how the tests run", "test.sh"}},
		"a script allowed":        {"echo exit 0 > app/test.sh", "test.sh does nothing. allow-test-change: app/test.sh", nil},
		"a repository in here":    {does: "git init -q app/in; git -C app/in -c user.name=t -c user.email=t@example.invalid commit -q --allow-empty -m x; git -c advice.addEmbeddedRepo=false add -A"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			sh := func(script string) string { return gittest.Sh(t, dir, script) }
			gittest.Copy(t, dir, before)
			base := sh("git rev-parse HEAD")
			sh(c.does + "; git add -A; git commit -q --allow-empty -m work")
			asked := []string{"something else"}
			if c.asked != "" {
				asked = append(asked, c.asked)
			}
			why, err := ReadTests(Candidate{Repo: git.Repo{Dir: dir}, Base: base, Tree: sh("git rev-parse HEAD"), Prefix: "app", Tests: "sh test.sh", Criteria: asked})
			if err != nil || (why == "") != (c.want == nil) {
				t.Fatalf("%q, %v", why, err)
			}
			for _, part := range c.want {
				if !strings.Contains(why, part) {
					t.Errorf("%q is not in %q", part, why)
				}
			}
		})
	}
}

func TestWhatIsNotThereIsNotJudged(t *testing.T) {
	dir := t.TempDir()
	gittest.Sh(t, dir, "git init -q")
	for _, c := range []Candidate{{}, {Base: "a", Tree: "a"}} {
		if why, err := ReadTests(c); why != "" || err != nil {
			t.Errorf("%q, %v", why, err)
		}
	}
	if _, err := ReadTests(Candidate{Repo: git.Repo{Dir: dir}, Base: strings.Repeat("1", 40), Tree: strings.Repeat("2", 40)}); err == nil {
		t.Error("trees that are not there are honest")
	}
}
