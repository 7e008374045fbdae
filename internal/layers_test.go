// Package internal holds the layers of warp; this test holds their order.
package internal

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// layers from the top down: a package imports only what stands below it.
var layers = []struct{ prefix, reason string }{
	{"warp/cmd", "main starts a program and does nothing else"},
	{"warp/bench", "benchmarks stand on top"},
	{"warp/sweep", "sweeps stand on top"},
	{"warp/browser", "pages are looked at in a real browser"},
	{"warp/e2e", "what is shown on real agents stands on top"},
	{"warp/trial", "whole drives are tried on the real programs"},
	{"warp/redteam", "tricks are tried on the real programs"},
	{"warp/fleets", "whole fleets are tried on a real server"},
	{"warp/crash", "whole drives are killed from outside"},
	{"warp/packaging", "what is shipped is made from the commands"},
	{"warp/docs", "the generator reads tables"},
	{"warp/internal/cli", "commands parse, call and print"},
	{"warp/internal/fleet", "a fleet spreads drives over machines and takes no step itself"},
	{"warp/plugin", "what Claude Code is told, as files"},
	{"warp/internal/ui", "the user interface reads snapshots and decides nothing"},
	{"warp/internal/adapter", "adapters are one outside thing each"},
	{"warp/internal/hook", "hooks answer the agent's protocol"},
	{"warp/internal/engine", "engines execute what core allows"},
	{"warp/internal/turnstile", "the one way from a phase to the next"},
	{"warp/internal/sys", "the system's processes, git and clock"},
	{"warp/internal/durable", "the only writer of state"},
	{"warp/internal/core", "pure: no I/O, no clock, no goroutines"},
}

// sideways lists the layers whose packages may import each other.
var sideways = []string{"warp/internal/cli", "warp/internal/fleet", "warp/internal/ui", "warp/internal/sys", "warp/internal/core", "warp/internal/engine", "warp/internal/hook"}

// impure is what core must not reach for.
var impure = []string{"os", "os/exec", "net", "net/http", "io/fs", "path/filepath", "log", "log/slog", "syscall", "math/rand", "math/rand/v2", "context"}

type pkg struct {
	ImportPath string
	Imports    []string
}

func TestImportsPointDown(t *testing.T) {
	for _, p := range list(t) {
		from, known := layer(p.ImportPath)
		if testkit(p.ImportPath) {
			continue
		}
		if !known {
			t.Errorf("%s is in no layer; docs/explanation/architecture.md says where things live", p.ImportPath)
		}
		for _, dep := range p.Imports {
			if testkit(dep) && from > 2 {
				t.Errorf("%s imports %s: the test kit is for tests alone", p.ImportPath, dep)
			}
			to, ours := layer(dep)
			switch {
			case !ours || testkit(dep):
			case to < from:
				t.Errorf("%s imports %s, which stands above it (%s)", p.ImportPath, dep, layers[from].reason)
			case to == from && !slices.Contains(sideways, layers[from].prefix):
				t.Errorf("%s imports %s beside it (%s)", p.ImportPath, dep, layers[from].reason)
			}
		}
	}
}

func TestCoreIsPure(t *testing.T) {
	for _, p := range list(t) {
		if !strings.HasPrefix(p.ImportPath, "warp/internal/core") {
			continue
		}
		for _, dep := range p.Imports {
			if slices.Contains(impure, dep) {
				t.Errorf("%s imports %s: core does no I/O; let the value come in as an argument", p.ImportPath, dep)
			}
		}
	}
}

// starters may start processes: proc, and the first process in a sandbox, which starts
// the one program and ends with it.
var starters = []string{"sys/proc", "sys/sandbox"}

// Starting processes elsewhere would leave some without a group to kill, and
// writing files elsewhere would be a second, weaker store.
func TestOnlyProcStartsProcesses(t *testing.T) {
	starting := regexp.MustCompile(`exec\.Command|os\.StartProcess|syscall\.ForkExec`)
	for path, text := range sources(t) {
		if found := starting.Find(text); found != nil && !slices.ContainsFunc(starters, func(p string) bool { return strings.HasPrefix(path, p+"/") }) {
			t.Errorf("%s has %q; sys/proc is the only starter", path, found)
		}
	}
}

