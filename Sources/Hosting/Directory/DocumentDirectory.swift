import Documents
internal import Ground
package import JSON
package import StateStore

#if canImport(Glibc)
    internal import Glibc
#endif

/// The feature documents of a directory: the files with the suffix `.json` or `.jsonc` whose JSON has the member
/// `feature`, and those that are not JSON. Other files are left alone.
package struct DocumentDirectory: Sendable {
    /// One file.
    package struct DocumentFile: Sendable {
        /// The name of the file.
        package let name: String
        /// The name of the feature; empty if the file has none.
        package let feature: String
        /// The document, or the reason that the file cannot be read as one.
        package let content: Result<JSON, DocumentFault>
        /// The text of the file.
        let text: [UInt8]

        /// The text, if it has more than JSON: comments, or trailing commas.
        package var commentedText: String? {
            CommentedJSON.plain(text) == text ? nil : String(decoding: text, as: UTF8.self)
        }

        /// Returns the places of faults in the file.
        package func places(of faults: [DocumentFault]) -> [SourcePlace] {
            let offsets = JSONPointer.offsets(of: faults.map(\.pointer), in: CommentedJSON.plain(text))
            return zip(faults, offsets).map { SourcePlace(of: $0.offset ?? $1, in: text) }
        }
    }

    /// The reason that a directory cannot be read.
    package struct UnreadableDirectory: Error, CustomStringConvertible {
        package let description: String
    }

    /// The files, in the order of their names.
    package let files: [DocumentFile]

    /// Reads a directory. A directory without documents is an error.
    package init(_ path: String) throws(UnreadableDirectory) {
        let names = try Self.names(in: path).filter(Self.isName).sorted()
        var files: [DocumentFile] = []
        for name in names {
            guard let file = Self.file(name, path + "/" + name, known: files.map(\.feature)) else { continue }
            guard files.count < Self.filesLimit else {
                throw UnreadableDirectory(
                    description: "\(path) has more than \(Self.filesLimit) documents, which is the limit")
            }
            files.append(file)
        }
        guard !files.isEmpty else {
            throw UnreadableDirectory(
                description:
                    "\(path) has no feature document: no file with the suffix .json or .jsonc has the member \"feature\""
            )
        }
        self.files = files
    }

    /// Documents of a directory at most.
    private static let filesLimit = 1_000

    /// The documents that could be read, by the names of their features.
    package var documents: [String: JSON] {
        var documents: [String: JSON] = [:]
        for file in files {
            if case .success(let json) = file.content { documents[file.feature] = json }
        }
        return documents
    }

    private static func names(in path: String) throws(UnreadableDirectory) -> [String] {
        guard let directory = opendir(path) else {
            throw UnreadableDirectory(description: "\(path) cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafePointer(to: entry.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names
    }

    /// Returns true for the name of a file that can be a document. A name that begins with a dot is hidden.
    package static func isName(_ name: String) -> Bool {
        !name.hasPrefix(".") && (name.hasSuffix(".json") || name.hasSuffix(".jsonc"))
    }

    /// Reads a file; returns nil for one that is no document.
    private static func file(_ name: String, _ path: String, known: [String]) -> DocumentFile? {
        var text: [UInt8] = []
        do throws(DocumentFault) {
            text = try contents(of: path)
            guard text.count <= DocumentLimits.textBytes else {
                guard isLike(text) else { return nil }
                throw DocumentFault("the file has more than \(DocumentLimits.textBytes) bytes", at: JSONPointer())
            }
            let json = try read(text)
            guard let member = json["feature"] else { return nil }
            guard case .string(let feature) = member, !feature.isEmpty else {
                throw DocumentFault("the member \"feature\" is the name of the feature", at: JSONPointer(["feature"]))
            }
            guard !known.contains(feature) else {
                throw DocumentFault(
                    "another file of the directory describes the feature \(feature)", at: JSONPointer(["feature"]))
            }
            return DocumentFile(name: name, feature: feature, content: .success(json), text: text)
        } catch {
            return DocumentFile(name: name, feature: "", content: .failure(error), text: text)
        }
    }

    /// Returns true if a text that cannot be read has the name of the member `feature`.
    private static func isLike(_ text: [UInt8]) -> Bool {
        String(decoding: text, as: UTF8.self).contains("\"feature\"")
    }

    private static func read(_ text: [UInt8]) throws(DocumentFault) -> JSON {
        do throws(JSONError) {
            return try JSON(parsing: CommentedJSON.plain(text))
        } catch {
            throw DocumentFault("\(error.reason)", at: error.pointer, offset: error.offset)
        }
    }

    private static func contents(of path: String) throws(DocumentFault) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw DocumentFault("the file cannot be read: \(String(cString: strerror(errno)))", at: JSONPointer())
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count <= DocumentLimits.textBytes {
            let count = Glibc.read(descriptor, &part, part.count)
            if count == 0 { return bytes }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw DocumentFault("the file cannot be read: \(String(cString: strerror(errno)))", at: JSONPointer())
            }
            bytes += part[..<count]
        }
        return bytes
    }
}
