//go:build linux

package redteam

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"warp/internal/testkit/programs"
)

// naive is an engine that believes everything: it runs the agent and the tests where
// the agent worked, commits what it made and pushes it.
const naive = `WARP_ROLE=code WARP_CRITERIA=AC-01 WARP_RESULT="$cell/result.json" "$cell/agent" < /dev/null
cd "$project" && @TEST@ > /dev/null 2>&1 || exit 1
export GIT_INDEX_FILE="$cell/index"
git read-tree HEAD && git add -A . ':!notes.txt' ':!staged.txt' ':!scratch.txt' ':!.claude' && tree=$(git write-tree) && commit=$(git commit-tree -m work -p main $tree) || exit 1
unset GIT_INDEX_FILE
git update-ref refs/heads/main $commit && git push -q origin main && git diff --name-only -z main~1 main | xargs -0 git reset -q --`

// Every trick does harm where nothing stands in its way: else that it is prevented
// would say nothing.
func TestTricksDoHarm(t *testing.T) {
	if os.Getenv("WARP_REDTEAM") == "" {
		t.Skip("with WARP_REDTEAM")
	}
	tricks, err := readTricks()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range tricks {
		t.Run(k.class+"/"+k.name, func(t *testing.T) {
			t.Parallel()
			if !k.alone {
				t.Skip("it is against warp itself")
			}
			for _, name := range k.needs {
				if _, err := exec.LookPath(name); err != nil {
					t.Skip(name + " is not installed")
				}
			}
			c := newCell(t, k, "off")
			out, err := c.bounded(patience/4, "bash", "-c", "exec 2>&1; export REDTEAM_LOUD=1\n"+strings.Replace(naive, "@TEST@", stacks[k.stack].test, 1))
			if verdict, bad := c.judge(programs.Running(c.started)); verdict != missed {
				t.Errorf("%s: it does no harm, %v: %v\n%s", verdict, err, bad, out)
			}
		})
	}
}
