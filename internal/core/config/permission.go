package config

import (
	"slices"
	"strings"
)

// permissions is the member of the settings file with the agent's permission rules.
const permissions = "permissions"

// Rules are permission rules by list: allow, ask, deny. The agent checks deny first and allow last.
type Rules map[string][]string

// Lists are the lists of rules, in the order in which they are written.
var Lists = []string{"allow", "ask", "deny"}

// modelCommands are the warp commands that a model may run without asking: those that only read,
// and those that a drive asks it to run. Approving, answering, starting, stopping and changing
// settings are up to a person (a blanket warp:* once let a model approve its own issues).
var modelCommands = [...]string{
	"next", "test", "status", "log", "evidence", "cost", "inbox", "ask", "graph", "telemetry",
	"issue list", "issue show", "issue criteria", "issue check", "issue new",
	"state status", "state inject", "state transition", "state gate", "state verify",
	"docs audit", "docs sync", "learnings list", "learnings search", "config get",
}

// readOnly are lines that cannot write: warp report --html writes any file. A rule for git log:* allowed --output=FILE, with which
// a model set the test command and approved its own issue, and git fetch:* allowed --upload-pack,
// which runs a program. Behind the two dashes are only paths.
var readOnly = [...]string{
	"warp report", "warp report --json", "warp report --since yesterday",
	"git diff", "git diff --stat", "git diff --name-only", "git diff --check", "git diff HEAD", "git diff --cached", "git diff --staged",
	"git diff -- *", "git diff HEAD -- *", "git diff --cached -- *", "git diff --stat -- *",
	"git log", "git log -1", "git log -5", "git log --stat", "git log --oneline", "git log --oneline -5", "git log --oneline -10", "git log --oneline -20",
	"git log -- *", "git log -p -- *", "git log --oneline -- *", "git log --follow -- *",
	"git show", "git show HEAD", "git show --stat", "git show --stat HEAD", "git show HEAD -- *",
	"git fetch", "git fetch origin", "git fetch --prune", "git fetch --all",
}

// always returns the rules of every level. It builds them on demand: commands that only read
// settings do not pay for them.
func always() Rules {
	allow := []string{"Edit", "Write", "MultiEdit", "NotebookEdit", "mcp__warp"} // its tools do nothing reserved for a person
	for _, c := range modelCommands {
		allow = append(allow, "Bash(warp "+c+":*)")
	}
	for _, line := range readOnly {
		allow = append(allow, "Bash("+line+")")
	}
	return Rules{
		"allow": append(allow,
			"Bash(warp doctor)", "Bash(warp level)",
			"Bash(git status:*)", "Bash(git add:*)", "Bash(git commit:*)", "Bash(git switch:*)", "Bash(git checkout -b:*)", "Bash(git branch:*)",
			"Bash(gh issue view:*)", "Bash(gh issue list:*)",
		),
		// Loosening the restrictions is a person's decision, even if the user's own rule allows
		// more. Stopping is not included: it would ask a person who typed /stop-warp-drive.
		"ask": {
			"Bash(warp level 2:*)", "Bash(warp level 3:*)", "Bash(warp init:*)", "Bash(warp override:*)", "Bash(warp config set:*)", "Bash(warp config edit:*)",
			"Bash(warp state reset:*)", "Bash(warp issue approve:*)", "Bash(warp issue edit:*)",
			"Bash(warp issue new *approved*)", "Bash(warp continue:*)", "Bash(warp quickstart:*)", "Bash(warp drive:*)", "Bash(warp resume:*)",
			"Bash(warp trust:*)", "Bash(warp token:*)", "Bash(warp secrets:*)", "Bash(warp doctor --rebuild:*)",
		},
		"deny": {
			"Bash(git push --force:*)", "Bash(git push -f:*)", "Bash(git push *--force*)", "Bash(git push * -f*)", "Bash(git push * +*)",
			"Bash(git push --mirror:*)", "Bash(git push --delete:*)", "Bash(git push origin --delete:*)",
			"Bash(git reset --hard:*)", "Bash(git reset * --hard*)",
			"Bash(git clean:*)",
			"Bash(git branch -D:*)", "Bash(git branch -f:*)",
			"Bash(git switch -C:*)", "Bash(git switch -f:*)", "Bash(git switch --force:*)", "Bash(git switch --discard-changes:*)",
		},
	}
}

