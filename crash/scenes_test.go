//go:build unix

package crash

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/testkit/need"
)

// scene is one kind of drive.
type scene struct {
	name     string
	level    int
	criteria int
	issues   int      // requirements, taken by themselves; 0: one, by its number
	demo     string   // how the agent misbehaves
	never    string   // a criterion whose test cannot pass
	github   bool     // the tracker is a mock GitHub
	apart    bool     // in a work tree of its own
	agent    string   // a script that stands in for the agent; "": the demo agent
	exit     int      // of the drive when nobody disturbs it
	ahead    bool     // others pushed before it began
	checks   bool     // criteria have checks, which join the commits
	sample   []string // the points that every run of the tests has one drive die after
}

const title = "Five things"

var scenes = []scene{
	{name: "level 3, five criteria, tests fail once, with a remote", level: 3, criteria: 5, demo: "stumble",
		sample: []string{"ran_code#1", "filed_report#2", "merged_in_git#1", "session_ended#1"}},
	{name: "level 2, pull request", level: 2, criteria: 2},
	{name: "a chunk is given up", level: 3, criteria: 4, never: "AC-04", exit: 3, sample: []string{"filed_bug#1", "skipped#1"}},
	{name: "every chunk is given up", level: 3, criteria: 2, never: "AC-02", exit: 1},
	{name: "a question that nobody answers", level: 3, criteria: 4, agent: asks, exit: 3},
	{name: "stopped by an interrupt", level: 3, criteria: 4, agent: interrupts, exit: 130, sample: []string{"wip_committed#1"}},
	{name: "GitHub, level 3", level: 3, criteria: 4, github: true, demo: "stumble"},
	{name: "GitHub, level 2", level: 2, criteria: 4, github: true, sample: []string{"pull_opened#1"}},
	{name: "an agent that destroys", level: 3, criteria: 2, demo: "code:destroy", sample: []string{"agent_ended_code#1"}},
	{name: "an agent that commits", level: 3, criteria: 2, demo: "commit"},
	{name: "the target moves on", level: 3, criteria: 2, ahead: true},
	{name: "others push meanwhile", level: 3, criteria: 1, agent: races("theirs.txt")},
	{name: "others push what conflicts", level: 3, criteria: 1, agent: races("AC-01.txt")},
	{name: "checks that join the commits", level: 3, criteria: 4, checks: true, demo: "stumble",
		sample: []string{"contract#1", "checked#2", "joined#1", "joined#1"}},
	{name: "a work tree of its own", level: 3, criteria: 2, apart: true},
	{name: "two requirements, one after the other", level: 3, criteria: 1, issues: 2, apart: true},
}

// asks is an agent that has a question about the second chunk.
const asks = `case "$WARP_ROLE/$WARP_CHUNK" in
code/2) echo '{"summary":"?","decision":{"question":"Which way?","options":["left","right"]}}' > "$WARP_RESULT"; exit 0;;
esac
` + plays

// interrupts is an agent that is interrupted in the second chunk: with the
// engine, as by Ctrl-C in a terminal.
const interrupts = `case "$WARP_ROLE/$WARP_CHUNK" in
code/2) echo half > half.txt; kill -INT $PPID; exec sleep 600;;
esac
` + plays

// races is an agent during whose work someone else pushes a file.
func races(file string) string {
	return `if [ $WARP_ROLE = verify ] && [ ! -e ../other ]; then
	git clone -q ../octo/widgets.git ../other && cd ../other && echo theirs > ` + file + ` && git add -A &&
	git -c user.name=o -c user.email=o@example.invalid commit -q -m 'feat: theirs' && git push -q origin main && cd ../project
fi
` + plays
}

// dies is an agent that ends the engine at first, and lives on.
const dies = `if [ $WARP_ROLE = code ] && [ ! -e ../died ]; then
	until grep -sq WARP_RUN_ .claude/state/agents/running/*.json; do :; done
	touch ../died; echo half > AC-01.txt; kill -9 $PPID; exec sleep 600
fi
` + plays

