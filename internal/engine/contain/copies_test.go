package contain

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/internal/sys/proc"
	"warp/internal/sys/sandbox"
)

// Nothing that an earlier run left in the agent's configuration counts: neither what the
// user does not have, nor what looks like the user's, nor what leads elsewhere.
func TestNothingLeftInTheConfigurationCounts(t *testing.T) {
	w := newWorld(t, sandbox.Bwrap)
	must(t, os.Remove(filepath.Join(w.user, ".agent", "login.json")))
	_, code := w.run(t, `set -e; cd ~/.agent; mkdir -p talks plugins/x closed/in; echo '{}' > talks/1.jsonl; echo evil > talks/note.md; echo evil > memory.md; echo evil > plugins/x/y; echo '{"evil": 1}' > login.json
touch -r rules.md ../stamp; echo be evil > rules.md; truncate -s 7 rules.md; touch -r ../stamp rules.md; echo x > closed/in/x; chmod 0 closed/in closed; echo warm > ~/cache`)
	if code != 0 {
		t.Fatal(code)
	}
	for range 2 {
		out, _ := w.run(t, `cd ~/.agent; find . -type f | sort | tr '\n' ' '; cat rules.md ~/cache`)
		if want := "./rules.md ./talks/1.jsonl be kindwarm"; out != want {
			t.Errorf("%q, not %q", out, want)
		}
	}
}

// Links that an agent leaves in its home folder lead nowhere.
func TestLinksInTheHomeAreNotFollowed(t *testing.T) {
	w := newWorld(t, sandbox.Bwrap)
	linked, victim, away := w.repository(t), filepath.Join(w.user, ".bashrc"), filepath.Join(w.user, "away")
	write(t, victim, "precious")
	write(t, filepath.Join(away, "talks", "9.jsonl"), "secret")
	write(t, filepath.Join(away, "login.json"), `{"theirs": 1}`)
	for _, private := range []bool{false, true} {
		w.Settings.PrivateGit = private
		for _, script := range []string{
			`cd ~; ln -sfn ` + victim + ` git-config; rm -rf git tmp; ln -s ` + away + ` git; ln -s ` + away + ` tmp`,
			`cd ~; rm -rf .agent; ln -s ` + away + ` .agent`,
			`cd ~; rm -rf .agent; mkdir .agent; cd .agent; ln -s ` + victim + ` rules.md; ln -s ` + victim + ` login.json; ln -s ` + away + `/talks talks`,
			`chmod 0 ~`,
			"true",
		} {
			r, err := w.Confine(proc.Cmd{Argv: []string{"bash", "-c", script}, Dir: linked, Env: w.Environ, Timeout: time.Minute},
				Order{Name: "agent", Top: linked, Git: filepath.Join(w.Root, ".git"), Frozen: []string{filepath.Join(w.Root, ".git")}, Needs: needs})
			must(t, err)
			res, err := r.Run(t.Context())
			must(t, err)
			must(t, r.Close())
			if res.Exit != 0 {
				t.Errorf("%s: %s", script, res.Output)
			}
		}
	}
	for file, want := range map[string]string{victim: "precious", filepath.Join(away, "talks", "9.jsonl"): "secret", filepath.Join(away, "login.json"): `{"theirs": 1}`, filepath.Join(w.user, ".agent", "login.json"): `{"token": 1}`} {
		if text, err := os.ReadFile(file); err != nil || string(text) != want {
			t.Errorf("%s: %q, %v", file, text, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(w.user, ".agent", "talks", "9.jsonl")); err == nil {
		t.Error("what a link led to was copied back")
	}
	if names, err := os.ReadDir(away); err != nil || len(names) != 2 {
		t.Errorf("%v, %v", names, err)
	}
	if left, _ := filepath.Glob(filepath.Join(w.folder(), "run-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// Two agents at once have a home each; a session goes on in either.
func TestAgentsAtOnceHaveHomesOfTheirOwn(t *testing.T) {
	w := newWorld(t, sandbox.Bwrap)
	const session = "0b50ab8a-6a8f-4a6f-8b0e-0123456789ab"
	order := Order{Name: "agent", Top: w.Root, Needs: needs}
	begin := func(script string) *Run {
		r, err := w.Confine(proc.Cmd{Argv: []string{"bash", "-c", script}, Dir: w.Root, Env: w.Environ, Timeout: time.Minute}, order)
		must(t, err)
		return r
	}
	end := func(r *Run) string {
		res, err := r.Run(t.Context())
		must(t, err)
		must(t, r.Close())
		return strings.TrimSpace(string(res.Output))
	}
	first, second := begin("basename $HOME"), begin("basename $HOME; mkdir ~/.agent/talks; echo said > ~/.agent/talks/"+session+".jsonl; echo other > ~/.agent/talks/other.jsonl")
	if a, b := end(first), end(second); a != "agent" || b != "agent-2" {
		t.Errorf("%q, %q", a, b)
	}
	order.Session = session
	if out := end(begin("basename $HOME; cat ~/.agent/talks/*")); out != "agent\nsaid" {
		t.Errorf("%q", out)
	}
}
