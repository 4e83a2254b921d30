internal import Compression
package import Ground
internal import Sockets

/// The right to answer one request, once. After the answer, or after the peer has gone, every call does nothing.
package struct Exchange {
    /// The connection of the request.
    package let connection: Connection
    let serial: UInt32

    /// True while the request waits for its answer.
    package var isOpen: Bool { connection.isAnswering(serial) }

    /// The time at which the request was read, while it is open.
    package var began: Int64 { connection.began }

    /// The request's name in answers and logs, while it is open.
    package var requestName: String { connection.requestID.text(connection.server) }

    /// The place of the request in a trace, while it is open; nil if it has none.
    package var trace: TraceContext? { isOpen ? connection.rare?.trace : nil }

    /// The method of the request, while it is open.
    package var method: Method { connection.method }

    /// The mark that is set if the peer closes the connection, or its sending side, before the answer.
    package var departure: Departure {
        let departure = connection.rare?.departure ?? Departure()
        if isOpen { connection.withRare { $0.departure = departure } }
        return departure
    }

    /// The numeric address of the connection's peer; nil if it has none. Costs a system call.
    package var peerAddress: String? { connection.rare?.inProcess?.clientAddress ?? connection.socket.peerAddress }

    /// The outcome of the wait after which the request is handled again; nil for none. Only while the request is handled.
    package var waitOutcome: Bool? { connection.partial?.waitOutcome }

    /// True once the server shuts down.
    package var isDraining: Bool { connection.server.isDraining }

    /// Returns true if content of this size is sent to the client in gzip.
    @inline(__always)
    package func compresses(_ byteCount: Int) -> Bool { connection.coding.compresses(byteCount) }

    /// Returns content in gzip.
    package func gzip(_ content: Rope) -> [UInt8] { connection.server.deflater.gzip(content.parts) }

    /// Calls `then` with large content in gzip, once it is compressed and if the request is still open.
    package func gzip(_ compression: SlicedCompression, then: @escaping ([UInt8]) -> Void) {
        guard isOpen else { return }
        connection.stopWaiting()
        connection.server.compress(compression, while: { isOpen }, then: { then($0.member) })
    }

    /// Answers with content. Compressible content is sent in gzip if the client accepts it.
    package func answer(
        _ status: Status, _ type: StaticString?, _ content: [UInt8], _ fields: (inout FieldWriter) -> Void = { _ in }
    ) {
        guard isOpen else { return }
        let length = content.count
        answer(
            status, type, length, sharing: { Rope(content) },
            gzip: { connection.server.deflater.gzip(content) }, fields)
    }

    /// Answers with content in parts.
    package func answer(
        _ status: Status, _ type: StaticString, _ content: Rope, _ fields: (inout FieldWriter) -> Void = { _ in }
    ) {
        guard isOpen else { return }
        answer(
            status, type, content.count, sharing: { content },
            gzip: { connection.server.deflater.gzip(content.parts) }, fields)
    }

    /// Answers with content that many answers share, in one of its forms. `takesBrotli` is true if the client prefers
    /// Brotli.
    package func answer(
        _ status: Status, _ type: StaticString, _ content: SharedContent, takesBrotli: Bool = false,
        _ fields: (inout FieldWriter) -> Void = { _ in }
    ) {
        guard isOpen else { return }
        answer(
            status, type, content.bytes.count, sharing: { Rope(content.bytes) },
            gzip: { content.gzip(by: connection.server.deflater) }, brotli: content.brotli, takesBrotli: takesBrotli,
            isPrecompressed: content.isPrecompressed, isSliced: false, fields)
    }

    private func answer(
        _ status: Status, _ type: StaticString?, _ length: Int, sharing content: () -> Rope, gzip: () -> [UInt8],
        brotli: [UInt8]? = nil, takesBrotli: Bool = false, isPrecompressed: Bool = false, isSliced: Bool = true,
        _ fields: (inout FieldWriter) -> Void
    ) {
        let isWorthwhile =
            (length > ContentCoding.worthwhileBytes || connection.coding == .gzipOnly)
            && type.map(ContentCoding.isWorthwhile) ?? false
        if isSliced, isWorthwhile, compresses(length), length >= SlicedCompression.bytesAtLeast {
            return answerLater(status, content()) { writer in
                if let type { writer.field("Content-Type", type) }
                fields(&writer)
            }
        }
        var writer = connection.beginAnswer(status)
        if let type { writer.field("Content-Type", type) }
        fields(&writer)
        guard status.code != 304, status.code != 204 else {
            return connection.endAnswer(status, writer, sharing: .empty)
        }
        var body = content()
        if isWorthwhile || isPrecompressed || brotli != nil {
            writer.field("Vary", "Accept-Encoding")
            if let brotli, takesBrotli {
                body = Rope(brotli)
                writer.field("Content-Encoding", "br")
            } else if isPrecompressed ? connection.coding.isGzip : isWorthwhile && compresses(length) {
                body = Rope(gzip())
                writer.field("Content-Encoding", "gzip")
            }
        }
        writer.field("Content-Length", body.count)
        connection.endAnswer(status, writer, sharing: body)
    }

    /// Answers with content that `write` appends to a reusable buffer. `fields` writes the content type.
    package func answer(
        _ status: Status, writing write: (inout Outbox) -> Void, _ fields: (inout FieldWriter) -> Void
    ) {
        guard isOpen else { return }
        var content = connection.server.buffers.take()
        write(&content)
        if compresses(content.count), content.count >= SlicedCompression.bytesAtLeast {
            let whole = Rope(Array(content.bytes))
            connection.server.buffers.keep(content)
            return answerLater(status, whole, fields)
        }
        var writer = connection.beginAnswer(status)
        fields(&writer)
        if content.count > ContentCoding.worthwhileBytes { writer.field("Vary", "Accept-Encoding") }
        if compresses(content.count) {
            let gzip = connection.server.deflater.gzip(Array(content.bytes))
            writer.field("Content-Encoding", "gzip")
            writer.field("Content-Length", gzip.count)
            connection.endAnswer(status, writer, sharing: Rope(gzip))
        } else {
            writer.field("Content-Length", content.count)
            connection.endAnswer(status, writer, content.bytes.bindMemory(to: UInt8.self).span)
        }
        connection.server.buffers.keep(content)
    }

    /// Answers with large content in gzip once it is compressed.
    private func answerLater(_ status: Status, _ content: Rope, _ fields: (inout FieldWriter) -> Void) {
        var writer = FieldWriter(status, appendingTo: Outbox())
        let start = writer.output.count
        fields(&writer)
        let written = Array(writer.output.bytes[start...])
        gzip(SlicedCompression(content)) { gzip in
            answer(status, prepared: written, Rope(gzip)) { writer in
                writer.field("Vary", "Accept-Encoding")
                writer.field("Content-Encoding", "gzip")
                writer.field("Content-Length", gzip.count)
            }
        }
    }

    /// Answers with prepared fields and content, which many answers share. The fields begin after the status line, each
    /// has its line end, and they include the length and the coding of the content.
    package func answer(
        _ status: Status, prepared fields: [UInt8], _ content: Rope, _ more: (inout FieldWriter) -> Void = { _ in }
    ) {
        guard isOpen else { return }
        var writer = connection.beginAnswer(status)
        writer.output.append(fields)
        more(&writer)
        connection.endAnswer(status, writer, sharing: content)
    }

    /// Answers with a stream, which continues until its source ends it or the peer goes. `opening` is sent before the
    /// pieces of the source, and `mark` after each id.
    package func stream(
        _ source: any StreamSource, _ type: StaticString, opening: [UInt8] = [], mark: EventIDMark? = nil,
        _ fields: (inout FieldWriter) -> Void = { _ in }
    ) {
        guard isOpen else { return }
        connection.stream(source, type, opening: opening, mark: mark, fields)
    }

    /// Makes the request wait for up to `seconds`. If it is not answered by then, `waiter` has to answer it.
    package func wait(_ waiter: any Waiter, seconds: Int) {
        guard isOpen else { return }
        connection.wait(waiter, seconds: seconds)
    }
}
