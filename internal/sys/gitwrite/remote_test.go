package gitwrite

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/sys/git"
)

// withRemote adds a bare remote and another clone of it.
func withRemote(t *testing.T) (b, other box) {
	b = newBox(t)
	bare := filepath.Join(realTemp(t), "bare.git")
	b.git("init", "-q", "--bare", "-b", "main", bare)
	b.git("remote", "add", "origin", bare)
	b.git("push", "-q", "origin", "main")
	dir := filepath.Join(realTemp(t), "other")
	b.git("clone", "-q", bare, dir)
	other = b.in(dir)
	other.git("config", "user.name", "Other")
	other.git("config", "user.email", "other@example.org")
	return b, other
}

func TestRemote(t *testing.T) {
	b := newBox(t)
	ctx := context.Background()
	want := func(name string) {
		t.Helper()
		if got, ok, err := b.Remotes().Choose(ctx); err != nil || ok != (name != "") || got != name {
			t.Errorf("got %q, %v, %v; want %q", got, ok, err, name)
		}
	}
	want("")
	b.git("remote", "add", "only", "/x")
	want("only")
	b.git("remote", "add", "fork", "/x")
	want("")
	b.git("remote", "add", "origin", "/x")
	want("origin")
	b.git("config", "branch.main.remote", "fork")
	want("fork")
	b.git("config", "branch.main.remote", ".")
	want("origin")
	b.git("checkout", "-q", "--detach")
	want("origin")
}

func TestFetch(t *testing.T) {
	b, other := withRemote(t)
	ctx := context.Background()
	other.write("a", "other\n")
	hash := other.commit()
	other.git("push", "-q", "origin", "main", "main:side", "main:refs/heads/deep/refs/heads/main")
	other.git("tag", "v1")
	other.git("push", "-q", "origin", "v1")
	found, err := b.Remotes().Fetch(ctx, "origin", "main", "gone")
	if err != nil || !maps.Equal(found, map[string]string{"main": hash}) || b.git("rev-parse", "origin/main") != hash {
		t.Errorf("got %v, %v", found, err)
	}
	if got := b.git("for-each-ref", "--format=%(refname)", "refs/remotes/origin/side", "refs/tags"); got != "" {
		t.Errorf("fetched %s", got)
	}
	if found, err := b.Remotes().Fetch(ctx, "origin", "gone"); err != nil || len(found) != 0 {
		t.Errorf("got %v, %v", found, err)
	}
	if found, err := b.Remotes().Fetch(ctx, "origin"); err != nil || len(found) != 3 || b.git("rev-parse", "origin/side") != hash {
		t.Errorf("got %v, %v", found, err)
	}
	b.git("remote", "set-url", "origin", b.path("nowhere"))
	_, err = b.Remotes().Fetch(ctx, "origin", "main")
	if e := wantAs[*RemoteError](t, err); e.Kind != Missing {
		t.Errorf("got %+v", e)
	}
	for _, bad := range []string{"none", "--upload-pack=x", "https://u:secret@localhost/x", "."} {
		_, err := b.Remotes().Fetch(ctx, bad, "main")
		if e := wantAs[*RemoteError](t, err); e.Kind != Missing || strings.Contains(e.Error(), "secret") {
			t.Errorf("%s: %+v", bad, e)
		}
	}
}

func TestPush(t *testing.T) {
	b, other := withRemote(t)
	ctx := context.Background()
	b.write("b", "1\n")
	one := b.commit()
	for range 2 { // the second time there is nothing to do
		b.ok(b.Remotes().Push(ctx, "origin", "main", PushOptions{}))
	}
	if got := b.git("ls-remote", "origin", "refs/heads/main"); !strings.HasPrefix(got, one) {
		t.Errorf("got %s", got)
	}
	other.git("pull", "-q", "--rebase")
	other.write("a", "other\n")
	theirs := other.commit()
	other.git("push", "-q")
	b.write("b", "2\n")
	b.commit()
	for _, o := range []PushOptions{{}, {Lease: one}} {
		e := wantAs[*RemoteError](t, b.Remotes().Push(ctx, "origin", "main", o))
		if e.Kind != Rejected {
			t.Errorf("%+v: %+v", o, e)
		}
	}
	b.ok(b.Remotes().Push(ctx, "origin", "main", PushOptions{Lease: theirs}))
	if e := wantAs[*RemoteError](t, b.Remotes().Push(ctx, "origin", "none", PushOptions{})); e.Kind != Missing {
		t.Errorf("got %+v", e)
	}
	if e := wantAs[*RemoteError](t, b.Remotes().Push(ctx, "none", "main", PushOptions{})); e.Kind != Missing {
		t.Errorf("got %+v", e)
	}
}

