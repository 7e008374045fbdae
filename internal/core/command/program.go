package command

import (
	"slices"
	"strings"
)

// program describes the options, effect and output of some programs.
type program struct {
	names  string
	valued string // options that take a value; see parseOptions
	do     func(*call)
	prints string // if do prints nothing itself; "": unknown
}

const shellNames = "sh bash dash zsh ksh mksh ash fish rbash yash posh"

func isShell(name string) bool { return hasWord(shellNames, name) }

const webOptions = " output output-document output-file append-output data data-raw data-binary json post-data body-data header request method user-agent form user directory-prefix"

// listPrograms is the only table of programs; runOther handles the rest. It is a function because a
// package variable would form an initialisation cycle with the functions in it.
func listPrograms() []program {
	return []program{
		{names: shellNames, valued: "+oO rcfile init-file", do: runShell},

		// These run the command among their arguments.
		{names: "command builtin exec noglob nocorrect -", valued: "+a", do: unwrap},
		{names: `nohup setsid unbuffer rlwrap unshare firejail bwrap proot busybox toybox dbus-run-session xvfb-run dotenv stdbuf caffeinate
 nsenter strace ltrace systemd-run`, valued: "+", do: wrap},
		{names: "npx", valued: "+pcw package call workspace", do: wrap},
		{names: "env", valued: "+uCS unset chdir split-string", do: wrap},
		{names: "sudo doas", valued: "+ughpCrtTUDR user group host prompt chdir", do: wrap},
		{names: "time", valued: "+fo format output", do: wrap},
		{names: "timeout gtimeout", valued: "+sk signal kill-after", do: wrapBehind},
		{names: "flock", valued: "+wEc timeout conflict-exit-code command", do: wrapBehind},
		{names: "perf pipx uv poetry pdm hatch bundle op chrt taskset chroot setarch faketime", valued: "+", do: wrapBehind},
		{names: "direnv mise asdf", valued: "+", do: wrapBehind, prints: markSafe},
		{names: "su runuser", valued: "csgG command shell group", do: wrapBehind},
		{names: "nice ionice", valued: "+cnpPu class classdata adjustment", do: wrap},
		{names: "xargs gxargs", valued: "+IJnPLdsaESR max-args max-procs max-lines delimiter arg-file", do: runXargs},
		{names: "find gfind fd", do: find},

		// These move branches, here or on a tracker.
		{names: "git hub", valued: "+Cc config-env git-dir work-tree namespace super-prefix attr-source", do: runGit},
		{names: "warp warp-hook", do: runWarp},
		{names: "gh glab tea", valued: "XfFHRtqr method field raw-field header repo template jq input hostname", do: runForge},
		{names: "curl", valued: "odHXAFuTemxbrcEKwyYzC" + webOptions, do: webRequest, prints: markGit},
		{names: "wget", valued: "OPoaiUt" + webOptions, do: webRequest, prints: markGit},
		{names: "http https xh", valued: "XdTHou" + webOptions, do: webRequest},

		// These write, remove or change files.
		{names: "rm rmdir unlink trash srm shred", valued: "nsu", do: remove},
		{names: "mkdir mkfifo mknod", valued: "m mode", do: touchArguments},
		{names: "touch truncate", valued: "drts date reference time size", do: touchArguments},
		{names: "tee sponge", do: tee},
		{names: "sort gsort", valued: "okSTt output key buffer-size temporary-directory field-separator", do: func(c *call) { c.touch(c.values("-o", "--output")...) }},
		{names: "dd", do: func(c *call) {
			for _, a := range c.args {
				if f, isOutput := strings.CutPrefix(a, "of="); isOutput {
					c.touch(f)
				}
			}
		}},
		{names: "chmod chown chgrp chflags chattr setfacl", do: changeMode},
		{names: "cp gcp mv gmv ln ditto install", valued: "mogtS target-directory suffix mode owner group", do: copyFiles},
		{names: "rsync", valued: "efTB rsh exclude include filter files-from rsync-path temp-dir exclude-from include-from", do: copyFiles},
		{names: "scp", valued: "iPlocFSJ", do: copyFiles},
		{names: "patch", valued: "pidoBDFrVYxz strip input output directory reject-file", do: func(c *call) { takeBack(c); runOther(c) }},
		{names: "sed gsed yq", valued: "efl expression file line-length", do: editInPlace},

		// These run code in another language, or pass it on.
		{names: `python node nodejs deno bun php lua luajit rscript r tclsh expect osascript pwsh powershell groovy julia elixir erl runghc irb ipython
 scala jshell pypy tsx ts-node guile racket vi vim nvim ex ed emacs gdb awk gawk mawk nawk`, do: runCode},
		{names: "perl ruby", valued: "eEI", do: runCode},
		{names: "tmux screen at batch crontab ssh mosh parallel watch entr script wish", do: carryCode},

		// These only read files or take any text; they neither change nor run their arguments.
		{names: "ls", do: list},
		{names: `less more head tail ll jq grep egrep fgrep rg ag ack stat file wc diff cmp uniq cut strings md5sum sha1sum sha256sum shasum cksum
 readlink realpath basename dirname du tree bat nl tac column whereis whatis apropos apt apt-get dnf yum apk pacman pip make code open man locate
 tldr help say logger notify-send git-cliff claude
 echo printf test [ true false pwd cat which type mktemp eval source trap`},
		// Output of decoders may hide anything; the output of the others is meant for eval.
		{names: "tr rev od xxd hexdump", prints: markGit},
		{names: "base64 base32 openssl gunzip zcat uudecode gpg nc", do: runOther, prints: markGit},
		{names: `gpg-agent keychain pyenv rbenv nodenv goenv jenv conda micromamba fnm opam dircolors starship zoxide minikube docker-machine
 ssh-agent brew luarocks register-python-argcomplete lesspipe`, do: runOther, prints: markSafe},
	}
}

// hasWord reports whether a word is in a space-separated list.
func hasWord(list, word string) bool {
	return strings.Contains(list, word) && slices.Contains(strings.Fields(list), word)
}
