import HTTP

/// A stream that begins with the comment `: behind`: its node of a cluster may lack what was answered before.
final class BehindSource: StreamSource {
    private let source: any StreamSource
    private var comment: Piece? = Piece(Array(": behind\n\n".utf8))

    init(_ source: any StreamSource) {
        self.source = source
    }

    func next() -> Piece? {
        guard let comment else { return source.next() }
        self.comment = nil
        return comment
    }

    func left() {
        source.left()
    }
}
