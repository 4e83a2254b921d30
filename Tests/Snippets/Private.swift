import Reactive
import StateStore

struct Note: Record { var text = "" }

// snippet
