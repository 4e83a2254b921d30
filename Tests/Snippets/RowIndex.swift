import Reactive
import StateStore

struct Task: Record {
    var project = ""
    var order = 0
}

struct TasksState {
    // snippet
}
