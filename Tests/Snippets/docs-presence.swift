import Reactive
import StateStore

struct Seat: Record { var x = 0 }
struct Departure: Record { var key = "" }

// snippet

// snippet
