package gitea

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"warp/internal/engine/forge"
	"warp/internal/testkit/forgetest"
)

// TestRealServer runs the suite against the server that WARP_GITEA names, as
// URL,TOKEN,OWNER: the token needs all scopes, and each case makes its own
// repository and removes it. Without it there is nothing to run.
func TestRealServer(t *testing.T) {
	address, rest, _ := strings.Cut(os.Getenv("WARP_GITEA"), ",")
	token, owner, _ := strings.Cut(rest, ",")
	if address == "" {
		return
	}
	server, err := New(Config{URL: address, Owner: owner, Token: token})
	if err != nil {
		t.Fatal(err)
	}
	me, err := server.User(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ask := func(t *testing.T, method, path string, in, out any) {
		t.Helper()
		if _, err := server.Send(t.Context(), "preparing the test", method, path, in, out); err != nil {
			t.Fatal(err)
		}
	}
	var made atomic.Int64
	forgetest.Run(t, func(t *testing.T) (forge.Tracker, forgetest.Backdoor) {
		name := fmt.Sprintf("warp-%d-%d", os.Getpid(), made.Add(1))
		repo := "repos/" + owner + "/" + name
		ask(t, http.MethodPost, "user/repos", map[string]any{"name": name, "auto_init": true, "default_branch": "main"}, nil)
		t.Cleanup(func() { // the test's context has ended by now
			if _, err := server.Send(context.Background(), "removing the repository", http.MethodDelete, repo, nil, nil); err != nil {
				t.Error(err)
			}
		})
		tracker, err := New(Config{URL: address, Owner: owner, Name: name, Token: token})
		if err != nil {
			t.Fatal(err)
		}
		return tracker, forgetest.Backdoor{
			User: me,
			SetBody: func(t *testing.T, number int, body string) {
				ask(t, http.MethodPatch, fmt.Sprintf("%s/issues/%d", repo, number), map[string]string{"body": body}, nil)
			},
			Pull: func(t *testing.T, number int, body string) string {
				path := fmt.Sprintf("%s/pulls/%d", repo, number)
				if body != "" {
					ask(t, http.MethodPatch, path, map[string]string{"body": body}, nil)
				}
				var p struct{ Body string }
				ask(t, http.MethodGet, path, nil, &p)
				return p.Body
			},
			Branch: func(t *testing.T, branch string) string {
				var f struct{ Commit struct{ SHA string } }
				file := strings.ReplaceAll(branch, "/", "-") + ".txt"
				ask(t, http.MethodPost, repo+"/contents/"+file, map[string]string{"message": branch, "branch": "main", "new_branch": branch, "content": "eA=="}, &f)
				return f.Commit.SHA
			},
		}
	})
}
