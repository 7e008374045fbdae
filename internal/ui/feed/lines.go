package feed

import "slices"

// commands are how verbs are said to the commands that are made for sessions and workflows.
var commands = map[string]struct{ session, workflow []string }{
	"pause":    {[]string{"sessions", "stop"}, []string{"workflow", "pause"}},
	"stop":     {[]string{"sessions", "stop"}, []string{"workflow", "pause"}},
	"continue": {[]string{"sessions", "resume"}, []string{"workflow", "resume"}},
	"resume":   {[]string{"sessions", "resume"}, []string{"workflow", "resume"}},
}

// Line is the command line of a verb (pause, continue, resume, stop) for an item, to be run in
// its folder. It names the item's kind: a session can be called as a workflow is, or 42, and a
// workflow --help.
func (i Item) Line(verb string, flags ...string) []string {
	line := commands[verb].session
	switch i.Kind {
	case Workflow: // there is one
		return slices.Concat(commands[verb].workflow, flags)
	case Drive, Guided:
		if line = []string{verb}; verb == "resume" {
			line = []string{"drive"}
			if s := i.Drive.State; s != nil { // without its limits it would go on with none
				flags = slices.Concat(flags, s.Session.Caps.Flags())
			}
		}
	}
	return slices.Concat(line, flags, []string{"--", i.Name})
}
