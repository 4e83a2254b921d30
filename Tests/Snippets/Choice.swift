import StateStore

// snippet
