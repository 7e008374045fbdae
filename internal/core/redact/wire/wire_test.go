package wire

import "testing"

func TestWhereASecretMayGo(t *testing.T) {
	for raw, want := range map[string]bool{
		"https://git.example": true, "http://127.0.0.1:3000/x": true, "http://[::1]:80": true, "http://localhost": true, "http://127.9.9.9": true,
		"http://git.example": false, "http://127.evil.example": false, "http://127.0.0.1.evil.example": false, "http://localhost.evil.example": false,
		"ftp://127.0.0.1": false, "git.example": false, "": false, "http://user@evil.example:80/127.0.0.1": false, "https://": false,
	} {
		if MayCarrySecrets(raw) != want {
			t.Errorf("%q: want %v", raw, want)
		}
	}
}
