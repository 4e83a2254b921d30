/// Checks what clients of a cluster have observed against what the cluster promises. It knows nothing of the cluster but
/// the observations, which it takes in any number and of any length.
package struct HistoryCheck {
    /// A promise that an observation breaks.
    package struct Breach: Hashable, Sendable, CustomStringConvertible {
        /// The promise.
        package enum Promise: String, Hashable, Sendable {
            /// An answered action is there once.
            case answeredOnce = "answered actions are there once"
            /// An action with an unknown outcome is there at most once.
            case unknownAtMostOnce = "unknown actions are there at most once"
            /// A refused action is not there.
            case refusedNever = "refused actions are not there"
            /// Nothing is there that nobody has done.
            case nothingInvented = "nothing is there that nobody has done"
            /// A fresh look shows what was answered before it began.
            case freshLooks = "fresh looks show what was answered before"
            /// No look shows an action before it began.
            case nothingForeseen = "no look shows an action before it began"
            /// The versions of one stream never go back.
            case streamsForward = "streams never go back"
            /// The rows of one reader of `changes` have no gap.
            case changesWhole = "changes have no gap"
            /// Two answered actions of one space never have one version.
            case versionsOnce = "a version is of one action"
            /// A value is of the versions that stand beside it, and so are all values of one answer or event.
            case valuesOfVersions = "values are of the versions beside them"
            /// A client that names versions is shown these or later ones, on any node.
            case clientsForward = "a client is never shown less than it names"
            /// A fresh read shows a client no less of a space than it has seen, on any node.
            case readsForward = "fresh reads never go back for a client"
            /// All nodes have the same content in the end.
            case nodesEqual = "all nodes are equal in the end"
        }

        package let promise: Promise
        package let words: String

        package var description: String { "\(promise.rawValue): \(words)" }
    }

    private struct Action {
        let name: String
        let isWrite: Bool
        let begin: Int64
        let end: Int64
        let outcome: HistoryRecord.Outcome
        let version: Int?
    }

    private struct Look {
        let begin: Int64
        let end: Int64
        let isFresh: Bool
        let content: HistoryRecord.Content
    }

    /// The observations of one space.
    private struct Space {
        var actions: [Action] = []
        var looks: [Look] = []
        var finals: [(node: String, content: HistoryRecord.Content)] = []
        var effects: [String] = []
    }

    private var spaces: [String: Space] = [:]
    private var lastEvents: [String: Int] = [:]
    private var lastChanges: [String: Int] = [:]
    /// The highest version of each space that each client has seen.
    private var seen: [String: Int] = [:]
    /// The fresh reads, for a look at what was answered before.
    private var freshReads: [String: [HistoryRecord.Shown]] = [:]
    private var breaches: [Breach] = []
    /// The number of observations.
    package private(set) var count = 0

    package init() {}

    /// Takes the next observation.
    package mutating func take(_ record: HistoryRecord) {
        count += 1
        switch record {
        case .add(let space, let element, let begin, let end, let outcome, let version):
            spaces[space, default: Space()].actions.append(
                Action(name: element, isWrite: false, begin: begin, end: end, outcome: outcome, version: version))
        case .write(let space, let value, let begin, let end, let outcome, let version):
            spaces[space, default: Space()].actions.append(
                Action(name: value, isWrite: true, begin: begin, end: end, outcome: outcome, version: version))
        case .look(let space, let begin, let end, let isFresh, let content):
            spaces[space, default: Space()].looks.append(
                Look(begin: begin, end: end, isFresh: isFresh, content: content))
        case .event(let stream, let space, let version):
            let last = lastEvents.updateValue(version, forKey: "\(stream)\n\(space)") ?? 0
            if version < last {
                breach(.streamsForward, "stream \(stream) of \(space): \(version) after \(last)")
            }
        case .change(let reader, let space, let version):
            let last = lastChanges.updateValue(version, forKey: "\(reader)\n\(space)")
            if let last, version != last + 1 {
                breach(.changesWhole, "reader \(reader) of \(space): \(version) after \(last)")
            }
        case .show(let shown): take(shown)
        case .effect(let space, let number): spaces[space, default: Space()].effects.append(number)
        case .final(let node, let space, let content):
            spaces[space, default: Space()].finals.append((node, content))
        }
    }

    private mutating func take(_ shown: HistoryRecord.Shown) {
        let (versions, asked) = (shown.versions, shown.asked)
        let place = "\(shown.client) in \(shown.space), \(shown.place)"
        for (view, value) in shown.values.sorted(by: { $0.key < $1.key }) {
            let isOther =
                value.version.map { $0 != versions.version } ?? false
                || value.common.map { $0 != versions.common } ?? false
            if isOther { breach(.valuesOfVersions, "\(place): \(view) is of \(value), and is shown with \(versions)") }
        }
        if let least = asked.version, let version = versions.version, version < least {
            breach(.clientsForward, "\(place): \(versions) for \(asked)")
        }
        if let least = asked.common, let common = versions.common, common < least {
            breach(.clientsForward, "\(place): \(versions) for \(asked)")
        }
        guard let version = versions.version else { return }
        let name = "\(shown.client)\n\(shown.space)"
        if shown.isFresh {
            if let last = seen[name], version < last {
                breach(.readsForward, "\(place): \(version) after \(last)")
            }
            freshReads[shown.space, default: []].append(shown)
        }
        seen[name] = max(seen[name] ?? 0, version)
    }

    /// Returns the broken promises of all observations.
    package func check() -> [Breach] {
        var check = self
        for (name, space) in spaces.sorted(by: { $0.key < $1.key }) {
            check.check(space, name)
            check.checkReads(of: name, space.actions)
        }
        return check.breaches
    }

    /// A fresh read shows every version that was answered before it began.
    private mutating func checkReads(of space: String, _ actions: [Action]) {
        let answered = actions.filter { $0.outcome == .ok && $0.version != nil }.sorted { $0.end < $1.end }
        var highest: [Int] = []
        for action in answered { highest.append(max(highest.last ?? 0, action.version ?? 0)) }
        for read in freshReads[space] ?? [] {
            let before = Self.count(of: answered, endingBefore: read.begin)
            guard before > 0, let version = read.versions.version, highest[before - 1] > version else { continue }
            breach(
                .freshLooks,
                "\(read.client) in \(space), \(read.place): \(version), but \(highest[before - 1]) was answered before")
        }
    }

    private mutating func breach(_ promise: Breach.Promise, _ words: String) {
        breaches.append(Breach(promise: promise, words: words))
    }

    private mutating func check(_ space: Space, _ name: String) {
        checkVersions(space, name)
        checkLooks(space, name)
        checkEffects(space, name)
        guard let first = space.finals.first else { return }
        for other in space.finals.dropFirst() where other.content != first.content {
            breach(
                .nodesEqual,
                "\(name): \(first.node) has version \(first.content.version), \(other.node) \(other.content.version)"
                    + (first.content.version == other.content.version ? " with other content" : ""))
        }
        for final in space.finals { checkFinal(final.content, space.actions, "\(name) on \(final.node)") }
    }

    /// Two actions that were answered with one version are one commit too few.
    private mutating func checkVersions(_ space: Space, _ name: String) {
        var owners: [Int: String] = [:]
        for action in space.actions where action.outcome == .ok {
            guard let version = action.version else { continue }
            if let other = owners.updateValue(action.name, forKey: version), other != action.name {
                breach(.versionsOnce, "\(name): \(other) and \(action.name) both made version \(version)")
            }
        }
    }

    private mutating func checkFinal(_ content: HistoryRecord.Content, _ actions: [Action], _ name: String) {
        var known: Set<String> = []
        for action in actions where !action.isWrite {
            known.insert(action.name)
            let count = content.elements[action.name] ?? 0
            switch action.outcome {
            case .ok where count != 1: breach(.answeredOnce, "\(name): \(action.name) is there \(count) times")
            case .unknown where count > 1: breach(.unknownAtMostOnce, "\(name): \(action.name) is there \(count) times")
            case .refused where count > 0: breach(.refusedNever, "\(name): \(action.name) is there \(count) times")
            default: break
            }
        }
        for (element, count) in content.elements.sorted(by: { $0.key < $1.key })
        where !known.contains(element) && count > 0 {
            breach(.nothingInvented, "\(name): \(element)")
        }
        checkRegister(content.register, actions.filter(\.isWrite), at: .max, name)
    }

    /// The register has the value of a write that began before, and that no later answered write has replaced.
    private mutating func checkRegister(_ value: String?, _ writes: [Action], at time: Int64, _ name: String) {
        let over = writes.filter { $0.outcome == .ok && $0.end < time }
        guard let value else {
            if let lost = over.first {
                breach(time == .max ? .answeredOnce : .freshLooks, "\(name): \(lost.name) is lost")
            }
            return
        }
        guard let write = writes.first(where: { $0.name == value }) else {
            return breach(.nothingInvented, "\(name): the register has \(value)")
        }
        if write.outcome == .refused { breach(.refusedNever, "\(name): the register has \(value)") }
        // A write that was answered after another began may have come after it. One that ended before cannot have.
        if write.outcome == .ok, let later = over.first(where: { $0.begin > write.end }) {
            breach(
                time == .max ? .answeredOnce : .freshLooks,
                "\(name): the register has \(value), but \(later.name) was answered after it")
        }
    }

    private mutating func checkLooks(_ space: Space, _ name: String) {
        // The answered actions by the time of their answers, and the highest version answered so far.
        let answered = space.actions.filter { $0.outcome == .ok }.sorted { $0.end < $1.end }
        var highest: [Int] = []
        for action in answered { highest.append(max(highest.last ?? 0, action.version ?? 0)) }
        let begins = Dictionary(space.actions.map { ($0.name, $0.begin) }, uniquingKeysWith: { min($0, $1) })
        for look in space.looks {
            for (element, count) in look.content.elements where count > 0 {
                if let begin = begins[element] {
                    if begin > look.end { breach(.nothingForeseen, "\(name): \(element)") }
                } else {
                    breach(.nothingInvented, "\(name): \(element)")
                }
                if count > 1 { breach(.unknownAtMostOnce, "\(name): a look has \(element) \(count) times") }
            }
            guard look.isFresh else { continue }
            let before = Self.count(of: answered, endingBefore: look.begin)
            if before > 0, highest[before - 1] > look.content.version {
                breach(
                    .freshLooks,
                    "\(name): a look that began at \(look.begin) shows version \(look.content.version), but "
                        + "\(highest[before - 1]) was answered before")
            }
            for action in answered[..<before] where !action.isWrite && look.content.elements[action.name] == nil {
                breach(.freshLooks, "\(name): a look that began at \(look.begin) lacks \(action.name)")
            }
            checkRegister(
                look.content.register, space.actions.filter(\.isWrite), at: look.begin, "\(name) in a fresh look")
        }
    }

    /// The number of actions, ordered by their ends, that ended before a time.
    private static func count(of actions: [Action], endingBefore time: Int64) -> Int {
        var (low, high) = (0, actions.count)
        while low < high {
            let middle = (low + high) / 2
            if actions[middle].end < time { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The outside received numbers only of actions that were done.
    private mutating func checkEffects(_ space: Space, _ name: String) {
        let done = Set(space.actions.filter { $0.outcome != .refused }.map(\.name))
        for number in Set(space.effects).sorted() where !done.contains(number) {
            breach(.nothingInvented, "\(name): an effect sent \(number)")
        }
    }
}
