import FeatureTesting
import JSON
import StateStore
import Testing

struct Addition: Record { var by = 1 }
struct Seat: Record { var x = 0 }
struct CounterService: StateService { let add: Action<Addition> }

static func test(_ counter: Feature) throws {
    // snippet
}

static func perform(_ server: TestServer) throws {
    // snippet
}

static func value(_ server: TestServer) throws {
    // snippet
}

static func join(_ server: TestServer) throws {
    // snippet
}
