import Expressions
import JSON
import Schemas
import StateModel

/// A compiled action. It never changes, and all spaces share it.
final class ActionProgram: Sendable {
    /// A guard.
    struct Guard: Sendable {
        let condition: CompiledFormula
        let kind: Rejection.Kind
        let detail: CompiledText
        let pointer: JSONPointer?
    }

    /// A step.
    indirect enum ActionStep: Sendable {
        case set(Int, to: CompiledFormula)
        case put(Int, key: CompiledFormula, row: CompiledFormula)
        case update(Int, key: CompiledFormula, with: CompiledFormula, missing: JSONPointer)
        case remove(Int, key: CompiledFormula)
        case clear(Int)
        case choice(CompiledFormula, then: [ActionStep], otherwise: [ActionStep])
        /// The steps of a definition, with the places and the values of its parameters, and the place of the call.
        case call([(place: Int, value: CompiledFormula)], body: [ActionStep], JSONPointer)
        /// `of` is the table whose keys are in the list; nil for another list.
        case each(CompiledFormula, of: Int?, place: Int, body: [ActionStep])
    }

    let feature: String
    /// The place of the action in the document.
    let pointer: JSONPointer
    let state: [WrittenState]
    let input: ValueSchema
    /// The rules: that of the feature and that of the action.
    let rules: [CompiledFormula]
    let lets: [CompiledFormula]
    let guards: [Guard]
    let steps: [ActionStep]
    let answer: CompiledFormula?
    /// The number of places in a frame.
    let frame: Int
    /// True if an expression reads the time.
    let readsTime: Bool
    /// True if an expression reads the claims of the caller.
    let readsToken: Bool
    /// The private parts that are null in the texts of refusals, and in the answer; nil for none.
    let hiddenFromDetails: ShownParts?
    let hiddenFromAnswer: ShownParts?
    /// The texts of refusals that name a private part, which is null in them.
    let warnings: [DocumentFault]
    /// All formulas, for the plan of what they read.
    let formulas: [CompiledFormula]

    init(
        feature: String, state: [WrittenState], input: ValueSchema, rules: [CompiledFormula],
        lets: [CompiledFormula], guards: [Guard],
        steps: [ActionStep], answer: CompiledFormula?, frame: Int,
        readsTime: Bool, readsToken: Bool,
        hiddenFromDetails: ShownParts? = nil, hiddenFromAnswer: ShownParts? = nil, warnings: [DocumentFault] = [],
        formulas: [CompiledFormula] = [], pointer: JSONPointer = JSONPointer()
    ) {
        self.pointer = pointer
        (self.warnings, self.formulas) = (warnings, formulas)
        (self.hiddenFromDetails, self.hiddenFromAnswer) = (hiddenFromDetails, hiddenFromAnswer)
        (self.feature, self.state, self.input, self.rules, self.lets) = (feature, state, input, rules, lets)
        (self.guards, self.steps, self.answer, self.frame) = (guards, steps, answer, frame)
        (self.readsTime, self.readsToken) = (readsTime, readsToken)
    }

    /// The rule of a feature for all actions, without an action.
    convenience init(_ document: FeatureDocument, rule: CompiledFormula) {
        let read = Set(rule.reads.map(\.name))
        var schemas = SchemaReader()
        self.init(
            feature: document.name, state: document.state, input: schemas.schema([:], at: JSONPointer()),
            rules: [rule], lets: [], guards: [], steps: [], answer: nil, frame: NamePlace.count,
            readsTime: read.contains("now"), readsToken: read.contains("token"))
    }

    /// Throws if a rule does not allow the caller of a commit the action with some input.
    func check(
        _ input: JSON, _ reads: ActionReads, _ states: [DescribedState], _ commit: inout Commit
    ) throws(Rejection) {
        try reads.reading(&commit) { commit throws(Rejection) in
            var run = ActionRun(self, reads, states, commit, input)
            do throws(Rejection) {
                try run.askRules()
            } catch {
                throw error.after(steps: run.work.steps, rows: reads.rowsCount)
            }
        }
    }

    /// Performs the action, and returns its answer. The rules see the checked input. `isComputed` is true if the server has
    /// computed the input; otherwise a fault shows the sender parts of it. `predicted` is the action that clients
    /// predict, as `feature/action`; nil for another one.
    func perform(
        _ input: JSON, isComputed: Bool = false, predicted: String? = nil, _ reads: ActionReads,
        _ states: [DescribedState], _ commit: inout Commit
    ) throws(Rejection) -> JSON? {
        let input = self.input.filled(input)
        if let fault = isComputed ? self.input.computedFault(in: input) : self.input.fault(in: input) {
            throw Rejection(
                .invalid, fault.description, at: fault.pointer.tokens.isEmpty ? nil : fault.pointer,
                allowed: fault.allowed
            ).caused(by: RejectionCause(.schema, at: "\(feature)#\(pointer.appending("input"))"))
        }
        if !rules.isEmpty, !commit.caller.isServer { try check(input, reads, states, &commit) }
        return try reads.reading(&commit, predicting: predicted) { commit throws(Rejection) in
            var run = ActionRun(self, reads, states, commit, input)
            let before = commit.pointee.work.rows
            defer {
                commit.pointee.work = run.work
                commit.pointee.work.rows = before + reads.rowsCount
            }
            do throws(Rejection) {
                return try run.perform()
            } catch {
                throw error.after(steps: run.work.steps, rows: reads.rowsCount)
            }
        }
    }
}
