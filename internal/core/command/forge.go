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
		webRequest(c)
	case first == "alias" && second == "set" && len(c.rest) > 3:
		c.runAlias(c.name, words[2], words[3], nil)
	default:
		if text, ok := c.env.Alias(c.name, first); ok {
			c.runAlias(c.name, first, text, c.rest[1:])
		}
	}
}

// webRequest notes the file that curl and its like write, and a request to a tracker that merges or
// moves a branch.
func webRequest(c *call) {
	c.touch(c.values("-o", "-O", "-a", "--output", "--output-document", "--output-file", "--append-output")...)
	writes := slices.ContainsFunc(c.opts, func(o option) bool {
		return hasWord("-d -F -T --field --raw-field --input", o.name) || o.name == "-f" && c.name != "curl" || containsAny(o.name, "data", "--json")
	})
	if method, given := c.get("-X", "--method", "--request"); given {
		writes = !hasWord("GET HEAD", strings.ToUpper(method))
	}
	for _, a := range c.rest {
		writes = writes || hasWord("PUT POST PATCH DELETE", a)
		url, _, _ := strings.Cut("/"+a, "?")
		last := path.Base(url)
		mutates := last == "graphql" && containsAny(joinWords(c.args), "mergePullRequest", "mergeBranch", "enablePullRequestAutoMerge",
			"enqueuePullRequest", "createCommitOnBranch", "updateRef", "createRef", "deleteRef")
		switch {
		case mutates, writes && hasWord("merges merge-upstream update-branch", last), writes && last == "merge" && containsAny(url, "/pulls/", "/merge_requests/"):
			c.emit(Act{Kind: Merge})
		case writes && containsAny(url, "/git/refs", "/contents/", "/repository/branches", "/repository/commits", "/repository/files/"):
			c.emit(Act{Kind: Ref})
		}
	}
}
