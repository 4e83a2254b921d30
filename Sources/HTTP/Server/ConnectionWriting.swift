import Sockets

/// Sending answers and streams.
extension Connection {
    /// Begins an answer: whoever writes it has the room, and gives it back with the answer's end.
    @inline(__always)
    func beginAnswer(_ status: Status) -> FieldWriter {
        if server.isDraining { isPersistent = false }
        borrowRoom()
        return FieldWriter(status, appendingTo: output.own.take())
    }

    /// Ends an answer's fields, with those that every answer has.
    private func end(_ writer: consuming FieldWriter, isPersistent: Bool) {
        output.own = writer.output
        server.appendCommonFields(requestID, to: &output.own)
        if !isPersistent { output.own.append("\r\nConnection: close") }
        output.own.append("\r\n\r\n")
    }

    /// Ends an answer, with its content, which an answer to HEAD has not.
    func endAnswer(_ status: Status, _ writer: consuming FieldWriter, _ content: Span<UInt8>) {
        end(writer, isPersistent: isPersistent)
        if !isHead { output.own.append(content) }
        finishAnswer(status)
    }

    /// Ends an answer, with content that others may be sent too: where it is large, it is shared with them.
    func endAnswer(_ status: Status, _ writer: consuming FieldWriter, sharing content: [UInt8]) {
        end(writer, isPersistent: isPersistent)
        if !isHead { output.append(content) }
        finishAnswer(status)
    }

    private func finishAnswer(_ status: Status) {
        waiter = nil
        if isPersistent {
            phase = .idle
            deadline = .max
        } else {
            phase = .closing
            set(secondsLeft: server.limits.stallSeconds)
        }
        if !isHandling { resume() }
    }

    /// Sends an answer that came later than its request, and goes on with what came meanwhile.
    private func resume() {
        // Many come at once, as what was kept together is answered together, and they go in a row.
        if case .idle = phase { return server.sendSoon(self, limit: Server.unsentLateLimit) }
        send()
    }

    /// Sends more of what could not be sent before, and goes on with what came meanwhile.
    func goOnSending() {
        let wasIdle = if case .idle = phase { true } else { false }
        send()
        guard wasIdle else { return }
        mayHaveMore = true
        goOnReading()
    }

    private func goOnReading() {
        guard case .idle = phase, output.isEmpty else { return }
        if let partial {
            goOn(with: partial)
        } else {
            set(secondsLeft: server.limits.idleSeconds)
        }
        if case .idle = phase, mayHaveMore || hasEnded { read() }
    }

    /// Sends what this turn has answered, and goes on with what came meanwhile.
    func finishTurn() {
        flush()
        if partial != nil || mayHaveMore || hasEnded { goOnReading() }
    }

    /// Sends what was written while requests were handled.
    func flush() {
        guard !isHandling else { return }
        if !output.isEmpty { send() }
        if case .idle = phase, output.isEmpty, partial == nil { set(secondsLeft: server.limits.idleSeconds) }
    }

    /// Borrows room of the server's, for what is to be added to the output.
    @inline(__always)
    func borrowRoom() {
        output.borrow(from: &server.buffers)
    }

    /// Gives it back.
    @inline(__always)
    func giveBackRoom() {
        output.giveBack(to: &server.buffers)
    }

    /// Sends what can be sent.
    func send() {
        if !output.isEmpty {
            switch output.send(on: socket) {
            case .moved: giveBackRoom()
            case .wouldBlock: return stall()
            case .ended, .broken: return close()
            }
        }
        switch phase {
        case .closing: linger()
        case .streaming:
            if !server.isDraining { set(secondsLeft: server.limits.heartbeatSeconds) }
            pull()
        default: break
        }
    }

    /// Nothing can be sent just now.
    private func stall() {
        giveBackRoom()
        switch phase {
        case .streaming, .closing, .idle: set(secondsLeft: server.limits.stallSeconds)
        default: break
        }
    }

    /// Tells the other side that this was all, and waits a moment for it to go.
    private func linger() {
        guard !hasEnded else { return close() }
        phase = .lingering
        socket.finish()
        set(secondsLeft: 2)
        discard()
    }

    /// Closes it as soon as what was answered is sent.
    func closeWhenSent() {
        guard !output.isEmpty else { return close() }
        isPersistent = false
        phase = .closing
        set(secondsLeft: server.limits.stallSeconds)
    }

    // MARK: Waiting

    func wait(_ waiter: any Waiter, seconds: Int) {
        self.waiter = waiter
        phase = .waiting
        set(secondsLeft: seconds)
        if isEnding || hasEnded { endWait() }
    }

    // MARK: Streams

    func stream(_ source: any StreamSource, _ type: StaticString, _ fields: (inout FieldWriter) -> Void) {
        borrowRoom()
        var writer = FieldWriter(.ok, appendingTo: output.own.take())
        writer.field("Content-Type", type)
        fields(&writer)
        if usesChunks { writer.field("Transfer-Encoding", "chunked") }
        end(writer, isPersistent: usesChunks)
        guard !isHead else {
            source.left()
            phase = isPersistent ? .idle : .closing
            if !isHandling { resume() }
            return
        }
        self.source = source
        phase = .streaming
        socket.bound(unsentBytes: Server.unsentBytesLimit)
        partial = nil
        if let piece = source.next() { add(piece) }
        isPersistent = usesChunks
        send()
        // What was sent before the stream began has told of the other side's end already: it gets what is so now.
        if isEnding || hasEnded { endStream() }
    }

    private func add(_ piece: Piece) {
        output.own.append(usesChunks ? piece.bytes.span : piece.bytes.span.extracting(piece.content))
    }

    /// Sends a piece where nothing else is being sent. Its bytes are shared, not copied.
    func send(_ piece: Piece) {
        guard output.isEmpty else { return }
        output.share(usesChunks ? piece.bytes : Array(piece.bytes[piece.content]))
        send()
    }

    /// There is news: sends it, unless the reader has yet to take what came before. Then it gets the news of that time.
    public func wake() {
        guard case .streaming = phase, output.isEmpty else { return }
        pull()
    }

    /// Sends all that the source has for this connection just now, in as few writes as can be.
    private func pull() {
        guard case .streaming = phase, output.isEmpty, let first = source?.next() else { return }
        if first.isNewest, usesChunks { return sendNewest(first) }
        guard var next = source?.next() else { return send(first) }
        borrowRoom()
        add(first)
        while true {
            add(next)
            guard output.count < Server.writeBytesLimit, let more = source?.next() else { break }
            next = more
        }
        send()
    }

    /// Sends what nothing follows just now: the way that a change goes to thousands.
    private func sendNewest(_ piece: Piece) {
        switch socket.write(piece.bytes) {
        case .moved(piece.bytes.count):
            if !server.isDraining { set(secondsLeft: server.limits.heartbeatSeconds) }
        case .moved(let count):
            output.share(piece.bytes, from: count)
            send()
        case .wouldBlock:
            output.share(piece.bytes)
            stall()
        case .ended, .broken: close()
        }
    }

    /// Ends the stream, cleanly.
    public func endStream() {
        guard case .streaming = phase else { return }
        leaveSource()
        phase = .closing
        set(secondsLeft: server.limits.stallSeconds)
        if usesChunks {
            borrowRoom()
            output.own.append("0\r\n\r\n")
        }
        send()
    }
}
