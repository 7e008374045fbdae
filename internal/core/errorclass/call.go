package errorclass

import "strings"

// shells begin their complaints about a command line with their name.
var shells = [...]string{"bash: ", "sh: ", "zsh: ", "dash: ", "eval: ", "zsh:1: "}

// OfCall tells a message that complains about the call itself: a command line that the
// shell cannot read, or an input that the tool does not take. The project is not at
// fault, and the next call of the tool that succeeds has corrected it.
func OfCall(message string) bool {
	for _, line := range window(message) {
		if strings.HasPrefix(line, "inputvalidationerror") {
			return true
		}
		said := false
		for _, s := range shells {
			at := strings.Index(line, s)
			said = said || at == 0 || at > 0 && line[at-1] == '/'
		}
		if said && !strings.Contains(line, ".sh:") && signed([]string{line}, true) == Syntax {
			return true
		}
	}
	return false
}
