package judge_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/engine/judge"
	"warp/internal/sys/git"
	"warp/internal/testkit/gittest"
	"warp/internal/testkit/rooms"
)

// runner names its tests as TAP has it; one that exits with 77 is skipped.
const runner = `n=0
for f in tests/*.sh; do
  n=$((n+1)); sh $f; case $? in 0) echo "ok $n - $f";; 77) echo "ok $n - $f # SKIP";; *) echo "not ok $n - $f"; bad=1;; esac
done
echo 1..$n; exit ${bad:-0}
`

func sh(t *testing.T, dir, script string) string {
	t.Helper()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return strings.TrimSpace(string(out))
}

// Every test that ran and passed before must still run and pass.
func TestTheOldSuiteOnNewCode(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		does    string
		asked   string
		blocks  string // "": it counts
		changed string
		points  string
	}{
		"the product alone":       {does: "echo two >> code.txt"},
		"a new test":              {does: "echo 'test -s code.txt' > tests/c.sh"},
		"a test is deleted":       {does: "rm tests/a.sh", blocks: `tests that passed before are gone: "tests/a.sh"`},
		"a test may go":           {does: "rm tests/a.sh", asked: "The check of one goes. allow-test-change: tests/a.sh"},
		"another may go":          {does: "rm tests/a.sh", asked: "allow-test-change: tests/b.sh", blocks: `gone: "tests/a.sh"`},
		"a test is skipped":       {does: "echo 'exit 77' > tests/a.sh", blocks: `are skipped now: "tests/a.sh"`},
		"a test may be skipped":   {does: "echo 'exit 77' > tests/a.sh", asked: "allow-test-change: tests/**"},
		"expectations change":     {does: "echo two > code.txt; echo 'grep -q two code.txt' > tests/a.sh", changed: "tests/a.sh"},
		"a test is only moved":    {does: "echo 'grep -q one code.txt # as before' > tests/a.sh"},
		"the runner says yes":     {does: `echo zero > code.txt; echo 'echo "ok 1 - tests/a.sh"; echo "ok 2 - tests/b.sh"; echo 1..2' > test.sh`, blocks: `sh test.sh fails with the old version of "test.sh"`, changed: "tests/a.sh", points: "test.sh"},
		"the runner may change":   {does: `echo zero > code.txt; echo 'echo "ok 1 - tests/a.sh"; echo "ok 2 - tests/b.sh"; echo 1..2' > test.sh`, asked: "allow-test-change: test.sh", changed: "tests/a.sh", points: "test.sh"},
		"the runner says more":    {does: "sed -i.bak 's/^n=0/echo \"# begin\"; n=0/' test.sh; rm test.sh.bak", points: "test.sh"},
		"the runner has its own":  {does: "echo 'exit 1' > tests/a.sh; echo 'sed -i s/x/y/ none 2>/dev/null; echo \"ok 1 - tests/a.sh\"; echo \"ok 2 - tests/b.sh\"' > test.sh", points: "test.sh", changed: "test.sh", blocks: "the old version"},
		"no test has a name":      {does: "mkdir -p lib; echo x > lib/x; mkdir tests/x; mv tests/*.sh tests/x; mkdir tests/none.sh", blocks: "gone"},
		"it is nothing of tests'": {does: "mkdir docs; echo x > docs/x.md"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			gittest.Copy(t, root, `git init -q -b main; git config user.name t; git config user.email t@example.invalid; mkdir tests
echo one > code.txt; echo 'grep -q one code.txt' > tests/a.sh; echo 'test -f code.txt' > tests/b.sh; cat > test.sh <<'EOF'
`+runner+`EOF
git add -A; git commit -qm base`)
			base := sh(t, root, "git rev-parse HEAD^{tree}")
			sh(t, root, c.does+"; git add -A")
			tests := &judge.Tests{Command: judge.Command{Line: "sh test.sh", Environ: os.Environ()}, Repo: git.Repo{Dir: root}, CacheDir: filepath.Join(t.TempDir(), "known"),
				Site: judge.Site{Dir: root, Rooms: rooms.Open(t, root), Base: base}}
			f, err := tests.CompareWithOldTests(t.Context(), judge.Candidate{Repo: git.Repo{Dir: root}, Base: base, Tree: sh(t, root, "git write-tree"), Criteria: []string{c.asked}})
			if err != nil {
				t.Fatal(err)
			}
			for what, x := range map[string][2]string{"blocks": {f.Why(), c.blocks}, "changed": {strings.Join(f.Changed, " "), c.changed}, "points": {strings.Join(f.Points, " "), c.points}} {
				if x[1] == "" && x[0] != "" || !strings.Contains(x[0], x[1]) {
					t.Errorf("%s: %q, want %q", what, x[0], x[1])
				}
			}
		})
	}
}

