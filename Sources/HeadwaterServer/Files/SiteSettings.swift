import Glibc
import HTTP
import JSON

/// The content of `headwater-site.json` in the directory of a site: the page of paths without a file, and the origins
/// that the policy of the pages permits beside the server itself.
struct SiteSettings: Hashable, Sendable {
    /// The name of the file. It is never served.
    static let fileName = "headwater-site.json"
    private static let bytesLimit = 64 << 10
    private static let originsLimit = 100
    private static let members = ["fallback", "connect", "images", "frames"]

    /// The path of the file that answers for paths without a file; nil for none.
    var fallback: SitePath?
    /// The origins for requests, pictures and frames.
    var connect: [String] = []
    var images: [String] = []
    var frames: [String] = []

    init() {}

    /// Reads the settings of a directory; those of a directory without the file are empty.
    init(of directory: String) throws(CommandFault) {
        let path = "\(directory)/\(Self.fileName)"
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT else {
                throw CommandFault("\(path) cannot be read: \(String(cString: strerror(errno)))")
            }
            return
        }
        let text = try TextFile.bytes(path)
        guard text.count <= Self.bytesLimit else {
            throw CommandFault("\(path) has more than \(Self.bytesLimit) bytes")
        }
        let json: JSON
        do throws(JSONError) {
            json = try JSON(parsing: CommentedJSON.plain(text))
        } catch {
            let place = SourcePlace(of: error.offset, in: text)
            throw CommandFault("\(path):\(place.line):\(place.column): \(error.reason): \(place.text)")
        }
        do throws(SettingsFault) {
            try read(json)
        } catch {
            let offset = JSONPointer.offsets(of: [error.pointer], in: CommentedJSON.plain(text))[0]
            let place = SourcePlace(of: offset, in: text)
            throw CommandFault("\(path):\(place.line):\(place.column)#\(error.pointer): \(error.words)")
        }
        guard let fallback else { return }
        guard stat("\(directory)/\(fallback.file)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw CommandFault("\(path)#/fallback: there is no file \(fallback.file) in \(directory)")
        }
    }

    private struct SettingsFault: Error {
        let words: String
        let pointer: JSONPointer

        init(_ words: String, at pointer: JSONPointer) {
            (self.words, self.pointer) = (words, pointer)
        }
    }

    private mutating func read(_ json: JSON) throws(SettingsFault) {
        guard case .object(let object) = json else {
            throw SettingsFault("the file is an object such as {\"fallback\": \"index.html\"}", at: JSONPointer())
        }
        for member in object where !Self.members.contains(member.key) && member.key != "$schema" {
            throw SettingsFault(
                "there is no member \(member.key): use \(Self.members.joined(separator: ", "))",
                at: JSONPointer([member.key]))
        }
        if let value = object["fallback"] {
            let pointer = JSONPointer(["fallback"])
            guard case .string(let text) = value,
                let path = SitePath(text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)),
                !path.isDirectory
            else { throw SettingsFault("fallback is a file of the site, such as index.html", at: pointer) }
            fallback = path
        }
        connect = try Self.origins(object, "connect")
        images = try Self.origins(object, "images")
        frames = try Self.origins(object, "frames")
    }

    private static func origins(_ object: JSON.Object, _ member: String) throws(SettingsFault) -> [String] {
        guard let value = object[member] else { return [] }
        let pointer = JSONPointer([member])
        guard case .array(let elements) = value, elements.count <= originsLimit else {
            throw SettingsFault("\(member) is a list of at most \(originsLimit) origins", at: pointer)
        }
        var origins: [String] = []
        for (index, element) in elements.enumerated() {
            guard case .string(let text) = element, let origin = origin(text) else {
                throw SettingsFault(
                    "an origin is https:// and a host, such as https://login.example.org, or a host on this machine, such as http://localhost:3000",
                    at: pointer.appending("\(index)"))
            }
            origins.append(origin)
        }
        return origins
    }

    /// Returns the source of a policy for an exact origin of https, or for a host on loopback; nil for any other text. A
    /// source has no character that could end it.
    private static func origin(_ text: String) -> String? {
        let parts =
            text.ranges(of: "://").first.map { (text[..<$0.lowerBound], text[$0.upperBound...]) } ?? ("", text[...])
        let (scheme, host) = parts
        guard (1...255).contains(host.utf8.count), let authority = Authority(String(host)),
            host.utf8.allSatisfy({ isOfHost($0) }), !host.hasPrefix("."), !host.hasPrefix("-"), !host.hasSuffix(":")
        else { return nil }
        switch scheme {
        case "https": return text.lowercased()
        case "http", "ws", "": return authority.isLoopback ? text.lowercased() : nil
        default: return nil
        }
    }

    private static func isOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case 65...90, 97...122, 48...57: true
        default: "-.:[]".utf8.contains(byte)
        }
    }

    /// The policy of a page whose own scripts have some sources: strict, but for the origins of the settings.
    func policy(scripts: String) -> String {
        func sources(_ origins: [String]) -> String { origins.map { " " + $0 }.joined() }
        return
            "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'\(scripts); style-src 'self' 'unsafe-inline'; "
            + "connect-src 'self'\(sources(connect)); img-src 'self' data: blob:\(sources(images)); "
            + "font-src 'self' data:; media-src 'self' data: blob:; "
            + (frames.isEmpty ? "" : "frame-src 'self'\(sources(frames)); ")
            + "worker-src 'self' blob:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'"
    }
}
