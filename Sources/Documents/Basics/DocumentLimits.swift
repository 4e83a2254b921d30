import StateModel

/// The limits on the size and the work of feature documents. `docs/features.md` lists each by its name.
package enum DocumentLimits {
    /// Bytes of a document.
    package static let bytes = 256 << 10
    /// Bytes of its text, with comments and white space.
    package static let textBytes = 512 << 10
    /// Letters of a name.
    package static let nameLength = 64
    /// Named types.
    package static let types = 256
    /// Variables and tables.
    package static let state = 64
    /// Definitions.
    package static let definitions = 128
    /// Steps of an action with those of the definitions that it calls.
    package static let calledSteps = 4_096
    /// Indexes of a table.
    package static let indexes = 16
    /// Expressions of `by` of an index.
    package static let groupKeys = 4
    /// Features that one may read.
    package static let given = 16
    /// Actions.
    package static let actions = 256
    /// Views.
    package static let views = 256
    /// Views of all documents of a home that remember.
    package static let pipelines = MemoryLimits.definitions
    /// Parameters of a view.
    package static let parameters = 16
    /// Schedules.
    package static let schedules = 64
    /// The least seconds of `every` with `"home": "space"`.
    package static let periodInSpaces = 60
    /// `let` names of an action.
    package static let lets = 64
    /// Guards of an action.
    package static let guards = 64
    /// Steps of an action, with those within steps.
    package static let actionSteps = 512
    /// Nesting depth of the steps of an action.
    package static let stepNesting = 8
    /// Expressions of `sort`.
    package static let sortKeys = 8
    /// Fields of `search` of an index.
    package static let searchFields = 8
    /// Tables of `join`.
    package static let joins = 4
    /// Rows of `limit`.
    package static let rows = 10_000
    /// Seconds of the greatest grain of `every` in a view.
    package static let grain = 86_400
    /// Seconds of the grain in which rules read the time.
    package static let grainOfRules = 60
    /// Hooks.
    package static let hooks = 8
    /// Patterns of `changes` of a hook.
    package static let patterns = 50
    /// Tests.
    package static let tests = 200
    /// Steps of a test.
    package static let testSteps = 1_000
    /// Seconds of one `after`.
    package static let afterSeconds = 31_536_000
    /// Expressions of a document.
    package static let expressions = 4_096
    /// Faults that are listed.
    package static let faults = 100
    /// Rounds of the `each` steps of one action.
    package static let rounds = 10_000
    /// Steps of the expressions of one action.
    package static let steps = 100_000
    /// Steps that each write of an action takes, beside those of its expressions.
    package static let stepsOfWrite = 2
    /// Bytes of the values that one action writes.
    package static let writtenBytes = 4 << 20
}
