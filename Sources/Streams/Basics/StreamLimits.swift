import JSON
import StateModel

/// The limits of definitions, runs and trials.
package enum StreamLimits {
    /// The maximum number of operators of a pipeline or an item.
    package static let operators = 64
    /// The maximum number of items of a stream.
    package static let items = 1_000
    /// The maximum number of sources that one source joins.
    package static let joinedSources = 64
    /// The maximum depth of sources within sources.
    package static let nesting = 16
    /// The maximum length of a document, in bytes.
    package static let documentBytes = 65_536
    /// The maximum length of a name, in characters.
    package static let nameCharacters = 200
    /// The maximum length of a description, in characters.
    package static let descriptionCharacters = 2_000
    /// The maximum length of an expression, in characters.
    package static let expressionCharacters = 4_096
    /// The maximum number of nodes of a definition and all that it refers to.
    package static let nodes = 10_000
    /// The maximum number of nodes on a path: the start of a stream descends the path by recursion.
    package static let nodesInARow = 500
    /// The longest duration, in seconds.
    package static let seconds = 3_600
    /// The shortest period of `collect`, in milliseconds. A period of 0 would never end.
    package static let periodMilliseconds = 1
    /// The maximum count of an operator.
    package static let count = 1_000_000
    /// The maximum number of values that `collect` gathers.
    package static let collected = 10_000
    /// The maximum number of attempts of `retry`.
    package static let attempts = 100
    /// The maximum number of definitions of a space.
    package static let definitions = 1_000

    /// The maximum number of steps of a run at one instant, and in a second of its own alarms. Each value of a source,
    /// alarm, inner run and expression is a step; an expression has one more for each 100 of its price.
    package static let stepsAtOnce = 100_000
    /// The maximum number of values that wait in one operator.
    package static let waitingValues = 10_000
    /// The maximum number of open inner runs.
    package static let openRuns = 1_000
    /// The maximum size of a value that an expression or an operator makes (see `ValueSize`).
    package static let valueSize = 1_048_576
    /// The size for which making or holding a value costs one more step.
    package static let sizeOfStep = 1_000
    /// The maximum depth of a value that an operator makes: the depth limit of the JSON reader.
    package static let valueNesting = JSONReader.depthLimit
    /// The maximum size of all values that the operators of one run hold: waiting values, latest values and results.
    package static let heldSize = 16_777_216

    /// The maximum number of remembering definitions of a space.
    package static let remembering = MemoryLimits.definitions
    /// The maximum size of the memory of one definition, in bytes.
    package static let memoryBytes = MemoryLimits.bytes
    /// The maximum number of steps of all remembering definitions of a space in one commit.
    package static let stepsInACommit = MemoryLimits.steps
    /// The shortest duration of an operator in a view, in milliseconds: a view makes at most ten commits by time a
    /// second.
    package static let viewMilliseconds = MemoryLimits.milliseconds
    /// The maximum number of actions that a source over commits names.
    package static let foldedActions = 64

    /// The maximum number of steps of a trial.
    package static let trialSteps = 200_000
    /// The maximum computing time of a trial, in nanoseconds.
    package static let trialNanoseconds = 1_000_000_000
    /// The maximum length of all events that a trial delivers, in bytes of JSON.
    package static let trialBytes = 4_194_304
    /// The maximum size of all values that the expressions and operators of a trial make.
    package static let trialMadeSize = 8_388_608
    /// The maximum number of events that a trial delivers.
    package static let trialEvents = 10_000
    /// The maximum number of events of an input.
    package static let inputEvents = 10_000
    /// The default duration of a trial, in seconds: one day.
    package static let trialSecondsByDefault = 86_400
    /// The maximum duration of a trial, in seconds: about 30 years.
    package static let trialSeconds = 1_000_000_000
    /// The maximum length of a marble, in characters.
    package static let marbleCharacters = 1_000
}
