import Glibc

/// A text file.
enum TextFile {
    /// The greatest size in bytes.
    static let bytesLimit = 16 * 1_024 * 1_024

    /// Returns the contents of the file at `path`.
    static func read(_ path: String) throws(CommandFault) -> String {
        try text(try bytes(path), path)
    }

    /// Returns the bytes of the file at `path`.
    static func bytes(_ path: String) throws(CommandFault) -> [UInt8] {
        guard let file = fopen(path, "r") else {
            throw CommandFault("cannot read \(path): \(String(cString: strerror(errno)))")
        }
        return try bytes(of: file, path)
    }

    /// Returns the bytes of a secret: the contents of the file at `path` without one line end.
    static func secret(_ path: String) throws(CommandFault) -> [UInt8] {
        var bytes = try bytes(path)
        if bytes.last == UInt8(ascii: "\n") {
            bytes.removeLast()
            if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        }
        return bytes
    }

    /// Returns the contents of standard input.
    static func readInput() throws(CommandFault) -> String {
        guard let file = fdopen(STDIN_FILENO, "r") else {
            throw CommandFault("cannot read standard input: \(String(cString: strerror(errno)))")
        }
        return try text(try bytes(of: file, "standard input"), "standard input")
    }

    private static func bytes(of file: UnsafeMutablePointer<FILE>, _ path: String) throws(CommandFault) -> [UInt8] {
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
        return bytes
    }

    private static func text(_ bytes: [UInt8], _ path: String) throws(CommandFault) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFault("\(path) is not UTF-8 text")
        }
        return text
    }
}
