import Sockets

/// The reading of requests.
extension Connection {
    /// Reads the available bytes, and handles the requests in them.
    func read() {
        state.mayHaveMore = false
        guard !isInProcess else { return }
        // Reading stops while the client does not accept its answers.
        while state.isIdle, output.isEmpty {
            let isDrained = server.withRoom { room in
                switch socket.read(into: room) {
                case .moved(let count):
                    take(UnsafeRawBufferPointer(rebasing: room[..<count]))
                    // The kernel reports the end of the peer once, possibly together with the last bytes.
                    return count < room.count && state.inbound == .open
                case .wouldBlock: return true
                case .ended:
                    partial = nil
                    perform(state.reachEnd())
                    return true
                case .broken:
                    close()
                    return true
                }
            }
            if isDrained { return }
        }
        state.mayHaveMore = true
    }

    /// Handles the requests in new bytes, and stores the rest.
    @inline(__always)
    private func take(_ bytes: UnsafeRawBufferPointer) {
        guard let partial else {
            let used = handle(bytes.bindMemory(to: UInt8.self).span)
            if used < bytes.count, !state.isOver { keep(Array(bytes[used...])) }
            // The answers of a turn are sent together at its end, which is faster than sending each at once.
            if state.isIdle, self.partial == nil, !output.isEmpty { return server.sendSoon(self) }
            flush()
            if state.isIdle, output.isEmpty, let partial = self.partial, partial.isHeldBack { goOn(with: partial) }
            return
        }
        partial.bytes.append(contentsOf: bytes)
        goOn(with: partial)
    }

    /// Handles the requests in stored bytes.
    func goOn(with partial: Partial) {
        var next: Partial? = partial
        while let partial = next {
            next = nil
            self.partial = partial
            partial.isHeldBack = false
            let bytes = partial.bytes
            partial.bytes = []
            let used = handle(bytes.span)
            if used < bytes.count, !state.isOver {
                if used == 0, self.partial === partial { partial.bytes = bytes } else { keep(Array(bytes[used...])) }
                noteHeldBack()
            } else if self.partial === partial {
                self.partial = nil
            }
            flush()
            if state.isIdle, output.isEmpty, let rest = self.partial, rest.isHeldBack { next = rest }
        }
        // The time of a request that waited for earlier answers begins now.
        if state.isIdle, self.partial != nil, deadline == .max { set(secondsLeft: server.limits.requestSeconds) }
    }

    private func keep(_ bytes: [UInt8]) {
        let partial: Partial
        if let kept = self.partial {
            partial = kept
        } else {
            partial = Partial()
            self.partial = partial
            if state.isIdle { set(secondsLeft: server.limits.requestSeconds) }
        }
        partial.bytes = bytes
        noteHeldBack()
    }

    private func noteHeldBack() {
        if state.isIdle, output.count >= Server.answersBytesLimit { partial?.isHeldBack = true }
    }

    /// Handles the complete requests, each after the answer to the previous one. Returns the number of bytes handled.
    private func handle(_ bytes: Span<UInt8>) -> Int {
        var position = 0
        let isOutermost = !isHandling
        isHandling = true
        defer { if isOutermost { isHandling = false } }
        while position < bytes.count, state.isIdle, output.count < Server.answersBytesLimit {
            let rest = bytes.extracting(position...)
            do throws(MessageFault) {
                guard let length = try handleNext(rest) else { break }
                position += length
            } catch {
                refuse(error)
                return bytes.count
            }
        }
        return position
    }

    /// Handles the request at the start of `bytes`. Returns its length, or nil if a part of it is missing.
    @inline(__always)
    private func handleNext(_ bytes: Span<UInt8>) throws(MessageFault) -> Int? {
        let head = server.head(for: bytes)
        var seen = partial?.seen ?? 0
        guard try head.read(bytes, seen: &seen) else {
            if seen > 0 { notePartial { $0.seen = seen } }
            return nil
        }
        let length: Int
        let disposition: Disposition
        switch head.framing {
        case .none:
            length = head.length
            disposition = dispatch(Request(head, bytes, body: bytes.extracting(0..<0)))
        case .length(let count):
            length = head.length + count
            guard length <= bytes.count else {
                askForBody(head)
                return nil
            }
            disposition = dispatch(Request(head, bytes, body: bytes.extracting(head.length..<length)))
        case .chunks:
            notePartial { _ in }
            guard let partial else { return nil }
            var (decoder, position, body) = partial.chunks ?? (ChunkDecoder(), head.length, [])
            partial.chunks = nil
            guard try decoder.decode(bytes, &position, into: &body, server.limits) else {
                partial.chunks = (decoder, position, body)
                askForBody(head)
                return nil
            }
            length = position
            disposition = dispatch(Request(head, bytes, body: body.span))
        }
        switch disposition {
        case .here:
            partial = nil
            return length
        case .elsewhere(let index): if let handoff = leave(with: bytes) { server.move(handoff, to: index) }
        case .later(let wait): putOff(bytes, until: wait)
        }
        return bytes.count
    }

