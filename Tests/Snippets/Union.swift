import StateStore

struct Card: Record { var number = "" }

// snippet
