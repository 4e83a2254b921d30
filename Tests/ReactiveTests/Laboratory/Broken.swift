/// The failure drawn as `#` in a source's marbles.
struct Broken: Error, Equatable {}

/// The error that test closures throw.
struct Refused: Error, Equatable {}

/// Returns `result`; throws if the value is `x`.
func accepted<Result>(_ value: String, _ result: Result) throws -> Result {
    guard value != "x" else { throw Refused() }
    return result
}

/// Returns the value; throws for `x`.
func accepted(_ value: String) throws -> String { try accepted(value, value) }
