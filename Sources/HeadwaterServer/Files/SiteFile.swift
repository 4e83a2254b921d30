import Glibc
import StateStore

/// A file of the site as it was read, with the facts by which a later change shows.
struct SiteFile: Sendable {
    /// The facts about a file that differ once it was replaced or written.
    struct Identity: Hashable, Sendable {
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
    /// The policy of the site's files: scripts of this server and those within the page itself, styles of both kinds,
    /// pictures and fonts also as `data:`, and requests to this server only.
    static func policy(scripts: String) -> String {
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'\(scripts); style-src 'self' 'unsafe-inline'; "
            + "connect-src 'self'; img-src 'self' data: blob:; font-src 'self' data:; media-src 'self' data: blob:; "
            + "worker-src 'self' blob:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'"
    }

    /// Creates the asset of a file named `name`.
    static func asset(_ name: String, _ bytes: [UInt8]) -> Asset {
        let type = MediaType.of(name)
        let isPage = name.hasSuffix(".html") || name.hasSuffix(".htm") || name.hasSuffix(".svg")
        let scripts = isPage ? InlineScripts.sources(in: bytes) : ""
        return Asset(
            type, bytes,
            fields: [("Content-Security-Policy", policy(scripts: scripts)), ("Referrer-Policy", "same-origin")])
    }
}
