import Expressions
import JSON
import Reactive
import Schemas
import StateModel

/// One call of an action.
struct ActionRun {
    private let program: ActionProgram
    private let reads: ActionReads
    private let states: [DescribedState]
    private let commit: UnsafeMutablePointer<Commit>
    /// The values of the names, by place.
    private var frame: [ExpressionInput]
    /// The work of the commit: that of earlier actions, and of this one.
    private(set) var work: ActionWork
    /// The places of the calls of definitions whose steps are being performed.
    private var calls: [JSONPointer] = []

    init(
        _ program: ActionProgram, _ reads: ActionReads, _ states: [DescribedState],
        _ commit: UnsafeMutablePointer<Commit>, _ input: JSON
    ) {
        (self.program, self.reads, self.states, self.commit) = (program, reads, states, commit)
        work = commit.pointee.work
        let place = NamePlace.self
        frame = Array(repeating: .json(.null), count: program.frame)
        frame[place.state] = reads.state
        frame[place.given] = reads.given
        frame[place.input] = .json(input)
        frame[place.space] = reads.space
        frame[place.newID] = reads.newID
        frame[place.newSecret] = reads.newSecret
        frame[place.index] = reads.index
        if program.readsTime { frame[place.now] = .json(.string("\(commit.pointee.now)")) }
        if program.readsToken { frame[place.token] = .json(commit.pointee.caller.token) }
    }

    /// Rejects the call if a rule is false or fails.
    mutating func askRules() throws(Rejection) {
        for rule in program.rules {
            // A rule that fails is false.
            guard case .bool(true)? = try? evaluate(rule) else {
                throw .forbidden(by: "\(program.feature)#\(rule.pointer)")
            }
        }
    }

    mutating func perform() throws(Rejection) -> JSON? {
        var next = NamePlace.count
        for value in program.lets {
            frame[next] = .json(try evaluate(value))
            next += 1
        }
        for condition in program.guards where try !isTrue(condition.condition) {
            let detail = try hiding(program.hiddenFromDetails) { run throws(Rejection) in
                try run.text(condition.detail)
            }
            throw Rejection(condition.kind, detail, at: condition.pointer).caused(
                by: cause(.guard, at: condition.condition.pointer))
        }
        try perform(program.steps)
        guard let answer = program.answer else { return nil }
        return try hiding(program.hiddenFromAnswer) { run throws(Rejection) in try run.evaluate(answer) }
    }

    /// Evaluates something that is shown: with null in place of private parts, also in the names of `let`.
    private mutating func hiding<Result>(
        _ parts: ShownParts?, _ body: (inout ActionRun) throws(Rejection) -> Result
    ) throws(Rejection) -> Result {
        guard let parts else { return try body(&self) }
        let whole = frame
        defer { frame = whole }
        let place = NamePlace.self
        if case .json(let input) = frame[place.input] { frame[place.input] = .json(parts.input.masking(input)) }
        return try reads.hiding(parts.state) { () throws(Rejection) in
            for (index, value) in program.lets.enumerated() where value.isPrivate {
                // A value that cannot be computed without its private parts is null.
                frame[place.count + index] = .json((try? evaluate(value)) ?? .null)
            }
            return try body(&self)
        }
    }

    private mutating func perform(_ all: [ActionProgram.ActionStep]) throws(Rejection) {
        for step in all { try perform(step) }
    }

    private mutating func perform(_ step: ActionProgram.ActionStep) throws(Rejection) {
        switch step {
        case .set, .put, .update, .remove, .clear:
            // A write takes steps, so that an action writes a bounded number of rows.
            work.steps += DocumentLimits.stepsOfWrite
            guard work.steps <= DocumentLimits.steps else {
                throw Rejection(
                    .invalid,
                    "\(program.feature): the action takes more than \(DocumentLimits.steps) steps: write fewer rows")
            }
        case .choice, .call, .each: break
        }
        switch step {
        case .set(let index, let formula): try set(index, try evaluate(formula))
        case .put(let index, let key, let row):
            let key = try self.key(key)
            try put(index, key, try evaluate(row))
        case .update(let index, let key, let formula, let missing):
            try update(index, try self.key(key), formula, missing)
        case .remove(let index, let key):
            let key = try self.key(key)
            work.steps += reads.indexes.byTable[index]?.count ?? 0
            if case .table(let table) = states[index] { commit.pointee[table, key] = nil }
        case .clear(let index):
            if case .table(let table) = states[index] { commit.pointee.removeAll(of: table) }
        case .choice(let condition, let then, let otherwise):
            try perform(try isTrue(condition) ? then : otherwise)
        case .call(let values, let body, let pointer):
            let given = try values.map { value throws(Rejection) in (value.place, try evaluate(value.value)) }
            for (place, value) in given { frame[place] = .json(value) }
            calls.append(pointer)
            defer { calls.removeLast() }
            try perform(body)
        case .each(let list, let table, let place, let body):
            guard case .array(let elements) = try evaluate(list) else {
                throw failure("each iterates over a list", at: list.pointer)
            }
            for element in elements {
                work.rounds += 1
                guard work.rounds <= DocumentLimits.rounds else {
                    throw failure("the action takes more than \(DocumentLimits.rounds) rounds", at: list.pointer)
                }
                // A row that went since the step began is left out.
                if let table, !hasRow(table, element) { continue }
                frame[place] = .json(element)
                try perform(body)
            }
        }
    }

    private func hasRow(_ index: Int, _ key: JSON) -> Bool {
        guard case .table(let table) = states[index], case .string(let key) = key else { return false }
        return commit.pointee[table, key] != nil
    }

    // MARK: Indexes

