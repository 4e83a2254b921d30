/// The reason that the present definition of a feature cannot take its state in a space.
struct UnmigratedState: Error, CustomStringConvertible {
    let description: String
}
