package durable

// nonBlocking: named pipes are no paths of a folder here.
const nonBlocking = 0