// A gate, or the command of a criterion, counts with its own files as they were.
func TestTheFilesOfACommandCountAsTheyWere(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		line, does, asked, why string
	}{
		"its script says yes":                {line: "sh check.sh", does: "echo exit 0 > check.sh", why: `sh check.sh fails with the old version of "check.sh"`},
		"a criterion lets it":                {line: "sh check.sh", does: "echo exit 0 > check.sh", asked: "allow-test-change: check.sh"},
		"another may change":                 {line: "sh check.sh", does: "echo exit 0 > check.sh", asked: "allow-test-change: test.sh", why: "the old version"},
		"it passes either way":               {line: "sh check.sh", does: "echo done > code.txt; echo '# more' >> check.sh"},
		"the work is to make it":             {line: "sh ./new.sh", does: "echo exit 0 > new.sh"},
		"what it calls says yes":             {line: "make check", does: "printf 'check:\\n\\ttrue\\n' > Makefile", why: `the old version of "Makefile"`},
		"what is read before its own file":   {line: "make check", does: "printf 'check:\\n\\ttrue\\n' > GNUmakefile", why: `the old version of "GNUmakefile"`},
		"the product alone":                  {line: "sh check.sh", does: "echo done > code.txt"},
		"something else that decides, by us": {line: "sh check.sh", does: "echo done > want.cfg", why: `the old version of "want.cfg"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			gittest.Copy(t, root, `git init -q -b main; git config user.name t; git config user.email t@example.invalid
echo one > code.txt; echo 'grep -qs done code.txt want.cfg' > check.sh; printf 'check:\n\tsh check.sh\n' > Makefile; git add -A; git commit -qm base`)
			base := sh(t, root, "git rev-parse HEAD^{tree}")
			sh(t, root, c.does+"; git add -A")
			tests := &judge.Tests{Command: judge.Command{Line: c.line, Environ: os.Environ()}, Repo: git.Repo{Dir: root}, Protected: []string{"want.cfg"},
				Site: judge.Site{Dir: root, Rooms: rooms.Open(t, root), Base: base}}
			why, err := tests.CheckRunners(t.Context(), judge.Candidate{Repo: git.Repo{Dir: root}, Base: base, Tree: sh(t, root, "git write-tree"), Criteria: []string{c.asked}})
			if err != nil || (c.why == "") != (why == "") || !strings.Contains(why, c.why) {
				t.Errorf("%q, %v, want %q", why, err, c.why)
			}
		})
	}
}

// Maven and Gradle leave reports where they build. What the work brings in their place
// says nothing.
func TestReportsThatARunnerLeaves(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	gittest.Copy(t, root, `git init -q -b main; git config user.name t; git config user.email t@example.invalid
cat > mvnw <<'EOF'
mkdir -p target/surefire-reports
for name in $(cat tests.txt); do echo "<testsuite name='$name'><testcase classname='$name' name='adds'/></testsuite>" > target/surefire-reports/TEST-$name.xml; done
EOF
chmod 755 mvnw; echo A B > tests.txt; git add -A; git commit -qm base`)
	base := sh(t, root, "git rev-parse HEAD^{tree}")
	sh(t, root, `echo B > tests.txt; mkdir -p target/surefire-reports; echo "<testsuite name='A'><testcase classname='A' name='adds'/></testsuite>" > target/surefire-reports/TEST-A.xml; git add -A`)
	tests := &judge.Tests{Command: judge.Command{Line: "./mvnw -q test", Environ: os.Environ()}, Repo: git.Repo{Dir: root},
		Site: judge.Site{Dir: root, Rooms: rooms.Open(t, root), Base: base}}
	f, err := tests.FindLostTests(t.Context(), judge.Candidate{Repo: git.Repo{Dir: root}, Base: base, Tree: sh(t, root, "git write-tree")})
	if err != nil || !strings.Contains(f.Why(), "gone") || !strings.Contains(f.Why(), "A") || strings.Contains(f.Why(), "B") {
		t.Errorf("%q, %v", f.Why(), err)
	}
}

// Tests that fail at the base, too, the work has not broken.
func TestFailuresByChance(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		test   string // of the product, on the base and on the work
		chance bool
	}{
		"it fails each third time": {`n=$(cat $count); echo $((n+1)) > $count; [ $((n % 3)) != 0 ]`, true},
		"the work breaks it":       {`! grep -q work code.txt`, false},
		"the work makes it flaky":  {`grep -q base code.txt || { n=$(cat $count); echo $((n+1)) > $count; [ $((n % 2)) != 0 ]; }`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root, count := t.TempDir(), filepath.Join(t.TempDir(), "count")
			sh(t, root, "echo 0 > "+count+"; git init -q -b main; git config user.name t; git config user.email t@example.invalid; echo base > code.txt; printf '%s\\n' 'count="+count+"' '"+strings.ReplaceAll(c.test, "'", `'"'"'`)+"' > test.sh; git add -A; git commit -qm base")
			base := sh(t, root, "git rev-parse HEAD^{tree}")
			sh(t, root, "echo work > code.txt; git add -A")
			tests := &judge.Tests{Command: judge.Command{Line: "sh test.sh", Environ: os.Environ()}, Repo: git.Repo{Dir: root}, Site: judge.Site{Dir: root, Rooms: rooms.Open(t, root), Base: base}}
			chance, err := tests.IsFlaky(t.Context(), base, sh(t, root, "git write-tree"), judge.CommandResult{})
			if err != nil || chance != c.chance {
				t.Errorf("%v, %v", chance, err)
			}
		})
	}
}
