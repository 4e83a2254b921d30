import Glibc

/// A directory with files to serve, removed after the test, and a directory beside it that must not be served.
final class SiteFolder {
    struct CannotMake: Error {
        let place: String
    }

    private let scratch: String
    /// The directory that is served.
    let path: String

    init() throws {
        var template = Array("/tmp/headwater-site-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw CannotMake(place: "/tmp") }
        scratch = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        path = scratch + "/site"
        try makeFolder("")
        try makeFolder("../outside")
        try write("../outside/secret.txt", "SECRET")
        try write("../outside/index.html", "SECRET")
    }

    deinit {
        Self.remove(scratch)
    }

    func makeFolder(_ name: String) throws {
        guard mkdir("\(path)/\(name)", 0o700) == 0 else { throw CannotMake(place: name) }
    }

    /// Writes a file into the directory, in place.
    func write(_ name: String, _ text: String) throws { try write(name, Array(text.utf8)) }

    /// Writes a file of some bytes into the directory, in place.
    func write(_ name: String, _ bytes: [UInt8]) throws {
        guard let file = fopen("\(path)/\(name)", "w") else { throw CannotMake(place: name) }
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
    }

    /// Makes a symbolic link with a target that is relative to the link, or absolute.
    func link(_ name: String, to target: String) throws {
        guard symlink(target, "\(path)/\(name)") == 0 else { throw CannotMake(place: name) }
    }

    /// Makes a file without content of that size.
    func makeLarge(_ name: String, bytes: Int) throws {
        try write(name, "")
        guard truncate("\(path)/\(name)", bytes) == 0 else { throw CannotMake(place: name) }
    }

    /// Lets a file look as if it had not changed for a long time.
    func age(_ name: String) throws {
        var times = [timespec(tv_sec: 1_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000, tv_nsec: 0)]
        guard utimensat(AT_FDCWD, "\(path)/\(name)", &times, 0) == 0 else { throw CannotMake(place: name) }
    }

    func delete(_ name: String) {
        Self.remove("\(path)/\(name)")
    }

    private static func remove(_ path: String) {
        if let directory = opendir(path) {
            while let entry = readdir(directory) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                var status = stat()
                guard name != ".", name != "..", lstat("\(path)/\(name)", &status) == 0 else { continue }
                if status.st_mode & S_IFMT == S_IFLNK { unlink("\(path)/\(name)") } else { remove("\(path)/\(name)") }
            }
            closedir(directory)
        }
        Glibc.remove(path)
    }
}
