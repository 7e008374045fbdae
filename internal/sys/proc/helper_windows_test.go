package proc

func platformHelper(string) int { return 99 }
