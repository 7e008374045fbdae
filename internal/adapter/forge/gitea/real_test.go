package gitea

import (
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	api "code.gitea.io/sdk/gitea"

	"warp/internal/engine/forge"
	"warp/internal/testkit/forgetest"
)

// TestRealServer runs the suite against the server that WARP_GITEA names, as
// URL,TOKEN,OWNER: the token needs all scopes, and each case makes a repository
// of its own and removes it. Without it there is nothing to run.
func TestRealServer(t *testing.T) {
	address, rest, _ := strings.Cut(os.Getenv("WARP_GITEA"), ",")
	token, owner, _ := strings.Cut(rest, ",")
	if address == "" {
		return
	}
	c, err := api.NewClient(address, api.SetToken(token))
	if err != nil {
		t.Fatalf("%v", err)
	}
	me, _, err := c.GetMyUserInfo()
	if err != nil {
		t.Fatalf("%v", err)
	}
	var made atomic.Int64
	forgetest.Run(t, func(t *testing.T) (forge.Tracker, forgetest.Backdoor) {
		name := fmt.Sprintf("warp-%d-%d", os.Getpid(), made.Add(1))
		if _, _, err := c.CreateRepo(api.CreateRepoOption{Name: name, AutoInit: true, DefaultBranch: "main"}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if _, err := c.DeleteRepo(owner, name); err != nil {
				t.Error(err)
			}
		})
		tracker, err := New(Config{URL: address, Owner: owner, Name: name, Token: token})
		if err != nil {
			t.Fatal(err)
		}
		return tracker, forgetest.Backdoor{
			User: me.UserName,
			SetBody: func(t *testing.T, number int, body string) {
				if _, _, err := c.EditIssue(owner, name, int64(number), api.EditIssueOption{Body: &body}); err != nil {
					t.Fatal(err)
				}
			},
			Branch: func(t *testing.T, branch string) string {
				f, _, err := c.CreateFile(owner, name, strings.ReplaceAll(branch, "/", "-")+".txt", api.CreateFileOptions{
					FileOptions: api.FileOptions{Message: branch, BranchName: "main", NewBranchName: branch}, Content: "eA==",
				})
				if err != nil {
					t.Fatal(err)
				}
				return f.Commit.SHA
			},
		}
	})
}
