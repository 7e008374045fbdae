package cli

// Named is named, for tests.
var Named = named
