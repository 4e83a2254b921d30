import Testing

/// Runs each test twice: with the systems in Swift, and with their documents.
struct BothForms: TestTrait, SuiteTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        for form in Shop.SystemsForm.allCases { try await Shop.$form.withValue(form) { try await function() } }
    }
}

extension Trait where Self == BothForms {
    /// Runs each test with the systems in Swift, and with their documents.
    static var bothForms: BothForms { BothForms() }
}