// writers may write, rename and delete files: package or file → why it is no state.
var writers = map[string]string{
	"durable":                    "it is the writer",
	"adapter/agent/demo":         "the stand-in for an agent edits the project as an agent does",
	"cli/democmd":                "the demonstration makes a project to throw away",
	"engine/agent/keepruns.go":   "whole folders of transcripts are moved",
	"engine/agent/transcript.go": "a transcript is a stream",
	"engine/contain":             "the folders of a sandbox, thrown away with it",
	"engine/dev/log.go":          "a log is a stream",
	"engine/guard/copies.go":     "copies of the user's files, as hard links where they can be",
	"engine/guard/copypool.go":   "links between such copies",
	"engine/judge":               "what tests print and report, in temporary files",
	"engine/room":                "a checkout that is made again when it is lost",
	"cli/devcmd/silence.go":      "the null device",
	"cli/sessions/view.go":       "a log is a stream",
	"sys/git":                    "temporary indexes in git's folder",
	"sys/proc":                   "what processes print",
	"sys/sandbox":                "runs inside the sandbox, before the agent",
	"sys/gitobject":              "git's objects, which nothing refers to before they are whole",
	"sys/gitwrite":               "temporary files in git's folder",
}

var (
	writing = regexp.MustCompile(`\bos\.(WriteFile|Rename|Remove|RemoveAll|Create|CreateTemp|Symlink|Link|Truncate)\(`)
	opening = regexp.MustCompile(`\bos\.OpenFile\([^\n]*O_(WRONLY|RDWR|CREATE|APPEND|TRUNC)`)
)

// A second writer is a weaker one: settings were once put back by a plain os.WriteFile,
// which a full disk leaves empty (issue 18).
func TestOnlyDurableWrites(t *testing.T) {
	used := map[string]bool{}
	for path, text := range sources(t) {
		found := append(writing.FindAll(text, -1), opening.FindAll(text, -1)...)
		if len(found) == 0 {
			continue
		}
		allowed := false
		for excepted := range writers {
			if path == excepted || strings.HasPrefix(path, excepted+"/") {
				used[excepted], allowed = true, true
			}
		}
		if !allowed {
			t.Errorf("%s has %q: durable writes (durable/outside.go), or it becomes an exception with a reason", path, found)
		}
	}
	for excepted := range writers {
		if !used[excepted] {
			t.Errorf("%s writes nothing: it is no exception any more", excepted)
		}
	}
}

// An engine is a policy about the next step: what protects, bounds and records a run
// is under all of them, in the step. Each of these once had its own, and three of
// four had no guard (issue 13).
func TestEnginesArePolicies(t *testing.T) {
	forbidden := map[string]string{
		`proc\.Run\(`:                                      "engine/judge runs commands",
		`\b(Agents|who|runner)\.Run\(ctx`:                  "engine/step runs agents",
		`(Store|store|Store\(\)|Home|home\(\))\.Acquire\(`: "engine/step and engine/land take locks",
		`(Work|tree)\.Commit\(ctx`:                         "engine/land commits",
	}
	seen := 0
	for path, text := range sources(t) {
		if !strings.HasPrefix(path, "engine/policy/") {
			continue
		}
		seen++
		for pattern, reason := range forbidden {
			if found := regexp.MustCompile(pattern).Find(text); found != nil {
				t.Errorf("%s has %q: %s", path, found, reason)
			}
		}
	}
	if seen == 0 {
		t.Error("no policy was found")
	}
}

// What the policies share stands under them: a protection that knows a policy is a
// protection of that one alone.
func TestSharedEnginesKnowNoPolicy(t *testing.T) {
	const engines, policies = "warp/internal/engine/", "warp/internal/engine/policy/"
	for _, p := range list(t) {
		if !strings.HasPrefix(p.ImportPath, engines) || strings.HasPrefix(p.ImportPath, policies) {
			continue
		}
		for _, dep := range p.Imports {
			if strings.HasPrefix(dep, policies) {
				t.Errorf("%s imports %s: engines share it, so it knows none of them", p.ImportPath, dep)
			}
		}
	}
}

