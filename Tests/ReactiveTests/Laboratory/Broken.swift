/// The failure that `#` stands for in what a source plays.
struct Broken: Error, Equatable {}

/// What closures throw that are to throw.
struct Refused: Error, Equatable {}

/// A value that is accepted: any but `x`.
func accepted<Result>(_ value: String, _ result: Result) throws -> Result {
    guard value != "x" else { throw Refused() }
    return result
}

/// A value that is accepted: any but `x`.
func accepted(_ value: String) throws -> String { try accepted(value, value) }
