import Documents
import Expressions
import HTTP
import JSON
import StateStore
import Streams

/// The page of all limits that a caller can reach (`docs/limits.md`), made from the values in the code.
///
/// Each limit names the problem or the event of an answer beyond it, and the test that reaches it.
enum LimitPage {
    /// The answer to what exceeds a limit.
    enum Outcome {
        /// A problem.
        case problem(ProblemType)
        /// What happens in place of a refusal, in words.
        case instead(String)
    }

    /// One limit.
    struct ReachableLimit {
        let subject: String
        let value: String
        /// The option that sets it; nil for a fixed limit.
        let option: String?
        let outcome: Outcome
        let wayOut: String
        /// The suite and the name of the test.
        let test: (suite: String, name: String)
    }

    private static func entry(
        _ subject: String, _ value: String, _ option: String?, _ outcome: Outcome, _ wayOut: String,
        _ suite: String, _ test: String
    ) -> ReachableLimit {
        ReachableLimit(
            subject: subject, value: value, option: option, outcome: outcome, wayOut: wayOut,
            test: (suite: suite, name: test))
    }

    private static func entry(
        _ subject: String, _ value: String, _ outcome: Outcome, _ wayOut: String, _ suite: String, _ test: String
    ) -> ReachableLimit {
        entry(subject, value, nil, outcome, wayOut, suite, test)
    }

    private static func bytes(_ count: Int) -> String {
        if count % (1 << 20) == 0 { return "\(count >> 20) MiB" }
        return count % 1_024 == 0 ? "\(count >> 10) KiB" : "\(number(count)) bytes"
    }

    private static func number(_ value: Int) -> String {
        var (text, rest) = ("", value)
        while rest >= 1_000 {
            let digits = String(rest % 1_000)
            text = "," + String(repeating: "0", count: 3 - digits.count) + digits + text
            rest /= 1_000
        }
        return "\(rest)" + text
    }

    /// The parts of the page.
    static var parts: [(title: String, entries: [ReachableLimit])] {
        [
            ("Requests and connections", requests), ("Each subject", subjects), ("Each space", spaces),
            ("Features as documents", documents), ("Formulas and streams", formulas), ("Time", time),
        ]
    }

    private static var requests: [ReachableLimit] {
        let limits = ServerLimits()
        return [
            entry(
                "the request line", bytes(limits.requestLineBytes), "--max-request-line", .problem(.targetTooLong),
                "send parameters in a body, or read fewer views at once", "LimitsTests",
                "a request line has at most 8 KiB"),
            entry(
                "all header fields", "\(bytes(limits.headerBytes)), \(limits.fieldCount) fields",
                "--max-header, --max-fields", .problem(.headersTooLarge), "send shorter tokens and cookies",
                "LimitsTests", "a header has at most 16 KiB and 100 fields"),
            entry(
                "a body", bytes(limits.bodyBytes), "--max-body", .problem(.tooLarge), "divide it into several requests",
                "LimitsTests", "a body has at most 1 MiB"),
            entry(
                "nesting of JSON", "\(JSONReader.depthLimit) levels", .problem(.notJSON), "send flatter values",
                "ProblemTests", "JSON is nested at most 64 deep"),
            entry(
                "the arrival of a request", "\(limits.requestSeconds) s", "--request-timeout", .problem(.timeout),
                "send it at once", "LimitsTests", "a request that does not arrive in time is 408"),
            entry(
                "a stream whose reader takes nothing", "\(limits.stallSeconds) s", "--stall-timeout",
                .instead("closed"), "connect again with `Last-Event-ID`", "LimitsTests",
                "a stream whose reader accepts nothing is closed"),
            entry(
                "open connections", "those that the process may open", "--max-connections", .problem(.noRoom),
                "connect again after `Retry-After`: the oldest idle connection is closed first", "LimitsTests",
                "above the limit of connections the oldest idle one is closed, then the answer is 503"),
            entry(
                "the wait of a long poll", "\(ReadMode.waitLimit) s", .instead("304 after it"), "ask again",
                "SnapshotTests", "a long poll ends with 304 after its wait, at most 60 seconds"),
            entry(
                "an answer of `changes`", "\(number(ChangePage.commitsLimit)) commits, \(bytes(ChangePage.bytesLimit))",
                .instead("a shorter page"), "go on with the tag of the last commit", "BoundedAnswersTests",
                "a page of large commits ends with the commit that reaches 4 MiB, and the next begins there"),
            entry(
                "the lists of a problem", "\(Problem.elementsLimit) elements", .instead("cut, with the number of all"),
                "mend these first", "ProblemTextTests",
                "a problem lists at most 100 faults and 100 allowed values, and says how many are allowed"),
        ]
    }

