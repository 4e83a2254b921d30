import Reactive

/// The sum of the delivered values; its use keeps the compiler from removing the work.
nonisolated(unsafe) private var sum = 0

private func take(_ value: Int) { sum &+= value }

/// Commits one variable, while the observables derived from it are watched.
private func commits(to watched: (Variable<Int>) -> [Observable<Int>]) -> (Int) -> Void {
    let graph = Graph()
    let variable = Variable(0)
    let subscriptions = watched(variable).map { $0.watch(in: graph, receive: take) }
    return { number in
        withExtendedLifetime(subscriptions) { graph.commit { $0[variable] = number } }
    }
}

private func sets(_ watched: (PlainClosures) -> [PlainClosures]) -> (Int) -> Void {
    let source = PlainClosures()
    for derived in watched(source) { derived.listen(take) }
    return { source.set($0) }
}

/// Commits one of `count` variables with three derived views each. The commits touch `working` variables, scattered
/// among all.
private func commits(toOneOf count: Int, working: Int) -> (Int) -> Void {
    let graph = Graph()
    var variables: [Variable<Int>] = []
    var subscriptions: [Subscription] = []
    for _ in 0..<count {
        let variable = Variable(0)
        let views = [variable.map { $0 &+ 1 }, variable.map { $0 &* 2 }, variable.map { $0 ^ 3 }]
        variables.append(variable)
        subscriptions += views.map { $0.watch(in: graph, receive: take) }
    }
    let scattered = (0..<working).map { [variables] in variables[$0 * 77_773 % count] }
    return { [subscriptions] number in
        withExtendedLifetime(subscriptions) { graph.commit { $0[scattered[number % working]] = number } }
    }
}

private func sets(oneOf count: Int) -> (Int) -> Void {
    let sources = (0..<count).map { _ in PlainClosures() }
    for source in sources {
        source.map { $0 &+ 1 }.listen(take)
        source.map { $0 &* 2 }.listen(take)
        source.map { $0 ^ 3 }.listen(take)
    }
    let scattered = (0..<count).map { sources[$0 * 77_773 % count] }
    return { scattered[$0 % count].set($0) }
}

/// The reactive core compared with plain closures.
let reactiveComparisons = MeasurementGroup(
    name: "reactive",
    comparisons: [
        Comparison(
            name: "map", allowed: 2.5, operations: 200_000, ours: { commits { [$0.map { $0 &* 2 }] } },
            limit: { sets { [$0.map { $0 &* 2 }] } }),
        Comparison(
            name: "ten maps", allowed: 4, operations: 100_000,
            ours: { commits { [(0..<10).reduce($0) { source, _ in source.map { $0 &+ 1 } }] } },
            limit: { sets { [(0..<10).reduce($0) { source, _ in source.map { $0 &+ 1 } }] } }),
        Comparison(
            name: "combineLatest and map", allowed: 3, operations: 200_000,
            ours: { commits { [combineLatest($0, Variable(1)).map { $0 &+ $1 }] } },
            limit: { sets { [$0.combine(PlainClosures(1)) { $0 &+ $1 }.map { $0 }] } }),
        Comparison(
            name: "scan and removeDuplicates", allowed: 3, operations: 200_000,
            ours: { commits { [$0.scan(0) { $0 &+ $1 }.removeDuplicates()] } },
            limit: { sets { [$0.scan(0) { $0 &+ $1 }.removeDuplicates()] } }),
        Comparison(
            name: "one to 1,000 watchers", allowed: 1.5, operations: 1_000,
            ours: { commits { Array(repeating: $0, count: 1_000) } },
            limit: { sets { Array(repeating: $0, count: 1_000) } }),
        Comparison(
            name: "diamond (ours delivers once, the other twice)", allowed: 4, operations: 200_000,
            ours: { commits { [combineLatest($0.map { $0 &+ 1 }, $0.map { $0 &* 2 }).map { $0 &+ $1 }] } },
            limit: { sets { [$0.map { $0 &+ 1 }.combine($0.map { $0 &* 2 }) { $0 &+ $1 }] } }),
        Comparison(
            name: "one of 1,000 with three views each", allowed: 4, operations: 100_000,
            ours: { commits(toOneOf: 1_000, working: 1_000) },
            limit: { sets(oneOf: 1_000) }),
        Comparison(
            name: "one of 100,000, the same 1,000 of them compared with one of 1,000", allowed: 1.3,
            operations: 100_000,
            ours: { commits(toOneOf: 100_000, working: 1_000) }, limit: { commits(toOneOf: 1_000, working: 1_000) }),
        Comparison(
            name: "one of 100,000, all of them compared with plain closures on as many", allowed: nil,
            operations: 100_000,
            ours: { commits(toOneOf: 100_000, working: 100_000) }, limit: { sets(oneOf: 100_000) }),
    ])
