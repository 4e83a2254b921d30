/// The latest value of a source; nil for none.
package struct Latest<Value> {
    package var value: Value?

    package init(_ value: Value? = nil) {
        self.value = value
    }
}

/// The machine of `withLatestFrom`.
package struct WithLatestFrom<Value, Side>: Machine {
    package init() {}

    package var initial: Latest<Side> { Latest() }

    package func receiveSide(
        _ value: Side, _ state: inout Latest<Side>, _ output: inout Emission<(Value, Side)>
    ) throws {
        state.value = value
    }

    package func receive(_ value: Value, _ state: inout Latest<Side>, _ output: inout Emission<(Value, Side)>) throws {
        if let latest = state.value { output.emit((value, latest)) }
    }
}

/// The machine of `sample`.
package struct Sample<Value, Side>: Machine {
    package init() {}

    package var initial: Latest<Value> { Latest() }
    package var sideIsFirst: Bool { false }

    package func receive(_ value: Value, _ state: inout Latest<Value>, _ output: inout Emission<Value>) throws {
        state.value = value
    }

    package func receiveSide(_ value: Side, _ state: inout Latest<Value>, _ output: inout Emission<Value>) throws {
        if let latest = state.value { output.emit(latest) }
        state.value = nil
    }

    package func endSide(_ state: inout Latest<Value>, _ output: inout Emission<Value>) throws {
        output.finish(.completed)
    }
}

/// The machine of `prefix` until another source delivers.
package struct PrefixUntil<Value, Side>: Machine {
    package init() {}

    package var initial: Nothing { Nothing() }

    package func receive(_ value: Value, _ state: inout Nothing, _ output: inout Emission<Value>) throws {
        output.emit(value)
    }

    package func receiveSide(_ value: Side, _ state: inout Nothing, _ output: inout Emission<Value>) throws {
        output.finish(.completed)
    }
}

/// The machine of `skip` until another source delivers. Its state is true from then on.
package struct SkipUntil<Value, Side>: Machine {
    package init() {}

    package var initial: Bool { false }
    package func takesSide(_ state: Bool) -> Bool { !state }

    package func receive(_ value: Value, _ state: inout Bool, _ output: inout Emission<Value>) throws {
        if state { output.emit(value) }
    }

    package func receiveSide(_ value: Side, _ state: inout Bool, _ output: inout Emission<Value>) throws {
        state = true
    }
}

/// The machine of `zip` of two sources.
package struct Pairing<Value, Side>: Machine {
    /// The values that wait for their counterparts.
    package struct Counterparts {
        package var ones: WaitingQueue<Value>
        package var others: WaitingQueue<Side>

        package init(_ ones: WaitingQueue<Value> = WaitingQueue(), _ others: WaitingQueue<Side> = WaitingQueue()) {
            (self.ones, self.others) = (ones, others)
        }
    }

    package init() {}

    package var initial: Counterparts { Counterparts() }
    package var sideIsFirst: Bool { false }

    package func receive(_ value: Value, _ state: inout Counterparts, _ output: inout Emission<(Value, Side)>) throws {
        state.ones.append(value)
        deliver(&state, &output)
    }

    package func receiveSide(
        _ value: Side, _ state: inout Counterparts, _ output: inout Emission<(Value, Side)>
    ) throws {
        state.others.append(value)
        deliver(&state, &output)
    }

    private func deliver(_ state: inout Counterparts, _ output: inout Emission<(Value, Side)>) {
        while !state.ones.isEmpty, !state.others.isEmpty {
            if let one = state.ones.popFirst(), let other = state.others.popFirst() { output.emit((one, other)) }
        }
    }
}
