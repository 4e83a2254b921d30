package import JSON

/// The state of a view for those who show it.
public enum Phase: Sendable, Equatable {
    /// No value has come yet.
    case loading
    /// The value is the server's, as far as this client knows.
    case current
    /// The value is the last one; the connection is lost or not there yet. The time is in seconds since 1970.
    case stale(since: Double)
    /// The server does not show the view, for a reason.
    case refused(ServerProblem)

    /// True if the value is the server's.
    public var isCurrent: Bool { self == .current }
}

/// A view as it is shown.
package struct ShownValue: Sendable {
    /// The value; nil before the first one, and for a view that is refused.
    package var value: JSON?
    /// The state of the view.
    package var phase: Phase
}

/// A change of a replica.
package enum ReplicaNews: Sendable {
    /// The variables and the rows of tables, all of them.
    case whole(JSON.Object)
    /// The variables and the rows that changed; null for a row that is gone.
    case changes(JSON.Object)
    /// The replica is not for this caller any more.
    case gone(ServerProblem)
}

/// A value that a device keeps between two launches.
package struct KeptValue: Sendable {
    package var value: JSON
    package var tag: String?
    /// The time at which it was current, in seconds since 1970.
    package var time: Double

    package init(value: JSON, tag: String?, time: Double) {
        self.value = value
        self.tag = tag
        self.time = time
    }
}

extension KeptValue {
    /// The value in JSON, as storage has it.
    var bytes: [UInt8] {
        var object = JSON.Object()
        object["tag"] = tag.map { .string($0) }
        object["time"] = JSON.Number(time.rounded(.down)).map { .number($0) }
        object["value"] = value
        return JSON.object(object).bytes
    }

    /// Reads a value; nil if it is damaged.
    init?(_ bytes: [UInt8]) {
        guard case .object(let object)? = try? JSON(parsing: bytes, depth: JSONReader.greatestDepthLimit),
            let value = object["value"]
        else { return nil }
        self.init(value: value, tag: object["tag"]?.text, time: Double(object["time"]?.integer ?? 0))
    }
}

