package gemini

import (
	"os"
	"testing"
)

func wholeMatrix() bool { return os.Getenv("WARP_MATRIX") != "" }

// Where hooks may stand, and what makes the CLI pass over them. The flag
// --skip-trust is the trap: the CLI then runs commands in the project, and yet
// does not read the project's settings. That it reads them in the project itself is
// shown by TestWhatStopsACommand.
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
		{name: "user", user: true, found: true},
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
