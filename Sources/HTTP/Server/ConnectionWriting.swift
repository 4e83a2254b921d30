import Sockets

/// Sending answers and streams.
extension Connection {
    /// Begins an answer. Its writer holds the output buffer until `endAnswer`.
    @inline(__always)
    func beginAnswer(_ status: Status) -> FieldWriter {
        if server.isLeaving { state.endPersistence() }
        borrowRoom()
        return FieldWriter(status, appendingTo: output.own.take())
    }

    /// Ends the fields of an answer with the common ones.
    func end(_ writer: consuming FieldWriter, isPersistent: Bool) {
        output.own = writer.output
        server.appendCommonFields(requestID, to: &output.own)
        if !isPersistent { output.own.append("\r\nConnection: close") }
        output.own.append("\r\n\r\n")
    }

    /// Ends an answer with its content, which an answer to HEAD omits.
    func endAnswer(_ status: Status, _ writer: consuming FieldWriter, _ content: Span<UInt8>) {
        end(writer, isPersistent: state.isPersistent)
        if !state.isHead { output.own.append(content) }
        finishAnswer(status)
    }

    /// Ends an answer with content that other connections may send too: large content is shared, not copied.
    func endAnswer(_ status: Status, _ writer: consuming FieldWriter, sharing content: Rope) {
        end(writer, isPersistent: state.isPersistent)
        if !state.isHead { output.append(content) }
        finishAnswer(status)
    }

    private func finishAnswer(_ status: Status) {
        occupant = nil
        if state.finishAnswer() {
            deadline = .max
        } else {
            set(secondsLeft: server.limits.stallSeconds)
        }
        if !isHandling { resume() }
    }

    /// Sends an answer that was given after its request was handled, then handles the bytes that arrived meanwhile.
    func resume() {
        // The requests of one journal batch are answered together, so their answers are sent consecutively.
        if state.isIdle { return server.sendSoon(self, limit: Server.unsentLateLimit) }
        send()
    }

    /// Continues to send when the socket is writable again, then to read.
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

    /// Sends the answers of this turn, then handles the bytes that arrived meanwhile.
    func finishTurn() {
        flush()
        if partial != nil || state.mayHaveMore || state.inbound == .ended { goOnReading() }
    }

    /// Sends the answers that were written while requests were handled.
    func flush() {
        guard !isHandling else { return }
        if !output.isEmpty { send() }
        guard state.isIdle, output.isEmpty, partial == nil, registration != nil else { return }
        if rare?.home == nil || !goHome() { set(secondsLeft: server.limits.idleSeconds) }
    }

    /// Borrows a buffer of the server for the output.
    @inline(__always)
    func borrowRoom() {
        output.borrow(from: &server.buffers)
    }

    /// Returns the buffer to the server.
    @inline(__always)
    func giveBackRoom() {
        output.giveBack(to: &server.buffers)
    }

    /// Sends as much of the output as the socket accepts.
    func send() {
        if !output.isEmpty {
            switch transfer() {
            case .moved: giveBackRoom()
            case .wouldBlock: return stall()
            case .ended, .broken: return close()
            }
        }
        let action = state.finishSending()
        if action == .pull, !server.isLeaving { set(secondsLeft: server.limits.heartbeatSeconds) }
        if action != .nothing { perform(action) }
    }

    private func transfer() -> IOResult {
        guard isInProcess, let request = rare?.inProcess else {
            return output.send(on: socket, endsRecord: state.isStreaming)
        }
        let bytes = output.rest
        output.removeAll()
        return request.take(bytes) ? .moved(bytes.count) : .broken
    }

    /// Waits until the socket is writable, for a limited time.
    func stall() {
        giveBackRoom()
        if state.limitsStall { set(secondsLeft: server.limits.stallSeconds) }
    }

    /// Shuts down the sending direction, and waits a limited time for the end of the peer.
    func linger() {
        let action = isInProcess ? .close : state.linger()
        if action == .discard {
            socket.finish()
            set(secondsLeft: 2)
        }
        perform(action)
    }

    /// Closes the connection as soon as its answers are sent.
    func closeWhenSent() {
        let action = state.closeWhenSent(isSent: output.isEmpty)
        if action == .nothing { set(secondsLeft: server.limits.stallSeconds) }
        perform(action)
    }

    // MARK: Waiting

    /// Ends the wait of a request whose answer is being made.
    func stopWaiting() {
        if state.stopWaiting() { (occupant, deadline) = (nil, .max) }
    }

    func wait(_ waiter: any Waiter, seconds: Int) {
        occupant = .waiter(waiter)
        let action = state.wait()
        set(secondsLeft: seconds)
        perform(action)
    }
}
