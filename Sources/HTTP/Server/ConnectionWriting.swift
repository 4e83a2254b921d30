import Sockets

/// Sending answers and streams.
extension Connection {
    /// Writes an answer.
    func answer(_ status: Status, _ write: (inout FieldWriter) -> Void) {
        if !isPersistent || server.isDraining { isPersistent = false }
        self.write { output in
            var writer = FieldWriter(appendingTo: take(&output), isHead: isHead, requestID, isPersistent: isPersistent, of: server)
            writer.append(server.statusLine(status))
            write(&writer)
            output = writer.bytes
        }
        server.handler.answered(self, status)
        if isPersistent {
            phase = .idle
            deadline = .max
        } else {
            phase = .closing
            set(secondsLeft: server.limits.stallSeconds)
        }
        if !isHandling { resume() }
    }

    private func take(_ output: inout [UInt8]) -> [UInt8] {
        let bytes = output
        output = []
        return bytes
    }

    /// Sends an answer that came later than its request, and goes on with what came meanwhile.
    private func resume() {
        send()
        goOnReading()
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
        if mayHaveMore || hasEnded { goOnReading() }
    }

    /// Sends what was written while requests were handled.
    func flush() {
        guard !isHandling else { return }
        if !output.isEmpty { send() }
        if case .idle = phase, output.isEmpty, partial == nil { set(secondsLeft: server.limits.idleSeconds) }
    }

    /// Adds to what is to be sent.
    func write(_ body: (inout [UInt8]) -> Void) {
        if output.isEmpty, !hasSpare {
            hasSpare = true
            output = server.takeSpare()
        }
        body(&output)
    }

    /// Sends what can be sent.
    func send() {
        while sent < output.count {
            switch socket.write(output, from: sent) {
            case .moved(let count): sent += count
            case .wouldBlock: return stall()
            case .ended, .broken: return close()
            }
        }
        sent = 0
        giveBackSpare()
        output = []
        switch phase {
        case .closing: linger()
        case .streaming:
            if !server.isDraining { set(secondsLeft: server.limits.heartbeatSeconds) }
            pull()
        default: break
        }
    }

    /// Nothing can be sent just now. The spare buffer goes back: what is left has to lie here for a while.
    private func stall() {
        if hasSpare {
            let rest = Array(output[sent...])
            sent = 0
            giveBackSpare()
            output = rest
        }
        switch phase {
        case .streaming, .closing, .idle: set(secondsLeft: server.limits.stallSeconds)
        default: break
        }
    }

    func giveBackSpare() {
        guard hasSpare else { return }
        hasSpare = false
        server.giveBack(&output)
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

    func wait(seconds: Int) {
        phase = .waiting
        set(secondsLeft: seconds)
        if isEnding || hasEnded { server.handler.waited(Exchange(connection: self, serial: serial)) }
    }

    // MARK: Streams

    func stream(_ source: any StreamSource, _ type: StaticString, _ fields: (inout FieldWriter) -> Void) {
        write { output in
            var writer = FieldWriter(appendingTo: take(&output), isHead: isHead, requestID, isPersistent: usesChunks, of: server)
            writer.append(server.statusLine(.ok))
            writer.field("Content-Type", type)
            fields(&writer)
            if usesChunks { writer.field("Transfer-Encoding", "chunked") }
            writer.finish(prepared: [])
            output = writer.bytes
        }
        guard !isHead else {
            source.left(self)
            phase = isPersistent ? .idle : .closing
            server.handler.answered(self, .ok)
            if !isHandling { resume() }
            return
        }
        self.source = source
        phase = .streaming
        server.handler.answered(self, .ok)
        partial = nil
        if let piece = source.next(for: self) { add(piece) }
        isPersistent = usesChunks
        send()
        // What was sent before the stream began has told of the other side's end already: it gets what is so now.
        if isEnding || hasEnded { endStream() }
    }

    private func add(_ piece: Piece) {
        output.append(contentsOf: usesChunks ? piece.bytes[...] : piece.bytes[piece.content])
    }

    /// Sends a piece where nothing else is being sent. Its bytes are shared, not copied.
    func send(_ piece: Piece) {
        guard output.isEmpty else { return }
        if usesChunks { output = piece.bytes } else { output = Array(piece.bytes[piece.content]) }
        send()
    }

    /// There is news: sends it, unless the reader has yet to take what came before. Then it gets the news of that time.
    public func wake() {
        guard case .streaming = phase, output.isEmpty else { return }
        pull()
    }

    /// Sends all that the source has for this connection just now, in as few writes as can be.
    private func pull() {
        guard case .streaming = phase, output.isEmpty, let first = source?.next(for: self) else { return }
        if first.isNewest, usesChunks { return sendNewest(first) }
        guard var next = source?.next(for: self) else { return send(first) }
        write { _ in }
        add(first)
        while true {
            add(next)
            guard output.count < Server.writeBytesLimit, let more = source?.next(for: self) else { break }
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
            output = piece.bytes
            sent = count
            send()
        case .wouldBlock:
            output = piece.bytes
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
            if hasSpare { output.append(contentsOf: Piece.end) } else { output += Piece.end }
        }
        send()
    }
}
