//go:build unix

package e2e

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"warp/internal/core/evidence"
	"warp/internal/sys/sandbox"
	"warp/internal/testkit/codex"
	"warp/internal/testkit/gemini"
	"warp/internal/testkit/messages"
	"warp/internal/testkit/need"
)

// realKey is what the user pays with.
const realKey = "sk-real-0123456789abcdef"

// withSpy is a repository with a program that an agent's model runs: it looks for the
// key in every place that an environment can be read, reaches for another host, and
// writes where warp alone may. Claude Code's own sandbox is on for people. It is written so that warp's hook lets it run.
const withSpy = `cat > spy.js <<'END'
const fs = require('fs'), run = require('child_process').spawnSync
const held = f => { try { return f() } catch { return 'held' } }
const texts = [JSON.stringify(process.env), ...fs.readdirSync('/proc').filter(n => +n).map(n => held(() => fs.readFileSync('/proc/' + n + '/environ', 'latin1')))]
console.log('keys:' + texts.filter(t => t.includes('sk-' + 'real-0123')).length)
console.log('elsewhere:' + (run('curl', ['-sS', '-m', '20', 'https://elsewhere.invalid/']).status === 0 ? 'reached' : 'held'))
console.log('refs:' + held(() => fs.writeFileSync('.g' + 'it/spied', 'x') || 'written'))
console.log('nested:' + (run('unshare', ['-Ur', 'true']).status === 0 ? 'made' : 'held'))
console.log('ssh:' + held(() => fs.readFileSync(process.env.REAL_HOME + '/.ssh/id', 'utf8')))
END
warp init --level 3 --sandbox && git add -A && git commit -q -m 'chore: warp'`

const spy = "node spy.js"

// keyed stands before a mock API, and keeps what keys it was given.
func keyed(t *testing.T, api string) (address string, keys func() []string) {
	t.Helper()
	to, err := url.Parse(api)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	seen := map[string]bool{}
	pass := &httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) { p.SetURL(to) }, FlushInterval: -1}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		for _, name := range []string{"X-Api-Key", "X-Goog-Api-Key", "Authorization"} {
			if v := r.Header.Get(name); v != "" {
				seen[strings.TrimPrefix(v, "Bearer ")] = true
			}
		}
		mu.Unlock()
		pass.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, func() (all []string) {
		mu.Lock()
		defer mu.Unlock()
		for key := range seen {
			all = append(all, key)
		}
		slices.Sort(all)
		return all
	}
}

