import HTTP
import StateStore

/// The stream of one export. The thread of the export waits while its client takes nothing.
final class ExportReader: StreamSource, TokenReader {
    private let pipe: LinePipe
    private let connection: Connection
    private let use: TokenUse
    private let metrics: Metrics
    /// Ends the stream, once the source has returned.
    private let endLater: (@escaping () -> Void) -> Void
    private var isEnding = false

    init(
        _ pipe: LinePipe, _ connection: Connection, _ use: TokenUse, _ metrics: Metrics,
        endLater: @escaping (@escaping () -> Void) -> Void
    ) {
        (self.pipe, self.connection, self.use, self.metrics) = (pipe, connection, use, metrics)
        self.endLater = endLater
        use.begin(self)
    }

    // A space before a line does not change it.
    var heartbeat: Piece? { Piece([UInt8(ascii: " ")]) }

    func next() -> Piece? {
        if use.hasEnded { return nil }
        if let chunk = pipe.take() { return Piece(chunk) }
        if pipe.isOver, !isEnding {
            isEnding = true
            endLater { [connection] in connection.endStream() }
        }
        return nil
    }

    /// Notes that there are lines, or that there will be no more.
    func noteNews() { connection.wake() }

    /// Cuts the stream off without its last line, by which an import knows that something is missing.
    func fail() { connection.endStream() }

    func left() {
        pipe.close()
        use.end()
        metrics.streams -= 1
    }

    func tokenWithdrawn() { connection.endStream() }
}
