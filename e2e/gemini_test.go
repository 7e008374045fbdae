//go:build unix

package e2e

import (
	"slices"
	"strings"
	"testing"

	"warp/internal/core/drivestate"
	"warp/internal/testkit/gemini"
)

// commits is a program that commits, as no parser of shells sees it. Git's own hooks see
// it anywhere but in Gemini CLI's shell, which switches them off.
const commits = "const run = (...a) => require('child_process').spawnSync('g'+'it', a, {encoding: 'utf8'})\n" +
	"const commit = run('com'+'mit', '-q', '--allow-empty', '-m', 'feat: by myself'), hooks = run('config', '--get', 'core.hooks'+'Path')\n" +
	"console.log('committed', commit.status === 0, commit.stderr)\nconsole.log('hooks', hooks.status, '<' + hooks.stdout.trim() + '>')\n"

// One session shows it all, since each start of Gemini CLI takes seconds: it is held to the
// table, told what to do about its errors, and a commit that git's hooks would have refused is
// found by comparison, before the next step.
func TestASessionOfGeminiIsGuarded(t *testing.T) {
	t.Parallel()
	p := coding(t)
	p.sh("warp init --agent gemini")
	p.write("zz.js", commits)
	head := p.sh("git rev-parse HEAD")
	if out := p.sh("node zz.js"); !strings.Contains(out, "committed false") || p.sh("git rev-parse HEAD") != head {
		t.Fatalf("in a terminal git's hooks let it pass: %s", out)
	}
	api := gemini.Serve(t, []gemini.Step{
		gemini.Shell("git commit --allow-empty -m 'feat: x'"),
		gemini.Write(p.root+"/.gemini/settings.json", "{}"),
		gemini.Write(p.root+"/a.go", "package x\n"),
		gemini.Shell("git rev-parse HEAD; echo harmless: git commit"),
		gemini.Shell("echo x > /dev/full"),
		gemini.Shell("no-such-program"),
		gemini.Shell("grep -q nothing go.mod"),
		gemini.Shell("node zz.js > zz.log"),
		gemini.Shell("warp state transition . code_complete"),
		gemini.Shell("warp state transition . code_complete --confirm 'AC-01: x'"),
		gemini.Say("Done."),
	})
	r := gemini.Run(t, gemini.Options{Dir: p.root, Home: p.home, URL: api.URL, Prompt: "go", PathDirs: []string{bin}})
	if r.Exit != 0 {
		t.Fatalf("exit %d\n%s\n%s", r.Exit, r.Stdout, r.Stderr)
	}
	if text := string(api.Requests()[0].Body); !strings.Contains(text, "phase: coding") {
		t.Error("the phase's context did not arrive")
	}
	for i, want := range map[int]string{0: "only allowed during committing phase", 1: "belongs to warp or git", 3: "harmless: git commit", 7: "unseen by the guards", 9: "frozen"} {
		if out := api.Output(i); !strings.Contains(out, want) {
			t.Errorf("call %d was answered without %q: %s", i, want, out)
		}
	}
	if out := api.Output(3); !strings.Contains(out, head) {
		t.Errorf("the first commit was made: %s", out)
	}
	var told []int
	for _, q := range api.Requests()[4:8] {
		told = append(told, strings.Count(string(q.Body), "[warp-drive] this call failed. "))
	}
	if !slices.Equal(told, []int{0, 1, 2, 2}) {
		t.Errorf("told of errors %v", told)
	}
	if out := p.sh("cat zz.log"); !strings.Contains(out, "committed true") || !strings.Contains(out, "hooks 0 <>") {
		t.Errorf("Gemini CLI does not switch git's hooks off any more: docs/reference/hooks.md says so\n%s", out)
	}
	if s := p.state(); p.sh("git rev-parse HEAD") == head || s.Frozen == nil || s.Phase != drivestate.Coding || s.EditCounts["a.go"] != 1 || s.Session.ClaudeSession == "" {
		t.Errorf("in %s, frozen %+v, recorded %v, owner %q", s.Phase, s.Frozen, s.EditCounts, s.Session.ClaudeSession)
	}
}

// The same where warp runs it: the commit is taken back before the next step, reported,
// and not merged.
func TestACommitOfAHeadlessGeminiIsTakenBack(t *testing.T) {
	if !wholeMatrix() {
		t.Skip("trial takes back the commits of other agents, and the test above sees Gemini's; make agents has both at once")
	}
	t.Parallel()
	h := drives(t, one, "cat > zz.js <<'END'\n"+commits+"END\ngit add zz.js; "+withInit)
	api := gemini.Serve(t, []gemini.Step{
		gemini.Write(h.root+"/text.js", second),
		gemini.Write(h.root+"/text.test.js", "const assert = require('assert')\nconst t = require('./text.js')\n"+secondTest),
		gemini.Shell("node zz.js"),
		gemini.Say("```json\n{\"summary\":\"Done.\"}\n```\n"),
		gemini.Say("```json\n{\"criteria\":[{\"id\":\"AC-01\",\"met\":true,\"reason\":\"seen\"},{\"id\":\"AC-02\",\"met\":true,\"reason\":\"seen\"}]}\n```\n"),
	})
	h.gemini(api.URL, "GEMINI_API_KEY=dummy", "WARP_SANDBOX=off")
	h.run(0, "drive", "1", "--level", "3", "--agent", "gemini", "--model", gemini.Model)
	if out := api.Output(2); !strings.Contains(out, "committed true") {
		t.Errorf("the commit: %s", out)
	}
	if log := h.sh("git -C " + h.remote + " log --format=%s main"); log != mergedOnce {
		t.Errorf("merged:\n%s", log)
	}
	found := false
	for _, i := range h.evidence().Interventions {
		found = found || strings.Contains(strings.ToLower(i.What), "commit")
	}
	if !found {
		t.Errorf("nothing was reported: %+v", h.evidence().Interventions)
	}
}
