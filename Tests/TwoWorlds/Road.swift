import HeadwaterServer

/// A road to the server: a method of a kind of path.
package struct Road: Sendable {
    /// The expectation of what mia sees.
    package enum Control: Sendable {
        /// The worlds differ for mia on this road, so that eva's equal answers mean something.
        case differs
        /// The road shows nothing that differs to anybody, for this reason.
        case showsNothing(String)
    }

    package let method: String
    package let path: String
    package let control: Control
    /// True if a request can change the state.
    let changes: Bool
    /// The number of requests for each scenario.
    let weight: Int

    /// The name of the road.
    package var name: String { "\(method) \(path)" }

    private init(
        _ method: String, _ path: String, _ control: Control = .differs, changes: Bool = false, weight: Int = 2
    ) {
        (self.method, self.path, self.control, self.changes, self.weight) = (method, path, control, changes, weight)
    }

    private static let space = "/v1/spaces/{space}"

    /// The road of what hooks deliver. It has no path of its own.
    static let deliveries = Road("POST", "the receiver of a hook")

    /// All roads. A test compares them with the routes of the server.
    package static let all: [Road] = [
        Road("GET", "/", .showsNothing("the console is a file"), weight: 1),
        Road("GET", "/client.js", .showsNothing("a file"), weight: 1),
        Road("GET", "/client.d.ts", .showsNothing("a file"), weight: 1),
        Road("GET", "/mirror.js", .showsNothing("a file"), weight: 1),
        Road("GET", "/offline.js", .showsNothing("a file"), weight: 1),
        Road("GET", "/site.json", .showsNothing("it lists the files of the site"), weight: 1),
        Road("GET", "/schemas/feature.json", .showsNothing("a file"), weight: 1),
        Road("POST", "/mcp", weight: 12),
        Road("GET", "/mcp", .showsNothing("there is no such session"), weight: 1),
        Road("DELETE", "/mcp", .showsNothing("there is no such session"), weight: 1),
        Road("GET", "/v1/requests/{id}/why", .showsNothing("it has places in documents, counts and times"), weight: 3),
        Road("GET", "/openapi.yaml"), Road("GET", "/v1"), Road("GET", "/metrics"),
        Road("GET", "/healthz", .showsNothing("it says that the server lives"), weight: 1),
        Road("GET", "/readyz", .showsNothing("it says that the server is ready"), weight: 1),
        Road("GET", "/v1/spaces", weight: 3), Road("GET", "/v1/live", weight: 5), Road("POST", "/v1/live", weight: 5),
        Road("POST", "/v1/live/{stream}", .showsNothing("it answers how many views are watched")),
        Road("GET", "/v1/changes", weight: 3), Road("GET", "/v1/subjects", .showsNothing("it counts requests")),
        Road("GET", "/v1/audit"),
        Road("GET", "/v1/limits", .showsNothing("it has the limits of the command line"), weight: 1),
        Road("GET", "/v1/usage", .showsNothing("it counts the requests of the caller"), weight: 1),
        Road("GET", "/v1/export", .showsNothing("only who administers all spaces gets it"), weight: 1),
        Road("GET", "/v1/operations", .showsNothing("only who administers all spaces gets them"), weight: 1),
        Road("POST", "/v1/operations", .showsNothing("only who administers all spaces starts one"), weight: 1),
        Road("GET", "/v1/operations/{id}", .showsNothing("there is no such operation"), weight: 1),
        Road("POST", "/v1/operations/{id}/lines", .showsNothing("there is no such operation"), weight: 1),
        Road("GET", "/v1/me", .showsNothing("it has the claims of the caller"), weight: 1),
        Road("POST", "/v1/tickets", .showsNothing("a ticket is made of the token alone")),
        Road("GET", "/v1/features"), Road("PUT", "/v1/features", .showsNothing("it answers a version"), changes: true),
        Road("GET", "/v1/features/{feature}", weight: 3),
        Road("PUT", "/v1/features/{feature}", .showsNothing("it answers a version"), changes: true),
        Road("DELETE", "/v1/features/{feature}", .showsNothing("it answers nothing"), changes: true, weight: 1),
        Road("GET", "/v1/features/{feature}/problems", .showsNothing("no state here fails to migrate"), weight: 1),
        Road("GET", "/v1/features/{feature}/plan", .showsNothing("it follows from the document"), weight: 1),
        Road(
            "GET", "/v1/features/{feature}/client",
            .showsNothing("what it has of a document is the same in both worlds"), weight: 2),
        Road("GET", "/v1/features/{feature}/migration", .showsNothing("it counts spaces"), weight: 1),
        Road(
            "GET", "/v1/features/{feature}/rehearsals/{id}", .showsNothing("no rehearsal here is answered later"),
            weight: 1),
        Road("GET", "/v1/features/{feature}/hooks", .showsNothing("no document here has hooks"), weight: 1),
        Road("POST", "/v1/features:test", .showsNothing("a test begins without state")),
        Road("POST", "/v1/features:replay", weight: 9),
        Road("GET", space, .showsNothing("it has the name and the version"), weight: 3),
        Road("DELETE", space, .showsNothing("it answers nothing"), changes: true, weight: 1),
        Road("GET", "\(space)/views", weight: 12), Road("GET", "\(space)/changes", weight: 8),
        Road("GET", "\(space)/graph", weight: 2),
        Road("GET", "\(space)/usage", .showsNothing("only who administers the space gets its size"), weight: 1),
        Road("GET", "\(space)/{feature}/{view}", weight: 20),
        Road("POST", "\(space)/{feature}/{action}", changes: true, weight: 8),
        Road("GET", "\(space)/{feature}/{view}/why", weight: 4),
        Road("GET", "\(space)/{feature}/{view}/history", weight: 8),
        Road("GET", "\(space)/views/diff", weight: 5),
        Road("GET", "\(space)/streams", .showsNothing("it has the definitions as they were put"), weight: 2),
        Road("GET", "\(space)/streams/{id}", .showsNothing("it has the definition as it was put"), weight: 2),
        Road("PUT", "\(space)/streams/{id}", .showsNothing("it answers a version"), weight: 3),
        Road("DELETE", "\(space)/streams/{id}", .showsNothing("it answers a version"), changes: true, weight: 1),
        Road("GET", "\(space)/streams/{id}/values", weight: 6), Road("GET", "\(space)/streams/{id}/value", weight: 12),
        Road("GET", "\(space)/streams/{id}/history", weight: 6), Road("GET", "\(space)/streams/{id}/why", weight: 3),
        Road("POST", "\(space)/streams:test", weight: 12),
        Road("POST", "\(space)/rules:test", .showsNothing("only who administers all spaces tests rules"), weight: 1),
        Road("GET", "\(space)/hooks", .showsNothing("it has the sources, and how far each hook is"), weight: 1),
        Road("GET", "\(space)/hooks/{id}", .showsNothing("it has the source, and how far the hook is"), weight: 3),
        Road("PUT", "\(space)/hooks/{id}", .showsNothing("it answers as GET does"), weight: 3),
        Road("DELETE", "\(space)/hooks/{id}", .showsNothing("it answers nothing"), changes: true, weight: 1),
        Road("POST", "\(space)/restore", changes: true), Road("POST", "\(space)/erase", changes: true),
        Road("POST", "\(space)/actions", changes: true, weight: 6),
        Road("POST", "\(space)/administration/edit", .showsNothing("it answers a version"), changes: true),
        deliveries,
    ]
}
