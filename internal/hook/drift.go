package hook

import (
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/command"
	"warp/internal/core/commit"
	"warp/internal/core/drivestate"
	"warp/internal/core/text"
	"warp/internal/sys/git"
)

// adviseOnDrift checks a commit made outside a drive. During a drive, watchBranches tells the
// owner, and other sessions are left alone.
func adviseOnDrift(c *call) error {
	if c.Tool != "Bash" || !strings.Contains(c.input("command"), "commit") {
		return nil
	}
	if s, err := c.sight.glance(); err != nil || s != nil && s.Phase.Active() {
		return err
	}
	home := locateRepository(c.drive)
	if !slices.ContainsFunc(c.readActs(), func(a command.Act) bool { return a.Kind == command.Commit && !isElsewhere(a, home) }) {
		return nil
	}
	repo := git.Repo{Dir: c.drive.Root()}
	hash, err := repo.Ref("HEAD")
	if err != nil {
		return err
	}
	return adviseOnCommit(&c.answer, repo, hash)
}

// warnOfDrift warns if commits changed tooling but no documentation.
func warnOfDrift(answer *hookAnswer, root string, m drivestate.Move) {
	repo := git.Repo{Dir: root}
	made, err := repo.Commits(m.New, m.Old)
	if err != nil {
		return // only advice would be lost
	}
	for _, one := range made {
		if adviseOnCommit(answer, repo, one.Hash) != nil {
			return
		}
	}
}

func adviseOnCommit(answer *hookAnswer, repo git.Repo, hash string) error {
	files, err := repo.Files(hash)
	if err != nil {
		return err
	}
	if file := commit.UndocumentedTooling(files); file != "" {
		answer.tell(fmt.Sprintf("commit %s changes tooling (%s) and no *.md: is its documentation still right? warp docs audit shows where it is not.", text.Hash(hash), file))
	}
	return nil
}
