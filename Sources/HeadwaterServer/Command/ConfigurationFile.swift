import Ground

/// The file of `--config`: an option and its value on each line, as `port = 8080`. A `#` at the begin of a line, or after
/// white space, begins a comment.
struct ConfigurationFile {
    /// A line with an option.
    struct Line {
        let number: Int
        let name: String
        let value: String
    }

    /// The path, as it was given.
    let path: String
    private(set) var lines: [Line] = []
    /// The faults of lines that have no option and value.
    private(set) var faults: [CommandFault] = []

    /// Reads the file at `path`. Throws if there is no readable text.
    init(_ path: String) throws(CommandFault) {
        self.init(try TextFile.read(path), path: path)
    }

    /// The lines of `text`.
    init(_ text: String, path: String) {
        self.path = path
        // "\r\n" is one character.
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let content = Self.trimmed(Self.withoutComment(line))
            if content.isEmpty { continue }
            let parts = content.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, case let name = Self.trimmed(parts[0]), !name.isEmpty else {
                faults.append(fault("a line has an option and its value: port = 8080", at: index + 1))
                continue
            }
            lines.append(Line(number: index + 1, name: String(name), value: String(Self.trimmed(parts[1]))))
        }
    }

    /// A fault in a line.
    func fault(_ text: String, at number: Int) -> CommandFault {
        CommandFault("\(path), line \(number): \(text)")
    }

    private static func withoutComment(_ line: Substring) -> Substring {
        var isAfterSpace = true
        for index in line.indices {
            if line[index] == "#", isAfterSpace { return line[..<index] }
            isAfterSpace = line[index].isWhitespace
        }
        return line
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
