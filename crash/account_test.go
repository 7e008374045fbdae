//go:build unix

package crash

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// account is all that a drive leaves behind and that must be the same however
// often its engine died, as lines that can be compared.
func (p *project) account() []string {
	p.t.Helper()
	var a []string
	add := func(what, text string) {
		for line := range strings.Lines(strings.TrimRight(text, "\n") + "\n") {
			a = append(a, what+": "+strings.TrimRight(line, "\n"))
		}
	}
	add("checked out", p.sh("git symbolic-ref --short HEAD"))
	for _, repo := range []string{".", "../octo/widgets.git"} {
		for branch := range strings.FieldsSeq(p.sh("git -C " + repo + " for-each-ref --format='%(refname)' refs/heads")) {
			add(repo+" "+branch, p.sh("git -C "+repo+" log --format='%s, tree %T' "+branch))
		}
	}
	// What an agent that ran twice did is kept twice, unless that was within a second.
	kept := slices.Compact(strings.Fields(unique.ReplaceAllString(p.sh("git for-each-ref --format='%(refname)' refs/warp"), "")))
	add("kept", strings.Join(kept, "\n"))
	add("status", p.sh("git status --porcelain --ignored -- . ':!.claude' && git stash list && git worktree list | wc -l"))
	add("diff", p.sh("git diff HEAD"))
	add("user's files", p.sh("cat mine.txt my.secret"))
	add("left behind", p.sh(`for d in .claude/locks .claude/worktrees; do test ! -d $d || ls -A $d; done
		find .git \( -name '*.lock' -o -name 'tmp_obj*' -o -name 'rebase-*' -o -name MERGE_HEAD \); find .claude -name '*.tmp' -o -name '*.damaged*'`))
	add("state", p.state())
	add("evidence", p.evidence())
	if p.hub != nil {
		add("tracker", p.hubbed())
	} else {
		add("tracker", p.filed())
	}
	return a
}

var (
	unique  = regexp.MustCompile(`(?m)(-\d{8}T\d{6}|-[0-9a-f]{10})+$`)
	date    = regexp.MustCompile(`\d{4}-\d\d-\d\d`)
	took    = regexp.MustCompile(`: \$\d+\.\d\d, [\d.hms ]+$`) // what a night cost, and how long it took
	marker  = regexp.MustCompile(`<!-- (warp-drive .*) \d+ -->`)
	box     = regexp.MustCompile(`^- \[.\] .*`)
	heading = regexp.MustCompile(`^#+ .*|^- \*\*.*`)
)

// plainTitle is a title without times and costs.
func plainTitle(title string) string {
	return took.ReplaceAllString(date.ReplaceAllString(title, "DATE"), "")
}

// gist is what a text that was filed says, without times, costs and hashes.
func gist(text string) (lines []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch m := marker.FindStringSubmatch(line); {
		case m != nil:
			lines = append(lines, "marker "+m[1])
		case box.MatchString(line), heading.MatchString(line) && !strings.HasPrefix(line, "### u, "):
			lines = append(lines, line)
		}
	}
	return lines
}

// filed is what the local tracker has.
func (p *project) filed() string {
	var b strings.Builder
	for _, pattern := range []string{"issues", "pulls"} {
		files, _ := filepath.Glob(filepath.Join(p.root, ".claude", pattern, "*.md"))
		slices.Sort(files)
		for _, f := range files {
			text := p.read(f)
			fmt.Fprintf(&b, "%s/%s\n", pattern, filepath.Base(f))
			for _, key := range []string{"title", "labels", "state", "head", "base", "assignees"} {
				if m := regexp.MustCompile(`(?m)^` + key + `: .*`).FindString(text); m != "" {
					fmt.Fprintf(&b, "  %s\n", plainTitle(m))
				}
			}
			for _, line := range gist(text) {
				fmt.Fprintf(&b, "  %s\n", line)
			}
		}
	}
	return b.String()
}

