//go:build unix

package crash

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// iterates is an agent that writes down, outside of the project, each time that
// it is run. In the stage build it changes something three times and then says
// that nothing is left; elsewhere it adds to its output. As a judge it stops the
// third time; as a chooser it takes the second.
const iterates = `
prompt=$(cat)
runs=$(dirname "$0")/../runs
stage=$(echo "$prompt" | sed -n 's/^STAGE \(.*\)/\1/p')
echo "$WARP_ROLE $stage $WARP_CHUNK" >> $runs
out=$(echo "$prompt" | sed -n 's/^OUTPUT \(.*\)/\1/p')
case $WARP_ROLE in
judge) if [ $(grep -c "^judge" $runs) -ge 3 ]; then echo '{"stop":true,"reason":"enough","confidence":0.9}'; else echo '{"stop":false,"reason":"more","confidence":0.9}'; fi > $WARP_RESULT; exit ;;
choose) echo '{"choice":"two","reason":"it is the second"}' > $WARP_RESULT; exit ;;
esac
plateau=false
case $stage in
build) n=$(cat built 2>/dev/null | wc -l); if [ $n -lt 3 ]; then echo "built $WARP_CHUNK" >> built; else plateau=true; fi ;;
both) grep -sqx "by $WARP_CHUNK" both.txt || echo "by $WARP_CHUNK" >> both.txt ;;
*) echo "$stage $WARP_CHUNK" >> "$out" ;;
esac
echo "{\"summary\":\"$stage $WARP_CHUNK\",\"plateau\":$plateau,\"learnings\":[\"a lesson\"]}" > $WARP_RESULT
`

// pipelines are run and killed.
var pipelines = []struct {
	name, file string
	sample     []string
}{
	{"three stages", `
name: three
commands: {test: "sh check.sh"}
stages:
  - id: plan
    runs: 2
    prompt: &p |
      STAGE ${STAGE}
      OUTPUT ${OUTPUT}
      ${INPUTS}
  - id: build
    until: plateau
    may_be_empty: true
    commit: true
    verify: [test]
    prompt: *p
    inputs: {from: plan}
  - id: review
    until: judge
    inputs: [{from: plan, select: all}, {from: build}]
    prompt: *p
`, []string{"branch_made#1", "agent_answered#2", "committed#2", "landed#1"}},
	{"side by side, and a choice", `
name: wide
stages:
  - id: left
    needs: []
    runs: 2
    prompt: &p |
      STAGE ${STAGE}
      OUTPUT ${OUTPUT}
  - id: both
    needs: [left]
    runs: 2
    prompt: *p
    parallel: {agents: [{agent: command, id: one}, {agent: command, id: two}], judge: {agent: command, prompt: "STAGE ${STAGE}\n${CANDIDATES}"}}
  - id: last
    needs: [both]
    runs: 1
    prompt: *p
`, []string{"gathered#1"}},
}

