package command

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestGitCommits(t *testing.T) {
	runRows(t, []row{
		{"folder", "git -C dir commit", "commit"},
		{"options", "git --no-pager -c a=b commit", "commit"},
		{"option values", "git --git-dir x --work-tree y log", ""},
		{"amend", "git commit --amend --no-edit", "commit"},
		{"short means dry", "git commit --short", ""},
		{"cherry-pick", "git cherry-pick abc", "commit"},
		{"cherry-pick without", "git cherry-pick -n abc", ""},
		{"cherry-pick on", "git cherry-pick --continue", "commit"},
		{"revert", "git revert HEAD", "commit"},
		{"am", "git am < x.patch", "commit"},
		{"commit-tree", "git commit-tree abc -m x", "commit"},
		{"fast-import", "git fast-import < x", "commit"},
		{"merge", "git merge x", "merge"},
		{"merge on", "git merge --continue", "merge"},
		{"pull", "git pull --rebase", "merge"},
		{"rebase", "git rebase main", "merge"},
		{"rebase runs", "git rebase -x 'git push' main", "merge push"},
		{"bisect runs", "git bisect run git commit", "commit"},
		{"difftool runs", "git difftool -x 'git commit -am x' HEAD", "commit"},
		{"difftool runs, spelled out", "git difftool --extcmd='git commit -am x' HEAD", "commit"},
		{"fetch runs", "git fetch --upload-pack='git commit -m x; git-upload-pack' . main", "commit"},
		{"push runs", "git push --receive-pack='git commit -m x; git-receive-pack' . main", "commit push"},
		{"submodule runs", "git submodule foreach 'git commit -m x'", "commit"},
		{"alias", "git ci -m x", "commit"},
		{"shell alias", "git yolo", "commit push"},
		{"function alias", "git fn -m x", "commit"},
		{"dynamic", `git "$x"`, "unknown"},
		{"dynamic after options", `git -C d $x`, "unknown"},
		{"dynamic option", `git "$x" commit`, "unknown"},
		{"subtree", "git subtree pull --prefix x y z", "merge"},
	})
}

func TestGitRefsAndWork(t *testing.T) {
	runRows(t, []row{
		{"update-ref", "git update-ref refs/heads/main abc", "ref"},
		{"symbolic-ref", "git symbolic-ref HEAD refs/heads/x", "ref"},
		{"branch -f", "git branch -f main abc", "ref"},
		{"branch -D", "git branch -D x", "ref"},
		{"branch --del", "git branch --del x", "ref"},
		{"branch -m", "git branch -m a b", "ref"},
		{"tag -d", "git tag -d v1", "ref"},
		{"checkout -B", "git checkout -B main abc", "ref"},
		{"switch -C", "git switch -C main", "ref"},
		{"reset soft", "git reset --soft HEAD~1", "ref"},
		{"reset mixed", "git reset HEAD~3", "ref"},
		{"reset to a branch", "git reset main", "ref"},
		{"reset dynamic", "git reset $x", "unknown"},
		{"filter-branch", "git filter-branch --all", "ref"},
		{"filter-repo", "git filter-repo --path x", "ref"},
		{"replace", "git replace a b", "ref"},
		{"fetch into a branch", "git fetch . a:b", "ref"},
		{"reflog expire", "git reflog expire --expire=now --all", "ref"},
		{"reset hard", "git reset --hard", "discard"},
		{"reset hard elsewhere", "git reset --hard origin/main", "discard ref"},
		{"reset merge", "git reset --merge", "discard"},
		{"clean", "git clean -fdx", "discard"},
		{"checkout -f", "git checkout -f main", "discard"},
		{"checkout .", "git checkout .", "discard"},
		{"checkout -- .", "git checkout HEAD -- ./", "discard"},
		{"checkout :/", "git checkout -- :/", "discard"},
		{"checkout *", "git checkout -- *", "discard"},
		{"checkout a folder", "git checkout HEAD -- src", "discard"},
		{"checkout a folder of another commit", "git checkout HEAD~2 src", "discard"},
		{"checkout a folder without a revision", "git checkout src", "discard"},
		{"checkout a branch that is also a folder", "git checkout docs", ""},
		{"checkout a pattern", "git checkout -- '*.go'", "discard"},
		{"checkout files", "git checkout HEAD -- src/a.go src/b.go", ""},
		{"restore a folder", "git restore -SW src", "discard"},
		{"restore a folder alone", "git restore src/", "discard"},
		{"restore the index of a folder", "git restore --staged src", ""},
		{"restore .", "git restore .", "discard"},
		{"restore both", "git restore -SW :/", "discard"},
		{"restore top", "git restore ':(top)'", "discard"},
		{"switch -f", "git switch -f main", "discard"},
		{"switch discard", "git switch --discard-changes main", "discard"},
		{"stash drop", "git stash drop", "discard"},
		{"stash clear", "git stash clear", "discard"},
		{"stash dynamic", "git stash $x", "unknown"},
		{"gc", "git gc --prune=now", "discard"},
		{"worktree", "git worktree remove --force x", "discard"},
		{"rm all", "git rm -rf .", "discard touch"},
		{"rm one", "git rm a.go", "touch"},
		{"rm the repository", "rm -rf .git", "discard touch"},
		{"rm everything", "rm -rf *", "discard touch"},
		{"rm the folder", "rm -rf /w", "discard touch"},
		{"rm above", "rm -r ..", "discard touch"},
	})
}

