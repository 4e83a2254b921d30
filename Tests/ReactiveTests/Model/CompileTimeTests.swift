import Testing

/// What the compiler holds for us.
struct CompileTimeTests {
    @Test func `what a feature writes compiles`() throws {
        let errors = try Compiler.errors(
            in: """
                struct State { let isLoggedIn = Variable(false), name = Variable<String?>(nil) }
                func logIn(_ state: State, _ name: String, _ transaction: inout Transaction) {
                    transaction[state.isLoggedIn] = true
                    transaction[state.name] = transaction[state.name] ?? name
                }
                func title(_ state: State) -> Observable<String> {
                    combineLatest(state.isLoggedIn, state.name)
                        .map { isLoggedIn, name in isLoggedIn ? name ?? "" : "Logged out" }
                        .removeDuplicates()
                }
                """)
        #expect(errors == [])
    }

    @Test(arguments: [
        // Laws V1, O7: there is no value to be read,
        ("func read(_ variable: Variable<Int>) -> Int { variable.value }", "inaccessible"),
        ("func read(_ observable: Observable<Int>) -> Int? { observable.latest }", "inaccessible"),
        ("func lift(_ one: Variable<Int>, _ other: Variable<Int>) -> Observable<Int> { one.map { $0 + other } }", "cannot convert"),
        // Law V1: and none to be written,
        ("func write(_ variable: Variable<Int>) { variable.value = 1 }", "inaccessible"),
        ("func write(_ variable: Variable<Int>) { variable.emit(1) }", "inaccessible"),
        // but through a transaction, which nobody but the store makes,
        ("func make(_ graph: Graph) { _ = Transaction(graph: graph) }", "inaccessible"),
        ("func make() -> Graph { Graph() }", "inaccessible"),
        ("func make(_ graph: Graph) { graph.commit { _ in } }", "inaccessible"),
        // which cannot be kept,
        (
            "final class Keeper { var kept: Transaction?; func keep(_ transaction: inout Transaction) { kept = consume transaction } }",
            "initial"
        ),
        (
            "func lift(_ a: Variable<Int>, _ b: Variable<Int>, _ t: inout Transaction) -> Observable<Int> { a.map { $0 + t[b] } }",
            "escaping"
        ),
        // Law V5: and which does not write what is derived.
        ("func write(_ derived: Observable<Int>, _ transaction: inout Transaction) { transaction[derived] = 1 }", "cannot convert"),
        ("func write(_ derived: Observable<Int>) { derived.emit(1) }", "inaccessible"),
    ])
    func `what breaks a law does not compile`(_ code: String, _ reason: String) throws {
        let errors = try Compiler.errors(in: code)
        #expect(errors.contains { $0.contains(reason) }, "\(errors)")
    }
}