/// The last values of the watched views, with their tags.
package struct HeldValues: Sendable {
    /// One view.
    struct HeldView {
        var value: JSON?
        var tag: String?
        var problem: ServerProblem?
        /// The time since which the value may be old; nil while it is current.
        var staleSince: Double?
        /// The parts of a replica's snapshot that have come.
        var parts: JSON.Object?
        /// The tags of a replica whose rows lie with its reader.
        var hasReplica = false
        /// False if late patches of an earlier watch could meet a value that is not their base.
        var takesPatches = true
    }

    private(set) var views: [String: HeldView] = [:]

    /// The version that is shown, by space.
    private(set) var versions: [String: Int] = [:]
    /// The last action of this client's queue that is shown, by space.
    private(set) var queue: [String: Int] = [:]

    init() {}

    /// A value as it is shown; nil for a view that is not held.
    func shown(_ name: String) -> ShownValue {
        guard let held = views[name] else { return ShownValue(value: nil, phase: .loading) }
        if let problem = held.problem { return ShownValue(value: nil, phase: .refused(problem)) }
        guard held.value != nil || held.hasReplica else { return ShownValue(value: nil, phase: .loading) }
        return ShownValue(value: held.value, phase: held.staleSince.map { .stale(since: $0) } ?? .current)
    }

    func tag(_ name: String) -> String? { views[name]?.tag }

    /// True if a view of a space has a value.
    func hasValue(_ name: String) -> Bool { views[name]?.value != nil || views[name]?.hasReplica == true }

    /// Takes a kept value, unless a newer one is here.
    mutating func recall(_ name: String, _ kept: KeptValue, isReplica: Bool) -> Bool {
        guard views[name] == nil else { return false }
        views[name] = HeldView(
            value: isReplica ? nil : kept.value, tag: kept.tag, staleSince: kept.time, hasReplica: isReplica)
        return true
    }

    mutating func forget(_ name: String) { views[name] = nil }

    /// Makes a view wait for a whole value: its present one is shown, but is no base of patches.
    mutating func distrust(_ name: String) {
        views[name]?.takesPatches = false
        views[name]?.tag = nil
    }

    /// Marks the values as possibly old from a time on. Returns the views that were current.
    mutating func markStale(since time: Double) -> [String] { markStale(Array(views.keys), since: time) }

    /// Marks values as possibly old from a time on. Returns the views that were current.
    mutating func markStale(_ names: [String], since time: Double) -> [String] {
        var marked: [String] = []
        for name in names {
            guard let held = views[name], held.staleSince == nil, held.problem == nil else { continue }
            views[name]?.staleSince = time
            marked.append(name)
        }
        return marked
    }

    /// Marks values as current. Returns those that were not.
    mutating func markCurrent(_ names: some Sequence<String>) -> [String] {
        var marked: [String] = []
        for name in names where views[name]?.staleSince != nil && hasValue(name) {
            views[name]?.staleSince = nil
            marked.append(name)
        }
        return marked
    }

    /// Refuses a view by the client itself.
    mutating func refuse(_ name: String, _ problem: ServerProblem) { views[name] = HeldView(problem: problem) }

    /// The views that an event changed, and the changes of replicas.
    struct HeldStep {
        var changed: Set<String> = []
        var replicas: [(name: String, news: ReplicaNews)] = []
        /// Views whose patch does not fit: the stream has to begin anew without their tags.
        var unfit: [String] = []
    }

    /// Takes an event, as one step.
    mutating func take(_ news: StreamNews, isWatched: (String) -> Bool) -> HeldStep {
        var step = HeldStep()
        versions.merge(news.versions) { $1 }
        queue.merge(news.queue) { $1 }
        for (name, value) in news.values where isWatched(name) {
            guard name.hasSuffix("!replica") else {
                views[name] = HeldView(value: value, tag: news.tags[name])
                step.changed.insert(name)
                continue
            }
            // The parts of a snapshot replace all together.
            var parts = views[name]?.parts ?? JSON.Object()
            Self.add(value.members, to: &parts)
            if news.unfinished.contains(name) {
                views[name, default: HeldView()].parts = parts
                continue
            }
            views[name] = HeldView(tag: news.tags[name], hasReplica: true)
            step.replicas.append((name, .whole(parts)))
            step.changed.insert(name)
        }
        for (name, patch) in news.patches {
            guard let held = views[name], held.takesPatches, let base = held.value, isWatched(name) else { continue }
            guard let operations = try? JSONPatch(parsing: patch.bytes, depth: JSONReader.greatestDepthLimit),
                let value = try? operations.applied(to: base, depth: JSONReader.greatestDepthLimit)
            else {
                views[name]?.tag = nil
                step.unfit.append(name)
                continue
            }
            views[name] = HeldView(value: value, tag: news.tags[name])
            step.changed.insert(name)
        }
        for (name, rows) in news.rows where isWatched(name) {
            guard let held = views[name], held.takesPatches, held.hasReplica else { continue }
            views[name] = HeldView(tag: news.tags[name] ?? held.tag, hasReplica: true)
            step.replicas.append((name, .changes(rows.members)))
            step.changed.insert(name)
        }
        for (name, problem) in news.gone where isWatched(name) {
            views[name] = HeldView(problem: problem)
            if name.hasSuffix("!replica") { step.replicas.append((name, .gone(problem))) }
            step.changed.insert(name)
        }
        return step
    }

    /// Adds a part of a snapshot: tables grow, other members are new.
    private static func add(_ part: JSON.Object, to whole: inout JSON.Object) {
        for member in part {
            guard case .object(var rows)? = whole[member.key], case .object(let more) = member.value else {
                whole[member.key] = member.value
                continue
            }
            for row in more { rows[row.key] = row.value }
            whole[member.key] = .object(rows)
        }
    }
}
