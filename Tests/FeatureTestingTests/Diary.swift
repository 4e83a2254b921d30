import JSON
import Reactive
import StateStore

/// A feature with everything that a feature author has besides variables: times, money, identifiers, callers, answers.
enum Diary {
    static let feature = Feature("diary", DiaryState.init, DiaryService.init, DiaryViewModel.init)
}

struct DiaryState {
    let notes = Table<String, Note>()
    let byTime = Table<Timestamp, Note>()
    let spent = Variable(Money.zero)
}

struct Note: Record {
    var text = ""
    var at = Timestamp(microseconds: 0)
    var by: String?

    static let shape = Shape(Note()) {
        $0.required("text", \.text)
        $0.required("at", \.at)
        $0.optional("by", \.by)
    }
}

struct DiaryService: StateService {
    let write: AnsweringAction<Text, [String]>
    let remind: Action<Reminder>
    let spend: AnsweringAction<Amount, Money>
    let look: AnsweringAction<NoInput, Int>

    init(_ diary: DiaryState) {
        write = AnsweringAction { input, commit throws(Rejection) in
            guard !input.text.isEmpty else { throw .invalid("write something", at: "text") }
            let ids = [commit.newID(), commit.newID()]
            for id in ids {
                commit[diary.notes, id] = Note(text: input.text, at: commit.now, by: commit.caller.subject)
            }
            return ids
        }
        remind = Action { input, commit throws(Rejection) in
            guard input.at > commit.now else { throw .invalid("the time has passed", at: "at") }
            commit[diary.byTime, input.at - .seconds(60)] = Note(text: input.text, at: input.at)
        }
        spend = AnsweringAction { input, commit throws(Rejection) in
            commit[diary.spent] += input.amount * input.times + input.amount.share(0.19)
            return commit[diary.spent]
        }
        look = AnsweringAction { commit in commit.version }
    }
}

struct Text: Record {
    var text = ""

    static let shape = Shape(Text()) { $0.required("text", \.text) }
}

struct Reminder: Record {
    var text = ""
    var at = Timestamp(microseconds: 0)

    static let shape = Shape(Reminder()) {
        $0.required("text", \.text)
        $0.required("at", \.at)
    }
}

struct Amount: Record {
    var amount: Money = 0
    var times = 1

    static let shape = Shape(Amount()) {
        $0.required("amount", \.amount, .from(0...10_000))
        $0.optional("times", \.times)
    }
}

struct DiaryViewModel: ViewModel {
    let notes: OrderedRows<String, Note>
    let reminders: OrderedRows<Timestamp, Note>
    let spent: Observable<Money>

    init(_ diary: DiaryState) {
        notes = diary.notes.sorted()
        reminders = diary.byTime.sorted(by: \.at)
        spent = diary.spent.map { $0 }
    }
}
