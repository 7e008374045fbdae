package command

import (
	"slices"
	"strings"
)

// forgeMerges are the commands of the trackers' programs that merge, or move branches,
// on the tracker's side, where no hook of git's is asked.
var forgeMerges = [...][3]string{
	{"gh", "pr", "merge"}, {"gh", "pr", "update-branch"}, {"gh", "repo", "sync"},
	{"glab", "mr", "merge"}, {"glab", "mr", "accept"}, {"glab", "mr", "rebase"},
	{"tea", "pr", "merge"}, {"tea", "pulls", "merge"}, {"tea", "pull", "merge"}, {"tea", "pr", "m"}, {"tea", "pulls", "m"}, {"tea", "pull", "m"},
}

// forge looks at a tracker's program: gh, glab or tea.
func (r *reader) forge(base string, args []arg) {
	l := parseLine(args, "XfFHRtqr", "method field raw-field header repo template jq input hostname")
	words := texts(l.rest)
	if len(words) == 0 {
		return
	}
	second := ""
	if len(words) > 1 {
		second = words[1]
	}
	switch {
	case slices.Contains(forgeMerges[:], [3]string{base, words[0], second}):
		r.emit(Act{Kind: Merge})
	case words[0] == "api" && second == "graphql":
		r.suspectMutation(args)
	case words[0] == "api":
		method, given := l.get("-X", "--method")
		fields := l.has("-f", "-F", "--field", "--raw-field", "--input")
		r.webAddress(second, given && !reads(method.s) || !given && fields)
	case words[0] == "alias" && second == "set" && len(words) > 3:
		r.forgeAlias(base, words[3], l.has("-s", "--shell"))
	case r.env.Alias != nil:
		if text, ok := r.env.Alias(base, words[0]); ok {
			r.guard(base+" "+words[0], func() { r.forgeAlias(base, text, false) })
		}
	}
}

// forgeAlias reads what an alias of a tracker's program stands for.
func (r *reader) forgeAlias(base, text string, shell bool) {
	if code, is := strings.CutPrefix(text, "!"); is || shell {
		r.code(code, nil)
		return
	}
	r.code(base+" "+text, nil)
}

func reads(method string) bool {
	return strings.EqualFold(method, "GET") || strings.EqualFold(method, "HEAD")
}

// suspectMutation notes a GraphQL mutation that merges or moves a branch.
func (r *reader) suspectMutation(args []arg) {
	for _, a := range args {
		if hasAny(a.s, "mergePullRequest", "mergeBranch", "enablePullRequestAutoMerge", "enqueuePullRequest", "createCommitOnBranch", "updateRef", "createRef", "deleteRef") {
			r.emit(Act{Kind: Merge})
			return
		}
	}
}

// webAddress notes an address of a tracker's interface that merges or moves a branch when
// it is written to.
func (r *reader) webAddress(url string, writes bool) {
	url, _, _ = strings.Cut(url, "?")
	url = "/" + strings.TrimSuffix(url, "/")
	switch {
	case !writes:
	case hasSuffix(url, "/merge", "/merges", "/merge-upstream", "/update-branch"):
		r.emit(Act{Kind: Merge})
	case hasAny(url, "/git/refs", "/contents/", "/repository/branches", "/repository/commits", "/repository/files/"):
		r.emit(Act{Kind: Ref})
	}
}

func hasSuffix(s string, ends ...string) bool {
	return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(s, end) })
}

// webRequest looks whether curl and the like write to a tracker.
func (r *reader) webRequest(args []arg) {
	writes := false
	for i, a := range args {
		method := strings.TrimPrefix(strings.TrimPrefix(a.s, "--request="), "--method=")
		if i > 0 && (args[i-1].s == "-X" || args[i-1].s == "--request" || args[i-1].s == "--method") || method != a.s || strings.HasPrefix(a.s, "-X") && len(a.s) > 2 || a.s == "PUT" || a.s == "POST" {
			writes = writes || !reads(strings.TrimPrefix(method, "-X"))
		}
		writes = writes || a.s == "-d" || hasAny(a.s, "--data", "--json", "--post-data", "--body-data") || a.s == "-T"
	}
	for _, a := range args {
		if !hasAny(a.s, "/pulls/", "/merge_requests/", "/merges", "/git/refs", "/contents/", "graphql") || !strings.Contains(a.s, "/") {
			continue
		}
		r.webAddress(a.s, writes)
		if strings.HasSuffix(a.s, "graphql") {
			r.suspectMutation(args)
		}
	}
}
