import Reactive

static func drawing(_ total: Observable<Int>) {
    // snippet
}
// skip: the output of the program above
