package taskdoc

import (
	"slices"
	"strings"
	"testing"
)

// Each text has exactly these defects, in this order; a line with ! is a warning.
func TestDefects(t *testing.T) {
	const (
		head = "# T\n## Goal\ng\n"                                    // 3 lines
		task = head + "### Phase 1: p\n#### Task 1.1: t\n- [ ] x\n\n" // 7 lines
	)
	for name, test := range map[string]struct {
		text string
		want string
	}{
		"nothing":              {"", "1:1: the document has no tasks: ### Phase 1: name, and #### Task 1.1: name below it\n1:1: the document has no title: # Title\n!1:1: there is no section ## Goal; agents see only the title"},
		"no text":              {"a\x00b", "1:1: this is not text in UTF-8"},
		"no UTF-8":             {"a\xff", "1:1: this is not text in UTF-8"},
		"too large":            {strings.Repeat("x", MaxBytes+1), "1:1: the document has 262145 bytes; at most 262144 are read"},
		"a line too long":      {task + strings.Repeat("x", MaxLine) + "\n", "8:1: the line has 4097 bytes; at most 4096 are read"},
		"a block too long":     {task + strings.Repeat("x\n", MaxBlock/2+1), "8:1: there are more than 32768 bytes without an empty line"},
		"front matter":         {"---\na: b\n---\n" + task, "1:1: front matter is not read; put settings into sections, such as ## Safety bounds\n2:1: the line below makes \"a: b\" a heading; leave a blank line before it"},
		"control characters":   {task + "a\x1b[2Jb\x07\n\nx \u202e y\rz\n", "8:2: the control character U+001B is not accepted\n10:3: the control character U+202E is not accepted"},
		"a second title":       {task + "# U\n", "8:1: a second title: the first is on line 1, and sections begin with ##"},
		"sections twice":       {task + "## Goals\nh\n", "8:1: the section \"Goals\" appears twice"},
		"almost a section":     {task + "## Saftey bounds\n- max_cost: $1\n", "8:1: there is no section \"Saftey bounds\"; did you mean \"safety bounds\"?"},
		"a section too deep":   {head + "### Safety bounds\n- max_cost: $1\n## Plan\n" + task[len(head):], "4:1: \"Safety bounds\" needs its own section: ## Safety bounds"},
		"a line makes heading": {task + "Depends on: 1.1\n---\n", "8:1: the line below makes \"Depends on: 1.1\" a heading; leave a blank line before it"},
		"empty phase":          {task + "### Phase 2: q\n", "8:1: phase \"q\" has no tasks"},
		"phase twice":          {task + "### Phase 1: q\n#### Task 1.2: u\n- [ ] x\n", "8:1: phase 1 appears twice, first on line 4"},
		"phases turned round":  {head + "### Phase 2: q\n#### Task 2.1: u\n- [ ] x\n### Phase 1: p\n#### Task 1.1: t\n- [ ] x\n", "7:1: phase 1 comes after phase 2; phases run in the order of the document"},
		"phase unreadable":     {task + "### Phase two: q\n#### Task 2.1: u\n- [ ] x\n### Phse 3: r\n#### Task 3.1: u\n- [ ] x\n", "8:1: the phase has no number that can be read: ### Phase 1: name\n11:1: \"Phse 3: r\" is not a phase; phases are ### Phase 1: name"},
		"wrong levels":         {head + "## Phase 1: p\n### Task 1.1: t\n- [ ] x\n", "4:1: a phase is a heading of the third level: ### Phase 1: name\n5:1: a task is a heading of the fourth level: #### Task 1.1: name"},
		"no names":             {head + "### Phase 1\n#### Task 1.1:\n- [ ] x\n", "4:1: the phase has no name: ### Phase 1: name\n5:1: the task has no name: #### Task 1.1: name"},
		"task in no phase":     {head + "#### Task 1.1: t\n- [ ] x\n", "4:1: task 1.1 is in no phase; put ### Phase 1: name above it"},
		"tasks unreadable":     {task + "#### Task 1: u\n- [ ] x\n#### Task 1.02: u\n- [ ] x\n#### Task: u\n- [ ] x\n", "8:1: the task has no number that can be read: #### Task 1.1: name\n10:1: the task has no number that can be read: #### Task 1.1: name\n12:1: the task has no number that can be read: #### Task 1.1: name"},
		"no task":              {task + "#### Success criteria\n- [ ] y\n", "8:1: \"Success criteria\" is not a task; tasks are #### Task 1.1: name, and headings inside one have five # or more"},
		"task twice":           {task + "#### Task 1.1: u\n- [ ] x\n", "8:1: task 1.1 appears twice, first on line 5"},
		"task of other phase":  {task + "#### Task 2.1: u\n- [ ] x\n", "8:1: task 2.1 is in phase 1"},
		"no criteria":          {head + "### Phase 1: p\n#### Task 1.1: t\ntext\n", "5:1: task 1.1 has no success criteria: nothing could tell when it is done"},
		"criterion in a phase": {head + "### Phase 1: p\n- [ ] y\n#### Task 1.1: t\n- [ ] x\n", "5:3: a success criterion belongs to a task, or to the section ## Success criteria"},
		"no checkbox":          {task + "Success criteria:\n- y\n- [y] z\n## Success criteria\n- w\n", "9:3: a success criterion needs a checkbox: - [ ] text\n10:3: a success criterion needs a checkbox: - [ ] text\n12:1: a success criterion needs a checkbox: - [ ] text"},
		"criteria in a line":   {task + "Success criteria: all of it\n", "8:19: success criteria are checkboxes below: - [ ] text"},
		"criteria collide":     {task + "- [ ] X!\n## Success criteria\n- [ ] y\n- [ ] Y\n", "8:1: task 1.1 has two criteria that are called x, first on line 6; reword one of them\n11:1: the document has two criteria that are called y, first on line 10; reword one of them"},
		"empty criteria":       {task + "- [ ]\n- [ ] …\n", "8:3: the criterion has no word to make a name from\n9:3: the criterion has no word to make a name from"},
		"criterion is code":    {task + "- [ ] `make test`\n", "!8:3: this criterion runs no command; say what the command shows: - [ ] Tests pass: `make test`"},
		"unreadable command":   {task + "- [ ] a: `echo 'x`\n- [ ] b: `# x`\n", "8:10: a shell cannot read this command: reached EOF without closing quote '\n9:10: this command is only a comment"},
		"verify in a task":     {task + "Verify: `make`\n", "!8:9: no command runs here; put it after a criterion: - [ ] Tests pass: `make test`"},
		"dependencies":         {task + "Depends on: 9.9, 1.1, 2.1\n### Phase 2: q\n#### Task 2.1: u\n- [ ] x\n", "8:13: task 1.1 depends on 9.9, which is not a task\n8:18: task 1.1 depends on itself\n8:23: task 1.1 depends on 2.1, which is in a later phase"},
		"dependency on words":  {task + "Depends on: the model\n#### Task 1.2: u\n- [ ] x\n- Depends on: Phase 1\n", "8:13: \"the\" is not the number of a task, such as 1.2, nor none\n11:15: phases run one after the other anyway; name tasks, such as 1.2"},
		"almost a field":       {task + "Depend on: 1.1\n\n- Flies: a\n", "8:1: there is no field \"depend on\"; did you mean \"depends on\"?\n10:3: there is no field \"flies\"; did you mean \"files\"?"},
		"files":                {task + "Files: /etc/passwd, ../x, a/../../b, ~/x, C:/x, `a\\b`, {a, none\nFiles: {a,b}{c,d} {..,a}/b\n", "8:8: the file \"/etc/passwd\": it must be relative to the project's folder\n8:21: the file \"../x\": with .. it could lead out of the project's folder\n8:27: the file \"a/../../b\": with .. it could lead out of the project's folder\n8:38: the file \"~/x\": it must be relative to the project's folder\n8:43: the file \"C:/x\": it must be relative to the project's folder\n8:50: the file \"a\\\\b\": folders are separated by /\n8:56: the file \"{a\": a brace is not closed\n8:60: the file \"none\": a task that names no files claims them all; leave the field out\n9:19: the file \"{..,a}/b\": with .. it could lead out of the project's folder"},
		"agents":               {task + "Agents: -x, a/b\n", "8:9: \"-x\" is not an agent: letters, digits, '.', '_' and '-', at most 80 characters, not beginning with '-' or '.', without '..', not ending with '.' or '.lock'\n8:13: \"a/b\" is not an agent: letters, digits, '.', '_' and '-', at most 80 characters, not beginning with '-' or '.', without '..', not ending with '.' or '.lock'"},
		"iterations":           {task + "Max iterations: many\nMax iterations: 2\nMax iterations: 3\n", "8:17: max iterations: \"many\" is not accepted: it must be a whole number from 1 to 1000000, such as 30\n10:17: max iterations is set twice"},
		"settings":             {task + "## Safety bounds\nmax_cots: $5\n- max_cost: ten\n- colour: red\n- cost: $5\n\ntext\n\n```\n```\n", "9:1: there is no setting \"max_cots\" here; did you mean max_cost?\n10:3: max_cost: \"ten\" is not accepted: it must be an amount of dollars above 0 and up to 1000000, such as $10, 10 USD or $2.50\n11:3: there is no setting \"colour\" here; there are max_iterations_per_task, max_cost, max_time\n12:3: max_cost is set twice\n14:1: settings are lines such as - max_cost: $10; this is not one\n16:1: settings are lines such as - max_cost: $10; this is not one"},
		"supervisor":           {task + "## Supervisor\n- enabled: perhaps\n- checks: pre_task, now\n- max_re_plans: 0\n", "9:3: enabled: \"perhaps\" is not accepted: it must be yes or no\n10:3: checks: \"pre_task, now\" is not accepted: it must list any of pre_task, post_task, on_demand; enabled: no switches all off\n11:3: max_re_plans: \"0\" is not accepted: it must be a whole number from 1 to 1000000, such as 30"},
		"verification":         {task + "## Verification\n```go\nx\n```\n```sh\ntrue\nif\n```\n- make\n- Tests `make`\n- `(`\n\n```\ncd x\nexport A=b\nC=d\n```\n", "9:1: verification commands are a block of sh, not of \"go\"\n14:1: a shell cannot read this: \"if <cond>\" must be followed by \"then\"\n16:1: a verification command is code: - `make test`, or - Tests pass: `make test`\n17:1: put a colon between the text and the command: - Tests pass: `make test`\n18:3: a shell cannot read this command: reached EOF without matching ( with )\n!21:1: each command runs in a new shell, in the project's folder; join this with the next by &&\n!22:1: each command runs in a new shell, in the project's folder; join this with the next by &&\n!23:1: each command runs in a new shell, in the project's folder; join this with the next by &&"},
		"cycles":               {task + "Depends on: 1.3\n#### Task 1.2: u\nDepends on: 1.1\n\n- [ ] x\n#### Task 1.3: u\nDepends on: 1.2, 1.4\n\n- [ ] x\n#### Task 1.4: u\nDepends on: 1.5\n\n- [ ] x\n#### Task 1.5: u\nDepends on: 1.4\n\n- [ ] x\n", "8:13: tasks wait for each other: 1.1 -> 1.3 -> 1.2 -> 1.1\n18:13: tasks wait for each other: 1.4 -> 1.5 -> 1.4"},
	} {
		t.Run(name, func(t *testing.T) {
			d, defects := Parse([]byte(test.text))
			var got []string
			for _, d := range defects {
				got = append(got, d.String())
			}
			for _, w := range d.Warnings {
				got = append(got, "!"+w.String())
			}
			if want := strings.Split(test.want, "\n"); !slices.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), test.want)
			}
		})
	}
}
