/// The right to answer one request, once. After that, or when the other side has gone, it does nothing.
public struct Exchange {
    /// The connection that the request came from.
    public let connection: Connection
    let serial: UInt32

    /// True while the request waits for its answer.
    public var isOpen: Bool { connection.isAnswering(serial) }

    /// The time at which the request was read, while it is open.
    public var began: Int64 { connection.began }

    /// The request's name in answers and logs, while it is open.
    public var requestName: String { connection.requestID.text(connection.server) }

    /// True once the server shuts down.
    public var isDraining: Bool { connection.server.isDraining }

    /// Answers with content.
    public func answer(
        _ status: Status, _ type: StaticString?, _ content: [UInt8], _ fields: (inout FieldWriter) -> Void = { _ in }
    ) {
        guard isOpen else { return }
        var writer = connection.beginAnswer(status)
        if let type { writer.field("Content-Type", type) }
        fields(&writer)
        let hasContent = status.code != 304 && status.code != 204
        if hasContent { writer.field("Content-Length", content.count) }
        connection.endAnswer(status, writer, sharing: hasContent ? content : [])
    }

    /// Answers with content that is written just now, into room that is used again. The fields say its type.
    public func answer(
        _ status: Status, writing write: (inout Outbox) -> Void, _ fields: (inout FieldWriter) -> Void
    ) {
        guard isOpen else { return }
        var content = connection.server.buffers.take()
        write(&content)
        var writer = connection.beginAnswer(status)
        fields(&writer)
        writer.field("Content-Length", content.count)
        connection.endAnswer(status, writer, content.bytes.bindMemory(to: UInt8.self).span)
        connection.server.buffers.keep(content)
    }

    /// Answers with fields and content that were written before, for however many. The fields begin after the status
    /// line, each with its end, and say the content's length.
    public func answer(
        _ status: Status, prepared fields: [UInt8], _ content: [UInt8], _ more: (inout FieldWriter) -> Void = { _ in }
    ) {
        guard isOpen else { return }
        var writer = connection.beginAnswer(status)
        writer.output.append(fields)
        more(&writer)
        connection.endAnswer(status, writer, sharing: content)
    }

    /// Answers with a stream, which goes on until its source ends it or the other side goes.
    public func stream(
        _ source: any StreamSource, _ type: StaticString, _ fields: (inout FieldWriter) -> Void = { _ in }
    ) {
        guard isOpen else { return }
        connection.stream(source, type, fields)
    }

    /// Lets the request wait for so many seconds. If it was not answered by then, `waiter` has to answer it.
    public func wait(_ waiter: any Waiter, seconds: Int) {
        guard isOpen else { return }
        connection.wait(waiter, seconds: seconds)
    }
}
