import CAssets
import Documents

/// The files that are built into the program.
enum Assets {
    /// The contract, as a machine reads it.
    static let contract = Asset("application/yaml", bytes(of: asset_contract, asset_contract_size))

    /// The files of the console, by their names; the page itself has none.
    static let console: [String: Asset] = {
        var files: [String: Asset] = [:]
        for file in UnsafeBufferPointer(start: asset_console, count: asset_console_count) {
            let name = String(cString: file.name)
            files[name == "index.html" ? "" : name] = Asset(
                MediaType.of(name), bytes(of: file.bytes, file.size), fields: guards)
        }
        return files
    }()

    /// The schema of documents, for editors.
    static let documentSchema = Asset("application/schema+json", DocumentSchema.json.written)

    /// The client for browsers, and its types.
    static let client = script(asset_client)
    static let clientTypes = asset(asset_client_types)
    /// The service worker that keeps the files of the site.
    static let offline = asset(asset_offline)
    /// The engine of features over their replicas, for browsers.
    static let mirror = script(asset_mirror)

    /// A script without the comments and the indentation of its source, but for the first comment.
    private static func script(_ file: asset) -> Asset {
        let lines = bytes(of: file.bytes, file.size).split(separator: UInt8(ascii: "\n"))
        var script: [UInt8] = []
        for line in lines {
            let code = line.drop { $0 == UInt8(ascii: " ") }
            let isComment =
                code.starts(with: "//".utf8) || code.starts(with: "/**".utf8) && code.suffix(2).elementsEqual("*/".utf8)
            if isComment, !script.isEmpty { continue }
            script += code + [UInt8(ascii: "\n")]
        }
        return Asset(MediaType.of(String(cString: file.name)), script)
    }

    private static func asset(_ file: asset) -> Asset {
        Asset(MediaType.of(String(cString: file.name)), bytes(of: file.bytes, file.size))
    }

    /// Fields that keep a browser from running, showing or requesting anything but this server's own files.
    private static let guards: [(StaticString, String)] = [
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
                + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        ),
        ("Referrer-Policy", "no-referrer"),
    ]

    private static func bytes(of start: UnsafePointer<UInt8>, _ count: Int) -> [UInt8] {
        Array(UnsafeBufferPointer(start: start, count: count))
    }
}