func TestGitTamper(t *testing.T) {
	runRows(t, []row{
		{"no-verify", "git commit --no-verify -m x", "tamper commit"},
		{"-n", "git commit -n", "tamper commit"},
		{"-n in a cluster", "git commit -anm x", "tamper commit"},
		{"a message -n", "git commit -m -n", "commit"},
		{"a message in a cluster", "git commit -mn", "commit"},
		{"an attached value", "git commit -uno -Sn", "commit"},
		{"a value that is not attached", "git commit -u -n", "tamper commit"},
		{"start of the option", "git commit --no-veri", "tamper commit"},
		{"push", "git push --no-verify", "tamper push"},
		{"push -n is dry", "git push -n", "push"},
		{"merge", "git merge --no-verify x", "tamper merge"},
		{"merge -n is no stat", "git merge -n x", "merge"},
		{"hooks path", "git -c core.hooksPath=/dev/null commit", "tamper commit"},
		{"hooks path, case", "git -c CORE.HooksPath= commit", "tamper commit"},
		{"include", "git -c include.path=x status", "tamper"},
		{"alias of the call", "git -c alias.x=commit x", "tamper"},
		{"shell alias of the call", "git -c alias.x='!git push' x", "tamper"},
		{"config-env", "git --config-env=core.hooksPath=X commit", "tamper commit"},
		{"exec-path", "git --exec-path=/tmp commit", "tamper commit"},
		{"git-dir", "git --git-dir=/x commit", "tamper commit"},
		{"work-tree", "git --work-tree /x checkout -f", "tamper discard"},
		{"GIT_DIR", "GIT_DIR=/x git commit", "tamper commit"},
		{"GIT_CONFIG_COUNT", "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=a GIT_CONFIG_VALUE_0=b git commit", "tamper commit"},
		{"exported", "export GIT_CONFIG_PARAMETERS=x; git commit", "tamper commit"},
		{"exported in quotes", `export "GIT_CONFIG_GLOBAL=x"; git commit`, "tamper commit"},
		{"by env", "env GIT_CONFIG_GLOBAL=x git commit", "tamper commit"},
		{"only for one command", "GIT_DIR=/x ls; git commit", "commit"},
		{"unset", "export GIT_DIR=/x; unset GIT_DIR; git commit", "commit"},
		{"dynamic setting", `git -c "$x" commit`, "tamper commit"},
		{"husky", "HUSKY=0 git commit", "tamper commit"},
		{"config hooks", "git config core.hooksPath /dev/null", "tamper"},
		{"config unset", "git config --global --unset core.hookspath", "tamper"},
		{"config set", "git config set --local include.path x", "tamper"},
		{"config includeIf", "git config includeIf.gitdir:x.path y", "tamper"},
		{"config alias", "git config --global alias.x '!git commit'", "tamper"},
		{"config section", "git config --remove-section core", "tamper"},
		{"config file", "git config -f .git/config core.hooksPath x", "tamper touch"},
		{"config edit", "git config -e", "tamper"},
		{"remote", "git remote set-url origin x", "tamper"},
		{"remote for pushes", "git remote set-url --push origin x", "tamper"},
		{"remote removed", "git remote remove origin", "tamper"},
		{"remote added", "git remote add x y", ""},
		{"config pushurl", "git config remote.origin.pushurl x", "tamper"},
		{"config url", "git config set remote.origin.url x", "tamper"},
		{"config insteadOf", "git config url.x.insteadOf y", "tamper"},
		{"config, looking", "git config remote.origin.url", ""},
		{"setting pushurl", "git -c remote.origin.pushurl=x push", "tamper push"},
		{"setting insteadOf for a fetch", "git -c url.x.insteadOf=y fetch", ""},
		{"config dynamic", `git config "$k" v`, "tamper"},
		{"a setting that runs", "git -c core.editor='git push;' log", "push"},
	})
}

