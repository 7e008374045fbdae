package gemini

import (
	"os"
	"testing"
)

// guard denies what contains "git commit".
const guard = `if grep -q 'git commit'; then
  echo '{"decision":"deny","reason":"commits are not yours to make"}'
fi
`

func TestAHookDeniesACommit(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	settings(t, p.home, hook{event: "BeforeTool", matcher: "run_shell_command|write_file|replace", command: p.script(t, guard)})
	write(t, p.dir+"/kept", []byte("old"), 0o600)
	s := Serve(t, []Step{
		Shell("touch denied && git commit --allow-empty -m x"),
		Shell("touch allowed"),
		Write("written", "never git commit"),
		Replace("kept", "old", "never git commit"),
		Say("done"),
	})
	p.run(t, s, Options{})
	if p.has("denied") || p.has("written") {
		t.Error("a denied call was carried out")
	}
	if !p.has("allowed") {
		t.Errorf("an allowed command did not run: %s", s.Output(1))
	}
	for _, n := range []int{0, 2, 3} {
		if got, want := s.Output(n), `{"error":"Tool execution blocked: commits are not yours to make"}`; got != want {
			t.Errorf("the model was told of step %d: %s, want %s", n, got, want)
		}
	}
}

// Where hooks may stand, and what makes the CLI pass over them. The flag
// --skip-trust is the trap: the CLI then runs commands in the project, and yet
// does not read the project's settings.
func wholeMatrix() bool { return os.Getenv("WARP_MATRIX") != "" }

func TestWhereHooksAreFound(t *testing.T) {
	const sub = "sub/folder"
	trusted := func(t *testing.T, p place) {
		write(t, p.home+"/.gemini/trustedFolders.json", []byte(`{"`+p.dir+`":"TRUST_FOLDER"}`), 0o600)
	}
	for _, c := range []struct {
		name    string
		user    bool // the hook stands in the user's settings
		prepare func(*testing.T, place)
		in      string
		options Options
		found   bool
		often   bool // also without WARP_MATRIX: each start of the CLI takes seconds
	}{
		{name: "project", found: true},
		{name: "user", user: true, found: true}, // as in TestAHookDeniesACommit
		{name: "project, trusted by the user", prepare: trusted, options: Options{Untrusted: true}, found: true},
		{name: "user, trust skipped", user: true, options: Options{Untrusted: true, Args: []string{"--skip-trust"}}, found: true},
		{name: "project, trust skipped", options: Options{Untrusted: true, Args: []string{"--skip-trust"}}},
		{name: "project, from below", in: sub, often: true},
		{name: "user, from below", user: true, in: sub, found: true},
		{name: "user, switched off by the project", user: true, prepare: func(t *testing.T, p place) {
			write(t, p.dir+"/.gemini/settings.json", []byte(`{"hooksConfig":{"enabled":false}}`), 0o600)
		}},
	} {
		if !c.often && !wholeMatrix() {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			where := p.dir
			if c.user {
				where = p.home
			}
			settings(t, where, hook{event: "BeforeTool", command: p.script(t, "echo no >&2; exit 2")})
			if c.prepare != nil {
				c.prepare(t, p)
			}
			if c.in != "" {
				p.dir += "/" + c.in
				write(t, p.dir+"/file", nil, 0o600)
			}
			s := Serve(t, []Step{Shell("touch ran"), Say("done")})
			r := p.run(t, s, c.options)
			if p.has("ran") == c.found {
				t.Errorf("the hook was found: %v, want %v; the model was told %s\n%s", !c.found, c.found, s.Output(0), r.Stderr)
			}
		})
	}
}
