import Hosting
import Documents
import Glibc
import JSON

/// The command `headwater editor`: the settings of VS Code with which it checks and completes feature documents.
struct EditorSetup {
    /// The file of the schema, below the directory.
    private static let schemaFile = ".vscode/headwater-feature.schema.json"
    private static let settingsFile = ".vscode/settings.json"

    private let directory: String

    /// Sets up a directory.
    init(_ directory: String) {
        self.directory = directory
    }

    /// Sets up, and says so.
    func run() throws(CommandFault) {
        let documents = try setUp()
        StandardStreams.print("VS Code checks \(documents.joined(separator: ", ")) in \(directory)")
    }

    /// Writes the schema, and the settings with it. Settings with comments stay as they are. Returns the names of the
    /// documents.
    @discardableResult
    func setUp() throws(CommandFault) -> [String] {
        let documents = documentNames()
        for path in ["", "/.vscode"] {
            guard mkdir(directory + path, 0o777) == 0 || errno == EEXIST else {
                throw CommandFault("\(directory + path) cannot be made: \(String(cString: strerror(errno)))")
            }
        }
        let settings = try settings(documents)
        try Self.write(Array(JSONText.indented(DocumentSchema.json).utf8), "\(directory)/\(Self.schemaFile)")
        try Self.write(Array(JSONText.indented(settings).utf8), "\(directory)/\(Self.settingsFile)")
        return documents
    }

    /// The names of the documents that are there; without one, those that a directory of documents has.
    private func documentNames() -> [String] {
        guard let found = try? DocumentDirectory(directory) else { return ["app.json", "features/*.json"] }
        return found.files.map(\.name)
    }

    private func settings(_ documents: [String]) throws(CommandFault) -> JSON {
        let path = "\(directory)/\(Self.settingsFile)"
        var settings = JSON.Object()
        if access(path, F_OK) == 0 {
            let text = try TextFile.bytes(path)
            guard CommentedJSON.plain(text) == text, case .object(let known)? = try? JSON(parsing: text) else {
                throw CommandFault(
                    "\(path) has comments, or is no object: add \"json.schemas\": [{\"fileMatch\": \(JSON.array(documents.map { .string($0) })), \"url\": \"./\(Self.schemaFile)\"}]"
                )
            }
            settings = known
        }
        var schemas: [JSON] = []
        if case .array(let known)? = settings["json.schemas"] {
            schemas = known.filter { $0["url"] != .string("./\(Self.schemaFile)") }
        }
        schemas.append([
            "fileMatch": .array(documents.map { .string($0) }), "url": .string("./\(Self.schemaFile)"),
        ])
        settings["json.schemas"] = .array(schemas)
        var associations = JSON.Object()
        if case .object(let known)? = settings["files.associations"] { associations = known }
        for name in documents { associations[name] = "jsonc" }
        settings["files.associations"] = .object(associations)
        return .object(settings)
    }

    /// Writes a file.
    static func write(_ bytes: [UInt8], _ path: String) throws(CommandFault) {
        guard let file = fopen(path, "w") else {
            throw CommandFault("\(path) cannot be written: \(String(cString: strerror(errno)))")
        }
        let count = fwrite(bytes, 1, bytes.count, file)
        guard fclose(file) == 0, count == bytes.count else { throw CommandFault("\(path) cannot be written") }
    }
}

/// JSON as a person reads it.
enum JSONText {
    /// Returns a value with a line for each member and element, and a line end.
    static func indented(_ json: JSON) -> String { text(json, "") + "\n" }

    private static func text(_ json: JSON, _ indent: String) -> String {
        let inner = indent + "  "
        switch json {
        case .object(let members) where !members.isEmpty:
            let lines = members.map { "\(inner)\(JSON.string($0.key)): \(text($0.value, inner))" }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
        case .array(let elements) where elements.contains { $0.isContainer }:
            return "[\n" + elements.map { inner + text($0, inner) }.joined(separator: ",\n") + "\n\(indent)]"
        case .array(let elements): return "[" + elements.map { "\($0)" }.joined(separator: ", ") + "]"
        default: return "\(json)"
        }
    }
}

extension JSON {
    /// True for an object or an array.
    fileprivate var isContainer: Bool {
        switch self {
        case .object, .array: true
        default: false
        }
    }
}
