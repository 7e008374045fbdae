package initcmd

import "strings"

// The line of a hook is committed with the settings, so it also runs where warp is not
// installed (once, every call was denied there). Without the program an observer says
// nothing, and a guard denies only where there is a drive.
const (
	askBegin = "if command -v "
	askThen  = " >/dev/null 2>&1; then exec "
	askEnd   = "; fi"
)

// whenMissing looks for a drive as the program does: upwards from the session's folder
// to the top of the work tree.
const whenMissing = `; d=@FOLDER@; s=.claude/.warp-drive-state.json; until [ -e "$d/$s" ] || [ -e "$d/.git" ] || [ "$d" = "${d%/*}" ]; do d=${d%/*}; done; ` +
	`[ ! -e "$d/$s" ] || { echo 'warp-drive: denied, because the program warp-hook is missing and this project has a drive. Install it (make install in the sources of Warp Drive), or have a person remove '"$d/$s" >&2; exit 2; }`

// hookLine spells the command line of a hook. Folder is where the session works, for a
// shell; "": it is no guard.
func hookLine(program, args, folder string) string {
	line := askBegin + program + askThen + program + " " + args + askEnd
	if folder != "" {
		line += strings.Replace(whenMissing, "@FOLDER@", folder, 1)
	}
	return line
}

// askedProgram is the program that a line of hookLine's kind runs.
func askedProgram(line string) (program string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), askBegin)
	program, rest, asks := strings.Cut(rest, askThen)
	return program, ok && asks && strings.HasPrefix(rest, program+" ")
}
