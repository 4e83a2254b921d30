import JSON

/// How much a definition may hold. What is beyond is refused, with a fault that says so.
public enum StreamLimits {
    /// The operators of one pipeline, or of one item.
    public static let operators = 64
    /// The items of one stream.
    public static let items = 1_000
    /// The sources that one source joins.
    public static let joinedSources = 64
    /// How deep sources and operators with sources lie within one another.
    public static let nesting = 16
    /// The bytes of a document.
    public static let documentBytes = 65_536
    /// The characters of a name.
    public static let nameCharacters = 200
    /// The characters of a description.
    public static let descriptionCharacters = 2_000
    /// The characters of an expression.
    public static let expressionCharacters = 4_096
    /// The nodes that a definition comes to with all it refers to.
    public static let nodes = 10_000
    /// The nodes on the longest way through them: starting a stream goes down that way by recursion.
    public static let nodesInARow = 500
    /// The longest duration.
    public static let seconds = 3_600
    /// The shortest period of `collect`, in milliseconds; one of nothing would never end.
    public static let periodMilliseconds = 1
    /// The largest count that an operator is given,
    public static let count = 1_000_000
    /// of values to collect into one,
    public static let collected = 10_000
    /// and of attempts.
    public static let attempts = 100
    /// The definitions of a space.
    public static let definitions = 1_000

    /// The steps that a stream may take at one instant, and in a second of what it sets off itself with alarms: one for each value of a source,
    /// alarm, run of an inner source and expression, and of an expression one more for each hundred that it is priced at.
    public static let stepsAtOnce = 100_000
    /// The values that wait in one operator.
    public static let waitingValues = 10_000
    /// The runs of inner sources that are under way at the same time.
    public static let openRuns = 1_000
    /// The size of a value that an expression or an operator makes: its numbers, names and other values, and the bytes of its texts.
    public static let valueSize = 1_048_576
    /// How much of that size takes one more step.
    public static let sizeOfStep = 1_000
    /// How deep arrays and objects lie within one another in a value that an operator makes: as deep as JSON is read and written.
    public static let valueNesting = JSONReader.depthLimit
    /// The size of all values that the operators of one run hold: those that wait, the latest values, and the results so far.
    public static let heldSize = 16_777_216

    /// The steps that a try may take,
    public static let trySteps = 200_000
    /// the nanoseconds that it may compute,
    public static let tryNanoseconds = 1_000_000_000
    /// the bytes of JSON that it may deliver, all events together,
    public static let tryBytes = 4_194_304
    /// the size of all values that its expressions and operators make,
    public static let tryMadeSize = 8_388_608
    /// the events that it may deliver,
    public static let tryEvents = 10_000
    /// the events of one of its inputs,
    public static let inputEvents = 10_000
    /// how many seconds it is watched where nobody says so, a day,
    public static let trySecondsByDefault = 86_400
    /// how many at the most, some thirty years,
    public static let trySeconds = 1_000_000_000
    /// and how long a marble it draws.
    public static let marbleCharacters = 1_000
}
