import StateStore

// snippet

// snippet
