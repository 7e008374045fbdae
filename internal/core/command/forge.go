package command

import (
	"path"
	"slices"
	"strings"
)

// forgeMerges are tracker commands that merge or move branches on the server, where no git hook
// runs.
const forgeMerges = `gh/pr/merge gh/pr/update-branch gh/repo/sync glab/mr/merge glab/mr/accept glab/mr/rebase
 tea/pr/merge tea/pulls/merge tea/pull/merge tea/pr/m tea/pulls/m tea/pull/m`

// runForge checks a tracker's program: gh, glab or tea.
func runForge(c *call) {
	words := append(hideMarks(c.rest), "", "")
	first, second := words[0], words[1]
	switch {
	case hasWord(forgeMerges, c.name+"/"+first+"/"+second):
		c.emit(Act{Kind: Merge})
	case first == "api":
		c.writeToForge(second, c.has("-f", "-F", "--field", "--raw-field", "--input"))
	case first == "alias" && second == "set" && len(c.rest) > 3:
		text := words[3]
		if c.has("-s", "--shell") {
			text = "!" + text
		}
		c.runAlias(c.name, words[2], text, nil)
	default:
		if text, ok := c.env.Alias(c.name, first); ok {
			c.runAlias(c.name, first, text, c.rest[1:])
		}
	}
}

// webRequest checks the file that curl and its like write, and whether they write to a tracker.
func webRequest(c *call) {
	touchOutput(c)
	writes := slices.ContainsFunc(c.opts, func(o option) bool { return hasWord("-d -T", o.name) || containsAny(o.name, "data", "--json") })
	for _, a := range c.rest {
		if hasWord("PUT POST PATCH DELETE", a) {
			writes = true
		} else if containsAny(a, "/graphql", "/pulls/", "/merge_requests/", "/merges", "/git/refs", "/contents/") {
			c.writeToForge(a, writes)
		}
	}
}

// writeToForge notes a request to a tracker that merges or moves a branch.
func (c *call) writeToForge(url string, writes bool) {
	if method, given := c.get("-X", "--method", "--request"); given {
		writes = !hasWord("GET HEAD", strings.ToUpper(method))
	}
	url, _, _ = strings.Cut(url, "?")
	url = "/" + strings.TrimSuffix(url, "/")
	mutates := strings.HasSuffix(url, "/graphql") && containsAny(joinWords(c.args), "mergePullRequest", "mergeBranch", "enablePullRequestAutoMerge",
		"enqueuePullRequest", "createCommitOnBranch", "updateRef", "createRef", "deleteRef")
	switch {
	case mutates, writes && hasWord("merge merges merge-upstream update-branch", path.Base(url)):
		c.emit(Act{Kind: Merge})
	case writes && containsAny(url, "/git/refs", "/contents/", "/repository/branches", "/repository/commits", "/repository/files/"):
		c.emit(Act{Kind: Ref})
	}
}