func TestPush(t *testing.T) {
	for _, c := range []struct {
		command string
		want    Act
	}{
		{"git push", Act{}},
		{"git push origin main", Act{Refs: []string{"main"}}},
		{"git push -u origin HEAD", Act{Refs: []string{"HEAD"}}},
		{"git push origin HEAD:refs/heads/x", Act{Refs: []string{"x"}}},
		{"git push -f origin a b:c", Act{Force: true, Refs: []string{"a", "c"}}},
		{"git push --force-with-lease", Act{Force: true}},
		{"git push origin +main", Act{Force: true, Refs: []string{"main"}}},
		{"git push origin :x", Act{Delete: true, Refs: []string{"x"}}},
		{"git push origin --delete x", Act{Delete: true, Refs: []string{"x"}}},
		{"git push --mirror r", Act{Force: true, Delete: true, All: true}},
		{"git push --all", Act{All: true}},
		{"git push -n -o ci.skip origin x", Act{DryRun: true, Refs: []string{"x"}}},
		{"git push --dry-run", Act{DryRun: true}},
		{`git push origin "$b"`, Act{Refs: []string{dynamic}}},
		{`git push origin "HEAD:$b"`, Act{Refs: []string{dynamic}}},
		{"git push origin 'refs/heads/*:refs/heads/*'", Act{All: true, Refs: []string{"*"}}},
		{"git push origin tag v1", Act{Refs: []string{"v1"}}},
	} {
		c.want.Kind, c.want.Dir, c.want.Words = Push, "/w", c.command
		if diff := cmp.Diff([]Act{c.want}, Read(c.command, world), cmpopts.IgnoreFields(Act{}, "Remote")); diff != "" {
			t.Errorf("%s\n%s", c.command, diff)
		}
	}
}

func TestAPushFromAnotherCloneKnowsItsAddresses(t *testing.T) {
	for command, want := range map[string]string{
		"git clone ../r.git ../c && cd ../c && git push":                          "/r.git",
		"git clone /srv/r.git && cd r && git push origin HEAD":                    "/srv/r.git",
		"git clone -b x --depth 1 host:team/r.git && git -C r push origin x":      "host:team/r.git",
		"cd ../o && git remote add up /srv/r.git && git push up main":             "/srv/r.git",
		"cd ../o && git config remote.up.url /srv/r.git && git push up main":      "/srv/r.git",
		"git init ../n && cd ../n && git remote add o /srv/r.git && git push o x": "/srv/r.git",
	} {
		for _, a := range Read(command, world) {
			if a.Kind == Push && !slices.Contains(a.URLs, want) {
				t.Errorf("%s: %q, want %q", command, a.URLs, want)
			}
		}
	}
}
