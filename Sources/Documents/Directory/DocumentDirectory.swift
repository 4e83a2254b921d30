internal import Ground
package import JSON
package import StateStore

#if canImport(Glibc)
    internal import Glibc
#endif

/// The feature documents of a directory: the files whose names end with `.json`.
package struct DocumentDirectory: Sendable {
    /// One file.
    package struct DocumentFile: Sendable {
        /// The name of the file.
        package let name: String
        /// The name of the feature; empty if the file has none.
        package let feature: String
        /// The document, or the reason that the file cannot be read as one.
        package let content: Result<JSON, DocumentFault>
    }

    /// The reason that a directory cannot be read.
    package struct UnreadableDirectory: Error, CustomStringConvertible {
        package let description: String
    }

    /// The files, in the order of their names.
    package let files: [DocumentFile]

    /// Reads a directory. A directory without documents is an error.
    package init(_ path: String) throws(UnreadableDirectory) {
        let names = try Self.names(in: path).filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }.sorted()
        guard !names.isEmpty else {
            throw UnreadableDirectory(description: "\(path) has no feature document: no file with the suffix .json")
        }
        guard names.count <= Self.filesLimit else {
            throw UnreadableDirectory(
                description: "\(path) has \(names.count) documents; the limit is \(Self.filesLimit)")
        }
        var files: [DocumentFile] = []
        for name in names { files.append(Self.file(name, path + "/" + name, known: files.map(\.feature))) }
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

    private static func file(_ name: String, _ path: String, known: [String]) -> DocumentFile {
        do throws(DocumentFault) {
            let json = try read(path)
            guard case .string(let feature)? = json["feature"], !feature.isEmpty else {
                throw DocumentFault("the member \"feature\" is missing", at: JSONPointer(["feature"]))
            }
            guard !known.contains(feature) else {
                throw DocumentFault(
                    "another file of the directory describes the feature \(feature)", at: JSONPointer(["feature"]))
            }
            return DocumentFile(name: name, feature: feature, content: .success(json))
        } catch {
            return DocumentFile(name: name, feature: "", content: .failure(error))
        }
    }

    private static func read(_ path: String) throws(DocumentFault) -> JSON {
        let bytes = try contents(of: path)
        do throws(JSONError) {
            return try JSON(parsing: bytes)
        } catch {
            throw DocumentFault("\(error.reason) at byte \(error.offset)", at: error.pointer)
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
        while bytes.count <= DocumentLimits.bytes {
            let count = Glibc.read(descriptor, &part, part.count)
            if count == 0 { return bytes }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw DocumentFault("the file cannot be read: \(String(cString: strerror(errno)))", at: JSONPointer())
            }
            bytes += part[..<count]
        }
        throw DocumentFault("the document has more than \(DocumentLimits.bytes) bytes", at: JSONPointer())
    }
}
