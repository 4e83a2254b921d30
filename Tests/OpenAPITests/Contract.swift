import Foundation
import JSON

/// `openapi.yaml`: a part that is written by hand, and between two marks a part that follows from what the server says at `/v1`.
struct Contract {
    static let begin = "  # >>> What follows is written by Scripts/openapi from what the server says; summaries, descriptions and examples are yours, and stay."
    static let end = "  # <<< From here on it is written by hand again."

    /// The package's root.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    static let file = root.appendingPathComponent("openapi.yaml")

    let text: String
    let tree: JSON

    init() throws {
        text = try String(contentsOf: Self.file, encoding: .utf8)
        tree = try YAMLReader.read(text)
    }

    /// One thing that can be done.
    struct Operation {
        let path: String
        let method: String
        let tree: JSON

        /// The statuses it may answer with, as they are listed.
        var statuses: Set<String> {
            if case .object(let responses)? = tree["responses"] { Set(responses.map(\.key)) } else { [] }
        }

        var description: String { "\(method.uppercased()) \(path)" }
    }

    /// All that can be done, in the order of the file.
    var operations: [Operation] {
        guard case .object(let paths)? = tree["paths"] else { return [] }
        return paths.flatMap { path -> [Operation] in
            guard case .object(let item) = path.value else { return [] }
            return item.filter { $0.key != "parameters" }.map { Operation(path: path.key, method: $0.key, tree: $0.value) }
        }
    }

    /// The text as it would be if it were up to date.
    func text(following index: JSON) throws -> String {
        let parts = text.components(separatedBy: "\(Self.begin)\n")
        let rest = parts.count == 2 ? parts[1].components(separatedBy: "\(Self.end)\n") : []
        guard rest.count == 2 else { throw YAMLFault(line: 0, "the marks around the written part are not both there, once") }
        let lines = YAMLWriter.lines(of: DescribedPaths(of: index, words: tree["paths"] ?? [:]).paths, indent: 2)
        return parts[0] + "\(Self.begin)\n" + lines.joined(separator: "\n") + "\n" + "\(Self.end)\n" + rest[1]
    }

    /// What a pointer such as `#/components/schemas/Problem` means.
    func resolve(_ reference: String) -> JSON? {
        reference.dropFirst(2).split(separator: "/").reduce(tree) { $0?[String($1)] }
    }
}
