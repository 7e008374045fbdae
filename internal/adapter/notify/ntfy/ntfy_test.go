package ntfy_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"warp/internal/adapter/notify/ntfy"
	"warp/internal/engine/notify"
)

func TestAQuestionRingsLouderThanAPhase(t *testing.T) {
	type got struct{ priority, auth, text, seq string }
	var all []got
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		all = append(all, got{r.Header.Get("Priority"), r.Header.Get("Authorization"), string(body), r.Header.Get("X-Sequence-ID")})
	}))
	defer server.Close()
	c, err := ntfy.New(ntfy.Config{URL: server.URL + "/topic", Token: "tk_x"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for n, m := range []notify.Message{{Kind: notify.Phase, Text: "coding"}, {Kind: notify.Decision, Text: "which?", Ask: "q7"}} {
		if _, err := c.Send(t.Context(), notify.Letter{Message: m, Seq: int64(n), At: time.Unix(5, 0)}); err != nil {
			t.Fatal(err)
		}
	}
	if all[0].priority != "low" || all[1].priority != "high" || !strings.Contains(all[1].text, "warp answer q7") || all[0].auth != "Bearer tk_x" || all[0].seq == all[1].seq {
		t.Errorf("%+v", all)
	}
}

func TestAnAddressNeedsATopic(t *testing.T) {
	for _, url := range []string{"", "topic", "https://ntfy.invalid", "https://ntfy.invalid/", "file:///x"} {
		if _, err := ntfy.New(ntfy.Config{URL: url}); err == nil {
			t.Errorf("%q was accepted", url)
		}
	}
}
