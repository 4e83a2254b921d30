/// The media types of files, by the extension of their names.
enum MediaType {
    /// Returns the type for a file name; bytes without a meaning (RFC 2046, section 4.5.1) for an unknown extension.
    static func of(_ name: String) -> StaticString {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1, let ending = parts.last?.lowercased() else { return unknown }
        return types[ending] ?? unknown
    }

    private static let unknown: StaticString = "application/octet-stream"

    private static let types: [String: StaticString] = [
        "html": "text/html; charset=utf-8", "htm": "text/html; charset=utf-8",
        "css": "text/css; charset=utf-8",
        "js": "text/javascript; charset=utf-8", "mjs": "text/javascript; charset=utf-8",
        "ts": "text/plain; charset=utf-8", "txt": "text/plain; charset=utf-8", "md": "text/markdown; charset=utf-8",
        "csv": "text/csv; charset=utf-8", "xml": "application/xml",
        "json": "application/json", "map": "application/json", "webmanifest": "application/manifest+json",
        "yaml": "application/yaml", "yml": "application/yaml", "wasm": "application/wasm", "pdf": "application/pdf",
        "svg": "image/svg+xml", "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif",
        "webp": "image/webp", "avif": "image/avif", "ico": "image/x-icon",
        "woff": "font/woff", "woff2": "font/woff2", "ttf": "font/ttf", "otf": "font/otf",
        "mp3": "audio/mpeg", "ogg": "audio/ogg", "wav": "audio/wav", "mp4": "video/mp4", "webm": "video/webm",
        "zip": "application/zip", "gz": "application/gzip",
    ]
}
