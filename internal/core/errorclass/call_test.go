package errorclass

import "testing"

func TestACallThatIsMisspelledIsTold(t *testing.T) {
	for message, want := range map[string]bool{
		"Exit code 2\n/bin/bash: eval: line 1: unexpected EOF while looking for matching `\"'\n/bin/bash: eval: line 2: syntax error: unexpected end of file": true,
		"Exit code 2\nbash: -c: line 1: syntax error near unexpected token `('":                                                                               true,
		"Exit code 2\n/usr/bin/zsh:1: parse error near `&&'":                                                                                                  true,
		"Exit code 2\nsh: 1: Syntax error: Unterminated quoted string":                                                                                        true,
		"<tool_use_error>InputValidationError: Bash failed due to":                                                                                            true,
		"Exit code 1\n  File \"a.py\", line 3\nSyntaxError: invalid syntax":                                                                                   false,
		"Exit code 2\nscripts/build.sh: line 3: syntax error near unexpected":                                                                                 false,
		"Exit code 127\n/bin/bash: line 1: nope: command not found":                                                                                           false,
		"": false,
	} {
		if got := IsMisspelledCall(message); got != want {
			t.Errorf("%q: %v", message, got)
		}
	}
}
