import Glibc
import JSON
import StateStore

/// A file of the site as it was read, with the facts by which a later change shows.
struct SiteFile: Sendable {
    /// The facts about a file that differ once it was replaced or written.
    struct Identity: Hashable, Sendable {
        private let own: FileStamp
        private let gzip: FileStamp?
        private let brotli: FileStamp?
        private let settings: Int

        /// The identity of a file and of its compressed forms, with the number of the settings of the site.
        init(_ status: stat, gzip: stat? = nil, brotli: stat? = nil, settings: Int = 0) {
            self.settings = settings
            own = FileStamp(status)
            self.gzip = gzip.map { FileStamp($0) }
            self.brotli = brotli.map { FileStamp($0) }
        }

        /// True if a change after `now` shows in the facts.
        func isSettled(at now: Timestamp) -> Bool {
            [own, gzip, brotli].allSatisfy { $0?.isSettled(at: now) ?? true }
        }
    }

    /// The facts about one file.
    private struct FileStamp: Hashable {
        private let device: UInt64
        private let inode: UInt64
        private let size: Int64
        private let modified: Int64
        private let changed: Int64

        init(_ status: stat) {
            device = UInt64(status.st_dev)
            inode = UInt64(status.st_ino)
            size = Int64(status.st_size)
            modified = Self.nanoseconds(status.st_mtim)
            changed = Self.nanoseconds(status.st_ctim)
        }

        /// True if a change after `now` shows in the facts. The clock of a file system has steps of some milliseconds:
        /// two changes within one step look the same.
        func isSettled(at now: Timestamp) -> Bool {
            now.microseconds - max(modified, changed) / 1_000 > 1_000_000
        }

        private static func nanoseconds(_ time: timespec) -> Int64 {
            Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        }
    }

    let asset: Asset
    let identity: Identity
    /// True if the identity tells whether the content is current.
    let isSettled: Bool
}

extension SiteFile {
    /// Creates the asset of a file named `name`. Its policy permits scripts of this server and those within the page
    /// itself, styles of both kinds, pictures and fonts also as `data:`, and requests to this server and to the origins of
    /// the settings.
    static func asset(
        _ name: String, _ bytes: [UInt8], gzip: [UInt8]? = nil, brotli: [UInt8]? = nil,
        _ settings: SiteSettings = SiteSettings()
    ) -> Asset {
        let type = MediaType.of(name)
        let isPage = name.hasSuffix(".html") || name.hasSuffix(".htm") || name.hasSuffix(".svg")
        let scripts = isPage ? InlineScripts.sources(in: bytes) : ""
        return Asset(
            type, bytes, gzip: gzip, brotli: brotli,
            fields: [
                ("Content-Security-Policy", settings.policy(scripts: scripts)), ("Referrer-Policy", "same-origin"),
            ], isImmutable: hasDigest(name))
    }

    /// Returns true if a name has a digest of its content, as build tools write it: `app-B3xY91kQ.js`, `app.3f2a9c1b.css`.
    /// A digest has 8 to 64 letters and digits after `-` or `.` and before the ending, among them a digit, and both
    /// letters of both cases or only those of hexadecimal numbers.
    static func hasDigest(_ name: String) -> Bool {
        let last = name.split(separator: "/").last ?? ""
        let parts = last.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1, let ending = parts.last, !ending.isEmpty, !["html", "htm"].contains(ending) else {
            return false
        }
        let stem = parts[parts.count - 2]
        let isAlone = parts.count > 2
        let digest = stem.split(separator: "-", omittingEmptySubsequences: false).last ?? ""
        guard isAlone || digest.count < stem.count, (8...64).contains(digest.utf8.count) else { return false }
        let bytes = Array(digest.utf8)
        let hasDigit = bytes.contains { (48...57).contains($0) }
        let hasSmall = bytes.contains { (97...122).contains($0) }
        let hasGreat = bytes.contains { (65...90).contains($0) }
        let isHexadecimal = bytes.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
        let isPlain = bytes.allSatisfy { (48...57).contains($0) || (65...90).contains($0 & 0xDF) || $0 == 0x5F }
        return isPlain && hasDigit && hasSmall && (isHexadecimal || hasGreat)
    }

    /// Returns true for a document of a feature, which is never served: JSON with `feature` and `home`. A text that is not
    /// JSON, but names both members, counts as one.
    static func isDocument(_ name: String, _ bytes: [UInt8]) -> Bool {
        let ending = name.split(separator: ".").last?.lowercased()
        guard ending == "json" || ending == "jsonc" else { return false }
        do throws(JSONError) {
            let json = try JSON(parsing: CommentedJSON.plain(bytes), depth: JSONReader.greatestDepthLimit)
            return json["feature"] != nil && json["home"] != nil
        } catch {
            let text = String(decoding: bytes, as: UTF8.self)
            return text.contains("\"feature\"") && text.contains("\"home\"")
        }
    }
}