    private static var subjects: [ReachableLimit] {
        let limits = AccessControl.Limits()
        return [
            entry(
                "actions and their bytes", "none", "--rate, --byte-rate", .problem(.tooMany),
                "wait for `Retry-After`", "AccessTests", "a rate limits actions, and the answer has the number left"),
            entry(
                "open streams", number(limits.streams), "--max-streams", .problem(.tooMany),
                "close one, or watch several views on one stream", "AccessTests",
                "a token has a limited number of streams, and a closed one frees its place"),
            entry(
                "running trials", "\(limits.trials); of all subjects \(TrialRunner.trialsLimit)", "--max-trials",
                .problem(.tooMany), "wait for one to end", "TryingTests",
                "long tries delay a small one only briefly, and their number is limited"),
            entry(
                "waiting reads of the past", "\(PastReader.waitingLimit)", .problem(.busy),
                "ask again after `Retry-After`", "PastReaderTests",
                "beyond the limit a request is refused, and the others are answered"),
        ]
    }

    private static var spaces: [ReachableLimit] {
        [
            entry(
                "state and lists in memory", "a quarter of `--space-memory`, by estimate", "--space-memory",
                .problem(.spaceTooLarge), "remove rows, which is allowed, or divide the space", "GrowthTests",
                "a space at its limit is refused growth, and may shrink"),
            entry(
                "watched instances of views, of all spaces of a loop", "half of its memory", "--space-memory",
                .problem(.tooMany), "close streams", "ParameterViewTests",
                "memory alone limits the watched instances, reads are not limited"),
            entry(
                "the views and streams that one request or one commit computes",
                "\(number(WorkShortage.steps)) steps; in large spaces \(number(WorkShortage.stepsOfLargeSpaces))",
                .problem(.tooMuchWork),
                "read fewer views at once, or ask again: the space moves to the loop of large spaces",
                "WorkTests", "a view fails once the work has taken its steps, and the next work computes it"),
            entry(
                "the values that one request or one commit makes",
                "\(bytes(WorkShortage.bytes)); in large spaces a quarter of the memory, if that is more",
                "--space-memory", .problem(.tooMuchWork), "read fewer views at once", "WorkTests",
                "views fail once the work has made its bytes, and the next work makes them"),
            entry(
                "the wait of an action for indexes that are being made", "1 s", .problem(.busy),
                "ask again after `Retry-After`: they are made meanwhile", "SlicedIndexTests",
                "an action waits for its index for a second at most, and the index is made all the same"),
            entry(
                "the wait of a large space for memory that others use", "10 s", .problem(.busy),
                "ask again when others have ended, or give the server more memory", "SlicedLoadTests",
                "a large space waits for memory, and is refused if those in use keep it"),
            entry(
                "the changes of an action", bytes(Facts.sizeLimit), .problem(.commitTooLarge), "use several actions",
                "ClusterTests", "a commit of more than 16 MiB is refused, and the space goes on"),
            entry(
                "commits that can be listed", number(Settings().history), "--history", .problem(.gone),
                "read the space again, then follow it", "MaintenanceTests",
                "a snapshot and the commits after it equal all commits, and history is trimmed at its limit"),
            entry(
                "hooks", "\(HooksService.spaceLimit)", .problem(.conflict), "use one hook with several patterns",
                "HookRequestTests", "missing hooks are 404, ids that are none are refused, and a space has at most 20"),
            entry(
                "maintained lists and folds that nobody watches", "\(HeldLists.limit)",
                .instead("the one read first is computed anew at its next read"), "watch it", "HeldListTests",
                "the number of lists that are maintained for nobody is bounded"),
        ]
    }

