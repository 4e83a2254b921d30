import Reactive
import StateStore

struct Book: Record {
    var title = ""
    var pages: Int?
}

struct LibraryService: StateService { let counted: InternalAction<Book> }

static func perform(_ outside: Outside, title: String) -> Observable<Answer> {
    // snippet
}