// plays is the part of an agent that does what it is asked.
const plays = `case $WARP_ROLE in
code|fix) for id in $(echo "$WARP_CRITERIA" | tr , ' '); do echo "$id" > "$id.txt"; done
	echo '{"summary":"done"}' > "$WARP_RESULT";;
verify) { echo '{"criteria":['; for id in $(echo "$WARP_CRITERIA" | tr , ' '); do printf '%s{"id":"%s","met":true,"reason":"there is %s.txt"}' "$sep" "$id" "$id"; sep=,; done; echo ']}'; } > "$WARP_RESULT";;
plan) echo '{"approach":"one file for each"}' > "$WARP_RESULT";;
esac
`

// body is the text of the n-th requirement.
func (s scene) body(n int) string {
	var b strings.Builder
	b.WriteString("What is wanted.\n\n")
	for i := range s.criteria {
		fmt.Fprintf(&b, "- [ ] AC-%d%d: thing %d\n", n, i+1, i+1)
	}
	return b.String()
}

// template makes the project of a scene, with files of the user's that are
// nobody's business.
func (s scene) template(t *testing.T) string {
	t.Helper()
	p := s.fresh(t, "")
	for _, dir := range []string{"project", "home", "tools", "octo"} {
		if err := os.MkdirAll(filepath.Join(p.dir, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p.write("package.json", "{\"name\": \"x\"}\n")
	p.write("README.md", "# x\n")
	p.write("notes.md", "a note\n")
	p.write(".gitignore", "*.secret\n")
	p.write("check.sh", fmt.Sprintf("n=%q\nfor f in demo_*.js; do if grep -q -e 'not AC' ${n:+-e \"$n\"} \"$f\" 2>/dev/null; then echo \"--- FAIL: $f\"; exit 1; fi; done\n", s.never))
	if s.checks {
		p.write("base.test.js", "")
		p.write("check.sh", "n=0; for f in *.test.js; do n=$((n + 1)); if grep -q 'not AC' $f; then echo \"not ok $n - $f\"; else echo \"ok $n - $f\"; fi; done; echo 1..$n\n! grep -q 'not AC' demo_*.js 2>/dev/null\n")
	}
	p.sh(`git init -q -b main && git config user.name u && git config user.email u@example.invalid
		git init -q --bare -b main ../octo/widgets.git && git remote add origin ../octo/widgets.git
		git add -A && git commit -q -m 'chore: begin' && git push -q origin main
		warp config set test_command 'sh check.sh' && printf '.claude/\n' >> .git/info/exclude`)
	if s.checks {
		need.Tool(t, "node")
		p.sh("warp config set checks auto")
	}
	if s.level == 2 {
		p.sh("git switch -q -c feature/issue-1-mine")
	}
	if s.github {
		// A remote on GitHub whose other end is the folder beside.
		p.write("../tools/ssh", "#!/bin/sh\ncd \"$(dirname \"$0\")/..\" && eval \"$2\"\n")
		p.sh(`git remote set-url origin git@github.com:octo/widgets.git && git config ssh.variant simple && git config core.sshCommand ssh`)
	} else {
		for n := range max(1, s.issues) {
			p.write("../body.md", s.body(n))
			p.sh(fmt.Sprintf("warp issue new --title %q --body-file ../body.md --label req --label approved", title))
		}
	}
	if s.agent != "" {
		p.write("../tools/agent", "#!/bin/sh\n"+s.agent)
		p.sh(`warp config set agent_command '["agent"]'`)
	}
	if s.ahead {
		p.sh(`git clone -q ../octo/widgets.git ../other && cd ../other && git config user.name o && git config user.email o@example.invalid &&
			echo theirs > theirs.txt && git add -A && git commit -q -m 'feat: theirs' && git push -q origin main && cd .. && rm -rf other`)
	}
	p.write("notes.md", "a note\nand one that is not committed\n")
	p.write("mine.txt", "untracked\n")
	p.write("my.secret", "ignored\n")
	return p.dir
}

// by names the agent on a command line.
func (s scene) by() []string {
	if s.agent != "" {
		return []string{"--agent", "command"}
	}
	return []string{"--agent", "demo"}
}

// drive is the command line that begins the scene's drive, or goes on with it.
func (s scene) drive() []string {
	argv := append([]string{"warp", "drive", "--level", fmt.Sprint(s.level)}, s.by()...)
	if s.apart {
		argv = append(argv, "--worktree")
	}
	if s.issues == 0 {
		argv = append(argv, "1")
	}
	return argv
}

// resume is the other way to go on with it: in this work tree, and with this
// requirement alone.
func (s scene) resume() []string { return append([]string{"warp", "resume"}, s.by()...) }
