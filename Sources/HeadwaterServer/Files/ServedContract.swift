import JSON
import StateStore

/// The contract of a server: `openapi.yaml` with the paths of its own features.
///
/// The file that is built into the program describes the example features in words. A path of theirs stays if the
/// server has the feature; the paths of other features follow from their descriptions.
struct ServedContract {
    private let file: [UInt8]
    /// The features whose paths the file describes in words.
    private let describedFeatures: Set<String>
    private let bytesLimit: Int

    /// A contract on the base of a file. Documents that would make it larger than `bytesLimit` are left out.
    init(_ file: [UInt8], _ describedFeatures: Set<String>, bytesLimit: Int) {
        self.file = file
        self.describedFeatures = describedFeatures
        self.bytesLimit = bytesLimit
    }

    /// Returns the text of the file with the paths of the features of a registry between its marks. `isOpen` is true for
    /// clients that do not see documents.
    func text(of registry: Registry, isOpen: Bool = false) -> [UInt8] {
        let index = Index(of: registry)
        let described = DescribedPaths(of: index.features { isInFile($0, index) }).paths
        var text: [UInt8] = []
        var kept: Set<String> = []
        var others = JSON.Object()
        var isBetweenMarks = false
        var isKept = true
        for line in file.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast() {
            if line.starts(with: "  # <<< The generated paths".utf8) {
                for path in described where !kept.contains(path.key) { append(path.key, path.value, to: &text) }
                others = addOthers(index, isOpen: isOpen, to: &text)
                (isBetweenMarks, isKept) = (false, true)
            }
            if line.starts(with: "    # <<< The generated schemas".utf8) {
                for schema in others {
                    text += Array("    \(schema.key): ".utf8) + schema.value.written + [UInt8(ascii: "\n")]
                }
            }
            if isBetweenMarks, line.starts(with: "  \"/".utf8) || line.starts(with: "  /".utf8) {
                // The path is in quotation marks if it has parameters.
                let key = line.drop { $0 != UInt8(ascii: "/") }.prefix {
                    $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: ":")
                }
                let path = String(decoding: key, as: UTF8.self)
                isKept = described[path] != nil
                if isKept { kept.insert(path) }
            }
            if isKept { text += line + [UInt8(ascii: "\n")] }
            if line.starts(with: "  # >>> Scripts/openapi writes these paths".utf8) { isBetweenMarks = true }
        }
        return text
    }

    /// Returns true if the file describes a feature in words. A document can have the name of an example.
    private func isInFile(_ name: String, _ index: Index) -> Bool {
        describedFeatures.contains(name) && index.isOfProgram(name)
    }

    /// Appends the paths of the features that the file does not describe, and a note about those that are left out.
    /// Returns the schemas to which the paths refer.
    private func addOthers(_ index: Index, isOpen: Bool, to text: inout [UInt8]) -> JSON.Object {
        var leftOut = 0
        var schemas = JSON.Object()
        var schemaBytes = 0
        let names = namesInFile
        for name in index.names where !isInFile(name, index) {
            guard leftOut == 0 || index.isOfProgram(name) else {
                leftOut += 1
                continue
            }
            var own: [UInt8] = []
            let described = DescribedPaths(of: [index.feature(name)], besides: names.union(schemas.map(\.key)))
            for path in described.paths { append(path.key, path.value, to: &own) }
            let ownSchemaBytes = described.schemas.reduce(0) { $0 + $1.key.utf8.count + $1.value.written.count }
            // The rest of the file follows.
            if index.isOfProgram(name)
                || text.count + own.count + file.count + schemaBytes + ownSchemaBytes <= bytesLimit
            {
                text += own
                schemaBytes += ownSchemaBytes
                for schema in described.schemas { schemas[schema.key] = schema.value }
            } else {
                leftOut += 1
            }
        }
        if isOpen {
            note("The paths of documents are left out: they are for tokens that may read a space.", to: &text)
        } else if leftOut > 0 {
            note(
                "The paths of \(leftOut) documents are left out: a contract has \(bytesLimit) bytes at most.", to: &text
            )
        }
        return schemas
    }

    /// The names of the schemas of the file.
    private var namesInFile: Set<String> {
        var names: Set<String> = []
        var isWithin = false
        for line in file.split(separator: UInt8(ascii: "\n")) {
            if line.starts(with: "  ".utf8), line.dropFirst(2).first != UInt8(ascii: " ") {
                isWithin = line.elementsEqual("  schemas:".utf8)
            }
            let name = line.dropFirst(4).prefix { $0 != UInt8(ascii: ":") }
            if isWithin, line.starts(with: "    ".utf8), name.first != UInt8(ascii: " "),
                name.first != UInt8(ascii: "#")
            {
                names.insert(String(decoding: name, as: UTF8.self))
            }
        }
        return names
    }

    /// Appends a note, which OpenAPI permits among the paths.
    private func note(_ words: String, to text: inout [UInt8]) {
        text += Array("  x-left-out: \"\(words)\"\n".utf8)
    }

    /// Appends a path, as JSON, which is YAML too.
    private func append(_ path: String, _ item: JSON, to text: inout [UInt8]) {
        text += Array("  \"\(path)\": ".utf8) + item.written + [UInt8(ascii: "\n")]
    }
}
