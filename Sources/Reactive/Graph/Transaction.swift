/// What a commit is about to change. Variables are read and written through it, and through nothing else; what is written shows to nobody
/// else until the commit is made.
public struct Transaction: ~Copyable {
    @usableFromInline let graph: Graph

    @inlinable
    init(graph: Graph) {
        self.graph = graph
    }

    /// The value of a variable: as written in this transaction, else as it is.
    @inlinable
    public subscript<Value>(variable: Variable<Value>) -> Value {
        get { variable.draft ?? variable.value }
        nonmutating set {
            if variable.draft == nil {
                // Not in a release: to look at the variable's graph counts references, which is a fifth of what a small commit takes.
                assert(unsafe variable.graph == nil || variable.graph === graph, "a variable watched in another graph is written")
                graph.touched.append(variable)
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
        // The turn begins before the transaction is open, so that no other comes upon what it has written.
        begin(settledBelow: 0)
        var transaction = Transaction(graph: self)
        do {
            try body(&transaction)
        } catch {
            discardTouched()
            throw error
        }
        deliverTouched()
        settle()
    }

    /// A commit now or, if a turn is under way, after it.
    package func commitWhenIdle(_ body: @escaping (inout Transaction) -> Void) {
        if isBusy { postpone { self.commitWithinTurn(body) } } else { commit(body) }
    }

    private func commitWithinTurn(_ body: (inout Transaction) -> Void) {
        var transaction = Transaction(graph: self)
        body(&transaction)
        deliverTouched()
    }

    /// Has the variables that were written forget it, and ends the turn.
    @usableFromInline
    func discardTouched() {
        ask(.discard)
        touched.removeAll()
        settle()
    }

    /// Has the variables that were written take their new values, and then deliver them.
    @usableFromInline
    func deliverTouched() {
        ask(.apply)
        ask(.publish)
        touched.removeAll()
    }

    /// Puts a request to the variables that were written, in the order of their first writing.
    @usableFromInline
    func ask(_ request: Node.Request) {
        var index = 0
        while index < touched.count {
            unsafe touched[index]._withUnsafeGuaranteedRef { $0.answer(request) }
            index += 1
        }
    }
}
