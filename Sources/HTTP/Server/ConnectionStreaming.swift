internal import Compression
import Sockets

/// Sending streams.
extension Connection {
    func stream(_ source: any StreamSource, _ type: StaticString, _ fields: (inout FieldWriter) -> Void) {
        borrowRoom()
        var writer = FieldWriter(.ok, appendingTo: output.own.take())
        writer.field("Content-Type", type)
        fields(&writer)
        if coding.isGzip { writer.field("Content-Encoding", "gzip") }
        if state.usesChunks { writer.field("Transfer-Encoding", "chunked") }
        end(writer, isPersistent: state.keepsStreamOpen)
        guard state.beginStream() else {
            source.left()
            if !isHandling { resume() }
            return
        }
        self.source = source
        socket.bound(unsentBytes: Server.unsentBytesLimit)
        partial = nil
        if coding.isGzip {
            member = GzipStream()
            add(state.usesChunks ? Piece.gzipHeader.chunk : Piece.gzipHeader.content)
        }
        // A new stream sends the values that are there in the same write.
        addPieces(first: source.next())
        send()
        // The peer has ended before the stream began: it gets the present values.
        if state.inbound != .open { endStream() }
    }

    /// Returns the bytes of a piece that this connection sends: its content or its compressed content, as a chunk or as
    /// it is. A compressed piece has to be sent whole.
    private func transferred(_ piece: Piece) -> Rope {
        guard member != nil else { return state.usesChunks ? piece.chunk : piece.content }
        let compressed = piece.compressed(by: server.deflater)
        let bytes = member?.append(compressed.frame) ?? []
        // A frame of no bytes would be the last chunk.
        return state.usesChunks && !bytes.isEmpty ? compressed.chunk : Rope(bytes)
    }

    private func add(_ bytes: Rope) {
        output.append(bytes)
    }

    /// Adds a piece to what is sent next, and those after it.
    private func addPieces(first: Piece?) {
        var next = first
        while let piece = next {
            add(transferred(piece))
            next = !piece.isNewest && output.count < Server.writeBytesLimit ? source?.next() : nil
        }
    }

    /// Sends a piece if nothing else is being sent. Its bytes are shared, not copied.
    func send(_ piece: Piece) {
        guard output.isEmpty else { return }
        output.share(transferred(piece))
        send()
    }

    /// Sends news of the source, unless the peer has yet to take earlier bytes: then it gets the news of that time.
    public func wake() {
        guard state.isStreaming, output.isEmpty else { return }
        pull()
    }

    /// Sends the pieces that the source has now, in as few writes as possible.
    func pull() {
        guard state.isStreaming, output.isEmpty, let first = source?.next() else { return }
        if first.isNewest { return sendNewest(first) }
        guard let next = source?.next() else { return send(first) }
        borrowRoom()
        add(transferred(first))
        addPieces(first: next)
        send()
    }

    /// Sends a piece that nothing follows, without a copy: so a change reaches thousands of streams.
    private func sendNewest(_ piece: Piece) {
        let bytes = transferred(piece)
        guard bytes.rest.isEmpty else {
            output.share(bytes)
            return send()
        }
        switch socket.write(bytes.first, endsRecord: true) {
        case .moved(bytes.count):
            if !server.isDraining { set(secondsLeft: server.limits.heartbeatSeconds) }
        case .moved(let count):
            output.share(bytes, from: count)
            send()
        case .wouldBlock:
            output.share(bytes)
            stall()
        case .ended, .broken: close()
        }
    }

    /// Ends the stream: a gzip member with its trailer, and chunks with the last.
    public func endStream() {
        guard state.endStream() else { return }
        leaveSource()
        set(secondsLeft: server.limits.stallSeconds)
        borrowRoom()
        if let member = member.take() {
            let trailer = Piece(member.finish())
            add(state.usesChunks ? trailer.chunk : trailer.content)
        }
        if state.usesChunks { output.own.append("0\r\n\r\n") }
        if output.isEmpty { giveBackRoom() }
        send()
    }
}
