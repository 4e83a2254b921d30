import JSON
import Reactive
import StateStore

static func fetch(_ outside: Outside, _ url: String) -> Observable<JSON.Number> {
    // snippet
}
