import JSON
import Reactive
import StateStore

/// The call of an action that is under way in one space.
final class PresentCall {
    /// The commit of the call. Set for the length of a call only.
    var commit: UnsafeMutablePointer<Commit>?
    /// The tables that an expression has iterated over.
    fileprivate var iterated: [CallRows] = []
    private var identifiers = 0
    /// True if new identifiers count from 1, as in tests.
    private let countsIdentifiers: Bool

    init(countsIdentifiers: Bool) { self.countsIdentifiers = countsIdentifiers }

    func newID() -> String {
        if !countsIdentifiers { return commit?.pointee.newID() ?? "" }
        identifiers += 1
        return "\(identifiers)"
    }

    func end() {
        commit = nil
        for rows in iterated { rows.keys = [] }
        iterated = []
    }
}

/// A variable of the own feature.
final class OwnValue {
    private let variable: Variable<JSON>
    private let call: PresentCall

    init(_ variable: Variable<JSON>, _ call: PresentCall) { (self.variable, self.call) = (variable, call) }

    var current: JSON {
        guard let commit = call.commit else { return .null }
        return commit.pointee[variable]
    }
}

/// A variable of a given feature.
final class OtherValue {
    private let read: (borrowing Commit) -> JSON
    private let call: PresentCall

    init(_ read: @escaping (borrowing Commit) -> JSON, _ call: PresentCall) {
        self.read = read
        self.call = call
    }

    var current: JSON {
        guard let commit = call.commit else { return .null }
        return read(commit.pointee)
    }
}

/// The rows of a table as the present call sees them.
class CallRows {
    fileprivate let call: PresentCall
    /// The sorted keys, from the beginning of an iteration on.
    fileprivate var keys: [String] = []

    fileprivate init(_ call: PresentCall) { self.call = call }

    var count: Int { 0 }
    func row(_ key: String) -> JSON? { nil }
    fileprivate var allKeys: [String] { [] }

    final func key(at place: Int) -> String {
        if place == 0 {
            if keys.isEmpty { call.iterated.append(self) }
            keys = allKeys
        }
        return place < keys.count ? keys[place] : ""
    }
}

/// The rows of a table of the own feature.
final class OwnRows: CallRows {
    private let table: Table<String, JSON>

    init(_ table: Table<String, JSON>, _ call: PresentCall) {
        self.table = table
        super.init(call)
    }

    override var count: Int {
        guard let commit = call.commit else { return 0 }
        return commit.pointee.rowCount(of: table)
    }

    override func row(_ key: String) -> JSON? {
        guard let commit = call.commit else { return nil }
        return commit.pointee[table, key]
    }

    override fileprivate var allKeys: [String] {
        guard let commit = call.commit else { return [] }
        return IterationOrder.of(commit.pointee.rows(of: table).keys)
    }
}

/// The rows of a table of a given feature.
final class OtherRows: CallRows {
    private let given: GivenRows

    init(_ given: GivenRows, _ call: PresentCall) {
        self.given = given
        super.init(call)
    }

    override var count: Int {
        guard let commit = call.commit else { return 0 }
        return given.count(commit.pointee)
    }

    override func row(_ key: String) -> JSON? {
        guard let commit = call.commit else { return nil }
        return given.row(key, commit.pointee)
    }

    override fileprivate var allKeys: [String] {
        guard let commit = call.commit else { return [] }
        return IterationOrder.of(given.all(commit.pointee).keys)
    }
}
