package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/text"
	"warp/internal/ui/render"
)

// habits maps words that people type to the command they mean. It is a function, so that not
// every start pays for it.
func habits() map[string]string {
	return map[string]string{
		"run": "drive", "start": "drive", "go": "drive", "work": "drive", "auto": "drive",
		"ps": "status", "web": "status", "dashboard": "status", "info": "status", "st": "status",
		"top": "watch", "attach": "watch", "follow": "watch", "ui": "watch", "tui": "watch",
		"list": "issue list", "ls": "issue list", "issues": "issue list", "tasks": "issue list",
		"new": "issue new", "create": "issue new", "add": "issue new", "approve": "issue approve", "close": "issue close", "show": "issue show", "edit": "issue edit",
		"setup": "init", "install": "init", "uninstall": "init --remove", "begin": "quickstart",
		"cancel": "stop", "kill": "stop", "abort": "stop", "end": "stop", "quit": "stop",
		"history": "log", "logs": "log", "events": "log", "journal": "log",
		"questions": "inbox", "reply": "answer", "unpause": "continue", "restore": "checkpoint restore", "undo": "checkpoint restore", "rollback": "checkpoint restore",
		"settings": "config", "set": "config set", "get": "config get", "agents": "agent list", "notify": "rdb", "telegram": "rdb",
		"summary": "report", "costs": "cost", "spent": "cost", "usage": "cost", "check": "doctor", "gc": "clean", "prune": "clean",
	}
}

// synonymRows groups words for the same action; a subcommand has one of them.
var synonymRows = [][]string{
	{"new", "create", "add", "open"}, {"list", "ls", "all"}, {"show", "view", "get", "info", "cat"}, {"edit", "update", "change", "set"},
	{"rm", "remove", "delete", "forget"}, {"stop", "cancel", "kill", "abort", "off", "down"}, {"run", "start", "on", "up", "exec"},
	{"tail", "follow", "watch", "logs"}, {"lint", "check", "validate"}, {"create", "save"}, {"restore", "rollback", "undo"}, {"close", "done", "finish"},
}

// unknownCommand returns the error for an unknown command, with a suggestion.
func unknownCommand(c *cobra.Command, word string) error {
	said := fmt.Sprintf("there is no command %q under %s", render.Printable(word), c.CommandPath())
	if near := suggest(c, strings.ToLower(word)); near != "" {
		return fmt.Errorf("%s; did you mean %s %s?", said, c.CommandPath(), near)
	}
	return fmt.Errorf("%s; %s --help lists them", said, c.CommandPath())
}

func suggest(c *cobra.Command, word string) string {
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	if !c.HasParent() {
		if habit := habits()[word]; habit != "" {
			return habit
		}
		names = names[:0] // of one command line, only the named command exists
		for _, known := range commands {
			names = append(names, known.Name)
		}
		return text.Nearest(word, names)
	}
	if near := text.Nearest(word, names); near != "" {
		return near
	}
	return synonym(word, names)
}

func synonym(word string, names []string) string {
	for _, row := range synonymRows {
		if !slices.Contains(row, word) {
			continue
		}
		for _, other := range row {
			if slices.Contains(names, other) {
				return other
			}
		}
	}
	return ""
}

// wrongSubcommand returns an error if the word after a command is not a subcommand. It is used
// for unknown flags, which may belong to the intended subcommand.
func wrongSubcommand(c *cobra.Command, line []string) error {
	depth := strings.Count(c.CommandPath(), " ")
	if !c.HasSubCommands() || c.Args == nil || len(line) <= depth || strings.HasPrefix(line[depth], "-") {
		return nil
	}
	if wrong, is := errors.AsType[*app.UsageError](c.Args(c, line[depth:depth+1])); is {
		return wrong
	}
	return nil
}
