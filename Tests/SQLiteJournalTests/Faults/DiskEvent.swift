import Foundation

/// One call in the trace of a faulty disk. Paths are those below its root.
struct DiskEvent {
    enum Kind {
        case create(path: String)
        case write(offset: Int, data: ArraySlice<UInt8>)
        case truncate(length: Int)
        /// A sync of a file or, if the path names one, of a directory.
        case sync(path: String, hasFailed: Bool)
        case rename(from: String, to: String)
        case unlink(path: String)
        case makeDirectory(path: String)
        /// Text on standard output.
        case say(String)
    }

    let kind: Kind
    /// The number of the file, 0 for none.
    let file: UInt64

    /// The events of a whole trace, without an incomplete last record.
    static func read(_ bytes: [UInt8], root: String) throws -> [DiskEvent] {
        var events: [DiskEvent] = []
        var place = 0
        func number(_ offset: Int, _ count: Int) -> Int {
            bytes.withUnsafeBytes { bytes in
                count == 4
                    ? Int(bytes.loadUnaligned(fromByteOffset: place + offset, as: UInt32.self))
                    : Int(bytes.loadUnaligned(fromByteOffset: place + offset, as: Int64.self))
            }
        }
        while place + 32 <= bytes.count {
            let pathCount = number(24, 4)
            let dataCount = number(28, 4)
            guard place + 32 + pathCount + dataCount <= bytes.count else { break }
            let pathEnd = place + 32 + pathCount
            let data = bytes[pathEnd..<pathEnd + dataCount]
            let path = String(decoding: bytes[place + 32..<pathEnd], as: UTF8.self).dropFirst(root.count)
            let kind: Kind? =
                switch number(0, 4) {
                case 1: .create(path: String(path))
                case 2: .write(offset: number(16, 8), data: data)
                case 3: .truncate(length: number(16, 8))
                case 4: .sync(path: String(path), hasFailed: number(4, 4) != 0)
                case 5:
                    .rename(from: String(path), to: String(String(decoding: data, as: UTF8.self).dropFirst(root.count)))
                case 6: .unlink(path: String(path))
                case 7: .makeDirectory(path: String(path))
                case 10: .say(String(decoding: data, as: UTF8.self))
                default: nil
                }
            if let kind { events.append(DiskEvent(kind: kind, file: UInt64(number(8, 8)))) }
            place = pathEnd + dataCount
        }
        return events
    }
}
