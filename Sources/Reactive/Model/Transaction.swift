/// The pending changes of one commit. Variables are read and written only through a transaction. Writes are invisible
/// outside the transaction until the commit.
@safe
public struct Transaction: ~Copyable {
    // Unmanaged, without a reference count. The caller retains the graph for the transaction's lifetime.
    @usableFromInline let graph: Unmanaged<Graph>

    @inlinable
    init(graph: Graph) {
        unsafe self.graph = .passUnretained(graph)
    }

    /// The value of a variable: the value written in this transaction, or else the current one.
    @inlinable
    public subscript<Value>(variable: ReadableVariable<Value>) -> Value {
        variable.draft ?? variable.value
    }

    /// The value of a variable: the value written in this transaction, or else the current one.
    @inlinable
    public subscript<Value>(variable: Variable<Value>) -> Value {
        get { variable.draft ?? variable.value }
        nonmutating set {
            if !variable.isWritten {
                unsafe graph._withUnsafeGuaranteedRef { graph in
                    // Debug builds only: reading the variable's graph touches reference counts, which is a fifth of the
                    // cost of a small commit.
                    assert(
                        unsafe variable.graph == nil || variable.graph === graph,
                        "a write to a variable of another graph")
                    assert(!graph.unchangedAreDropped, "a write after dropUnchanged()")
                    variable.isWritten = true
                    graph.written.append(variable)
                }
            }
            variable.draft = newValue
        }
    }
}

extension Graph {
    /// Makes one commit. `body` writes variables; then all observed derivations of them are updated. If `body` throws,
    /// nothing changes. Work requested within `body` runs after the commit. Precondition: no turn is under way.
    ///
    ///     graph.commit { $0[count] += 1 }
    @inlinable
    public func commit<Failure: Error>(_ body: (inout Transaction) throws(Failure) -> Void) throws(Failure) {
        var transaction = draft()
        do {
            try body(&transaction)
        } catch {
            discard()
            throw error
        }
        publish()
    }

    /// Begins a transaction for a caller that inspects the writes first. The caller must then call `publish` or
    /// `discard`. The turn begins with the transaction, so no other turn can see the writes. Precondition: no turn is
    /// under way.
    @inlinable
    package func draft() -> Transaction {
        begin(settledBelow: 0)
        return Transaction(graph: self)
    }

    /// Returns the open transaction again, for a caller that performs several actions in it. Precondition: `draft` has
    /// begun it.
    package func continuedDraft() -> Transaction { Transaction(graph: self) }

    /// Removes the writes that equal the current value, so that `written` holds only changes, and what counts as one. Precondition for later
    /// code: nothing is written in this transaction after this call.
    @inlinable
    package func dropUnchanged() {
        sendToWritten(.dropUnchanged)
        written.removeAll { !$0.isWritten }
        unchangedAreDropped = true
    }

    /// Discards the writes of the open transaction.
    @inlinable
    package func discard() {
        unchangedAreDropped = false
        sendToWritten(.discard)
        written.removeAll()
        settle()
    }

    /// Runs turns beside the open transaction: they see nothing of its writes. Precondition: `body` writes no variable.
    package func beforePublishing(_ body: () -> Void) {
        suspend()
        body()
        begin(settledBelow: 0)
    }

    /// Commits the open transaction.
    @inlinable
    package func publish() {
        deliver()
        settle()
    }

    /// Commits at once or, if a turn is under way, after it: for an observer that writes.
    public func commitWhenIdle(_ body: @escaping (inout Transaction) -> Void) {
        guard isBusy else { return commit(body) }
        postpone {
            var transaction = Transaction(graph: self)
            body(&transaction)
            self.deliver()
        }
    }

    /// Makes the written variables deliver. All take their new values first, so that no closure reads an old value.
    @usableFromInline
    func deliver() {
        if unchangedAreDropped, written.count == 1 {
            // With a single written variable, no other one can be out of date.
            unchangedAreDropped = false
            sendToWritten(.deliver)
        } else {
            sendToWritten(unchangedAreDropped ? .take : .apply)
            unchangedAreDropped = false
            sendToWritten(.publish)
        }
        written.removeAll()
    }

    /// Sends a command to the written variables, in the order of their first write.
    @usableFromInline
    func sendToWritten(_ command: Node.WriteCommand) {
        var index = 0
        while index < written.count {
            unsafe written[index]._withUnsafeGuaranteedRef { $0.handle(command) }
            index += 1
        }
    }
}
