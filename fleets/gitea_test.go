//go:build unix

package fleets

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/internal/adapter/forge/gitea"
	"warp/internal/testkit/forgetest/hub"
	"warp/internal/testkit/need"
)

// TestRealGiteaNight is a night on the server that WARP_GITEA names, as URL,TOKEN,OWNER: it
// is tracker and remote of two repositories, which are made there and removed. One of the
// two workers is killed while its agents work. Without the server there is nothing to run:
// make test-gitea starts one.
func TestRealGiteaNight(t *testing.T) {
	address, rest, _ := strings.Cut(os.Getenv("WARP_GITEA"), ",")
	token, owner, _ := strings.Cut(rest, ",")
	if address == "" {
		return
	}
	const repos, issues = 2, 3
	w := newMachine(t)
	goOn := filepath.Join(w.dir, "go-on")
	w.env = append(w.env, "GITEA_URL="+address, "GITEA_TOKEN="+token, "AGENT_SLOW="+goOn)
	g := newGiteaServer(w, address, token, owner)
	for n := range repos {
		g.addRepository(fmt.Sprintf("fleet-%d-%d", os.Getpid(), n+1), issues)
	}
	w.setUp(need.Temporal(t))
	w.begin(3, 2, 4*time.Second)
	if out := w.sh("warp-fleet submit --connect " + w.connect); strings.Count(out, "Task") != repos*issues {
		t.Fatalf("submitted:\n%s", out)
	}
	w.await("both workers have agents", func() bool { // each has two slots
		log, _ := os.ReadFile(filepath.Join(w.dir, "agents.log"))
		return strings.Count(string(log), "begin ") >= 3
	})
	w.workers[0].kill()
	w.write("go-on", "")
	w.await("everything is merged or parked", func() bool {
		v, ok := w.view()
		return ok && len(v.Done)+len(v.Parked) == repos*issues
	})
	g.read()
	w.checkNight(issues, 3)
	if v, ok := w.view(); !ok || len(v.Parked) > 0 {
		t.Errorf("parked: %+v", v.Parked)
	}
	w.checkEvidence(w.names()[0] + "#1")
}

// giteaServer is a Gitea in the place of the mock.
type giteaServer struct {
	w     *world
	api   *gitea.Tracker
	owner string
}

func newGiteaServer(w *world, address, token, owner string) *giteaServer {
	w.t.Helper()
	api, err := gitea.New(gitea.Config{URL: address, Owner: owner, Token: token})
	if err != nil {
		w.t.Fatal(err)
	}
	at, err := url.Parse(address)
	if err != nil {
		w.t.Fatal(err)
	}
	w.remote = at.JoinPath(owner).String() + "/"
	at.User = url.UserPassword(owner, token)
	w.write("home/.git-credentials", at.String()+"\n")
	w.sh("git config --global credential.helper store")
	return &giteaServer{w, api, owner}
}

func (g *giteaServer) ask(method, path string, in, out any) {
	g.w.t.Helper()
	if _, err := g.api.Send(g.w.t.Context(), "asking the server of the test", method, path, in, out); err != nil {
		g.w.t.Fatal(err)
	}
}

// addRepository makes a repository with approved issues that begins with the seed.
func (g *giteaServer) addRepository(name string, issues int) {
	g.w.t.Helper()
	repo := "repos/" + g.owner + "/" + name
	g.ask(http.MethodPost, "user/repos", map[string]any{"name": name, "default_branch": "main"}, nil)
	g.w.t.Cleanup(func() { // the test's context has ended by now
		if _, err := g.api.Send(context.Background(), "removing the repository", http.MethodDelete, repo, nil, nil); err != nil {
			g.w.t.Error(err)
		}
	})
	g.w.sh("cd seed && git push -q " + g.w.remote + name + ".git main")
	var ids []int64
	for _, label := range []string{"req", "approved"} {
		var made struct{ ID int64 }
		g.ask(http.MethodPost, repo+"/labels", map[string]string{"name": label, "color": "#00aabb"}, &made)
		ids = append(ids, made.ID)
	}
	for n := range issues {
		g.ask(http.MethodPost, repo+"/issues", map[string]string{"title": fmt.Sprintf("Task %d", n+1), "body": fmt.Sprintf("- [ ] AC-01: file %d is there\n", n+1)}, nil)
		g.ask(http.MethodPost, fmt.Sprintf("%s/issues/%d/labels", repo, n+1), map[string]any{"labels": ids}, nil)
	}
	h := hub.New()
	h.Name = name
	g.w.hubs[name] = h
}

// read copies what the server has to where the night is checked.
func (g *giteaServer) read() {
	g.w.t.Helper()
	for name, h := range g.w.hubs {
		g.w.sh("git clone -q --bare " + g.w.remote + name + ".git octo/" + name + ".git")
		repo := "repos/" + g.owner + "/" + name
		var items []struct {
			Number      int
			Body, State string
			Pull        *struct{} `json:"pull_request"`
		}
		g.ask(http.MethodGet, repo+"/issues?state=all&limit=50", nil, &items)
		for _, i := range items {
			item := &hub.Item{Number: i.Number, Body: i.Body, Open: i.State == "open"}
			g.ask(http.MethodGet, fmt.Sprintf("%s/issues/%d/comments", repo, i.Number), nil, &item.Comments)
			if i.Pull != nil {
				var pull struct{ Head struct{ Ref string } }
				g.ask(http.MethodGet, fmt.Sprintf("%s/pulls/%d", repo, i.Number), nil, &pull)
				item.Pull = &hub.Pull{Head: pull.Head.Ref}
			}
			h.Items = append(h.Items, item)
		}
		if len(h.Items) == 0 {
			g.w.t.Errorf("%s has no issues", name)
		}
	}
}