// agents set up a real agent whose model does the issue and has its shell spy, and
// return the front of its API and what the shell said.
var agents = map[string]func(t *testing.T, h *headless) (keys, said func() []string){
	"claude": func(t *testing.T, h *headless) (func() []string, func() []string) {
		api := messages.ServePicked(t, role, whole(h.root, bash(spy)))
		address, keys := keyed(t, api.URL)
		h.claude(address, "ANTHROPIC_API_KEY="+realKey)
		return keys, func() (said []string) {
			for _, r := range last(api) {
				said = append(said, r.Text)
			}
			return said
		}
	},
	"codex": func(t *testing.T, h *headless) (func() []string, func() []string) {
		add := func(file, text string) codex.Step {
			return codex.Patch("*** Begin Patch\n*** Add File: " + file + "\n+" + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n+") + "\n*** End Patch\n")
		}
		api := codex.Serve(t, []codex.Step{
			codex.Shell(spy), add("text.js", second), add("text.test.js", "const assert = require('assert')\nconst t = require('./text.js')\n"+secondTest),
			codex.Say(`{"summary":"Done.","decision":null,"learnings":null,"lessons":null,"items":null}`),
			codex.Shell("touch verifier.js"),
			codex.Say(`{"criteria":[{"id":"AC-01","met":true,"reason":"seen"},{"id":"AC-02","met":true,"reason":"seen"}],"learnings":null,"lessons":null,"items":null}`),
		})
		to, err := url.Parse(api.URL)
		if err != nil {
			t.Fatal(err)
		}
		address, keys := keyed(t, to.Scheme+"://"+to.Host)
		h.codex(address + to.Path)
		file := filepath.Join(h.codexHome(), "config.toml")
		text, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(file, append(text, "env_key = \"SCRIPTED_KEY\"\n"...), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		h.env = append(h.env, "SCRIPTED_KEY="+realKey)
		return keys, func() []string { return []string{api.Output(0)} }
	},
	"gemini": func(t *testing.T, h *headless) (func() []string, func() []string) {
		api := gemini.Serve(t, []gemini.Step{
			gemini.Shell(spy), gemini.Write(h.root+"/text.js", second),
			gemini.Write(h.root+"/text.test.js", "const assert = require('assert')\nconst t = require('./text.js')\n"+secondTest),
			gemini.Say("```json\n{\"summary\":\"Done.\"}\n```\n"),
			gemini.Say("```json\n{\"criteria\":[{\"id\":\"AC-01\",\"met\":true,\"reason\":\"seen\"},{\"id\":\"AC-02\",\"met\":true,\"reason\":\"seen\"}]}\n```\n"),
		})
		address, keys := keyed(t, api.URL)
		h.gemini(address, "GEMINI_API_KEY="+realKey)
		return keys, func() []string { return []string{strings.ReplaceAll(api.Output(0), `\n`, "\n")} }
	},
}

// models are what each agent is told to ask, where it would ask which.
var models = map[string]string{"claude": "claude-sonnet-4-5", "codex": codex.Model, "gemini": gemini.Model}

// cells are the agents in their sandboxes. A sample has each agent, each sandbox and each user;
// WARP_MATRIX has each user try all.
var cells = []struct {
	kind   sandbox.Kind
	agent  string
	sample string // who tries it without WARP_MATRIX
}{
	{sandbox.Bwrap, "claude", "user"}, {sandbox.Bwrap, "codex", ""}, {sandbox.Bwrap, "gemini", "root"},
	{sandbox.Landlock, "claude", ""}, {sandbox.Landlock, "codex", "user"}, {sandbox.Landlock, "gemini", ""},
}

// The real agents go through a whole requirement in a sandbox. In bwrap the key stays
// outside, and a request to another host is refused and reported.
func TestRealAgentsWorkInASandbox(t *testing.T) {
	need.Linux(t)
	need.Tool(t, "curl")
	alone := os.Getuid() != 0 && !startedByRoot() // who is not root has no other user try
	who := map[bool]string{true: "user", false: "root"}[startedByRoot()]
	for _, c := range cells {
		if !wholeMatrix() && c.sample != who && (c.sample == "" || !alone) {
			continue
		}
		t.Run(string(c.kind)+"/"+c.agent, func(t *testing.T) {
			t.Parallel()
			workInSandbox(t, c.kind, c.agent)
		})
	}
}

// wholeMatrix is whether to show everything everywhere: make agents does.
func wholeMatrix() bool { return os.Getenv("WARP_MATRIX") != "" }

func workInSandbox(t *testing.T, kind sandbox.Kind, name string) {
	t.Helper()
	if kind == sandbox.Bwrap {
		need.Tool(t, "bwrap")
	}
	h := drives(t, one, withSpy)
	keys, said := agents[name](t, h)
	other := real(t) // Codex's home is below what these tests let be read
	if err := os.MkdirAll(filepath.Join(other, ".ssh"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, ".ssh", "id"), []byte("PRIVATE"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.sh(`warp config set sandbox_env '["REAL_HOME"]'`)
	h.env = append(h.env, "WARP_SANDBOX="+string(kind), "REAL_HOME="+other)
	out := h.run(0, "drive", "1", "--level", "3", "--agent", name, "--model", models[name])
	if log := h.sh("git -C " + h.remote + " log --format=%s main"); log != mergedOnce {
		t.Errorf("merged:\n%s", log)
	}
	want, holds := []string{"keys:0", "elsewhere:held", "refs:held", "nested:held", "ssh:held"}, sandbox.Contained
	if kind == sandbox.Landlock {
		// What stands in the work tree, and the environment, are the agent's there.
		want, holds = []string{"ssh:held"}, sandbox.Partly
	}
	text := strings.Join(said(), "\n")
	for _, line := range want {
		if !strings.Contains(text, line) {
			t.Errorf("the shell did not say %q:\n%s", line, text)
		}
	}
	if strings.Contains(text, "PRIVATE") || strings.Contains(text, "elsewhere:reached") {
		t.Errorf("it saw or reached what it may not:\n%s", text)
	}
	if got := keys(); !slices.Equal(got, []string{realKey}) {
		t.Errorf("the API was given %q", got)
	}
	if refused := strings.Count(out, "tried to reach elsewhere.invalid"); kind == sandbox.Bwrap && refused != 1 {
		t.Errorf("the refusal is reported %d times:\n%s", refused, out)
	}
	if a := h.evidence(); a.Outcome.Result != evidence.Merged || a.Contained != string(holds) {
		t.Errorf("%q, %+v", a.Contained, a.Outcome)
	}
}
