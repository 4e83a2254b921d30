import Glibc
import Ground
import HTTP
import JSON
import StateStore

/// The list of the site's files with their hashes, by which `/offline.js` keeps them.
struct SiteManifest: Sendable {
    /// The maximum number of files. A larger site is listed up to there, in the order of its paths.
    static let filesLimit = 10_000

    /// The hash of each file, by its path from `/` on.
    private(set) var files: [String: String] = [:]

    /// Adds a file.
    mutating func add(_ path: String, _ hash: String) { files[path] = hash }

    /// The hash of some bytes: SHA-256 in base64url.
    static func hash(of bytes: [UInt8]) -> String { Base64URL.text(SHA256.digest(bytes)) }

    /// The list as JSON, with a hash of all.
    var json: JSON {
        var members = JSON.Object()
        for (path, hash) in files.sorted(by: { $0.key < $1.key }) { members[path] = .string(hash) }
        return ["hash": .string(Self.hash(of: JSON.object(members).written)), "files": .object(members)]
    }
}

extension Site {
    /// Lists the files on the thread that reads them, and calls `then` there.
    func list(then: @escaping @Sendable (SiteManifest) -> Void) {
        onReader { [self] in
            var manifest = SiteManifest()
            manifest.add("/client.js", SiteManifest.hash(of: Assets.client.bytes))
            manifest.add("/mirror.js", SiteManifest.hash(of: Assets.mirror.bytes))
            add(paths()[...], to: manifest, then)
        }
    }

    private func add(
        _ paths: ArraySlice<SitePath>, to manifest: SiteManifest, _ then: @escaping @Sendable (SiteManifest) -> Void
    ) {
        guard let path = paths.first else { return then(manifest) }
        find(path) { finding in
            var manifest = manifest
            if case .file(let file) = finding, manifest.files["/\(path.file)"] == nil {
                manifest.add("/\(path.file)", SiteManifest.hash(of: file.asset.bytes))
            }
            self.add(paths.dropFirst(), to: manifest, then)
        }
    }
}