// Blanket is a rule that lets a model run every command of warp.
const Blanket = "Bash(warp:*)"

// former returns rules that earlier versions wrote, for removal.
func former() Rules {
	return Rules{
		"allow": {
			Blanket, "Bash(warp report:*)", "Bash(git diff:*)", "Bash(git log:*)", "Bash(git show:*)", "Bash(git fetch:*)", "Bash(git rebase:*)", "Bash(git push origin:*)", "Bash(git push -u origin:*)",
			"Bash(gh issue create:*)", "Bash(gh issue comment:*)", "Bash(gh issue edit:*)",
		},
		"ask": {"Bash(warp level:*)", "Bash(warp stop --hard:*)"},
	}
}

// alone returns the rules of one level only.
func alone(level int) Rules {
	switch level {
	case 2:
		return Rules{"allow": {"Bash(gh pr create:*)", "Bash(gh pr view:*)"}, "deny": pushes("main", "master")}
	case 3:
		return Rules{"allow": {"Bash(git rebase main)", "Bash(git rebase master)", "Bash(git rebase origin/main)", "Bash(git rebase origin/master)",
			"Bash(git rebase --continue)", "Bash(git rebase --abort)", "Bash(git merge --ff-only:*)"}}
	}
	return nil
}

// pushes returns the rules that match a push to a branch.
func pushes(branches ...string) []string {
	var rules []string
	for _, b := range branches {
		rules = append(rules, "Bash(git push origin "+b+":*)", "Bash(git push -u origin "+b+":*)", "Bash(git push origin *:"+b+")")
	}
	return rules
}

// plain reports whether a word has no special character for a rule or a shell.
func plain(s, more string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./"
	return s != "" && s[0] != '-' && !strings.ContainsFunc(s, func(r rune) bool { return !strings.ContainsRune(letters+more, r) })
}

// interprets reports whether a command runs whatever follows it: it is allowed as it is, not with
// more words.
func interprets(command string) bool {
	words := strings.Fields(command)
	name := strings.TrimRight(words[0][strings.LastIndexByte(words[0], '/')+1:], "0123456789.")
	if len(words) > 2 || len(words) == 2 && words[1] != "-c" && words[1] != "-e" {
		return false
	}
	return slices.Contains([]string{"sh", "bash", "dash", "zsh", "env", "sudo", "exec", "eval", "xargs", "python", "node", "ruby", "perl"}, name)
}

// RulesOf returns the narrow rules that a drive at this level needs. The main branch and the test
// command may be unknown.
func RulesOf(level int, main, test string) Rules {
	all := Rules{}
	for _, list := range Lists {
		all[list] = slices.Concat(always()[list], alone(level)[list])
	}
	if level == 2 && plain(main, "-") && main != "main" && main != "master" {
		all["deny"] = append(all["deny"], pushes(main)...)
	}
	if rule, ok := RuleOf(test); ok {
		all["allow"] = append(all["allow"], rule)
	}
	return all
}

// RuleOf returns the rule that allows a command; ok is false if no rule can match it safely, such
// as a pipeline: the agent asks for each of its parts.
func RuleOf(command string) (rule string, ok bool) {
	command = strings.TrimSuffix(strings.Join(strings.Fields(command), " "), " ./...") // also allow testing one package
	switch {
	case !plain(command, "=@:, -") || strings.HasSuffix(command, ":"):
		return "", false
	case interprets(command):
		return "Bash(" + command + ")", true
	}
	return "Bash(" + command + ":*)", true
}

// known reports whether warp could have written a rule, at any level.
func known(list, rule string) bool {
	return slices.Contains(slices.Concat(always()[list], alone(2)[list], alone(3)[list], former()[list]), rule)
}
