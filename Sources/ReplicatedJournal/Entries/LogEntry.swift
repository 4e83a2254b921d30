/// An entry of a lane.
package struct LogEntry: Hashable, Sendable {
    /// The formats that this program reads. It writes each entry in the oldest one that has room for its content.
    package static let formats: [UInt8] = [1, 2, 3, 4]
    /// The format of most entries, which every program of a cluster reads.
    package static let firstFormat: UInt8 = 1
    /// The maximum number of bytes of an entry. A larger batch takes several.
    package static let sizeLimit = 512 * 1_024
    /// The maximum number of bytes of the content of one part, which leaves room for the rest of the entry.
    static let contentLimit = sizeLimit - 256
    /// The maximum number of parts of a batch.
    package static let partsLimit = 4_096

    /// The kind of an entry.
    package enum Kind: UInt8, Hashable, Sendable {
        /// Commits of the owner.
        case batch = 0
        /// The node becomes the owner.
        case claim = 1
        /// The owner gives the lane up.
        case release = 2
        /// Nothing. It takes a slot, so that an entry under way can never land there.
        case mark = 3
        /// The deletion of a space.
        case forget = 4
        /// The settings of the cluster, in the lane of `common`.
        case settings = 5
    }

    /// The format of its bytes.
    package let format: UInt8
    /// The lane.
    package let lane: Lane
    /// The kind.
    package let kind: Kind
    /// The term of the owner: the number of claims up to its own.
    package let term: Int
    /// The node that has appended the entry.
    package let node: String
    /// The identity.
    package let batch: BatchID
    /// The index of this part of a batch, from 0 on.
    package let part: Int
    /// The number of parts.
    package let parts: Int
    /// The content: commits, the name of a space, or settings.
    package let content: [UInt8]

    /// An entry.
    package init(
        lane: Lane, kind: Kind, term: Int, node: String, batch: BatchID, part: Int = 0, parts: Int = 1,
        content: [UInt8] = [], format: UInt8 = firstFormat
    ) {
        self.format = format
        self.lane = lane
        self.kind = kind
        self.term = term
        self.node = node
        self.batch = batch
        self.part = part
        self.parts = parts
        self.content = content
    }

    /// Returns the bytes of the entry after those of a chain, and the chain up to it.
    package func encoded(after chain: EntryChain) -> (bytes: [UInt8], chain: EntryChain) {
        var body = EntryWriter()
        body.lane(lane)
        body.byte(kind.rawValue)
        body.count(term)
        body.text(node)
        body.word(batch.first)
        body.word(batch.second)
        body.count(part)
        body.count(parts)
        body.bytes(content)
        let next = chain.following(body.bytes)
        var writer = EntryWriter()
        writer.byte(format)
        writer.word(next.first)
        writer.word(next.second)
        writer.append(body.bytes)
        return (writer.bytes, next)
    }

    /// Reads an entry, and returns the chain in it. Returns also the bytes that the chain covers.
    package static func decode(
        _ bytes: [UInt8]
    ) throws(EntryFault) -> (entry: LogEntry, chain: EntryChain, covered: ArraySlice<UInt8>) {
        var reader = EntryReader(bytes)
        let format = try reader.byte()
        guard formats.contains(format) else { throw .unknownFormat(format) }
        let chain = EntryChain(first: try reader.word(), second: try reader.word())
        let covered = reader.rest
        let lane = try reader.lane()
        guard let kind = Kind(rawValue: try reader.byte()) else { throw .malformed }
        let entry = LogEntry(
            lane: lane, kind: kind, term: try reader.number(), node: try reader.text(),
            batch: BatchID(first: try reader.word(), second: try reader.word()), part: try reader.number(),
            parts: try reader.number(), content: try reader.bytes(), format: format)
        // The name becomes part of a row and of a subject; the next claim has the term after this one.
        guard reader.isAtEnd, entry.parts <= partsLimit, entry.part < entry.parts, entry.term < .max,
            NodeName.isValid(entry.node)
        else { throw .malformed }
        return (entry, chain, covered)
    }

    /// Reads an entry that follows a chain. Returns nil if it does not follow from it.
    static func decode(
        _ bytes: [UInt8], after chain: EntryChain
    ) throws(EntryFault) -> (entry: LogEntry, chain: EntryChain)? {
        let (entry, next, covered) = try decode(bytes)
        return chain.following(covered) == next ? (entry, next) : nil
    }
}
