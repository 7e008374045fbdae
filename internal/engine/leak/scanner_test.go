package leak

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"warp/internal/core/leakscan"
	"warp/internal/sys/git"
)

func TestMain(m *testing.M) {
	for _, name := range []string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"} {
		if err := os.Setenv(name, os.DevNull); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

const (
	planted = "PAT-0123456789abcdef" // what the rules of these tests find
	fromEnv = "hunter2-of-the-database"
	fromDot = "dotenv-token-of-mine"
)

// rules find planted values, each by its own word.
func rules(text string) (list []leakscan.Match) {
	for i := 0; ; {
		at := strings.Index(text[i:], "PAT-")
		if at < 0 {
			return list
		}
		i += at
		value := text[i:min(len(text), i+len(planted))]
		list = append(list, leakscan.Match{Rule: "planted-pat", Value: value})
		i += 4
	}
}

// desk is a repository with a scanner.
type desk struct {
	*testing.T
	*Scanner
	dir, state string
	said       []string
}

func newDesk(t *testing.T, begin string) *desk {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{T: t, dir: filepath.Join(dir, "project"), state: filepath.Join(dir, "state")}
	if err := os.Mkdir(d.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	d.sh("git init -q -b main; git config user.name t; git config user.email t@example.invalid; echo .env > .gitignore; echo 'APP_TOKEN=" + fromDot + "' > .env; echo one > code.txt\n" + begin + "\ngit add -A; git commit -qm begin")
	d.Scanner = New(Options{Scan: rules, Keys: func(string) []leakscan.Match { return nil }, Environ: []string{"DB_PASS=" + fromEnv, "PATH=/usr/bin"}, Root: d.dir, Allowed: d.ledger()})
	return d
}

func (d *desk) ledger() *Ledger {
	return OpenLedger(func(name string) string { return map[string]string{"XDG_STATE_HOME": d.state}[name] }, time.Now, os.Getpid())
}

func (d *desk) sh(script string) string {
	d.Helper()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir = d.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		d.Fatalf("%s: %v\n%s", script, err, out)
	}
	return strings.TrimSpace(string(out))
}

// check makes a commit that is not checked before, and checks it.
func (d *desk) check(does string) []leakscan.Hit {
	d.Helper()
	d.sh(does + "\ngit add -A; git commit -q --allow-empty -m work")
	err := d.Check(d.Context(), git.Repo{Dir: d.dir}, d.sh("git rev-parse HEAD~1"), d.sh("git rev-parse HEAD"), func(f string, a ...any) { d.said = append(d.said, fmt.Sprintf(f, a...)) })
	var found *FoundError
	if err != nil && !errors.As(err, &found) {
		d.Fatal(err)
	}
	if found == nil {
		return nil
	}
	for _, value := range []string{planted, fromEnv, fromDot} {
		if strings.Contains(err.Error(), value) {
			d.Errorf("the value is told: %v", err)
		}
	}
	return found.Hits
}

func TestWhatIsFound(t *testing.T) {
	for name, c := range map[string]struct{ does, want string }{
		"a pattern":                   {"mkdir a; printf 'x\\n" + planted + "\\n' > a/b.go", "a/b.go:2: planted-pat"},
		"a value of the environment":  {"echo 'pw = \"" + fromEnv + "\"' >> code.txt", "code.txt:2: value of DB_PASS"},
		"a value of .env":             {"cp .env notes.txt", "notes.txt:1: value of APP_TOKEN in .env"},
		".env itself, no longer kept": {"echo > .gitignore", ".env:1: value of APP_TOKEN in .env"},
		"behind a NUL":                {"printf 'a\\0" + planted + " and more of it, so that it is mostly text' > x.bin", "x.bin:2: planted-pat"},
		"in two-byte letters":         {"printf '" + fromEnv + "' | sed 's/./&\\n/g' | tr '\\n' '\\0' > wide.txt", "wide.txt:1: value of DB_PASS"},
		"hidden by attributes":        {"echo '* -diff' > .gitattributes; echo " + planted + " > y", "y:1: planted-pat"},
		"as a link's target":          {"ln -s " + planted + " link", "link:1: planted-pat"},
		"as base64":                   {"printf 'user:" + fromEnv + "' | base64 > auth", "auth:1: value of DB_PASS"},
		"as base64 in short lines":    {"printf 'user:" + fromEnv + "' | base64 -w 20 > auth", "auth:1: value of DB_PASS"},
		"as hex in pairs":             {"printf 'x\n' > h; printf '" + fromEnv + "' | od -An -v -tx1 >> h", "h:2: value of DB_PASS"},
		"as a name":                   {"mkdir d; echo x > d/" + fromEnv + ".txt", "d/….txt: value of DB_PASS (its name)"},
		"an odd name":                 {"echo " + planted + " > \"$(printf 'a\\nb\\033')\"", `a\nb\u001b:1: planted-pat`},
	} {
		t.Run(name, func(t *testing.T) {
			hits := newDesk(t, "").check(c.does)
			if len(hits) != 1 || hits[0].String() != c.want {
				t.Errorf("%v, want %s", hits, c.want)
			}
		})
	}
}

func TestWhatWasThereBeforeIsNamedOnce(t *testing.T) {
	d := newDesk(t, "echo "+planted+" > old.txt; echo "+fromEnv+" > compose.yaml")
	for _, does := range []string{"echo more >> old.txt", "git mv old.txt new.txt", "echo '" + planted + " again' > copy.txt", "echo 'p: " + fromEnv + "' >> compose.yaml", "rm copy.txt"} {
		if hits := d.check(does); len(hits) > 0 {
			t.Errorf("%s: %v", does, hits)
		}
	}
	if len(d.said) != 3 || !strings.Contains(d.said[0], "new.txt:1: planted-pat") {
		t.Errorf("%q", d.said)
	}
	if hits := d.check("printf '" + planted + "\nPAT-fedcba9876543210\n' > old.txt"); len(hits) != 1 || hits[0].Line != 2 {
		t.Errorf("a new one beside: %v", hits)
	}
}

func TestAPersonAllowsOneValueInOneFile(t *testing.T) {
	d := newDesk(t, "")
	hits := d.check("echo " + planted + " > a.txt")
	if len(hits) != 1 {
		t.Fatal(hits)
	}
	again := func(s *Scanner) error {
		return s.Check(t.Context(), git.Repo{Dir: d.dir}, d.sh("git rev-parse HEAD~1"), d.sh("git rev-parse HEAD"), nil)
	}
	if again(d.Scanner) == nil {
		t.Error("what was refused once is not refused again")
	}
	for _, id := range []string{"", "abc", "zzzzzzzz", "0123456789ab"} {
		if _, err := d.ledger().Allow(d.dir, id); err == nil {
			t.Errorf("%q is allowed", id)
		}
	}
	if _, err := d.ledger().Allow("/elsewhere", hits[0].ID()); err == nil {
		t.Error("another project allows it")
	}
	list, err := d.ledger().Allow(d.dir, hits[0].ID())
	if err != nil || len(list) != 1 || list[0].Allowed == "" {
		t.Fatal(list, err)
	}
	if err := again(d.Scanner); err != nil {
		t.Error(err)
	}
	kept, err := os.ReadFile(filepath.Join(d.state, "warp", "secrets.json"))
	if err != nil || bytes.Contains(kept, []byte(planted)) || !json.Valid(kept) {
		t.Errorf("%s %v", kept, err)
	}
	if hits := d.check("echo PAT-another-value-of > a.txt"); len(hits) != 1 {
		t.Error("another value in the file is allowed, too")
	}
	if _, err := d.ledger().Forbid(d.dir, hits[0].ID()); err != nil {
		t.Error(err)
	}
	d.sh("git reset -q --hard HEAD~1")
	if again(New(d.Options)) == nil {
		t.Error("what was taken back is allowed")
	}
}

// An agent that writes .env does not make secrets of what it commits, and one that
// empties it hides nothing.
func TestDotenvIsThePersons(t *testing.T) {
	d := newDesk(t, "")
	if hits := d.check("echo 'OTHER_SECRET=agents-own-default-value' > .env.test"); len(hits) > 0 {
		t.Error(hits)
	}
	if hits := d.check(": > .env; echo " + fromDot + " > leaked"); len(hits) != 1 {
		t.Error("a value that .env had at the start is forgotten")
	}
}

func TestOddFilesAreBounded(t *testing.T) {
	d := newDesk(t, "")
	if err := syscall.Mkfifo(filepath.Join(d.dir, ".env.pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.sh("ln -s /dev/zero .env.zero; echo '.env.*' >> .gitignore")
	begin := time.Now()
	if hits := d.check("truncate -s 40M huge.bin; yes abcdefgh1234567890 | head -c 9M > large.txt; yes no | head -c 9M > calm.txt; echo PAT-0123456789abcdef >> calm.txt; echo small > small; echo " + planted + " >> large.txt; echo " + fromEnv + " >> large.txt"); len(hits) != 3 ||
		hits[0].Rule != "planted-pat" || hits[0].File != "calm.txt" || hits[1].Rule != tooLarge || hits[2].Rule != "value of DB_PASS" {
		t.Errorf("%v", hits)
	}
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("it took %s", took)
	}
	if len(d.said) != 1 || !strings.Contains(d.said[0], `"large.txt"`) {
		t.Errorf("%q", d.said)
	}
}

func TestNobodyScansNothing(t *testing.T) {
	var s *Scanner
	if err := s.Check(t.Context(), git.Repo{}, "a", "b", nil); err != nil {
		t.Error(err)
	}
}
