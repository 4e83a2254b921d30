import Testing

/// Rules that the compiler enforces.
struct CompileTimeTests {
    @Test func `the code of a feature compiles`() throws {
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
        // Laws V1, O7: a value cannot be read,
        ("func read(_ variable: Variable<Int>) -> Int { variable.value }", "inaccessible"),
        ("func read(_ observable: Observable<Int>) -> Int? { observable.latest }", "inaccessible"),
        (
            "func lift(_ one: Variable<Int>, _ other: Variable<Int>) -> Observable<Int> { one.map { $0 + other } }",
            "cannot convert"
        ),
        // Law V1: and cannot be written,
        ("func write(_ variable: Variable<Int>) { variable.value = 1 }", "inaccessible"),
        ("func write(_ variable: Variable<Int>) { variable.emit(1) }", "inaccessible"),
        // except through a transaction; only a graph creates one,
        ("func make(_ graph: Graph) { _ = Transaction(graph: graph) }", "inaccessible"),
        // and it cannot be stored.
        (
            "final class JournalWriter { var kept: Transaction?; func keep(_ transaction: inout Transaction) { kept = consume transaction } }",
            "initial"
        ),
        (
            "func lift(_ a: Variable<Int>, _ b: Variable<Int>, _ t: inout Transaction) -> Observable<Int> { a.map { $0 + t[b] } }",
            "escaping"
        ),
        // Law V5: a transaction cannot write a derived value.
        (
            "func write(_ derived: Observable<Int>, _ transaction: inout Transaction) { transaction[derived] = 1 }",
            "cannot convert"
        ),
        ("func write(_ derived: Observable<Int>) { derived.emit(1) }", "inaccessible"),
    ])
    func `code that breaks a law does not compile`(_ code: String, _ reason: String) throws {
        let errors = try Compiler.errors(in: code)
        #expect(errors.contains { $0.contains(reason) }, "\(errors)")
    }
}