    private static var documents: [ReachableLimit] {
        [
            entry(
                "the text of a document", bytes(DocumentLimits.textBytes), .problem(.invalid), "use several features",
                "ExampleTests", "the documentation lists all members and limits"),
            entry(
                "an action",
                "\(number(DocumentLimits.steps)) steps, \(number(DocumentLimits.rounds)) rounds, "
                    + "\(bytes(DocumentLimits.writtenBytes)) of written values",
                .problem(.invalid), "write fewer rows with each call", "ActionTests", "an action is bounded"),
            entry(
                "a write of an action", "\(DocumentLimits.stepsOfWrite) of its steps", .problem(.invalid),
                "write fewer rows with each call", "WorkTests", "an action that writes too often is refused"),
        ]
    }

    private static var formulas: [ReachableLimit] {
        [
            entry(
                "the evaluation of a formula",
                "\(number(ExpressionLimits.steps)) steps, \(bytes(ExpressionLimits.memoryBytes))",
                .problem(.viewFailed), "use indexes, and shorter lists", "LimitTests",
                "an exceeded limit is not ignored by || and macros"),
            entry(
                "the definition of a stream",
                "\(StreamLimits.operators) operators, \(number(StreamLimits.nodes)) nodes", .problem(.invalid),
                "divide it into several streams", "ValidationTests", "what goes beyond a limit is refused: Law STREAM2"),
            entry(
                "a run of a stream",
                "\(number(StreamLimits.stepsAtOnce)) steps at once, \(bytes(StreamLimits.heldSize)) held",
                .instead("the event `error`"), "let it compute less for each value", "BoundsTests",
                "a definition with too many steps fails, in a run and in a trial: Law STREAM13"),
            entry(
                "the memory of a definition that remembers", bytes(StreamLimits.memoryBytes),
                .instead("it fails, and the commit stands"), "remember less", "MemoryLimitTests",
                "a definition that remembers more than 1 MiB fails, and the commit and the others stand: Law HISTORY5"),
            entry(
                "a trial", "\(number(StreamLimits.trialSteps)) steps, \(bytes(StreamLimits.trialBytes)) of events",
                .problem(.trialTooLarge), "try fewer events", "TryingTests",
                "a try that delivers too much is refused, and the problem names the limit"),
        ]
    }

    private static var time: [ReachableLimit] {
        [
            entry(
                "commits by time in a space", "10 a second", .instead("the last one takes all alarms that are due"),
                "use longer periods", "RememberingTests",
                "a space makes at most ten commits by time a second: Law HISTORY4"),
            entry(
                "sleeping spaces that time wakes", "1,000 a second", .instead("the others wait"), "none is needed",
                "RecurringTests", "sleeping spaces are woken in order, at most 1,000 a second"),
        ]
    }

    /// The page.
    static var text: String {
        var lines = [
            "# Limits", "",
            "This page lists the limits that a caller can reach, and the answer beyond each. A test makes the",
            "page from the values in the code. Each row names the test that reaches the limit.",
            "`GET /v1/limits` has the values of a running server. [expressions.md](expressions.md),",
            "[features.md](features.md) and [streams.md](streams.md) list the limits of definitions.",
        ]
        for (title, entries) in parts {
            lines += [
                "", "## \(title)", "", "| limit | value | answer beyond it | way out | test |", "|---|---|---|---|---|",
            ]
            for one in entries {
                let value = one.option.map { "\(one.value) (`\($0)`)" } ?? one.value
                let outcome =
                    switch one.outcome {
                    case .problem(let type): "\(type.status) `/problems/\(type.name)`"
                    case .instead(let words): words
                    }
                let test = one.test.name.replacing("|", with: "\\|")
                lines.append("| \(one.subject) | \(value) | \(outcome) | \(one.wayOut) | \(one.test.suite): \(test) |")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
