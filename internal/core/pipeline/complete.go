package pipeline

import (
	"fmt"
	"path"
	"strings"

	"warp/internal/core/sessionstate"
	"warp/internal/core/yamltree"
)

// strategy returns the parsed until; the zero value if it is invalid.
func (s *Stage) strategy() sessionstate.Until {
	u, _ := sessionstate.ParseUntil(s.Until)
	return u
}

// applyDefaults fills in omitted values: the given number of iterations, or until a plateau.
func (s *Stage) applyDefaults() {
	if p := s.Parallel; p != nil {
		switch {
		case p.Choose == "" && p.Judge == nil:
			p.Choose = All
		case p.Choose == "":
			p.Choose = ByJudge
		case p.Choose == ByJudge && p.Judge == nil:
			p.Judge = &Judge{written: written{p.node.Get("choose")}}
		}
	}
	if s.isChain() { // its stages have these settings
		return
	}
	u, until, ending := s.strategy(), s.node.Get("until"), s.node.Get("termination")
	isOfFolder := until != nil && ending != nil && ending.Source != s.node.Source && ending.Place == until.Place
	switch {
	case s.Until == "" && s.Runs == 0:
		s.Until = string(sessionstate.Plateau)
	case s.Until == "" || u.Kind == sessionstate.Fixed && u.N == 0 && s.Runs > 0:
		s.runFixed()
	case u.Kind == sessionstate.Plateau && s.Runs > 0 && s.Runs < max(u.N, s.MinIterations) && isOfFolder:
		s.runFixed() // the folder's minimum could never be reached
		s.MinIterations = 0
	}
	if s.Runs == 0 {
		s.Runs = sessionstate.DefaultMax
	}
	if s.Judge == nil && u.Kind == sessionstate.Judge {
		s.Judge = &Judge{written: written{until}}
	}
}

func (s *Stage) runFixed() {
	s.Until = fmt.Sprint("fixed ", s.Runs)
	s.node.Put("until", yamltree.NewText(s.node.Where("runs"), s.Until))
}

// readPrompts reads and checks the prompts of a stage, and adds the request for a result to each.
func (r *reader) readPrompts(p *Pipeline, s *Stage) {
	in, at := inPrompts, s.node.Where("prompt")
	if s.ResultIsFile = at.Source.File != p.File && path.Base(at.Source.File) == FolderFile; s.ResultIsFile {
		in = inFolders
	}
	s.Prompt = r.readPrompt(p, at, s.Prompt, in)
	s.completePrompt()
	r.readJudge(p, s.Judge, inJudges, judgePrompt, judgeResult)
	if s.Parallel != nil {
		r.readJudge(p, s.Parallel.Judge, inChoices, choicePrompt, choiceResult)
	}
}

func (r *reader) readJudge(p *Pipeline, j *Judge, in use, otherwise, result string) {
	if j == nil {
		return
	}
	if j.Prompt = r.readPrompt(p, j.node.Where("prompt"), j.Prompt, in); j.Prompt == "" {
		j.Prompt = otherwise
	}
	j.Prompt = askFor(result, j.Prompt)
}

// readPrompt returns the template in a prompt, or in the file it names.
func (r *reader) readPrompt(p *Pipeline, at yamltree.Place, prompt string, in use) string {
	if isFile(prompt, ".md", ".txt") {
		file := strings.TrimSpace(prompt)
		content, ok := r.readFileAt(at, file)
		if !ok {
			return ""
		}
		src, ok := r.CheckText(at.Source.Beside(file), content)
		if !ok {
			return ""
		}
		at, prompt = src.At(0), src.Text
	}
	r.checkTemplate(p, at, prompt, in)
	return prompt
}
