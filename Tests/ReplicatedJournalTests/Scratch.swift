import Glibc

/// A directory for one test, which removes it at the end.
final class Scratch {
    let path: String

    struct Failure: Error {}

    init() throws {
        var template = Array("/tmp/headwater-cluster-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure() }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        // Two levels: the directories of nodes, and their files.
        Self.remove(path)
    }

    private static func remove(_ path: String) {
        if let directory = opendir(path) {
            while let entry = readdir(directory) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name != ".", name != ".." { remove("\(path)/\(name)") }
            }
            closedir(directory)
            rmdir(path)
        } else {
            unlink(path)
        }
    }
}
