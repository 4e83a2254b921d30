import ServiceInProcess
import Testing

/// Random paths beside a model that knows the directory as a tree, and the meaning of each written name.
@Suite struct RandomSitePathsTests {
    private indirect enum Node {
        case file(String)
        case folder([String: Node])
        case outside
    }

    /// Written names with the names that they mean; nil is no name of a file.
    private static let names: [(String, String?)] = [
        ("a", "a"), ("a", "a"), ("%61", "a"), ("b", "b"), ("b", "b"), ("one.txt", "one.txt"), ("one.txt", "one.txt"),
        ("two%20words.txt", "two words.txt"), ("two+words.txt", "two+words.txt"), ("index.html", "index.html"),
        ("near", "near"), ("far", "far"), ("up", "up"), ("", nil), (".", nil), ("..", nil), ("%2e%2E", nil),
        ("..%2f..%2foutside", nil), ("a%2fone.txt", nil), ("a%5cb", nil), ("one.txt%00", nil), (".hidden", nil),
        ("%2ehidden", nil), ("outside", "outside"), ("secret.txt", "secret.txt"), ("%7f", nil), ("...", nil),
    ]

    /// Returns the expected status, and the content of a file.
    private func expected(_ written: [(String, String?)], isDirectory: Bool, _ root: Node) -> (Int, String?) {
        var node = root
        for (_, name) in written {
            guard let name, case .folder(let entries) = node, let next = entries[name] else { return (404, nil) }
            node = next
        }
        switch (node, isDirectory) {
        case (.file(let content), false): return (200, content)
        case (.folder, false): return (308, nil)
        case (.folder(let entries), true):
            guard case .file(let content)? = entries["index.html"] else { return (404, nil) }
            return (200, content)
        default: return (404, nil)
        }
    }

    @Test func `a path is answered as the tree says, and never with a file outside`() throws {
        let folder = try SiteFolder()
        for name in ["a", "a/b"] { try folder.makeFolder(name) }
        for (name, content) in [
            ("index.html", "root"), ("one.txt", "1"), ("two words.txt", "2"), ("a/index.html", "a"),
            ("a/one.txt", "a1"),
            ("a/b/one.txt", "ab1"), (".hidden", "SECRET"), ("a/.hidden", "SECRET"),
        ] { try folder.write(name, content) }
        try folder.link("near", to: "a/b")
        try folder.link("far", to: "../outside")
        try folder.link("a/far", to: "../../outside/secret.txt")
        try folder.link("a/b/up", to: "../../one.txt")
        let b = Node.folder(["one.txt": .file("ab1"), "up": .file("1")])
        let root = Node.folder([
            "index.html": .file("root"), "one.txt": .file("1"), "two words.txt": .file("2"), "near": b, "far": .outside,
            "a": .folder(["index.html": .file("a"), "one.txt": .file("a1"), "b": b, "far": .outside]),
        ])
        let service = try ServiceInProcess(site: folder.path)
        var entropy = Entropy(seed: 16)
        var statuses: [Int: Int] = [:]
        for _ in 0..<1_500 {
            // Every other path has names of the tree only.
            let names = entropy.isOne(in: 2) ? Array(Self.names.prefix(7)) : Self.names
            let written = (0..<1 + entropy.below(4)).map { _ in entropy.one(of: names) }
            let isDirectory = entropy.isOne(in: 3)
            let path = "/" + written.map(\.0).joined(separator: "/") + (isDirectory ? "/" : "")
            // The last empty name makes a directory of the names before it.
            let isEmptyLast = written.last?.0 == "" && !isDirectory
            let (status, content) =
                isEmptyLast
                ? expected(written.dropLast(), isDirectory: true, root)
                : expected(written, isDirectory: isDirectory, root)
            let reply = try service.ask("GET \(path)")
            #expect(reply.status == status, "\(path)")
            if let content { #expect(reply.body == content, "\(path)") }
            #expect(!reply.body.contains("SECRET"), "\(path)")
            statuses[status, default: 0] += 1
        }
        #expect(statuses[200, default: 0] > 100 && statuses[308, default: 0] > 20 && statuses[404, default: 0] > 300)
    }
}
