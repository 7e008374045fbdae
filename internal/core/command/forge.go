package command

import (
	"slices"
	"strings"

	"warp/internal/core/text"
)

// forgeMerges are the commands of the trackers' programs that merge, or move
// branches, on the tracker's side, where no hook of git's is asked.
var forgeMerges = text.WordSet{List: `gh/pr/merge gh/pr/update-branch gh/repo/sync glab/mr/merge glab/mr/accept glab/mr/rebase
 tea/pr/merge tea/pulls/merge tea/pull/merge tea/pr/m tea/pulls/m tea/pull/m`}

// forge looks at a tracker's program: gh, glab or tea.
func (r *reader) forge(base string, args []arg) {
	l := parseOptions(args, "XfFHRtqr method field raw-field header repo template jq input hostname")
	words := append(texts(l.rest), "", "")
	first, second := words[0], words[1]
	switch {
	case forgeMerges.Has(base + "/" + first + "/" + second):
		r.emit(Act{Kind: Merge})
	case first == "api" && second == "graphql":
		r.suspectMutation(args)
	case first == "api":
		method, given := l.get("-X", "--method")
		fields := l.has("-f", "-F", "--field", "--raw-field", "--input")
		if given && !isReading(method.s) || !given && fields {
			r.writeToForge(second)
		}
	case first == "alias" && second == "set" && len(l.rest) > 3:
		r.runForgeAlias(base, words[3], l.has("-s", "--shell"))
	case r.env.Alias != nil && first != "":
		if text, ok := r.env.Alias(base, first); ok {
			r.once(base+" "+first, func() { r.runForgeAlias(base, text, false) })
		}
	}
}

// runForgeAlias reads what an alias of a tracker's program stands for.
func (r *reader) runForgeAlias(base, text string, isShell bool) {
	code, marked := strings.CutPrefix(text, "!")
	if !marked && !isShell {
		code = base + " " + text
	}
	r.runApart(code, nil)
}

func isReading(method string) bool {
	return strings.EqualFold(method, "GET") || strings.EqualFold(method, "HEAD")
}

// suspectMutation notes a GraphQL mutation that merges or moves a branch.
func (r *reader) suspectMutation(args []arg) {
	if containsAny(joinWords(args), "mergePullRequest", "mergeBranch", "enablePullRequestAutoMerge", "enqueuePullRequest", "createCommitOnBranch", "updateRef", "createRef", "deleteRef") {
		r.emit(Act{Kind: Merge})
	}
}

// writeToForge notes an address of a tracker that merges or moves a branch when it
// is written to.
func (r *reader) writeToForge(url string) {
	url, _, _ = strings.Cut(url, "?")
	url = "/" + strings.TrimSuffix(url, "/")
	switch {
	case slices.Contains([]string{"merge", "merges", "merge-upstream", "update-branch"}, url[strings.LastIndexByte(url, '/')+1:]):
		r.emit(Act{Kind: Merge})
	case containsAny(url, "/git/refs", "/contents/", "/repository/branches", "/repository/commits", "/repository/files/"):
		r.emit(Act{Kind: Ref})
	}
}

// webRequest looks whether curl and the like write to a tracker.
func (r *reader) webRequest(args []arg) {
	l := parseOptions(args, "XdTHou request method data data-raw data-binary json post-data body-data header output")
	method, given := l.get("-X", "--request", "--method")
	writes := given && !isReading(method.s)
	for _, o := range l.opts {
		writes = writes || o.name == "-d" || o.name == "-T" || containsAny(o.name, "--data", "--json", "--post-data", "--body-data")
	}
	for _, a := range l.rest {
		switch {
		case a.s == "PUT" || a.s == "POST" || a.s == "PATCH" || a.s == "DELETE":
			writes = true
		case strings.HasSuffix(a.s, "/graphql"):
			r.suspectMutation(args)
		case writes && containsAny(a.s, "/pulls/", "/merge_requests/", "/merges", "/git/refs", "/contents/"):
			r.writeToForge(a.s)
		}
	}
}
