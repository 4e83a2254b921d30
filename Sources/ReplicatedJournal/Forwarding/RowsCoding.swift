internal import StateStore

/// The binary form of requests for rows in memory only, and of their answers.
enum RowsCoding {
    /// Returns the bytes of a request.
    static func bytes(of request: RowsRequest) -> [UInt8] {
        var writer = EntryWriter()
        writer.text(request.space.description)
        write(request.known, to: &writer)
        writer.byte(request.after == nil ? 0 : 1)
        if let after = request.after {
            writer.text(after.variable)
            writer.text(after.entry)
        }
        writer.text(request.follower ?? "")
        return writer.bytes
    }

    /// Reads a request.
    static func request(_ bytes: ArraySlice<UInt8>) throws(EntryFault) -> RowsRequest {
        var reader = EntryReader(Array(bytes))
        guard let space = SpaceName(try reader.text()) else { throw .malformed }
        let known = try number(&reader)
        var after: RowsRequest.Place?
        if try reader.byte() == 1 {
            let variable = try reader.text()
            after = RowsRequest.Place(variable, try reader.text())
        }
        let follower = try reader.text()
        return RowsRequest(space, known: known, after: after, follower: follower.isEmpty ? nil : follower)
    }

    /// Returns the bytes of an answer.
    static func bytes(of answer: RowsAnswer) -> [UInt8] {
        var writer = EntryWriter()
        write(answer.number, to: &writer)
        writer.count(answer.version)
        writer.byte(answer.isWhole ? 1 : 0)
        writer.byte(answer.hasMore ? 1 : 0)
        writer.count(answer.facts.count)
        for fact in answer.facts { writer.fact(fact) }
        return writer.bytes
    }

    /// Reads an answer.
    static func answer(_ bytes: [UInt8]) throws(EntryFault) -> RowsAnswer {
        var reader = EntryReader(bytes)
        guard let number = try number(&reader) else { throw .malformed }
        let version = try reader.number()
        let (isWhole, hasMore) = (try reader.byte() == 1, try reader.byte() == 1)
        var facts: [Fact] = []
        for _ in 0..<(try reader.count(of: 2)) { facts.append(try reader.fact()) }
        // A page that says that more follow has rows, so that the next request goes on after them.
        guard !hasMore || facts.last?.entry != nil else { throw .malformed }
        return RowsAnswer(number, at: version, isWhole: isWhole, facts, hasMore: hasMore)
    }

    private static func write(_ number: RowsNumber?, to writer: inout EntryWriter) {
        writer.byte(number == nil ? 0 : 1)
        guard let number else { return }
        writer.word(number.epoch)
        writer.count(number.number)
    }

    private static func number(_ reader: inout EntryReader) throws(EntryFault) -> RowsNumber? {
        guard try reader.byte() == 1 else { return nil }
        let epoch = try reader.word()
        return RowsNumber(epoch: epoch, try reader.number())
    }
}
