/// The reason that the state of a feature in one space cannot be taken by its present definition.
struct MigrationFailure: Error, CustomStringConvertible {
    let description: String
}
