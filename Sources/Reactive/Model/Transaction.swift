/// What a commit is about to change. Variables are read and written through it, and through nothing else; what is written shows to nobody
/// else until the commit is made.
@safe
public struct Transaction: ~Copyable {
    // Not counted: it is lent to whoever writes in it, by one who has the graph for that long.
    @usableFromInline let graph: Unmanaged<Graph>

    @inlinable
    init(graph: Graph) {
        unsafe self.graph = .passUnretained(graph)
    }

    /// The value of a variable: as written in this transaction, else as it is.
    @inlinable
    public subscript<Value>(variable: ReadableVariable<Value>) -> Value {
        variable.draft ?? variable.value
    }

    /// The value of a variable: as written in this transaction, else as it is.
    @inlinable
    public subscript<Value>(variable: Variable<Value>) -> Value {
        get { variable.draft ?? variable.value }
        nonmutating set {
            if !variable.isWritten {
                unsafe graph._withUnsafeGuaranteedRef { graph in
                    // Not in a release: to look at the variable's graph counts references, which is a fifth of what a small commit takes.
                    assert(unsafe variable.graph == nil || variable.graph === graph, "a variable watched in another graph is written")
                    assert(!graph.unchangedAreDropped, "something is written in a transaction that was weighed")
                    variable.isWritten = true
                    graph.written.append(variable)
                }
            }
            variable.draft = newValue
        }
    }
}

extension Graph {
    /// Makes one commit: `body` writes variables, then everything that depends on them and is watched follows. If `body` throws, nothing has
    /// happened. What `body` asks for besides is done after the commit. Not within a turn.
    @inlinable
    package func commit<Failure: Error>(_ body: (inout Transaction) throws(Failure) -> Void) throws(Failure) {
        var transaction = draft()
        do {
            try body(&transaction)
        } catch {
            discard()
            throw error
        }
        publish()
    }

    /// Begins a transaction, for whoever has to look at what it wrote before it is published or discarded, one of which must follow. Its turn
    /// begins with it, so that no other comes upon what it has written. Not within a turn.
    @inlinable
    package func draft() -> Transaction {
        begin(settledBelow: 0)
        return Transaction(graph: self)
    }

    /// Has the variables that were written with what they are count as not written, for whoever asks what the open transaction changes. Nothing is
    /// written in it after that.
    @inlinable
    package func dropUnchanged() {
        sendToWritten(.dropUnchanged)
        written.removeAll { !$0.isWritten }
        unchangedAreDropped = true
    }

    /// Forgets what the open transaction has written.
    @inlinable
    package func discard() {
        unchangedAreDropped = false
        sendToWritten(.discard)
        written.removeAll()
        settle()
    }

    /// Makes what the open transaction has written so.
    @inlinable
    package func publish() {
        deliver()
        settle()
    }

    /// A commit now or, if a turn is under way, after it.
    package func commitWhenIdle(_ body: @escaping (inout Transaction) -> Void) {
        guard isBusy else { return commit(body) }
        postpone {
            var transaction = Transaction(graph: self)
            body(&transaction)
            self.deliver()
        }
    }

    /// Has the variables that were written deliver: first all take their new values, so that nobody finds one that is old.
    @usableFromInline
    func deliver() {
        if unchangedAreDropped, written.count == 1 {
            // Nobody can find another one that is old.
            unchangedAreDropped = false
            sendToWritten(.deliver)
        } else {
            sendToWritten(unchangedAreDropped ? .take : .apply)
            unchangedAreDropped = false
            sendToWritten(.publish)
        }
        written.removeAll()
    }

    /// Puts a request to the variables that were written, in the order of their first writing.
    @usableFromInline
    func sendToWritten(_ command: Node.WriteCommand) {
        var index = 0
        while index < written.count {
            unsafe written[index]._withUnsafeGuaranteedRef { $0.handle(command) }
            index += 1
        }
    }
}