func TestPushRunsTheUsersHook(t *testing.T) {
	b, _ := withRemote(t)
	ctx := context.Background()
	b.write("b", "1\n")
	b.commit()
	b.script(".git/hooks/pre-push", "read local hash rest\necho \"$1 $local\" > .git/pushed\n") // as git-lfs does
	b.ok(b.Remotes().Push(ctx, "origin", "main", PushOptions{Hooks: true}))
	b.wantFile(".git/pushed", "origin refs/heads/main\n")
	b.script(".git/hooks/pre-push", "echo fatal tests: Connection refused\nexit 1\n")
	b.write("b", "2\n")
	b.commit()
	if e := wantAs[*RemoteError](t, b.Remotes().Push(ctx, "origin", "main", PushOptions{Hooks: true})); e.Kind != Hook || !strings.Contains(e.Said, "failed to push") {
		t.Errorf("got %+v", e)
	}
	b.ok(os.Remove(b.path(".git/hooks/pre-push")))
	bare := box{Tree{Dir: b.git("remote", "get-url", "origin")}, t}
	bare.script("hooks/pre-receive", "echo no such commits here; exit 1\n")
	if e := wantAs[*RemoteError](t, b.Remotes().Push(ctx, "origin", "main", PushOptions{})); e.Kind != Denied || !strings.Contains(e.Said, "no such commits here") {
		t.Errorf("got %+v", e)
	}
}

func TestRemotesErrorsHoldNoCredentials(t *testing.T) {
	b := newBox(t)
	b.git("remote", "add", "origin", "http://user:secret@127.0.0.1:1/x.git")
	_, err := b.Remotes().Fetch(context.Background(), "origin", "main")
	for _, err := range []error{err, b.Remotes().Push(context.Background(), "origin", "main", PushOptions{})} {
		if e := wantAs[*RemoteError](t, err); e.Kind != Network || strings.Contains(e.Error(), "secret") {
			t.Errorf("got %+v", e)
		}
	}
}

func TestClassify(t *testing.T) {
	for said, want := range map[string]Kind{
		"git@host: Permission denied (publickey).\nfatal: Could not read from remote repository.":                                           Denied,
		"fatal: could not read Username for 'https://host': terminal prompts disabled":                                                      Denied,
		"remote: Permission to x denied\nfatal: unable to access 'https://host/': The requested URL returned error: 403":                    Denied,
		"Host key verification failed.\nfatal: Could not read from remote repository.":                                                      Denied,
		"ssh: Could not resolve hostname x: Name or service not known\nfatal: Could not read from remote repository.":                       Network,
		"fatal: unable to access 'https://host/': Could not resolve host: host":                                                             Network,
		"ssh: connect to host x port 22: Connection refused\nfatal: Could not read from remote repository.":                                 Network,
		"send-pack: unexpected disconnect while reading sideband packet\nfatal: the remote end hung up\nerror: failed to push some refs to": Network,
		"ERROR: Repository not found.\nfatal: Could not read from remote repository.":                                                       Missing,
		"fatal: repository 'https://host/x/' not found":                                                                                     Missing,
		"fatal: something new": Other,
		"test failed: Permission denied\nerror: failed to push some refs to 'x'": Hook,
	} {
		a := git.Answer{Exit: 1, Stderr: said}
		if got := classify(a); got != want {
			t.Errorf("%q: %s, want %s", said, got, want)
		}
	}
	for line, want := range map[string]Kind{
		"!\trefs/heads/x:refs/heads/x\t[rejected] (non-fast-forward)":                      Rejected,
		"!\trefs/heads/x:refs/heads/x\t[rejected] (stale info)":                            Rejected,
		"!\trefs/heads/x:refs/heads/x\t[remote rejected] (protected branch hook declined)": Denied,
		"!\trefs/heads/x:refs/heads/x\t[remote rejected] (cannot lock ref 'x')":            Rejected,
	} {
		if got := classify(git.Answer{Exit: 1, Stdout: []byte("To x\n" + line + "\nDone\n")}); got != want {
			t.Errorf("%q: %s, want %s", line, got, want)
		}
	}
}

// A relative address is one from the main work tree, wherever the work is done.
func TestARelativeAddressInAWorkTreeElsewhere(t *testing.T) {
	b, _ := withRemote(t)
	bare := strings.TrimSpace(b.git("remote", "get-url", "origin"))
	rel, err := filepath.Rel(b.Top(), bare)
	if err != nil {
		t.Fatal(err)
	}
	b.git("remote", "set-url", "origin", rel)
	tree, err := b.AddWorktree(t.Context(), filepath.Join(realTemp(t), "deep", "er", "tree"), "apart", "main")
	if err == nil {
		_, err = tree.Remotes().Fetch(t.Context(), "origin", "main")
	}
	if err == nil {
		err = tree.Remotes().Push(t.Context(), "origin", "apart", PushOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
}
