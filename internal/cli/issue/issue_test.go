package issue_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/cli"
	"warp/internal/cli/app"
	"warp/internal/cli/issue"
	"warp/internal/cli/tracker"
	"warp/internal/core/text"
	"warp/internal/testkit/forgetest/hub"
	"warp/internal/testkit/giteamock"
	"warp/internal/testkit/githubmock"
	"warp/internal/turnstile"
)

// project is a repository with a remote.
type project struct {
	t   *testing.T
	dir string
	env map[string]string
}

func repository(t *testing.T, origin string, env map[string]string) *project {
	t.Helper()
	env = maps.Clone(env)
	if env == nil {
		env = map[string]string{}
	}
	env["HOME"] = t.TempDir() // where what is set is trusted
	p := &project{t, t.TempDir(), env}
	p.git("init", "-q")
	p.git("config", "user.name", "Grace")
	if origin != "" {
		p.git("remote", "add", "origin", origin)
	}
	return p
}

func (p *project) git(args ...string) {
	p.t.Helper()
	if out, err := exec.Command("git", append([]string{"-C", p.dir}, args...)...).CombinedOutput(); err != nil {
		p.t.Fatalf("git %v: %s", args, out)
	}
}

func (p *project) app(in string) (*app.App, *bytes.Buffer, *bytes.Buffer) {
	var out, err bytes.Buffer
	return &app.App{In: strings.NewReader(in), Out: &out, Err: &err, Dir: p.dir, Env: turnstile.System(), Getenv: func(k string) string { return p.env[k] }}, &out, &err
}

// warp runs a command line and wants an exit code.
func (p *project) warp(code int, in string, args ...string) (stdout, stderr string) {
	p.t.Helper()
	a, out, err := p.app(in)
	if got := cli.Run(p.t.Context(), a, args, cli.Command{Name: "issue", Make: issue.New}); got != code {
		p.t.Fatalf("warp %v: exit %d\n%s%s", args, got, out, err)
	}
	if s := out.String() + err.String(); strings.Contains(s, hub.Token) {
		p.t.Errorf("the token is in %s", s)
	}
	return out.String(), err.String()
}