    private func notePartial(_ note: (Partial) -> Void) {
        if partial == nil {
            partial = Partial()
            set(secondsLeft: server.limits.requestSeconds)
        }
        if let partial { note(partial) }
    }

    /// Sends 100 Continue to a client that waits for it (RFC 9110, section 10.1.1).
    private func askForBody(_ head: RequestHead) {
        notePartial { partial in
            guard head.expectsContinue, !partial.wasToldToContinue else { return }
            partial.wasToldToContinue = true
            borrowRoom()
            output.own.append("HTTP/1.1 100 Continue\r\n\r\n")
        }
    }

    /// Passes a request to the handler.
    private func dispatch(_ request: borrowing Request) -> Disposition {
        let head = request.head
        head.isLent = true
        defer { head.isLent = false }
        serial &+= 1
        began = server.loop.now
        rare?.beginRequest()
        requestID = server.requestID(of: request)
        method = head.method
        if head.has(.traceParent) || server.group.startsTraces {
            let trace = server.trace(of: request)
            withRare { $0.trace = trace }
        }
        coding = head.coding
        deadline = .max
        state.begin(
            isPersistent: head.isPersistent && !server.isLeaving && !isInProcess, isHead: head.method == .head,
            usesChunks: head.minorVersion > 0)
        return server.handler.handle(request, Exchange(connection: self, serial: serial))
    }

    /// Answers bytes that are not a valid request, and closes.
    func refuse(_ refusal: MessageFault) {
        partial = nil
        serial &+= 1
        began = server.loop.now
        rare?.beginRequest()
        requestID = server.nextRequestID()
        coding = .identity
        state.beginRefusal()
        let wasHandling = isHandling
        isHandling = true
        server.handler.refuse(refusal, Exchange(connection: self, serial: serial))
        isHandling = wasHandling
        if !isHandling { flush() }
    }

    /// Keeps a request that cannot be decided yet, and all bytes after it. Until it is handled again, the connection is
    /// like one that answers it.
    private func putOff(_ bytes: Span<UInt8>, until wait: RequestWait) {
        let kept = Partial()
        kept.bytes = bytes.withUnsafeBufferPointer { Array($0) }
        kept.wasToldToContinue = partial?.wasToldToContinue ?? false
        partial = kept
        server.takeUp(self, after: wait)
    }

    /// Handles a request that was put off, unless the connection has been closed meanwhile.
    func takeUp(_ serial: UInt32, _ outcome: Bool?) {
        guard isAnswering(serial) else { return }
        state.takeUp()
        partial?.waitOutcome = outcome
        finishTurn()
    }

    /// Ends the connection on this loop, and returns it for another one, with the request that belongs there and all
    /// bytes after it; nil if the peer has gone.
    private func leave(with bytes: Span<UInt8>) -> ConnectionHandoff? {
        if !output.isEmpty { send() }
        // If the send found that the peer has gone, the connection is closed.
        guard let registration else { return nil }
        state.close()
        self.registration = nil
        server.loop.deregister(registration)
        let wasToldToContinue = partial?.wasToldToContinue ?? false
        partial = nil
        let moved = bytes.withUnsafeBufferPointer { Array($0) }
        let rest = output.rest
        output.removeAll()
        giveBackRoom()
        return ConnectionHandoff(
            socket: socket, bytes: moved, output: rest, wasToldToContinue: wasToldToContinue,
            hasEnded: state.inbound == .ended, home: rare?.home ?? server.index, inProcess: rare?.inProcess)
    }

    /// Returns an idle connection to the loop that it came from. Returns false if it belongs here.
    func goHome() -> Bool {
        guard let home = rare?.home, home != server.index else { return false }
        let none: [UInt8] = []
        if let handoff = leave(with: none.span) { server.move(handoff, to: home) }
        return true
    }
}
