import Glibc

/// A file of text.
enum TextFile {
    /// The largest that is read.
    static let bytesLimit = 16 * 1_024 * 1_024

    /// All that is in it.
    static func read(_ path: String) throws(CommandFault) -> String {
        guard let file = fopen(path, "r") else {
            throw CommandFault("cannot read \(path): \(String(cString: strerror(errno)))")
        }
        return try read(file, path)
    }

    /// All that comes on standard input.
    static func readInput() throws(CommandFault) -> String {
        guard let file = fdopen(STDIN_FILENO, "r") else {
            throw CommandFault("cannot read standard input: \(String(cString: strerror(errno)))")
        }
        return try read(file, "standard input")
    }

    private static func read(_ file: UnsafeMutablePointer<FILE>, _ path: String) throws(CommandFault) -> String {
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 * 1_024)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            if count == 0 { break }
            bytes += buffer[0..<count]
            guard bytes.count <= bytesLimit else { throw CommandFault("\(path) is larger than \(bytesLimit) bytes") }
        }
        guard ferror(file) == 0 else { throw CommandFault("cannot read \(path): \(String(cString: strerror(errno)))") }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFault("\(path) is no text in UTF-8")
        }
        return text
    }
}
