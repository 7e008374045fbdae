package forge

import (
	"context"
	"crypto/sha256"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"warp/internal/core/criteria"
	"warp/internal/core/text"
)

// Approved is the label by which a user with write access releases an issue for work.
const Approved = "approved"

// History is what a tracker remembers of an issue with the label approved.
type History struct {
	By    string    // who added the label last; "": unknown
	At    time.Time // when
	Edits []Edit    // of title and text, in any order
	// Unknown says why some edits are unknown, and what to do; "": all are known.
	Unknown string
}

// Edit is a change of an issue's title or text.
type Edit struct {
	By string // "": unknown
	At time.Time
}

// Judge determines whether an issue is approved: the user who added the label has write access, and
// since then only users with write access changed the issue. An author without it can rewrite an
// issue at any time. What cannot be determined counts as no.
func (h History) Judge(ctx context.Context, i Issue, mayWrite func(ctx context.Context, who string) (bool, error)) (Issue, error) {
	i.ApprovedBy, i.ApprovedAt, i.NotApproved = "", time.Time{}, ""
	may, err := mayWrite(ctx, h.By)
	if err != nil {
		return i, err
	}
	if !may {
		i.NotApproved = fmt.Sprintf("labelled by %s, who cannot approve", handle(h.By))
		return i, nil
	}
	const again = "approve it again (take the label off, then put it back)"
	since := fmt.Sprintf("approved on %s by %s", text.LocalTime(h.At), handle(h.By))
	for _, e := range h.Edits {
		if e.At.Before(h.At) {
			continue
		}
		if may, err = mayWrite(ctx, e.By); err != nil {
			return i, err
		}
		if !may {
			i.NotApproved = fmt.Sprintf("%s, edited since by %s, who cannot approve: %s", since, handle(e.By), again)
			return i, nil
		}
	}
	if h.Unknown != "" {
		i.NotApproved = fmt.Sprintf("%s, but %s", since, h.Unknown)
		return i, nil
	}
	i.ApprovedBy, i.ApprovedAt = h.By, h.At
	return i, nil
}

// Seal returns a hash of what an issue says, without its check marks and claims. If a tracker keeps
// no history of texts, a comment with it by a user with write access approves the issue as it is.
func Seal(i Issue) string {
	_, body := ClaimOf(i.Body)
	sum := sha256.Sum256([]byte(i.Title + "\x00" + unticked(body)))
	return fmt.Sprintf("approved:%x", sum[:16])
}

// IsSeal reports whether a comment is only a seal.
func IsSeal(words string) bool {
	words = strings.TrimSpace(words)
	hash, ok := strings.CutPrefix(words, "approved:")
	return ok && len(hash) == 32 && !strings.ContainsAny(hash, " \n")
}

func unticked(body string) string {
	list, err := criteria.Parse(body)
	if err != nil {
		return body
	}
	for _, c := range list {
		if next, err := criteria.Check(body, c.ID, false); err == nil {
			body = next
		}
	}
	return body
}

func handle(who string) string {
	if who == "" {
		return "an unknown user"
	}
	return "@" + who
}

// claimLine matches a line of an issue's text that names the session working on it. It is exact,
// because an approval ignores the line: nothing else may hide in it. It is compiled on demand, so
// that not every start pays for it.
var claimLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:\r?\n)?<!-- warp:claimed-by (warp/[A-Za-z0-9._-]{1,80}@[0-9a-f.]{1,20}) -->`)
})

// ClaimOf returns who has claimed an issue, and its text without the claim.
func ClaimOf(body string) (by, rest string) {
	if m := claimLine().FindStringSubmatch(body); m != nil {
		by = m[1]
	}
	return by, claimLine().ReplaceAllString(body, "")
}

// AddClaim returns the text of an issue with a claim added.
func AddClaim(body, by string) string { return body + "\n<!-- warp:claimed-by " + by + " -->" }
