package command

import "warp/internal/core/text"

// program is what is known of some programs: how their options look, what they do and
// what they print.
type program struct {
	names  string
	valued string // options with a value, see parseOptions
	skip   int    // arguments before the command that it runs
	do     func(*reader, *call)
	prints string // where do prints nothing itself
}

const shellNames = "sh bash dash zsh ksh mksh ash fish rbash yash posh"

var shells = text.WordSet{List: shellNames}

// Options that several programs share.
const (
	copyOptions = "tS target-directory suffix"
	webOptions  = " output output-document data data-raw data-binary json post-data body-data header request method user-agent form user directory-prefix"
)

// listPrograms is the one table of programs. What is not in it is looked at by runOther.
func listPrograms() []program {
	return []program{
		// Of the shell itself.
		{names: "true : false test [ [["},
		{names: "echo printf pwd popd eval source . trap alias set shift unset export declare local readonly typeset read mapfile readarray", do: (*reader).builtin},
		{names: "cd pushd chdir", valued: "+", do: (*reader).changeDir},
		{names: shellNames, valued: "+oO rcfile init-file", do: (*reader).runShell},

		// They run the command among their arguments.
		{names: "command builtin noglob nocorrect -", valued: "+", do: (*reader).unwrap},
		{names: "exec", valued: "+a", do: (*reader).unwrap},
		{names: `nohup setsid unbuffer rlwrap unshare firejail bwrap proot busybox toybox dbus-run-session xvfb-run dotenv`, valued: "+", do: (*reader).wrap},
		{names: "ssh-agent", valued: "+", do: (*reader).wrap, prints: markSafe},
		{names: "env", valued: "+uC unset chdir", do: (*reader).wrap, prints: mark},
		{names: "sudo doas", valued: "+ughpCrtTUDR user group host prompt chdir", do: (*reader).wrap},
		{names: "time", valued: "+fo format output", do: (*reader).wrap},
		{names: "timeout gtimeout", valued: "+sk signal kill-after", skip: 1, do: (*reader).wrap},
		{names: "nice ionice", valued: "+cnpPu class classdata adjustment", do: (*reader).wrap},
		{names: "npx", valued: "+p package", do: (*reader).wrap, prints: mark},
		{names: "direnv", valued: "+", skip: 2, do: (*reader).wrap, prints: markSafe},
		{names: "pipx uv poetry pdm hatch bundle op", valued: "+", do: (*reader).wrapVerb, prints: mark},
		{names: "mise asdf", valued: "+", do: (*reader).wrapVerb, prints: markSafe},
		{names: "xargs gxargs", valued: "+IJnPLdsaESR max-args max-procs max-lines delimiter arg-file", do: (*reader).xargs},
		{names: "find gfind fd", do: (*reader).find, prints: mark},

		// They move branches, here or on a tracker's side.
		{names: "git hub", valued: "+Cc config-env git-dir work-tree namespace super-prefix attr-source", do: (*reader).git, prints: mark},
		{names: "warp warp-hook", do: (*reader).runWarp, prints: mark},
		{names: "gh glab tea", valued: "XfFHRtqr method field raw-field header repo template jq input hostname", do: (*reader).forge, prints: mark},
		{names: "curl", valued: "odHXAFuTemxbrcEKwyYzC" + webOptions, do: (*reader).webRequest, prints: markGit},
		{names: "wget", valued: "OPoaiUt" + webOptions, do: (*reader).webRequest, prints: markGit},
		{names: "http https xh", valued: "o" + webOptions, do: (*reader).webRequest, prints: mark},

		// They write, remove or change files.
		{names: "rm rmdir unlink trash srm", do: (*reader).remove},
		{names: "shred", valued: "ns", do: (*reader).touchArguments},
		{names: "mkdir mkfifo mknod", valued: "m mode", do: (*reader).touchArguments},
		{names: "touch", valued: "drt date reference time", do: (*reader).touchArguments},
		{names: "truncate", valued: "sr size reference", do: (*reader).touchArguments},
		{names: "tee sponge", do: (*reader).tee, prints: mark},
		{names: "chmod chown chgrp chflags chattr setfacl", do: (*reader).changeMode},
		{names: "cp gcp mv gmv ln ditto", valued: copyOptions, do: (*reader).copyFiles},
		{names: "install", valued: "mog" + copyOptions + " mode owner group", do: (*reader).copyFiles},
		{names: "sort gsort", valued: "okSTt output key buffer-size temporary-directory field-separator", do: (*reader).touchOutput, prints: mark},
		{names: "sed gsed yq", valued: "efl expression file line-length", do: (*reader).editInPlace, prints: mark},

		// They run texts in another language, or hand them on.
		{names: `python node nodejs deno bun php lua luajit rscript r tclsh expect osascript pwsh powershell groovy julia elixir erl runghc irb ipython
 scala jshell pypy tsx ts-node guile racket vi vim nvim ex ed emacs gdb awk gawk mawk nawk`, do: (*reader).runCode, prints: mark},
		{names: "perl ruby", valued: "eEI", do: (*reader).runCode, prints: mark},
		{names: "tmux screen at batch crontab ssh mosh parallel watch entr script wish su runuser flock systemd-run", do: (*reader).carryCode, prints: mark},

		// They look at files, or take any text, and neither change nor run what they are given.
		{names: `less more head tail ls ll jq grep egrep fgrep rg ag ack stat file wc diff cmp uniq cut strings md5sum sha1sum sha256sum shasum cksum
 readlink realpath basename dirname du tree bat nl tac column whereis whatis apropos apt apt-get dnf yum apk pacman pip make code open man locate
 tldr help say logger notify-send git-cliff claude`, prints: mark},
		{names: "cat", do: (*reader).printFile, prints: mark},
		{names: "which type", do: (*reader).printLast, prints: mark},
		{names: "mktemp", do: (*reader).makeTemporary, prints: mark},
		// What decoders print may hide anything, and what these others print is meant for eval.
		{names: "tr rev od xxd hexdump", prints: markGit},
		{names: "base64 base32 openssl gunzip zcat uudecode gpg nc", do: (*reader).runOther, prints: markGit},
		{names: `brew gpg-agent keychain pyenv rbenv nodenv goenv jenv conda micromamba fnm opam dircolors starship zoxide minikube docker-machine
 luarocks register-python-argcomplete lesspipe`, prints: markSafe},
	}
}
