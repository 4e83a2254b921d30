/// A pipeline that is a view of a feature, as every space has it.
package struct ViewPipeline: Sendable {
    /// The name of the view in its feature.
    package let label: String
    package let program: StreamProgram
    /// The identity of the program. A view with the same identity continues what it remembers.
    let identity: String

    package init(_ label: String, _ program: StreamProgram) {
        (self.label, self.program) = (label, program)
        identity = program.identity
    }
}
