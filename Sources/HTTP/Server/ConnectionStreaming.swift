internal import Compression
import Sockets

/// The sending of streams.
extension Connection {
    func stream(
        _ source: any StreamSource, _ type: StaticString, opening: [UInt8], mark: EventIDMark?,
        _ fields: (inout FieldWriter) -> Void
    ) {
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
        occupant = .source(source)
        if !isInProcess { socket.bound(unsentBytes: Server.unsentBytesLimit) }
        partial = nil
        if coding.isGzip {
            withRare { $0.member = GzipStream() }
            output.append(state.usesChunks ? Piece.gzipHeader.chunk : Piece.gzipHeader.content)
        }
        if let mark { withRare { $0.mark = Piece(Array(mark.text.utf8)) } }
        if !opening.isEmpty { add(Piece(opening)) }
        // A new stream sends the present values in the same write.
        addPieces(first: nextPiece())
        send()
        // If the peer ended before the stream began, it receives only the present values.
        if state.inbound != .open { endStream() }
    }

    /// Returns the bytes to send for a piece: its content or its compressed content, with or without a chunk frame. A
    /// compressed piece has to be sent whole.
    private func transferred(_ piece: Piece) -> Rope {
        guard coding.isGzip else { return state.usesChunks ? piece.chunk : piece.content }
        let compressed = piece.compressed(by: server.deflater)
        let bytes = rare?.member?.append(compressed.frame) ?? []
        // An empty frame would be the last chunk.
        return state.usesChunks && !bytes.isEmpty ? compressed.chunk : Rope(bytes)
    }

    /// Adds a piece to the output, with the mark of the stream after each id.
    private func add(_ piece: Piece) {
        guard let mark = rare?.mark, piece.partsAtIDs.count > 1 else { return output.append(transferred(piece)) }
        let parts = piece.partsAtIDs.enumerated().flatMap { index, part in
            (index == 0 ? [] : [unframed(mark)]) + [unframed(part)]
        }
        // One chunk, so that a client never receives an id without its mark.
        let size = String(parts.reduce(0) { $0 + $1.count }, radix: 16)
        if state.usesChunks { output.append(Rope(Array("\(size)\r\n".utf8))) }
        for part in parts { output.append(part) }
        if state.usesChunks { output.append(Rope(Array("\r\n".utf8))) }
    }

    /// Returns a piece's content, or its compressed content, which has to be sent whole.
    private func unframed(_ piece: Piece) -> Rope {
        guard coding.isGzip else { return piece.content }
        return Rope(rare?.member?.append(piece.compressed(by: server.deflater).frame) ?? [])
    }

    /// Adds a piece, and the pieces after it, to the output.
    private func addPieces(first: Piece?) {
        var next = first
        while let piece = next {
            add(piece)
            next = !piece.isNewest && output.count < Server.writeBytesLimit ? nextPiece() : nil
        }
    }

    /// Returns the next piece of the source. A large one for gzip is compressed in slices first, and nothing comes before
    /// it.
    private func nextPiece() -> Piece? {
        if let waiting = rare?.compressing {
            guard longPart(of: waiting) == nil else { return nil }
            withRare { $0.compressing = nil }
            return waiting
        }
        guard rare?.endsAfterPiece != true, let piece = source?.next() else { return nil }
        guard let part = longPart(of: piece), let compression = part.compression else { return piece }
        withRare { $0.compressing = piece }
        server.compress(compression, while: { [weak self] in self?.state.isStreaming ?? false }) { [weak self] frame in
            if part.isLongToCompress { part.take(frame) }
            self?.wake()
        }
        return nil
    }

    /// The part of a piece that takes long to compress; nil if there is none.
    private func longPart(of piece: Piece) -> Piece? {
        guard coding.isGzip, piece.isLongToCompress else { return nil }
        guard rare?.mark != nil, piece.partsAtIDs.count > 1 else { return piece }
        return piece.partsAtIDs.first(where: \.isLongToCompress)
    }

    /// Sends a piece if nothing else is being sent. Without a mark its bytes are shared, not copied.
    func send(_ piece: Piece) {
        guard output.isEmpty else { return }
        if rare?.mark == nil {
            output.share(transferred(piece))
        } else {
            borrowRoom()
            add(piece)
        }
        send()
    }

    /// Sends the next pieces of the source, unless earlier bytes are unsent. In that case the connection asks the
    /// source again once they are sent.
    package func wake() {
        guard state.isStreaming, output.isEmpty else { return }
        pull()
    }

    /// Sends the available pieces of the source. A stream whose end has waited for a piece ends after it.
    func pull() {
        sendPieces()
        guard let rare, rare.endsAfterPiece, rare.compressing == nil else { return }
        rare.endsAfterPiece = false
        endStream()
    }

    /// Sends the available pieces of the source in as few writes as possible.
    private func sendPieces() {
        guard state.isStreaming, output.isEmpty, let first = nextPiece() else { return }
        if first.isNewest { return rare?.mark == nil ? sendNewest(first) : send(first) }
        guard let next = nextPiece() else { return send(first) }
        borrowRoom()
        add(first)
        addPieces(first: next)
        send()
    }

    /// Sends a piece without followers and without a copy, the fast path for a change that goes to thousands of
    /// streams.
    private func sendNewest(_ piece: Piece) {
        let bytes = transferred(piece)
        guard bytes.rest.isEmpty, !isInProcess else {
            output.share(bytes)
            return send()
        }
        switch socket.write(bytes.first, endsRecord: true) {
        case .moved(bytes.count):
            if !server.isLeaving { set(secondsLeft: server.limits.heartbeatSeconds) }
        case .moved(let count):
            output.share(bytes, from: count)
            send()
        case .wouldBlock:
            output.share(bytes)
            stall()
        case .ended, .broken: close()
        }
    }

    /// Ends the stream: writes the trailer of a gzip member and the last chunk. A piece that is being compressed is sent
    /// before.
    package func endStream() {
        if state.isStreaming, let rare, rare.compressing != nil {
            rare.endsAfterPiece = true
            return
        }
        guard state.endStream() else { return }
        releaseOccupant()
        set(secondsLeft: server.limits.stallSeconds)
        borrowRoom()
        if let milliseconds = server.comingBackMilliseconds {
            var text: [UInt8] = []
            EventText.retry(milliseconds: milliseconds, appendingTo: &text)
            output.append(transferred(Piece(text)))
        }
        if let member = rare?.member.take() {
            let trailer = Piece(member.finish())
            output.append(state.usesChunks ? trailer.chunk : trailer.content)
        }
        if state.usesChunks { output.own.append("0\r\n\r\n") }
        if output.isEmpty { giveBackRoom() }
        send()
    }
}
