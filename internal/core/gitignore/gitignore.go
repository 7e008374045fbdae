// Package gitignore is the block of lines in .gitignore, or in git's info/exclude, that keeps
// warp's state out of git. The lines around it are the user's, and stay.
package gitignore

import (
	"fmt"
	"slices"
	"strings"

	short "warp/internal/core/text"
)

// The lines around the block.
const (
	begin = "# warp-drive"
	end   = "# warp-drive end"
)

// Lines are the lines of the block: state is ignored, configuration is kept. Issues of the local
// tracker belong to the user.
var Lines = []string{
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

// Everywhere returns the lines for git's info/exclude, whose patterns begin at the top of the work
// tree: a project may be a folder below it. Exceptions need no line there.
func Everywhere() (lines []string) {
	for _, line := range Lines {
		if !strings.HasPrefix(line, "!") {
			lines = append(lines, "**/"+line)
		}
	}
	return lines
}

// Has reports whether a text has the block.
func Has(text string) bool {
	_, _, found, err := cutBlock("", text)
	return found || err != nil
}

// Put puts a block of lines into the text of a file, replacing an older one or at the end, without
// the lines that the user already has. Without lines it removes the block.
func Put(file, text string, lines []string) (string, error) {
	front, back, found, err := cutBlock(file, text)
	if err != nil {
		return "", err
	}
	eol := short.LineEnd(text[len(front):])
	if !found {
		eol = short.LineEnd(text)
	}
	var block strings.Builder
	theirs := strings.Split(front+back, "\n")
	for _, line := range lines {
		if !slices.ContainsFunc(theirs, func(s string) bool { return pattern(s) == pattern(line) }) {
			block.WriteString(line + eol)
		}
	}
	switch {
	case block.Len() == 0 && found:
		if strings.HasSuffix(front, "\n"+eol) { // the blank line before it
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
	return front + begin + eol + block.String() + end + eol + back, nil
}

// cutBlock splits a text around our block.
func cutBlock(file, text string) (front, back string, found bool, err error) {
	from, at := -1, 0
	for n, line := range strings.SplitAfter(text, "\n") {
		switch strings.TrimRight(line, " \t\r\n") {
		case begin:
			if from >= 0 {
				return "", "", false, unended(file, text, from)
			}
			from = at
		case end:
			if from < 0 {
				return "", "", false, fmt.Errorf("%s: line %d ends a block that was never started; remove the line", file, n+1)
			}
			return text[:from], text[at+len(line):], true, nil
		}
		at += len(line)
	}
	if from >= 0 {
		return "", "", false, unended(file, text, from)
	}
	return text, "", false, nil
}

func unended(file, text string, from int) error {
	return fmt.Errorf("%s: the block that starts on line %d has no end; remove it, or add the line %q after it", file, 1+strings.Count(text[:from], "\n"), end)
}

// pattern normalises a line of .gitignore: all of ours contain a slash, so a leading one makes no
// difference.
func pattern(line string) string {
	line = strings.TrimRight(line, " \t\r")
	not := strings.HasPrefix(line, "!")
	line = strings.Trim(strings.TrimPrefix(line, "!"), "/")
	if not {
		return "!" + line
	}
	return line
}

// IgnoresAll returns the number of a line that ignores the whole folder, or 0.
func IgnoresAll(text string) int {
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
