import JSON
import Reactive
import StateModel

/// The call of an action that is under way in one space.
final class PresentCall {
    /// The commit of the call. Set for the length of a call only.
    var commit: UnsafeMutablePointer<Commit>?
    /// The action, if clients predict it: `feature/action`.
    var predicted: String?
    /// The private parts that are null for the present expression.
    var hidden: HiddenParts?
    /// The tables that an expression has iterated over.
    fileprivate var iterated: [CallRows] = []
    private var identifiers = 0
    /// The rows that the expressions of the call have read.
    fileprivate(set) var rowsCount = 0
    /// True if new identifiers count from 1, as in tests.
    private let countsIdentifiers: Bool

    init(countsIdentifiers: Bool) { self.countsIdentifiers = countsIdentifiers }

    func newID() -> String {
        guard !countsIdentifiers else {
            identifiers += 1
            return "\(identifiers)"
        }
        guard let predicted else { return commit?.pointee.newID() ?? "" }
        return commit?.pointee.newID(predictedBy: predicted) ?? ""
    }

    func newSecret() -> String { commit?.pointee.newSecret() ?? "" }

    func end() {
        commit = nil
        rowsCount = 0
        for rows in iterated { rows.keys = [] }
        iterated = []
    }
}

/// A variable of the own feature.
final class OwnValue {
    private let variable: Variable<JSON>
    private let label: String
    private let call: PresentCall

    init(_ variable: Variable<JSON>, _ label: String, _ call: PresentCall) {
        (self.variable, self.label, self.call) = (variable, label, call)
    }

    var current: JSON {
        guard let commit = call.commit else { return .null }
        let value = commit.pointee[variable]
        return call.hidden?.own[label]?.masking(value) ?? value
    }
}

/// A variable of a given feature.
final class OtherValue {
    private let read: (borrowing Commit) -> JSON
    private let name: (feature: String, label: String)
    private let call: PresentCall

    init(
        _ read: @escaping (borrowing Commit) -> JSON, _ name: (feature: String, label: String), _ call: PresentCall
    ) {
        self.read = read
        self.name = name
        self.call = call
    }

    var current: JSON {
        guard let commit = call.commit else { return .null }
        let value = read(commit.pointee)
        return call.hidden?.given[name.feature]?[name.label]?.masking(value) ?? value
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
    private let table: Table<String, DescribedRow>
    private let label: String

    init(_ table: Table<String, DescribedRow>, _ label: String, _ call: PresentCall) {
        self.table = table
        self.label = label
        super.init(call)
    }

    override var count: Int {
        guard let commit = call.commit else { return 0 }
        return commit.pointee.rowCount(of: table)
    }

    override func row(_ key: String) -> JSON? {
        guard let commit = call.commit else { return nil }
        call.rowsCount += 1
        let row = commit.pointee[table, key]?.value
        guard let parts = call.hidden?.own[label] else { return row }
        return row.map { parts.masking($0) }
    }

    override fileprivate var allKeys: [String] {
        guard let commit = call.commit else { return [] }
        return IterationOrder.of(commit.pointee.rows(of: table).keys)
    }
}

/// The rows of a table of a given feature.
final class OtherRows: CallRows {
    private let given: GivenRows
    private let name: (feature: String, label: String)

    init(_ given: GivenRows, _ name: (feature: String, label: String), _ call: PresentCall) {
        self.given = given
        self.name = name
        super.init(call)
    }

    override var count: Int {
        guard let commit = call.commit else { return 0 }
        return given.count(commit.pointee)
    }

    override func row(_ key: String) -> JSON? {
        guard let commit = call.commit else { return nil }
        call.rowsCount += 1
        let row = given.row(key, commit.pointee)
        guard let parts = call.hidden?.given[name.feature]?[name.label] else { return row }
        return row.map { parts.masking($0) }
    }

    override fileprivate var allKeys: [String] {
        guard let commit = call.commit else { return [] }
        return IterationOrder.of(given.keys(commit.pointee))
    }
}
