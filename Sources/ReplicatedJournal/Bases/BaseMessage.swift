/// A question for a base, or for a piece of one.
enum BaseQuestion: Hashable {
    /// Which base can be had?
    case open
    /// A piece of the base of an identity.
    case piece(of: UInt64, from: Int)

    var bytes: [UInt8] {
        var writer = EntryWriter()
        switch self {
        case .open: writer.byte(1)
        case .piece(let id, let offset):
            writer.byte(2)
            writer.word(id)
            writer.count(offset)
        }
        return writer.bytes
    }

    init(_ bytes: [UInt8]) throws(EntryFault) {
        var reader = EntryReader(bytes)
        switch try reader.byte() {
        case 1: self = .open
        case 2: self = .piece(of: try reader.word(), from: try reader.number())
        default: throw .malformed
        }
        guard reader.isAtEnd else { throw .malformed }
    }
}

/// The answer to a question for a base.
enum BaseAnswer: Hashable {
    /// The base is being made: ask again.
    case making
    /// The identity and the number of bytes.
    case opened(UInt64, size: Int)
    /// The bytes of a piece.
    case piece([UInt8])
    /// There is no such base.
    case absent(String)

    var bytes: [UInt8] {
        var writer = EntryWriter()
        switch self {
        case .making: writer.byte(0)
        case .opened(let id, let size):
            writer.byte(1)
            writer.word(id)
            writer.count(size)
        case .piece(let bytes):
            let digest = EntryChain.beginning.following(bytes)
            writer.byte(2)
            writer.word(digest.first)
            writer.word(digest.second)
            writer.bytes(bytes)
        case .absent(let reason):
            writer.byte(3)
            writer.text(reason)
        }
        return writer.bytes
    }

    /// Reads an answer. A piece with another digest is malformed.
    init(_ bytes: [UInt8]) throws(EntryFault) {
        var reader = EntryReader(bytes)
        switch try reader.byte() {
        case 0: self = .making
        case 1: self = .opened(try reader.word(), size: try reader.number())
        case 2:
            let digest = EntryChain(first: try reader.word(), second: try reader.word())
            let piece = try reader.bytes()
            guard EntryChain.beginning.following(piece) == digest else { throw .malformed }
            self = .piece(piece)
        case 3: self = .absent(try reader.text())
        default: throw .malformed
        }
        guard reader.isAtEnd else { throw .malformed }
    }
}
