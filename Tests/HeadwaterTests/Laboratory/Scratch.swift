import Glibc

/// A directory that is removed after the test.
final class Scratch: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/headwater-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Trouble("no directory: error \(errno)") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        Self.remove(path)
    }

    /// A path in it for a server's data.
    var data: String { path + "/data" }

    /// Writes a file in it with the given text.
    func file(_ name: String, _ text: String) throws -> String {
        let path = path + "/" + name
        guard let file = fopen(path + ".new", "w") else { throw Trouble("no file: error \(errno)") }
        fputs(text, file)
        fclose(file)
        // A reader finds the old or the new file, never a part.
        guard rename(path + ".new", path) == 0 else { throw Trouble("no file: error \(errno)") }
        return path
    }

    private static func remove(_ path: String) {
        if let directory = opendir(path) {
            while let entry = readdir(directory) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name != ".", name != ".." { remove(path + "/" + name) }
            }
            closedir(directory)
        }
        Glibc.remove(path)
    }
}
