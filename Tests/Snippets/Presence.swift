import JSON
import Reactive
import StateStore

struct RoomState {
    let here = Table<String, JSON>(kept: false)
    let gone = Variable("")
}

struct Person: Record { var key = "" }

// snippet