    /// Rejects a row for which an expression of an index has no value.
    private mutating func checkIndexes(_ index: Int, _ key: String, _ row: DescribedRow) throws(Rejection) {
        guard let indexes = reads.indexes.byTable[index] else { return }
        work.steps += indexes.count
        for index in indexes {
            if let rejection = index.rejection(of: key, row, in: program.feature) { throw rejection }
        }
    }

    // MARK: Writes

    private mutating func set(_ index: Int, _ value: JSON) throws(Rejection) {
        let part = program.state[index]
        guard case .variable(let variable) = states[index], case .value(let schema, _) = part.form else { return }
        commit.pointee[variable] = try checked(value, schema, [part.name])
    }

    private mutating func put(_ index: Int, _ key: String, _ row: JSON) throws(Rejection) {
        guard case .table(let table) = states[index] else { return }
        try put(index, table, key, row, over: commit.pointee[table, key])
    }

    private mutating func put(
        _ index: Int, _ table: Table<String, DescribedRow>, _ key: String, _ row: JSON, over old: DescribedRow?,
        counting counted: JSON? = nil
    ) throws(Rejection) {
        let part = program.state[index]
        guard case .table(let form) = part.form else { return }
        if let fault = form.key.computedFault(in: .string(key)) {
            throw Rejection(
                .invalid, "a key of \(program.feature).\(part.name): \(fault.description)",
                at: JSONPointer([part.name]), allowed: fault.allowed)
        }
        work.writtenBytes += key.utf8.count
        let row = try checked(row, form.row, [part.name, "*"], counting: counted)
        guard row != .null else {
            throw Rejection(
                .invalid, "\(program.feature).\(part.name): \(NullRows.reason); use the step remove",
                at: JSONPointer([part.name, "*"]))
        }
        let new = DescribedRow(row, added: old?.added ?? commit.pointee.nextAdding(isKept: form.isKept))
        try checkIndexes(index, key, new)
        commit.pointee[table, key] = new
    }

    private mutating func update(
        _ index: Int, _ key: String, _ formula: CompiledFormula, _ missing: JSONPointer
    ) throws(Rejection) {
        let name = program.state[index].name
        guard case .table(let table) = states[index] else { return }
        guard let found = commit.pointee[table, key] else {
            throw Rejection(.conflict, "\(program.feature).\(name) has no row of this key").caused(
                by: cause(.step, at: missing))
        }
        let old = found.value
        frame[NamePlace.row] = .json(old)
        frame[NamePlace.key] = .json(.string(key))
        guard case .object(let members) = try evaluate(formula) else {
            throw failure("update takes an object of the members to replace", at: formula.pointer)
        }
        guard case .object(var row) = old else {
            throw failure("the row has no members; write it with put", at: missing)
        }
        for member in members { row[member.key] = member.value }
        // The members that stay count for nothing: their size may be no knowledge of the caller.
        try put(index, table, key, .object(row), over: found, counting: .object(members))
    }

    /// Returns a value with its defaults, after its schema and the size of all writes are checked, of which `counted` is the
    /// part; nil for all of the value. A fault names the place in the state, and no part of the value: the caller may not be
    /// allowed to read what it was computed from.
    private mutating func checked(
        _ value: JSON, _ schema: ValueSchema, _ place: [String], counting counted: JSON? = nil
    ) throws(Rejection) -> JSON {
        let value = schema.filled(value)
        if let fault = schema.computedFault(in: value) {
            let name = "\(program.feature).\(place[0])"
            throw Rejection(
                .invalid, "\(name) would not satisfy its schema: \(fault.description)",
                at: JSONPointer(place + fault.pointer.tokens), allowed: fault.allowed
            ).caused(by: cause(.schema, at: JSONPointer(["state", place[0]])))
        }
        work.writtenBytes += (counted ?? value).byteCount(upTo: DocumentLimits.writtenBytes)
        guard work.writtenBytes <= DocumentLimits.writtenBytes else {
            throw Rejection(.invalid, "the action writes more than \(DocumentLimits.writtenBytes) bytes")
        }
        return value
    }

    // MARK: Expressions

    private mutating func evaluate(_ formula: CompiledFormula) throws(Rejection) -> JSON {
        do throws(EvaluationFailure) {
            let value = try formula.evaluate(frame, steps: &work.steps)
            if work.steps <= DocumentLimits.steps { return value }
        } catch {
            throw failure(formula.words(for: error), at: formula.pointer)
        }
        throw failure("the action takes more than \(DocumentLimits.steps) steps", at: formula.pointer)
    }

    private mutating func text(_ text: CompiledText) throws(Rejection) -> String {
        do throws(EvaluationFailure) {
            return try text.text(frame, steps: &work.steps)
        } catch {
            throw Rejection(.invalid, "the refusal has no text: \(error)")
        }
    }

    private mutating func isTrue(_ formula: CompiledFormula) throws(Rejection) -> Bool {
        guard case .bool(let truth) = try evaluate(formula) else {
            throw failure("a condition is a bool", at: formula.pointer)
        }
        return truth
    }

    private mutating func key(_ formula: CompiledFormula) throws(Rejection) -> String {
        guard case .string(let key) = try evaluate(formula) else {
            throw failure("a key is a string", at: formula.pointer)
        }
        return key
    }

    /// The rejection of a call because of a failure at a place of the document.
    private func failure(_ words: String, at pointer: JSONPointer) -> Rejection {
        let callers = calls.reversed().map { ", called at \($0)" }.joined()
        return Rejection(.invalid, "\(program.feature)\(pointer)\(callers): \(words)").caused(
            by: cause(.step, at: pointer))
    }

    private func cause(_ kind: RejectionCause.Kind, at pointer: JSONPointer) -> RejectionCause {
        RejectionCause(kind, at: "\(program.feature)#\(pointer)")
    }
}
