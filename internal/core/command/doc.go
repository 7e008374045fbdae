// Package command says, before a shell command line runs, what it would do to a
// git repository and to files. It states facts; what is denied, where and when,
// is the caller's to decide. It is pure: aliases and scripts come in through Env.
//
// The text is read by a parser of Bash, never by a search over it, so that a
// quoted mention of a command is no command and a command in disguise is one. It
// is followed through quoting, braces, variables and arrays that the same text
// sets, positional parameters, functions, aliases of the shell and of git,
// substitutions, pipes into a shell, here-documents, eval, trap, source, sh -c,
// scripts, files written and run by the same text, and programs that run others
// (env, sudo, xargs, find -exec, and the like).
//
// It guarantees:
//
//   - Read ends, whatever the text: nesting, unrolling and total work are bounded,
//     and what goes over a bound is one Unknown act if the text mentions git.
//   - The same text gives the same acts.
//   - Where it cannot be told what runs and git may be what runs, there is an
//     Unknown act rather than none. Code of another language on the command line
//     (python -c) is not understood: it is Unknown when it starts programs and names
//     git beside something that changes a repository, else nothing.
//   - Of a shell script that was there before, only what it plainly does counts. Files
//     of other programs are not read: `node check.js` was refused for a comment.
//
// Every branch of a condition counts as taken, and every function as called. A
// variable or folder that depends on which branch ran counts as not told. A cd is
// taken to succeed: where the folder does not exist, the command runs in the
// folder before it, and only the caller can look.
//
// Left to others is what no text shows: what make, npm, a test runner or a
// compiled program does once it runs; other hosts (ssh's far side is Unknown when its
// text mentions git); what tar, unzip, patch
// or a formatter writes; a git of another name that was there before; and names
// that are put together at run time without a trace of git in the text.
package command
