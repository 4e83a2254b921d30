/// The limits on the size and the work of feature documents. `docs/features.md` lists each by its name.
public enum DocumentLimits {
    /// Bytes of a document.
    public static let bytes = 256 << 10
    /// Letters of a name.
    public static let nameLength = 64
    /// Named types.
    public static let types = 256
    /// Variables and tables.
    public static let state = 64
    /// Features that one may read.
    public static let given = 16
    /// Actions.
    public static let actions = 256
    /// Views.
    public static let views = 256
    /// Parameters of a view.
    public static let parameters = 16
    /// Schedules.
    public static let schedules = 64
    /// `let` names of an action.
    public static let lets = 64
    /// Guards of an action.
    public static let guards = 64
    /// Steps of an action, with those within steps.
    public static let actionSteps = 512
    /// Nesting depth of the steps of an action.
    public static let stepNesting = 8
    /// Expressions of `sort`.
    public static let sortKeys = 8
    /// Tables of `join`.
    public static let joins = 4
    /// Rows of `limit`.
    public static let rows = 10_000
    /// Tests.
    public static let tests = 200
    /// Steps of a test.
    public static let testSteps = 1_000
    /// Seconds of one `after`.
    public static let afterSeconds = 31_536_000
    /// Expressions of a document.
    public static let expressions = 4_096
    /// Faults that are listed.
    public static let faults = 100
    /// Rounds of the `each` steps of one action.
    public static let rounds = 10_000
    /// Steps of the expressions of one action.
    public static let steps = 100_000
    /// Bytes of the values that one action writes.
    public static let writtenBytes = 4 << 20
}