// hubbed is what the mock GitHub has.
func (p *project) hubbed() string {
	p.hub.Lock()
	defer p.hub.Unlock()
	var b strings.Builder
	for _, i := range p.hub.Items {
		fmt.Fprintf(&b, "#%d %s open=%t %v %v\n", i.Number, plainTitle(i.Title), i.Open, i.Labels, i.Assignees)
		if i.Pull != nil {
			fmt.Fprintf(&b, "  pull request from %s into %s\n", i.Pull.Head, i.Pull.Base)
		}
		for _, line := range gist(i.Body) {
			fmt.Fprintf(&b, "  %s\n", line)
		}
		for _, c := range i.Comments {
			fmt.Fprintf(&b, "  comment\n")
			for _, line := range gist(c.Body) {
				fmt.Fprintf(&b, "    %s\n", line)
			}
		}
	}
	for _, l := range p.hub.Labels {
		fmt.Fprintf(&b, "label %s\n", l.Name)
	}
	return b.String()
}

func (p *project) read(path string) string {
	p.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(text)
}

// state is what the drive's document says in the end.
func (p *project) state() string {
	if p.scene.apart {
		return "gone with its work tree"
	}
	var s struct {
		Phase   string
		Metrics map[string]any
		Chunk   struct {
			Index, Total int
			Skipped      []int
		}
		Commits []string `json:"commit_hashes"`
	}
	if err := json.Unmarshal([]byte(p.read(filepath.Join(p.root, ".claude", ".warp-drive-state.json"))), &s); err != nil {
		p.t.Fatal(err)
	}
	delete(s.Metrics, "tests_run") // an agent that begins again may need fewer
	return fmt.Sprintf("%s, chunk %d/%d, skipped %v, %d commits\n%v\n", s.Phase, s.Chunk.Index, s.Chunk.Total, s.Chunk.Skipped, len(s.Commits), s.Metrics)
}

// row is a row of the journal.
type row struct {
	Kind string
	Data map[string]any
}

// rows are those of some kinds of evidence.
func (p *project) rows(kinds ...string) (list []row) {
	p.t.Helper()
	f, err := os.Open(filepath.Join(p.root, ".claude", "state", "events.jsonl"))
	if err != nil {
		p.t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var r row
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			p.t.Fatalf("a line of the journal is no JSON: %.80s", lines.Text())
		}
		if slices.Contains(kinds, r.Kind) {
			list = append(list, r)
		}
	}
	return list
}

// evidence is what warp evidence says, and the rows that must be there once.
func (p *project) evidence() string {
	var b strings.Builder
	for _, r := range p.rows("commit", "filed", "outcome", "skipped", "plan", "decision") {
		fmt.Fprintf(&b, "%s", r.Kind)
		for _, key := range []string{"issue", "chunk", "what", "number", "subject", "criteria", "wip", "files", "result", "approach", "chunks", "question"} {
			if v, ok := r.Data[key]; ok {
				fmt.Fprintf(&b, " %s=%v", key, v)
			}
		}
		b.WriteString("\n")
	}
	out, exit := p.run(nil, "warp", "evidence", "1", "--json")
	var e struct {
		Outcome  struct{ Result string }
		Criteria []struct {
			ID, Status string
			Commits    []struct{ Subject string }
			Verdict    struct{ Met bool }
			Proven     struct {
				How, File string
				Red       bool `json:"red_before"`
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &e); err != nil {
		p.t.Fatalf("warp evidence: exit %d: %v\n%s", exit, err, out)
	}
	fmt.Fprintf(&b, "%+v\n", e)
	return b.String()
}

// alive lists the processes that the project's commands have left behind.
func (p *project) alive() (left []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, f := range files {
		if env, err := os.ReadFile(f); err == nil && slices.Contains(strings.Split(string(env), "\x00"), p.mark()) {
			argv, _ := os.ReadFile(filepath.Join(filepath.Dir(f), "cmdline"))
			left = append(left, strings.ReplaceAll(string(argv), "\x00", " "))
		}
	}
	return left
}
