package pipeline

import (
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/sessionstate"
	"warp/internal/core/text"
	"warp/internal/core/yamltree"
)

// branchStage is a stage in the is tag of Parallel.
const branchStage = "a stage of a parallel block"

// shapes are the mappings that differ from their struct, by their name in messages. Synonyms are
// the dialect's names of keys.
var shapes = map[string]yamltree.Shape{
	"a pipeline": {Synonyms: map[string]string{"nodes": "stages"}, Needs: "stages"},
	"a stage":    {Synonyms: stageSynonyms, Needs: "id", ListOf: "at least one stage"},
	// The branch decides who runs its stages, and they run in order.
	branchStage: {Synonyms: stageSynonyms, Needs: "id", ListOf: "at least one stage", Short: "stage", Without: []string{"needs", "parallel", "agent", "model", "commit"}},
	// A loop's file does not know who runs it.
	"a loop":        {Synonyms: map[string]string{"name": "id", "provider": "agent"}, Needs: "prompt", Without: []string{"loop", "stage", "inputs", "needs", "parallel"}},
	"parallel":      {Synonyms: map[string]string{"providers": "agents"}, Needs: "agents"},
	"an agent":      {Synonyms: map[string]string{"name": "agent"}, Needs: "agent", Short: "agent", ListOf: "2 to 16 agents", Least: 2, Most: 16},
	"from_parallel": {Short: "stage"},

	"a termination of the type queue":    {Without: []string{"iterations", "consensus", "min_iterations"}},
	"a termination of the type judgment": {Without: []string{"iterations"}},
	"a termination of the type fixed":    {Without: []string{"consensus", "min_iterations"}},
}

// formats describe single values, by their name in the tags of structs.
var formats = map[string]yamltree.Format{
	"prose": yamltree.NewFormat("a text", (*yamltree.Node).AsText),
	"text": yamltree.NewFormat("a text", func(n *yamltree.Node) (string, bool) {
		s, ok := n.AsText()
		return strings.TrimSpace(s), ok
	}),
	"line":  yamltree.NewFormat("one line of text", (*yamltree.Node).AsLine),
	"until": yamltree.NewFormat("one of "+sessionstate.Strategies, (*yamltree.Node).AsLine),
	"name": yamltree.NewFormat("a name ("+text.NameRule+")", func(n *yamltree.Node) (string, bool) {
		s, _ := n.AsLine()
		return s, text.ValidName(s)
	}),
	// A path that agents may write is a template, so it is checked again once its variables are known.
	"path": yamltree.NewFormat("a path within the project, outside of .git and .claude", func(n *yamltree.Node) (string, bool) {
		s, ok := n.AsLine()
		s = path.Clean(s)
		first, _, _ := strings.Cut(s, "/")
		return s, ok && !slices.Contains([]string{"", ".", "..", ".git", ".claude"}, first)
	}),
	"count": yamltree.NewRange("a whole number from 1 to 1000000", strconv.Atoi, 1, 1_000_000),
	"seconds": yamltree.NewRange("a whole number from 1 to 1000000", func(s string) (time.Duration, error) {
		i, err := strconv.ParseInt(s, 10, 32)
		return time.Duration(i) * time.Second, err
	}, time.Second, 1_000_000*time.Second),
	"delay":   yamltree.NewRange("a time such as 90s, 5m or 1h30m", readTime, 0, math.MaxInt64),
	"time":    yamltree.NewRange("a time above zero such as 90s, 5m or 1h30m", readTime, 1, math.MaxInt64),
	"dollars": yamltree.NewRange("an amount of dollars such as 2.50", budget.ParseDollars, 1, math.MaxInt64),
	"choice": yamltree.NewFormat("judge, best, first or all", func(n *yamltree.Node) (string, bool) {
		return n.Text, slices.Contains([]string{ByJudge, Best, First, All}, n.Text)
	}),
	"truth": yamltree.NewFormat("true or false", func(n *yamltree.Node) (bool, bool) {
		return n.Text == "true", n.Text == "true" || n.Text == "false"
	}),
	"select": yamltree.NewFormat("latest, all or history", func(n *yamltree.Node) (bool, bool) {
		return n.Text != "latest", slices.Contains([]string{"latest", "all", "history"}, n.Text)
	}),
}

// readTime reads a duration, or a number of seconds.
func readTime(s string) (time.Duration, error) {
	if strings.Trim(s, "0123456789.") == "" {
		s += "s"
	}
	return budget.ParseTime(s)
}

// notOnBlocks are keys without meaning on a stage whose parallel block has stages.
var notOnBlocks = []string{"until", "runs", "min_iterations", "agent", "output_path", "model", "judge", "delay", "guardrails", "verify"}

// finishStages applies defaults, and reports what is well formed but cannot be meant.
func (r *reader) finishStages(stages []Stage) {
	for i := range stages {
		s := &stages[i]
		s.applyDefaults()
		r.completePrompts(s)
		u, err := sessionstate.ParseUntil(s.Until)
		r.Check(err != nil && s.Until != "", s.Node.Where("until"), "until: %v", err)
		r.Check(s.MinIterations > s.Runs, s.Node.Where("min_iterations"), "min_iterations is %d, but runs only %d", s.MinIterations, s.Runs)
		r.Check(s.Judge != nil && u.Kind != sessionstate.Judge, s.Node.Where("judge"), "there is a judge, but until is %q", s.Until)
		for k, v := range s.Verify {
			isKnown := v == "" || slices.ContainsFunc(r.Commands, func(c Command) bool { return c.Name == v })
			r.Check(!isKnown, s.Node.Get("verify").Elements()[k].Place, "there is no command %q among the pipeline's commands", v)
		}
		if s.Parallel != nil {
			r.finishStages(s.Parallel.Stages)
			r.validateBlock(s, s.Parallel)
		}
	}
}

func (r *reader) validateBlock(s *Stage, p *Parallel) {
	choose, isChain := p.Node.Where("choose"), len(p.Stages) > 0
	isVerified := len(s.Verify) > 0 || slices.ContainsFunc(p.Stages, func(b Stage) bool { return len(b.Verify) > 0 })
	r.Check(p.Judge != nil && p.Choose != ByJudge, choose, "there is a judge, but choose is %q", p.Choose)
	r.Check(p.Choose == Best && !isVerified, choose, "choose: best needs verify on a stage of the block, to tell which branch is best")
	r.Check(s.Commit && p.Choose == All, s.Node.Where("commit", "id"), "commit: true commits the chosen branch, and none is chosen here: add a judge, or choose: best or first")
	for _, key := range notOnBlocks {
		r.Check(isChain && s.Node.Has(key), s.Node.Where(key), "%s belongs to the stages of the parallel block", key)
	}
}
