package initcmd

import (
	"fmt"
	"slices"
	"strings"
)

const ignoreFile = ".gitignore"

// The block of .gitignore that is ours.
const (
	blockBegin = "# warp-drive"
	blockEnd   = "# warp-drive end"
)

// ignored are the lines of the block: state is ignored, configuration is kept.
var ignored = []string{
	".claude/state/",
	".claude/.warp-drive-*",
	".claude/.warp-drive.lock",
	".claude/pipeline-runs/",
	".claude/worktrees/",
	".claude/locks/",
	".claude/locks.json*",
	".claude/checkpoint*.json*",
	".claude/agent-state*",
	".claude/workflow-archive/",
	".claude/learnings.jsonl*",
	".claude/settings.local.json",
	".claude/*.tmp",
	"!.claude/settings.json",
	"!.claude/CLAUDE.md",
	"!.claude/agents/",
	"!.claude/commands/",
	"!.claude/skills/",
	"!.claude/hooks/",
}

// ignore plans .gitignore; want is false when the block is taken away.
func (p *plan) ignore(want bool) error {
	return p.edit(ignoreFile, func(text []byte) ([]byte, error) {
		out, err := ignoreBlock(string(text), want)
		if err != nil {
			return nil, err
		}
		if line := ignoresAll(string(text)); want && line > 0 {
			p.once(fmt.Sprintf("%s: line %d ignores all of .claude, so settings.json, commands and skills do not reach your team", ignoreFile, line))
		}
		result := []byte(out)
		switch {
		case out == string(text):
			result = text // nil where there is no file
		case out == "":
			result = nil // nothing but the block was in it
		}
		return p.account(ignoreFile, text, result, !want, func(text []byte) []byte {
			bare, err := ignoreBlock(string(text), false)
			if err != nil {
				return text
			}
			return []byte(bare)
		}), nil
	})
}

// ignoreBlock puts the block into the text in place of an older one or at the
// end, without the lines that the user has already; or takes it out.
func ignoreBlock(text string, want bool) (string, error) {
	front, back, found, err := cutBlock(text)
	if err != nil {
		return "", err
	}
	eol := lineEnd(text[len(front):])
	if !found {
		eol = lineEnd(text)
	}
	var block strings.Builder
	if want {
		theirs := strings.Split(front+back, "\n")
		for _, line := range ignored {
			if !slices.ContainsFunc(theirs, func(s string) bool { return pattern(s) == pattern(line) }) {
				block.WriteString(line + eol)
			}
		}
	}
	switch {
	case block.Len() == 0 && found:
		if strings.HasSuffix(front, "\n"+eol) { // the blank line that parted it
			front = strings.TrimSuffix(front, eol)
		}
		return front + back, nil
	case block.Len() == 0:
		return text, nil
	case !found && front != "" && !strings.HasSuffix(front, "\n"):
		front += eol + eol
	case !found && front != "":
		front += eol
	}
	return front + blockBegin + eol + block.String() + blockEnd + eol + back, nil
}

// lineEnd is how the first line of a text ends.
func lineEnd(text string) string {
	if i := strings.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// cutBlock parts a text at our block.
func cutBlock(text string) (front, back string, found bool, err error) {
	begin, at := -1, 0
	for n, line := range strings.SplitAfter(text, "\n") {
		switch strings.TrimRight(line, " \t\r\n") {
		case blockBegin:
			if begin >= 0 {
				return "", "", false, unended(text, begin)
			}
			begin = at
		case blockEnd:
			if begin < 0 {
				return "", "", false, fmt.Errorf("%s: line %d ends a block that was never started; remove the line", ignoreFile, n+1)
			}
			return text[:begin], text[at+len(line):], true, nil
		}
		at += len(line)
	}
	if begin >= 0 {
		return "", "", false, unended(text, begin)
	}
	return text, "", false, nil
}

func unended(text string, begin int) error {
	return fmt.Errorf("%s: the block that starts on line %d has no end; remove it, or add the line %q after it", ignoreFile, 1+strings.Count(text[:begin], "\n"), blockEnd)
}

// pattern is a line of .gitignore without what makes no difference here: all
// of ours have a slash inside, so one in front says nothing more.
func pattern(line string) string {
	line = strings.TrimRight(line, " \t\r")
	not := strings.HasPrefix(line, "!")
	line = strings.Trim(strings.TrimPrefix(line, "!"), "/")
	if not {
		return "!" + line
	}
	return line
}

// ignoresAll is the number of a line that ignores the whole folder, or 0.
func ignoresAll(text string) int {
	last := 0
	for n, line := range strings.Split(text, "\n") {
		switch pattern(line) {
		case ".claude", ".claude/*", ".claude/**", "**/.claude":
			last = n + 1
		case "!.claude":
			last = 0
		}
	}
	return last
}