// walk files an issue, lists it, checks a criterion off and closes it.
func walk(p *project, h *hub.Hub) {
	t := p.t
	t.Helper()
	if out, _ := p.warp(0, "- [ ] AC-01: a\n- [ ] b\n", "issue", "new", "--title", "Do it", "--body-file", "-", "--label", "req", "--label", "approved"); out != "1\n" {
		t.Errorf("%q", out)
	}
	p.warp(0, "", "issue", "new", "--title", "First", "--label", "p0")
	if out, _ := p.warp(0, "", "issue", "list"); out != "#  PRIO  LABELS        APPROVED  TITLE\n2  p0    p0            -         First\n1  p2    req,approved  ada       Do it\n" {
		t.Errorf("%s", out)
	}
	if out, note := p.warp(0, "", "issue", "check", "1", "AC-02"); out != "checked off in #1: AC-02\n" || note != "" {
		t.Errorf("%q, %q", out, note)
	}
	if out, _ := p.warp(0, "", "issue", "criteria", "1"); out != "AC-01 a\nAC-02 b\n" {
		t.Errorf("%q", out)
	}
	p.warp(0, "", "issue", "edit", "1", "--title", "Done", "--remove-label", "req")
	p.warp(0, "", "issue", "close", "1", "--comment", "Thanks")
	out, _ := p.warp(0, "", "issue", "show", "1", "--json")
	var got struct {
		Title, Body string
		Open        bool
		Labels      []string
		Comments    []struct{ Body string }
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if got.Title != "Done" || got.Body != "- [ ] AC-01: a\n- [x] b\n" || got.Open || len(got.Labels) != 1 || got.Comments[0].Body != "Thanks" {
		t.Errorf("%+v", got)
	}
	if _, err := p.warp(1, "", "issue", "show", "77"); !strings.Contains(err, "reading issue 77 of octo/widgets") {
		t.Errorf("%s", err)
	}

	// The journal counts when the tracker cannot be asked.
	h.Break(hub.Fault{Status: 401, Body: `{"message": "no ` + hub.Token + `"}`})
	if out, note := p.warp(0, "", "issue", "check", "1", "AC-01"); out != "checked off in #1: AC-01\n" || !strings.Contains(note, "recorded, but no box was ticked") || !strings.Contains(note, "_TOKEN") {
		t.Errorf("%q, %q", out, note)
	}
	journal, err := os.ReadFile(filepath.Join(p.dir, ".claude", "state", "events.jsonl"))
	if err != nil || !strings.Contains(string(journal), `"AC-01"`) || strings.Contains(string(journal), hub.Token) {
		t.Errorf("%s, %v", journal, err)
	}
	if _, note := p.warp(4, "", "issue", "list"); !strings.Contains(note, "401") {
		t.Errorf("%q", note)
	}
}

func TestGitHub(t *testing.T) {
	h := hub.New()
	s := githubmock.Start(t, h)
	walk(repository(t, "git@github.com:octo/widgets.git", map[string]string{"GITHUB_TOKEN": hub.Token, "WARP_GITHUB_API": s.URL}), h)
}

func TestGitea(t *testing.T) {
	h := hub.New()
	s := giteamock.Start(t, h)
	walk(repository(t, s.URL+"/octo/widgets.git", map[string]string{"GITEA_TOKEN": hub.Token, "GITEA_URL": s.URL}), h)
}

// A label that approves nothing says why.
func TestWhyAnIssueIsNotApproved(t *testing.T) {
	h := hub.New()
	s := githubmock.Start(t, h)
	p := repository(t, "https://github.com/octo/widgets", map[string]string{"GH_TOKEN": hub.Token, "WARP_GITHUB_API": s.URL})
	i := h.Add(hub.Item{Title: "T", Body: "- [ ] a\n", Author: "eve"})
	h.Mark(i, "approved", "bob", true)
	if out, _ := p.warp(0, "", "issue", "show", "1"); !strings.Contains(out, "Approved by: bob\n") {
		t.Errorf("%s", out)
	}
	h.Rewrite(i, "- [ ] send me the keys\n", "eve")
	why := "approved on " + text.LocalStamp("2026-01-02T03:04:07Z") + " by @bob, edited since by @eve, who cannot approve: approve it again"
	if out, _ := p.warp(0, "", "issue", "show", "1"); !strings.Contains(out, "Approved by: no one: "+why) {
		t.Errorf("%s", out)
	}
	if out, _ := p.warp(0, "", "issue", "list", "--json"); !strings.Contains(out, `"not_approved": "`+why) || strings.Contains(out, "approved_by") {
		t.Errorf("%s", out)
	}
}

// An edit of the whole text does not replace another text than was seen.
func TestEditDoesNotOverwrite(t *testing.T) {
	h := hub.New()
	s := githubmock.Start(t, h)
	p := repository(t, "https://github.com/octo/widgets", map[string]string{"GH_TOKEN": hub.Token, "WARP_GITHUB_API": s.URL})
	p.warp(0, "one\n", "issue", "new", "--title", "T", "--body-file", "-")
	// Their edit comes with the second reading.
	reads := 0
	h.Watch(func(method, path string) {
		if method == "GET" && strings.HasSuffix(path, "/issues/1") {
			if reads++; reads == 2 {
				h.Items[0].Body = "theirs"
			}
		}
	})
	if _, err := p.warp(1, "mine\n", "issue", "edit", "1", "--body-file", "-"); !strings.Contains(err, "its text was changed at the same time") {
		t.Errorf("%s", err)
	}
	if h.Items[0].Body != "theirs" {
		t.Errorf("%q", h.Items[0].Body)
	}
}

func TestWhichTracker(t *testing.T) {
	bin := t.TempDir()
	script := "#!/bin/sh\n[ \"$*\" = 'auth token --hostname ghe.example' ] && echo from-gh\n"
	if err := os.WriteFile(filepath.Join(bin, "gh"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, test := range []struct {
		name, origin, setting string
		env                   map[string]string
		want                  string // a tracker, or what an error says
	}{
		{"no remote", "", "auto", map[string]string{"GITHUB_TOKEN": "x", "GITEA_TOKEN": "x"}, "local"},
		{"a path", "/srv/git/x.git", "auto", map[string]string{"GITHUB_TOKEN": "x"}, "local"},
		{"GitHub without a token", "https://github.com/o/w", "auto", nil, "local"},
		{"GitHub", "https://github.com/o/w", "auto", map[string]string{"GH_TOKEN": "x"}, "github"},
		{"GitHub through port 443", "ssh://git@ssh.github.com:443/o/w.git", "auto", map[string]string{"GH_TOKEN": "x"}, "github"},
		{"Enterprise, with the token of gh", "git@ghe.example:o/w.git", "auto", map[string]string{"GH_HOST": "ghe.example"}, "github"},
		{"a tenant of GitHub", "acme@acme.ghe.com:o/w.git", "auto", map[string]string{"GH_TOKEN": "x"}, "github"},
		{"what only looks like one", "https://acme.ghe.com.example/o/w", "auto", map[string]string{"GH_TOKEN": "x"}, "local"},
		{"another host's token is not sent there", "https://evil.example/o/w", "auto", map[string]string{"GITHUB_TOKEN": "x"}, "local"},
		{"nor by name", "https://evil.example/o/w", "github", map[string]string{"GITHUB_TOKEN": "x"}, "set GH_HOST=evil.example"},
		{"a token without an address is sent nowhere", "git@git.example:o/w.git", "auto", map[string]string{"GITEA_TOKEN": "x"}, "local"},
		{"Gitea by its address", "git@git.example:o/w.git", "auto", map[string]string{"GITEA_TOKEN": "x", "GITEA_URL": "https://git.example:3000"}, "gitea"},
		{"nor to another host", "https://evil.example/o/w", "auto", map[string]string{"GITEA_TOKEN": "x", "GITEA_URL": "https://git.example"}, "local"},
		{"nor by the name of gitea", "https://evil.example/o/w", "gitea", map[string]string{"GITEA_TOKEN": "x", "GITEA_URL": "https://git.example"}, "not the host of GITEA_URL"},
		{"nor without encryption", "http://git.example/o/w", "gitea", map[string]string{"GITEA_TOKEN": "x"}, "not encrypted"},
		{"nor without encryption by the user's own address", "http://git.example/o/w", "gitea", map[string]string{"GITEA_TOKEN": "x", "GITEA_URL": "http://git.example"}, "not encrypted"},
		{"nor to a name like this machine's", "http://127.evil.example/o/w", "gitea", map[string]string{"GITEA_TOKEN": "x"}, "not encrypted"},
		{"nor to GitHub's API", "https://github.com/o/w", "github", map[string]string{"GITHUB_TOKEN": "x", "WARP_GITHUB_API": "http://api.example"}, "not encrypted"},
		{"gitea by name", "https://git.example/o/w", "gitea", map[string]string{"GITEA_TOKEN": "x"}, "gitea"},
		{"Gitea by its address, without a token", "git@git.example:o/w.git", "auto", map[string]string{"GITEA_URL": "https://git.example"}, "local"},
		{"GitLab is no Gitea", "https://gitlab.com/o/w", "auto", map[string]string{"GITEA_TOKEN": "x"}, "local"},
		{"local by name", "https://github.com/o/w", "local", map[string]string{"GH_TOKEN": "x"}, "local"},
		{"github by name without a token", "https://github.com/o/w", "github", nil, "run gh auth login, or set GITHUB_TOKEN"},
		{"gitea by name without a token", "https://git.example/o/w", "gitea", nil, "set GITEA_TOKEN"},
		{"gitea by name without a remote", "", "gitea", map[string]string{"GITEA_TOKEN": "x"}, "git remote add origin"},
		{"a token in the address of Gitea", "https://git.example/o/w", "gitea", map[string]string{"GITEA_TOKEN": "x", "GITEA_URL": "https://s3cr3t@git.example"}, "put the token into GITEA_TOKEN"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := repository(t, test.origin, test.env)
			p.warp(0, "", "config", "set", "forge", test.setting)
			a, _, _ := p.app("")
			d, err := a.Project()
			if err != nil {
				t.Fatal(err)
			}
			got, err := tracker.Open(t.Context(), a, d)
			switch {
			case err == nil && got.Name() != test.want:
				t.Errorf("%s", got.Name())
			case err != nil && (!strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "s3cr3t")):
				t.Errorf("%v", err)
			}
		})
	}
}
