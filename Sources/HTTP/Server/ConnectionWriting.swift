import Sockets

/// Sending answers and streams.
extension Connection {
    /// Begins an answer: whoever writes it has the room, and gives it back with the answer's end.
    @inline(__always)
    func beginAnswer(_ status: Status) -> FieldWriter {
        if server.isDraining { state.endPersistence() }
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
        end(writer, isPersistent: state.isPersistent)
        if !state.isHead { output.own.append(content) }
        finishAnswer(status)
    }

    /// Ends an answer, with content that others may be sent too: where it is large, it is shared with them.
    func endAnswer(_ status: Status, _ writer: consuming FieldWriter, sharing content: [UInt8]) {
        end(writer, isPersistent: state.isPersistent)
        if !state.isHead { output.append(content) }
        finishAnswer(status)
    }

    private func finishAnswer(_ status: Status) {
        waiter = nil
        if state.finishAnswer() {
            deadline = .max
        } else {
            set(secondsLeft: server.limits.stallSeconds)
        }
        if !isHandling { resume() }
    }

    /// Sends an answer that came later than its request, and goes on with what came meanwhile.
    private func resume() {
        // Many come at once, as what was kept together is answered together, and they go in a row.
        if state.isIdle { return server.sendSoon(self, limit: Server.unsentLateLimit) }
        send()
    }

    /// Sends more of what could not be sent before, and goes on with what came meanwhile.
    func goOnSending() {
        let wasIdle = state.isIdle
        send()
        guard wasIdle else { return }
        state.mayHaveMore = true
        goOnReading()
    }

    private func goOnReading() {
        guard state.isIdle, output.isEmpty else { return }
        if let partial {
            goOn(with: partial)
        } else {
            set(secondsLeft: server.limits.idleSeconds)
        }
        if state.isIdle, state.mayHaveMore || state.inbound == .ended { read() }
    }

    /// Sends what this turn has answered, and goes on with what came meanwhile.
    func finishTurn() {
        flush()
        if partial != nil || state.mayHaveMore || state.inbound == .ended { goOnReading() }
    }

    /// Sends what was written while requests were handled.
    func flush() {
        guard !isHandling else { return }
        if !output.isEmpty { send() }
        if state.isIdle, output.isEmpty, partial == nil { set(secondsLeft: server.limits.idleSeconds) }
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
        let action = state.finishSending()
        if action == .pull, !server.isDraining { set(secondsLeft: server.limits.heartbeatSeconds) }
        if action != .nothing { perform(action) }
    }

    /// Nothing can be sent just now.
    private func stall() {
        giveBackRoom()
        if state.limitsStall { set(secondsLeft: server.limits.stallSeconds) }
    }

    /// Tells the other side that this was all, and waits a moment for it to go.
    func linger() {
        let action = state.linger()
        if action == .discard {
            socket.finish()
            set(secondsLeft: 2)
        }
        perform(action)
    }

    /// Closes it as soon as what was answered is sent.
    func closeWhenSent() {
        let action = state.closeWhenSent(isSent: output.isEmpty)
        if action == .nothing { set(secondsLeft: server.limits.stallSeconds) }
        perform(action)
    }

    // MARK: Waiting

    func wait(_ waiter: any Waiter, seconds: Int) {
        self.waiter = waiter
        let action = state.wait()
        set(secondsLeft: seconds)
        perform(action)
    }

    // MARK: Streams

    func stream(_ source: any StreamSource, _ type: StaticString, _ fields: (inout FieldWriter) -> Void) {
        borrowRoom()
        var writer = FieldWriter(.ok, appendingTo: output.own.take())
        writer.field("Content-Type", type)
        fields(&writer)
        if state.usesChunks { writer.field("Transfer-Encoding", "chunked") }
        end(writer, isPersistent: state.usesChunks)
        guard state.beginStream() else {
            source.left()
            if !isHandling { resume() }
            return
        }
        self.source = source
        socket.bound(unsentBytes: Server.unsentBytesLimit)
        partial = nil
        if let piece = source.next() { add(piece) }
        send()
        // What was sent before the stream began has told of the other side's end already: it gets what is so now.
        if state.inbound != .open { endStream() }
    }

    private func add(_ piece: Piece) {
        output.own.append(state.usesChunks ? piece.bytes.span : piece.bytes.span.extracting(piece.content))
    }

    /// Sends a piece where nothing else is being sent. Its bytes are shared, not copied.
    func send(_ piece: Piece) {
        guard output.isEmpty else { return }
        output.share(state.usesChunks ? piece.bytes : Array(piece.bytes[piece.content]))
        send()
    }

    /// There is news: sends it, unless the reader has yet to take what came before. Then it gets the news of that time.
    public func wake() {
        guard state.isStreaming, output.isEmpty else { return }
        pull()
    }

    /// Sends all that the source has for this connection just now, in as few writes as can be.
    func pull() {
        guard state.isStreaming, output.isEmpty, let first = source?.next() else { return }
        if first.isNewest, state.usesChunks { return sendNewest(first) }
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
        guard state.endStream() else { return }
        leaveSource()
        set(secondsLeft: server.limits.stallSeconds)
        if state.usesChunks {
            borrowRoom()
            output.own.append("0\r\n\r\n")
        }
        send()
    }
}
