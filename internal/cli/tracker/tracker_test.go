package tracker

import "testing"

func TestWhereGitHubHasItsAPI(t *testing.T) {
	for host, want := range map[string]string{
		"github.com": "", "acme.ghe.com": "https://api.acme.ghe.com/", "git.example": "https://git.example/api/v3/", "ghe.com.example": "https://ghe.com.example/api/v3/",
	} {
		if got := api(host); got != want {
			t.Errorf("%s: %q, want %q", host, got, want)
		}
	}
}
