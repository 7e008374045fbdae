//go:build linux

package trial

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/core/evidence"
	"warp/internal/engine/person"
	"warp/internal/testkit/programs"
)

// bin holds the programs as people install them, fake a claude that is none, and
// seed a project to be copied.
var bin, fake, seed string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "warp-trial-")
	if err == nil {
		bin, fake, seed = filepath.Join(dir, "bin"), filepath.Join(dir, "fake"), filepath.Join(dir, "seed")
		err = prepare()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "preparing the trial:", err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

func prepare() error {
	if err := programs.Build(bin); err != nil {
		return err
	}
	for _, d := range []string{fake, seed} {
		if err := os.Mkdir(d, 0o755); err != nil {
			return err
		}
	}
	build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", fake+"/", "warp/internal/testkit/standin/claude")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building the stand-in for claude: %w\n%s", err, out)
	}
	p := &project{root: seed, home: seed + "-home"}
	if out, err := p.command("sh", "-ec", begin).CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// begin makes a project whose user is in the middle of something: a file is
// changed, one is staged and changed again, one is new, one is ignored.
const begin = `git init -q -b main && git config user.name t && git config user.email t@example.invalid
echo '{"private": true}' > package.json
echo '# Project' > README.md
echo 'the test of a person' > sum.test.js
cat > test.sh <<'END'
for f in demo_*.js; do
	case $f in *.test.js | 'demo_*.js') continue ;; esac
	grep -q '=> "AC-' "$f" || { echo "FAIL: $f does not do what it is to do"; exit 1; }
done
END
echo one > notes.txt
echo one > staged.txt
echo .env > .gitignore
git add -A && git commit -q -m 'chore: begin'
echo precious > precious.txt
git add -A && git commit -q -m 'feat: the last commit of the user'
warp config set test_command 'sh test.sh'
warp config set max_idle_seconds 1
warp config set agent demo
printf '%s\n' '- [ ] AC-01: the first thing' '- [ ] AC-02: the second thing' > body.md
warp issue new --title Mail --body-file body.md --label req --label approved
rm body.md
echo two >> notes.txt
echo two >> staged.txt && git add staged.txt && echo three >> staged.txt
echo SECRET=1 > .env
echo mine > scratch.txt`

// mine are the user's files, which nobody else may touch.
var mine = map[string]string{"notes.txt": "one\ntwo\n", "staged.txt": "one\ntwo\nthree\n", ".env": "SECRET=1\n", "scratch.txt": "mine\n", "precious.txt": "precious\n", "sum.test.js": "the test of a person\n"}

// project is a repository that a person works in.
type project struct {
	t          *testing.T
	root, home string
	base       string // the user's last commit
	env        []string
}

func newProject(t *testing.T) *project {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &project{t: t, root: filepath.Join(dir, "project"), home: filepath.Join(dir, "home")}
	if err := os.CopyFS(p.root, os.DirFS(seed)); err != nil {
		t.Fatal(err)
	}
	p.base = p.sh("git rev-parse main")
	return p
}

// command is a command in the project's folder, as in a terminal of its user. All
// that comes of it has TRIAL in its environment.
func (p *project) command(argv ...string) *exec.Cmd {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = p.root
	token, err := person.Token(filepath.Join(p.home, ".local", "state", "warp"), false)
	if err != nil {
		panic(err)
	}
	cmd.Env = append(programs.Environ(p.home, fake, bin), person.Variable+"="+token, "WARP_SANDBOX=off", p.mark())
	cmd.Env = append(cmd.Env, p.env...)
	return cmd
}

func (p *project) mark() string { return "TRIAL=" + p.root }

// sh runs commands that have to work, and returns what they print.
func (p *project) sh(script string) string {
	p.t.Helper()
	out, err := p.command("sh", "-ec", script).CombinedOutput()
	if err != nil {
		p.t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return strings.TrimSpace(string(out))
}

// warp runs a command of warp and returns its exit code and what it said.
func (p *project) warp(args ...string) (int, string) {
	p.t.Helper()
	cmd := p.command(append([]string{filepath.Join(bin, "warp")}, args...)...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		p.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// beside is a file beside the project. Tests, gates and hooks run in a clean room, from
// where it is found by its whole name alone.
func (p *project) beside(name string) string { return filepath.Join(filepath.Dir(p.root), name) }

func (p *project) write(name, text string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.root, name), []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p *project) read(name string) string {
	text, err := os.ReadFile(filepath.Join(p.root, name))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// account is what warp evidence says.
type account struct {
	Outcome  evidence.Outcome
	Criteria []struct {
		ID, Status string
		Met        bool
		Cost       struct{ Tokens int64 }
	}
	Interventions []evidence.Intervened
	Filed         []evidence.Filed
	Tests         []evidence.Tested
}

func (p *project) evidence() (a account) {
	p.t.Helper()
	if err := json.Unmarshal([]byte(p.sh("warp evidence 1 --json 2>/dev/null")), &a); err != nil {
		p.t.Fatal(err)
	}
	return a
}

// rows are the rows of one kind in the journal.
func rows[T any](p *project, kind string) (list []T) {
	p.t.Helper()
	for line := range strings.Lines(p.read(".claude/state/events.jsonl")) {
		var row struct {
			Kind string
			Data T
		}
		head := struct{ Kind string }{}
		if json.Unmarshal([]byte(line), &head) != nil || head.Kind != kind {
			continue
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			p.t.Fatal(err)
		}
		list = append(list, row.Data)
	}
	return list
}
