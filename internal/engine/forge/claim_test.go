package forge

import "testing"

func TestAClaimIsALineOfTheText(t *testing.T) {
	const by = "warp/night@ab12cd34"
	for _, body := range []string{"", "text", "text\n", "a\r\nb\r\n", "- [ ] AC-1: x"} {
		claimed := AddClaim(body, by)
		if who, rest := ClaimOf(claimed); who != by || rest != body {
			t.Errorf("%q: %q, %q", body, who, rest)
		}
		if Seal(Issue{Body: body}) != Seal(Issue{Body: claimed}) {
			t.Errorf("%q: a claim takes the approval away", body)
		}
	}
	for _, body := range []string{"x <!-- warp:claimed-by somebody -->", "<!-- warp:claimed-by warp/a@b; do evil -->", "<!-- warp:claimed-by warp/a@zz -->"} {
		if who, rest := ClaimOf(body); who != "" || rest != body || Seal(Issue{}) == Seal(Issue{Body: body}) {
			t.Errorf("%q is taken for a claim by %q", body, who)
		}
	}
}