// One word is one thing: a reader of "drive" must not have to ask which of two is meant.
func TestNoPackageImportsItsNamesake(t *testing.T) {
	for _, p := range list(t) {
		for _, dep := range p.Imports {
			if strings.HasPrefix(dep, "warp/") && path.Base(dep) == path.Base(p.ImportPath) && !testkit(dep) && !testkit(p.ImportPath) {
				t.Errorf("%s imports %s, which has the same name", p.ImportPath, dep)
			}
		}
	}
}

// What is linked into the hook is paid on every tool call.
func TestHookLinksNothingHeavy(t *testing.T) {
	allowed := []string{"warp/cmd/warp-hook", "warp/internal/core", "warp/internal/durable", "warp/internal/sys", "warp/internal/turnstile", "warp/internal/hook", "mvdan.cc/sh", "golang.org/x/sys"}
	for _, dep := range linked(t, "warp/cmd/warp-hook") {
		outside := strings.Contains(strings.Split(dep, "/")[0], ".") || strings.HasPrefix(dep, "warp/")
		if outside && !slices.ContainsFunc(allowed, func(p string) bool { return dep == p || strings.HasPrefix(dep, p+"/") }) {
			t.Errorf("warp-hook links %s: its start is paid on every tool call", dep)
		}
		if slices.Contains([]string{"net/http", "text/template", "encoding/json", "encoding/xml", "crypto/sha256"}, dep) { // they make tables or test themselves at every start
			t.Errorf("warp-hook links %s: its start is paid on every tool call", dep)
		}
	}
}

// Temporal is paid for by fleets alone: its SDK is larger than everything else together.
func TestOnlyFleetLinksTemporal(t *testing.T) {
	for program, wants := range map[string]bool{"warp": false, "warp-net": false, "warp-ui": false, "warp-hook": false, "warp-fleet": true} {
		links := slices.ContainsFunc(linked(t, "warp/cmd/"+program), func(dep string) bool {
			return strings.HasPrefix(dep, "go.temporal.io/") || strings.HasPrefix(dep, "warp/internal/fleet")
		})
		if links != wants {
			t.Errorf("%s links Temporal: %t", program, links)
		}
	}
}

// sources are the files of every layer, without those of tests and their kit.
func sources(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "testkit") {
			return err
		}
		all[filepath.ToSlash(path)], err = os.ReadFile(path)
		return err
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("%d files: %v", len(all), err)
	}
	return all
}

// list is every package of ours.
func list(t *testing.T) []pkg {
	t.Helper()
	return slices.DeleteFunc(slices.Clone(listed(t)), func(p pkg) bool { return p.ImportPath != "warp" && !strings.HasPrefix(p.ImportPath, "warp/") })
}

// linked is what a program is linked from.
func linked(t *testing.T, program string) []string {
	t.Helper()
	imports := map[string][]string{}
	for _, p := range listed(t) {
		imports[p.ImportPath] = p.Imports
	}
	if imports[program] == nil {
		t.Fatalf("there is no %s", program)
	}
	deps := []string{program}
	seen := map[string]bool{program: true}
	for i := 0; i < len(deps); i++ {
		for _, dep := range imports[deps[i]] {
			if !seen[dep] {
				seen[dep] = true
				deps = append(deps, dep)
			}
		}
	}
	return deps
}

// listed is every package of ours and what they are made from. Go is asked once: it takes
// seconds.
func listed(t *testing.T) []pkg {
	t.Helper()
	all, err := askGo()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	return all
}

var askGo = sync.OnceValues(func() (all []pkg, err error) {
	out, err := exec.Command("go", "list", "-deps", "-json=ImportPath,Imports", "warp/...").Output()
	if err != nil {
		return nil, err
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
})

func layer(path string) (int, bool) {
	i := slices.IndexFunc(layers, func(l struct{ prefix, reason string }) bool {
		return path == l.prefix || strings.HasPrefix(path, l.prefix+"/")
	})
	return i, i >= 0
}

func testkit(path string) bool {
	return path == "warp/internal" || strings.HasPrefix(path, "warp/internal/testkit")
}
