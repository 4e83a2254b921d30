internal import StateStore

/// The binary form of news of presence, and of their answers.
enum PresenceCoding {
    private enum RefusalForm: UInt8 {
        /// The row is there.
        case none = 0
        case rejected = 1
        case noSuchView = 2
        /// The owner could not write the row now.
        case again = 3
    }

    /// Returns the bytes of a message about a space.
    static func bytes(of message: PresenceMessage, in space: SpaceName) -> [UInt8] {
        var writer = EntryWriter()
        writer.text(space.description)
        writer.text(message.process)
        writer.count(message.number)
        writer.count(message.previous)
        writer.byte(message.isWhole ? 1 : 0)
        writer.count(message.joins.count)
        for join in message.joins {
            writer.text(join.table)
            writer.text(join.key)
            writer.bytes(join.rowBytes)
            writer.byte((join.needsRule ? 1 : 0) | (join.isRepeated ? 2 : 0) | (join.caller.isServer ? 4 : 0))
            writer.text(join.caller.subject ?? "")
            writer.bytes(join.claimBytes)
            writer.added(join.added)
        }
        writer.count(message.leaves.count)
        for row in message.leaves {
            writer.text(row.table)
            writer.text(row.key)
        }
        return writer.bytes
    }

    /// Reads a message about a space.
    static func message(_ bytes: ArraySlice<UInt8>) throws(EntryFault) -> (PresenceMessage, SpaceName) {
        var reader = EntryReader(Array(bytes))
        guard let space = SpaceName(try reader.text()) else { throw .malformed }
        let process = try reader.text()
        let (number, previous) = (try reader.number(), try reader.number())
        let isWhole = try reader.byte() == 1
        var joins: [PresenceRequest] = []
        for _ in 0..<(try reader.count(of: 6)) { joins.append(try join(&reader)) }
        var leaves: [PresenceRow] = []
        for _ in 0..<(try reader.count(of: 2)) {
            let table = try reader.text()
            leaves.append(PresenceRow(table: table, key: try reader.text()))
        }
        let message = PresenceMessage(
            of: process, number, after: previous, isWhole: isWhole, joins: joins, leaves: leaves)
        return (message, space)
    }

    private static func join(_ reader: inout EntryReader) throws(EntryFault) -> PresenceRequest {
        let (table, key) = (try reader.text(), try reader.text())
        let row = try reader.bytes()
        let parts = try reader.byte()
        let (subject, claims) = (try reader.text(), try reader.bytes())
        var request = PresenceRequest(
            key, in: table, rowBytes: row, subject: subject, claimBytes: claims, isServer: parts & 4 != 0,
            needsRule: parts & 1 != 0, isRepeated: parts & 2 != 0)
        request?.added = try reader.added()
        guard let request else { throw .malformed }
        return request
    }

    /// Returns the bytes of an answer.
    static func bytes(of answer: PresenceAnswer) -> [UInt8] {
        var writer = EntryWriter()
        guard case .done(let outcomes) = answer else { return [0] }
        writer.byte(1)
        writer.count(outcomes.count)
        for outcome in outcomes {
            switch outcome {
            case .present(let added):
                writer.byte(RefusalForm.none.rawValue)
                writer.added(added)
            case .refused(.rejected(let rejection)):
                writer.byte(RefusalForm.rejected.rawValue)
                writer.rejection(rejection)
                writer.byte(rejection.place == nil ? 0 : 1)
                guard let place = rejection.place else { continue }
                writer.count(place.count)
                for token in place { writer.text(token) }
            case .refused(.noSuchView(let name)):
                writer.byte(RefusalForm.noSuchView.rawValue)
                writer.text(name)
            default: writer.byte(RefusalForm.again.rawValue)
            }
        }
        return writer.bytes
    }

    /// Reads an answer.
    static func answer(_ bytes: [UInt8]) throws(EntryFault) -> PresenceAnswer {
        var reader = EntryReader(bytes)
        guard try reader.byte() == 1 else { return .unknown }
        var outcomes: [JoinOutcome] = []
        for _ in 0..<(try reader.count(of: 1)) { outcomes.append(try outcome(&reader)) }
        return .done(outcomes)
    }

    private static func outcome(_ reader: inout EntryReader) throws(EntryFault) -> JoinOutcome {
        switch RefusalForm(rawValue: try reader.byte()) {
        case RefusalForm.none?: return .present(try reader.added())
        case .rejected?:
            let rejection = try reader.rejection()
            var place: [String]?
            if try reader.byte() == 1 {
                var tokens: [String] = []
                for _ in 0..<(try reader.count(of: 1)) { tokens.append(try reader.text()) }
                place = tokens
            }
            return .refused(.rejected(Rejection(rejection.kind, rejection.description, place: place)))
        case .noSuchView?: return .refused(.noSuchView(try reader.text()))
        case .again?: return .refused(.elsewhere)
        case nil: throw .malformed
        }
    }
}

extension EntryWriter {
    fileprivate mutating func added(_ added: FirstAdding) {
        signed(Int64(added.version))
        count(added.index)
    }
}

extension EntryReader {
    fileprivate mutating func added() throws(EntryFault) -> FirstAdding {
        guard let added = FirstAdding(readVersion: try signed(), index: Int64(try number())) else { throw .malformed }
        return added
    }
}
