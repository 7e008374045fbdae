//go:build unix

package e2e

import (
	"strings"
	"testing"

	"warp/internal/testkit/gemini"
)

// commits is a program that commits, as no parser of shells sees it. Git's own hooks see
// it anywhere but in Gemini CLI's shell, which switches them off.
const commits = "const run = (...a) => require('child_process').spawnSync('g'+'it', a, {encoding: 'utf8'})\n" +
	"const commit = run('com'+'mit', '-q', '--allow-empty', '-m', 'feat: by myself'), hooks = run('config', '--get', 'core.hooks'+'Path')\n" +
	"console.log('committed', commit.status === 0, commit.stderr)\nconsole.log('hooks', hooks.status, '<' + hooks.stdout.trim() + '>')\n"

// What git's hooks would have refused is found by comparison, before the next step.
func TestACommitInGeminisShellIsFound(t *testing.T) {
	t.Parallel()
	p := coding(t)
	p.sh("warp init --agent gemini")
	p.write("zz.js", commits)
	head := p.sh("git rev-parse HEAD")
	if out := p.sh("node zz.js"); !strings.Contains(out, "committed false") || p.sh("git rev-parse HEAD") != head {
		t.Fatalf("in a terminal git's hooks let it pass: %s", out)
	}
	api := gemini.Serve(t, []gemini.Step{
		gemini.Shell("node zz.js > zz.log"),
		gemini.Shell("warp state transition . code_complete"),
		gemini.Shell("warp state transition . code_complete --confirm 'AC-01: x'"),
		gemini.Say("Done."),
	})
	r := gemini.Run(t, gemini.Options{Dir: p.root, Home: p.home, URL: api.URL, Prompt: "go", PathDirs: []string{bin}})
	if r.Exit != 0 {
		t.Fatalf("exit %d\n%s\n%s", r.Exit, r.Stdout, r.Stderr)
	}
	if out := p.sh("cat zz.log"); !strings.Contains(out, "committed true") || !strings.Contains(out, "hooks 0 <>") {
		t.Errorf("Gemini CLI does not switch git's hooks off any more: docs/reference/hooks.md says so\n%s", out)
	}
	if s := p.state(); p.sh("git rev-parse HEAD") == head || s.Frozen == nil || s.Phase != "coding" {
		t.Errorf("not noticed: in %s, frozen %+v", s.Phase, s.Frozen)
	}
	for i, want := range []string{0: "unseen by the guards", 2: "frozen"} {
		if out := api.Output(i); !strings.Contains(out, want) {
			t.Errorf("call %d was answered: %s", i, out)
		}
	}
}

// The same where warp runs it: the commit is taken back before the next step, reported,
// and not merged.
func TestACommitOfAHeadlessGeminiIsTakenBack(t *testing.T) {
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
