@testable import HTTP
import Testing

/// The state machine of a connection, without a socket.
@Suite struct ConnectionStateTests {
    typealias State = ConnectionState

    /// A state in which a request waits for its answer.
    private func answering(isPersistent: Bool = true, isHead: Bool = false, usesChunks: Bool = true) -> State {
        var state = State()
        state.begin(isPersistent: isPersistent, isHead: isHead, usesChunks: usesChunks)
        return state
    }

    private func streaming(usesChunks: Bool = true) -> State {
        var state = answering(usesChunks: usesChunks)
        _ = state.beginStream()
        return state
    }

    private func closing() -> State {
        var state = State()
        _ = state.closeWhenSent(isSent: false)
        return state
    }

    private func lingering() -> State {
        var state = closing()
        _ = state.linger()
        return state
    }

    private func waiting() -> State {
        var state = answering()
        _ = state.wait()
        return state
    }

    private func closed() -> State {
        var state = State()
        state.close()
        return state
    }

    @Test func `a persistent connection is idle again after an answer`() {
        var state = answering()
        #expect(state.isAnswering && !state.isIdle)
        let isPersistent = state.finishAnswer()
        #expect(isPersistent && state.isIdle && state.finishSending() == .nothing)
    }

    @Test func `a connection that does not persist lingers after its answer is sent, and closes`() {
        var state = answering(isPersistent: false)
        let isPersistent = state.finishAnswer()
        #expect(!isPersistent && state.activity == .closing && state.isOver && state.finishSending() == .linger)
        #expect(state.linger() == .discard)
        #expect(state.activity == .lingering)
        #expect(state.reachEnd() == .close)
    }

    @Test func `a connection whose peer has ended closes at once after its answer`() {
        var state = State()
        #expect(state.reachEnd() == .closeWhenSent)
        #expect(state.closeWhenSent(isSent: false) == .nothing)
        #expect(state.activity == .closing)
        #expect(state.linger() == .close)
    }

    @Test func `nothing left to send closes at once`() {
        var state = State()
        #expect(state.closeWhenSent(isSent: true) == .close)
        #expect(state.isPersistent)
    }

    @Test func `readable bytes are read, kept or dropped by activity`() {
        let expected: [(State, State.Step)] = [
            (State(), .read), (answering(), .nothing), (waiting(), .nothing), (streaming(), .discard),
            (closing(), .nothing),
            (lingering(), .discard), (closed(), .nothing),
        ]
        for (state, action) in expected {
            var state = state
            let isAnswering = state.isAnswering
            #expect(state.becomeReadable() == action, "\(state.activity)")
            #expect(state.mayHaveMore == isAnswering, "\(state.activity)")
        }
    }

    @Test func `a wait ends when the peer sends nothing more, before or during the wait`() {
        var before = answering()
        before.noteEnding()
        #expect(before.wait() == .endWait)
        var during = waiting()
        #expect(during.becomeReadable() == .nothing)
        during.noteEnding()
        #expect(during.becomeReadable() == .endWait)
    }

    @Test func `the end of a peer is not taken back`() {
        var state = State(inbound: .ended)
        state.noteEnding()
        #expect(state.inbound == .ended)
    }

    @Test func `a stream ends once, and keeps the connection for chunks only`() {
        var state = streaming()
        #expect(state.isStreaming && state.isPersistent && state.finishSending() == .pull)
        let (first, second) = (state.endStream(), state.endStream())
        #expect(first && !second && state.activity == .closing)
        #expect(streaming().keepsStreamOpen && !streaming(usesChunks: false).keepsStreamOpen)
        #expect(!answering(isPersistent: false).keepsStreamOpen)
    }

    @Test func `a stream whose peer ends is ended as streams are`() {
        var state = streaming()
        #expect(state.reachEnd() == .endStream)
    }

    @Test func `a HEAD request for a stream is answered without one`() {
        var state = answering(isHead: true)
        let hasStream = state.beginStream()
        #expect(!hasStream && state.isIdle)
        var last = answering(isPersistent: false, isHead: true)
        let lastHasStream = last.beginStream()
        #expect(!lastHasStream && last.activity == .closing)
    }

    @Test func `bytes that are no request are answered in full, and then the connection closes`() {
        var state = answering(isHead: true)
        _ = state.finishAnswer()
        state.beginRefusal()
        #expect(state.isAnswering && !state.isHead)
        let isPersistent = state.finishAnswer()
        #expect(!isPersistent)
    }

    @Test func `a deadline refuses a late request, ends a wait, and keeps a stream alive`() {
        typealias Circumstances = State.Circumstances
        let expected: [(State, Circumstances, State.Step)] = [
            (State(), Circumstances(), .close),
            (State(), Circumstances(hasPartial: true), .refuseLateRequest),
            (State(), Circumstances(hasPartial: true, isSent: false), .close),
            (waiting(), Circumstances(), .endWait),
            (streaming(), Circumstances(), .sendHeartbeat),
            (streaming(), Circumstances(isSent: false), .close),
            (streaming(), Circumstances(isDraining: true), .endStream),
            (closing(), Circumstances(isSent: false), .close),
            (lingering(), Circumstances(), .close),
            (answering(), Circumstances(), .nothing),
            (closed(), Circumstances(), .nothing),
        ]
        for (state, circumstances, action) in expected {
            #expect(state.expire(circumstances) == action, "\(state.activity), \(circumstances)")
        }
    }

    @Test func `a server that shuts down closes idle connections and ends waits`() {
        #expect(State().drain(hasPartial: false) == .closeWhenSent)
        #expect(State().drain(hasPartial: true) == .nothing)
        #expect(waiting().drain(hasPartial: false) == .endWait)
        #expect(answering().drain(hasPartial: false) == .nothing)
    }

    @Test func `a peer that takes nothing has limited time, unless its answer is still to come`() {
        for state in [State(), streaming(), closing()] { #expect(state.limitsStall) }
        for state in [answering(), waiting(), lingering(), closed()] { #expect(!state.limitsStall) }
    }
}