// TestPipelineCrashes kills a pipeline after each of its points: what comes of it
// is what comes of an undisturbed one, and no iteration was run twice.
func TestPipelineCrashes(t *testing.T) {
	for _, c := range pipelines {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := scene{level: 3, criteria: 1, agent: iterates}
			template := s.template(t)
			begin := func(t *testing.T) *project {
				p := s.fresh(t, template)
				p.write("../pipe.yaml", c.file)
				p.sh("warp config set agent command && warp config set level 3")
				return p
			}
			calm := begin(t)
			file := filepath.Join(calm.dir, "points")
			if out, exit := calm.run([]string{"WARP_POINTS=" + file}, "warp", "pipeline", "run", "../pipe.yaml", "night"); exit != 0 {
				t.Fatalf("undisturbed: exit %d\n%s", exit, out)
			}
			all := strings.Fields(calm.read(file))
			want, runs := calm.session(), calm.runs()
			// An agent whose answer is not kept yet is asked again: what it left is
			// its iteration's, which a test of the engine shows.
			try := deaths(t, slices.DeleteFunc(all, func(p string) bool { return strings.HasPrefix(p, "agent_ended#") }), c.sample)
			rows := make([]string, len(try))
			t.Cleanup(func() { t.Log("\n" + strings.Join(rows, "\n")) })
			for i, points := range try {
				point := strings.Join(points, " ")
				t.Run(point, func(t *testing.T) {
					t.Parallel()
					p := begin(t)
					ways := [][]string{{"warp", "pipeline", "run", "../pipe.yaml", "night"}, {"warp", "sessions", "resume", "night"}}
					how, killed := p.die(points, ways[0], ways[i%2], ways[1-i%2])
					over := strings.Contains(p.read(filepath.Join(p.root, ".claude/pipeline-runs/night/state.json")), `"status": "complete"`)
					if over {
						how = []string{"warp", "locks", "clean"} // all that is left
					}
					out, exit := p.run(nil, how...)
					if exit != 0 {
						t.Errorf("resumed: exit %d", exit)
					}
					bad := cmp.Diff(want, p.session()) + cmp.Diff(runs, p.runs())
					result := "the same"
					if bad != "" {
						result = "DIFFERS"
						t.Errorf("killed after %s: %s\n%s--- killed\n%s", point, bad, killed, out)
					}
					rows[i] = fmt.Sprintf("row | %s | %s | %s | %+d | %s |", c.name, point, strings.Join(how[:2], " "), len(p.runs())-len(runs), result)
				})
			}
		})
	}
}

func (p *project) runs() []string {
	lines := strings.Split(strings.TrimSpace(p.read(filepath.Join(p.dir, "runs"))), "\n")
	slices.Sort(lines)
	if p.wide() { // what ran beside the one that was killed was ended midway, and runs again
		lines = slices.DeleteFunc(slices.Compact(lines), func(l string) bool { return strings.HasPrefix(l, "iterate  ") }) // its prompt never came
	}
	return lines
}

// wide tells whether the pipeline has stages that run side by side.
func (p *project) wide() bool {
	return strings.Contains(p.read(filepath.Join(p.dir, "pipe.yaml")), "parallel:")
}

var clocks = regexp.MustCompile(`\d{4}-\d\d-\d\d(T[\d:.]+Z)?`)

// session is everything that a session leaves, without times.
func (p *project) session() (list []string) {
	text := p.sh(`cd .claude/pipeline-runs/night && for f in $(find . -name '*.md' -o -name manifest.json | sort); do echo "== $f"; cat $f; done
		ls -A ../../locks; find . -name 'iteration.json' -o -name '*.tmp'
		cd ../../.. && git log --format='%s %b %T' && git status --porcelain && cat built both.txt 2>/dev/null || true
		git worktree list | wc -l; git branch; git for-each-ref --format='%(refname) %(tree)' refs/warp`)
	for line := range strings.Lines(clocks.ReplaceAllString(text, "TIME")) {
		list = append(list, strings.TrimRight(line, "\n"))
	}
	var state any
	if err := json.Unmarshal([]byte(p.read(filepath.Join(p.root, ".claude/pipeline-runs/night/state.json"))), &state); err != nil {
		p.t.Fatal(err)
	}
	text = p.plain(state)
	list = append(list, strings.Split(clocks.ReplaceAllString(text, "TIME"), "\n")...)
	if p.wide() {
		slices.Sort(list) // who is first of those that run side by side is nobody's business
	}
	return list
}

// plain prints a document without what depends on how long things took.
func (p *project) plain(x any) string {
	var walk func(any)
	walk = func(x any) {
		switch x := x.(type) {
		case map[string]any:
			for _, key := range []string{"journal", "seconds"} {
				delete(x, key)
			}
			if c, ok := x["counts"].(map[string]any); ok && (len(c) == 0 || len(c) == 1 && c["seconds"] != nil) {
				delete(x, "counts")
			}
			for _, v := range x {
				walk(v)
			}
		case []any:
			for _, v := range x {
				walk(v)
			}
		}
	}
	walk(x)
	text, err := json.MarshalIndent(x, "", "  ")
	if err != nil {
		p.t.Fatal(err)
	}
	return string(text)
}
