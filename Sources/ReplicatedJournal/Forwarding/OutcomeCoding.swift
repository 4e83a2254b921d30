internal import StateStore

/// The binary form of the outcome of a forwarded call.
enum OutcomeCoding {
    private enum OutcomeForm: UInt8 {
        case answer = 0
        case rejected = 1
        case keyReused = 2
        case noSuchAction = 3
        case wrongSpace = 4
        case journal = 5
        /// Nothing was changed, and another attempt may succeed.
        case again = 6
        case other = 7
    }

    /// Returns the bytes of an outcome.
    static func bytes(of outcome: Result<Answer, Refusal>) -> [UInt8] {
        var writer = EntryWriter()
        switch outcome {
        case .success(let answer):
            writer.byte(OutcomeForm.answer.rawValue)
            writer.count(answer.version)
            writer.byte(answer.isReplay ? 1 : 0)
            writer.bytes(answer.result)
            writer.count(answer.changed.count)
            for name in answer.changed { writer.text(name) }
        case .failure(.rejected(let rejection)):
            writer.byte(OutcomeForm.rejected.rawValue)
            writer.rejection(rejection)
        case .failure(.keyReused): writer.byte(OutcomeForm.keyReused.rawValue)
        case .failure(.noSuchAction): writer.byte(OutcomeForm.noSuchAction.rawValue)
        case .failure(.wrongSpace(let scope)):
            writer.byte(OutcomeForm.wrongSpace.rawValue)
            writer.byte(scope == .common ? 1 : 0)
        case .failure(.journal(let failure)) where failure.kind != .elsewhere:
            writer.byte(OutcomeForm.journal.rawValue)
            writer.byte(failure.kind == .outcomeUnknown ? 1 : 0)
            writer.text(failure.description)
        case .failure(.journal), .failure(.elsewhere), .failure(.contended): writer.byte(OutcomeForm.again.rawValue)
        case .failure(let refusal):
            writer.byte(OutcomeForm.other.rawValue)
            writer.text("\(refusal)")
        }
        return writer.bytes
    }

    /// Reads an outcome. `elsewhere` asks for another attempt.
    static func outcome(_ bytes: [UInt8]) throws(EntryFault) -> Result<Answer, Refusal> {
        var reader = EntryReader(bytes)
        guard let form = OutcomeForm(rawValue: try reader.byte()) else { throw .malformed }
        switch form {
        case .answer:
            let (version, isReplay, result) = (try reader.number(), try reader.byte() == 1, try reader.bytes())
            var changed: [String] = []
            for _ in 0..<(try reader.count(of: 1)) { changed.append(try reader.text()) }
            return .success(Answer(version: version, changed: changed, result: result, isReplay: isReplay))
        case .rejected: return .failure(.rejected(try reader.rejection()))
        case .keyReused: return .failure(.keyReused)
        case .noSuchAction: return .failure(.noSuchAction)
        case .wrongSpace: return .failure(.wrongSpace(try reader.byte() == 1 ? .common : .space))
        case .journal:
            let isUnknown = try reader.byte() == 1
            return .failure(.journal(JournalFailure(isUnknown ? .outcomeUnknown : .cannotWrite, try reader.text())))
        case .again: return .failure(.elsewhere)
        case .other: return .failure(.rejected(Rejection(.invalid, try reader.text())))
        }
    }
}
