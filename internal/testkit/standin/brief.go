package standin

import (
	"strings"

	"warp/internal/core/text"
)

// What prompts of workflows hold. A brief is
//
//	WORKFLOW TASK 1.2: name of the task
//	Files: src/a.txt, docs/*.md
//	Criteria:
//	- key_of_criterion: text of the criterion
//
// and where it is about the plan, "Description:" and a paragraph, or a fenced
// block, after it.
const (
	taskMark   = "WORKFLOW TASK "
	replanMark = "WORKFLOW RE-PLAN"
	filesMark  = "Files:"
	boxesMark  = "Criteria:"
	wantedMark = "Description:"
	checkMark  = "Check:"
)

// whole is the id of a brief that is no task's: its criteria are those of the
// whole workflow.
const whole = "all"

// brief is a task of a workflow, as far as a prompt tells it.
type brief struct {
	id, name, wanted string
	files            []string // paths and patterns; none: any
	keys             []string // of the criteria
}

// briefs are the tasks that a prompt is about, in its order.
func briefs(prompt string) (all []brief) {
	lines := strings.Split(strings.ReplaceAll(prompt, "\r\n", "\n"), "\n")
	for i, l := range lines {
		if rest, ok := strings.CutPrefix(l, taskMark); ok {
			id, name, _ := strings.Cut(rest, ":")
			all = append(all, brief{id: strings.TrimSpace(id), name: text.OneLine(name)})
		}
		if len(all) == 0 {
			continue
		}
		b := &all[len(all)-1]
		if list, ok := strings.CutPrefix(l, filesMark); ok && b.files == nil && b.keys == nil {
			b.files = patterns(list)
		}
		switch strings.TrimSpace(l) {
		case boxesMark:
			if b.keys == nil {
				b.keys = keysOf(lines[i+1:])
			}
		case wantedMark:
			if b.wanted == "" {
				b.wanted = passage(lines[i+1:])
			}
		}
	}
	return all
}

// keysOf are the keys of the criteria that lines begin with.
func keysOf(lines []string) (keys []string) {
	for _, l := range lines {
		item, ok := strings.CutPrefix(l, "- ")
		if !ok {
			break
		}
		key, _, _ := strings.Cut(item, ":")
		keys = append(keys, strings.TrimSpace(key))
	}
	return keys
}

// passage is the paragraph, or what is in the fence, that lines begin with.
func passage(lines []string) string {
	end := ""
	if len(lines) > 0 && strings.HasPrefix(lines[0], "```") {
		end = lines[0][:len(lines[0])-len(strings.TrimLeft(lines[0], "`"))]
		lines = lines[1:]
	}
	for i, l := range lines {
		if l == end {
			lines = lines[:i]
			break
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// patterns reads a list of files. Commas within braces are part of a pattern;
// words that are none, such as "any that are needed", name nothing.
func patterns(list string) (all []string) {
	depth := 0
	for p := range strings.FieldsFuncSeq(list, func(r rune) bool {
		switch r {
		case '{':
			depth++
		case '}':
			depth--
		}
		return r == ',' && depth <= 0
	}) {
		p = strings.Trim(p, " `")
		switch first, _, _ := strings.Cut(strings.ToLower(strings.Trim(p, "()")), " "); first {
		case "", "any", "none":
		default:
			all = append(all, p)
		}
	}
	return all
}

// after is what a prompt says behind a mark, on a line of its own.
func after(prompt, mark string) string {
	for l := range strings.Lines(prompt) {
		if rest, ok := strings.CutPrefix(l, mark); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}
