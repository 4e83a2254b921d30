import Ground
import JSON

/// The contract of a server: `openapi.yaml` with the paths of its own features.
///
/// The file that is built into the program describes the example features in words. A path of theirs stays if the
/// server has the feature; the paths of other features follow from the index.
final class ServedContract: Sendable {
    private let index: JSON
    /// The features whose paths the file describes in words.
    private let described: Set<String>
    /// Made at the first request, because most servers never get one.
    private let made = Lock<Asset?>(nil)

    init(of index: JSON, described: Set<String>) {
        self.index = index
        self.described = described
    }

    /// The contract.
    var asset: Asset {
        made.with { made in
            if let made { return made }
            let bytes = Self.text(Assets.contract.bytes, index, described)
            let asset = bytes == Assets.contract.bytes ? Assets.contract : Asset("application/yaml", bytes)
            made = asset
            return asset
        }
    }

    /// Returns the text of the file with the paths of the features of an index between its marks.
    static func text(_ file: [UInt8], _ index: JSON, _ described: Set<String>) -> [UInt8] {
        let paths = DescribedPaths(of: index, words: [:]).paths
        var text: [UInt8] = []
        var kept: Set<String> = []
        var isBetweenMarks = false
        var isKept = true
        for line in file.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast() {
            if line.starts(with: "  # <<< The generated paths".utf8) {
                for path in paths where !kept.contains(path.key) { append(path.key, path.value, to: &text) }
                (isBetweenMarks, isKept) = (false, true)
            }
            if isBetweenMarks, line.starts(with: "  \"/".utf8) || line.starts(with: "  /".utf8) {
                // The path is in quotation marks if it has parameters.
                let key = line.drop { $0 != UInt8(ascii: "/") }.prefix {
                    $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: ":")
                }
                let path = String(decoding: key, as: UTF8.self)
                isKept = paths[path] != nil && feature(ofPath: path).map(described.contains) ?? false
                if isKept { kept.insert(path) }
            }
            if isKept { text += line + [UInt8(ascii: "\n")] }
            if line.starts(with: "  # >>> Scripts/openapi writes these paths".utf8) { isBetweenMarks = true }
        }
        return text
    }

    /// The feature of a path of an action or a view.
    private static func feature(ofPath path: String) -> String? {
        path.split(separator: "/").dropLast().last.map(String.init)
    }

    /// Appends a path, as JSON, which is YAML too.
    private static func append(_ path: String, _ item: JSON, to text: inout [UInt8]) {
        text += Array("  \"\(path)\": ".utf8) + item.written + [UInt8(ascii: "\n")]
    }
}
